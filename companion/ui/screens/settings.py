"""Settings of the box, in groups; every change holds at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kivy.properties import StringProperty

from companion.core.change import Change
from companion.pages.dice_sets import KINDS, SetRow, set_text, trouble_text
from companion.pages.i18n import _
from companion.pages.prompts import quit_text
from companion.pages.settings import GROUPS, setting_rows
from companion.ui.dialogs import Confirm
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.new_game import OptionLine
from companion.ui.system import wish
from companion.ui.theme import theme
from companion.ui.widgets import Choice, Plate, Text

__all__ = ["SettingsScreen"]

_BOX_ICONS = {"hardware": "hardware", "tour": "help", "update": "save", "back": "undo", "quit": "power"}


class SettingsScreen(Screen):
    """Shows the rows of one group at a time."""

    tab = StringProperty("look")

    def enter(self, **args: Any) -> None:
        """Open a certain group, where one is named."""
        self.tab = args.get("tab", self.tab)

    def refresh(self, change: Change | None) -> None:
        """Show the group at hand."""
        self.ids.tabs.options = [(key, _(text)) for key, text in GROUPS]
        self.ids.tabs.chosen = self.tab
        rows = self.ids.rows
        rows.row_px = theme.px(OptionLine.ROW[theme.is_portrait])
        rows.make = {"box": self._box_line, "dice": self._dice_row}.get(self.tab, self._line)
        rows.items = self._box() if self.tab == "box" else list(setting_rows(self.tab, self.root.settings))
        if self.tab == "dice":
            rows.items = [("set", self.root.dice_sets.chosen()), ("read", None)]
        if self.tab == "screen":
            rows.items = [*rows.items, None]
        in_game = change is not None and change.state.setup is not None
        self.main_text = _("Back to the table") if in_game else _("Done")

    def choose(self, key: str) -> None:
        """Show another group; it stays open when the look changes."""
        self.tab = key
        self.root.keep_args(tab=key)
        self.refresh(self.root.desk.change)

    def _line(self, row: Any) -> Any:
        if row is None:
            return self._turn_line()
        line = OptionLine(label=row.label, hint=row.hint, share=0.32)
        field = Choice(role="body")
        field.options, field.chosen = list(row.options), row.chosen
        field.bind(on_choose=lambda _w, key: self.root.set(row.name, key))
        line.ids.slot.add_widget(field)
        return line

    def _dice_row(self, item: tuple[str, SetRow | None]) -> Any:
        key, chosen = item
        return self._set_line(chosen) if key == "set" else self._read_line()

    def _read_line(self) -> Any:
        """Read dice that no battle asks for: a roll for order, or a try of camera and light."""
        line, back = OptionLine(label=_("Read dice"), share=0.32), ("settings", {"tab": "dice"})
        for kind, _faces in KINDS:
            plate = Plate(text=kind, icon="camera", kind="soft", acts_on="release")
            plate.icon_px = theme.px(18)
            plate.bind(on_act=lambda _w, _t, kind=kind: self.root.go("dice", kind=kind, back=back))
            line.ids.slot.add_widget(plate)
        line.ids.slot.spacing = theme.px(6)
        return line

    def _set_line(self, chosen: SetRow | None) -> Any:
        """The set of own dice that is used for reading; a tap opens the list of all."""
        line = OptionLine(label=_("Dice set for reading"), share=0.32)
        plate = Plate(
            text=chosen.name if chosen is not None else _("No set"),
            sub=set_text(chosen),
            icon="warning" if trouble_text(chosen) else "dice",
            kind="soft",
            acts_on="release",
        )
        plate.bind(on_act=lambda _w, _t: self.root.go("dice_sets", back=("settings", {"tab": "dice"})))
        line.ids.slot.add_widget(plate)
        return line

    def _turn_line(self) -> Any:
        """The hint for a picture that stands on its head."""
        line = OptionLine(label=_("Picture turned?"), share=0.32)
        acts: tuple[tuple[str, str, Callable[[], None]], ...] = (
            (_("How to turn it"), "help", self._turn_help),
            (_("Test the corners"), "hardware", self._test_corners),
        )
        for text, icon, act in acts:
            plate = Plate(text=text, icon=icon, role="body", kind="soft", acts_on="release")
            plate.icon_px = theme.px(18)
            plate.bind(on_act=lambda _w, _t, act=act: act())
            line.ids.slot.add_widget(plate)
        line.ids.slot.spacing = theme.px(6)
        return line

    def _turn_help(self) -> None:
        self.root.ask(
            Confirm(
                _("Turn picture and touch"),
                _(
                    "On the box: sudo deploy/install --rotation 180 (or 90, 270). Picture and touch turn together. "
                    "If a touch lands elsewhere than your finger, test the corners."
                ),
                _("Test the corners"),
                lambda _touch: self._test_corners(),
            )
        )

    def _test_corners(self) -> None:
        from companion.ui.corners import CornerTest

        self.root.ask(CornerTest())

    def _box(self) -> list[tuple[str, str, str]]:
        root = self.root
        folder = ("folder", _("Data folder"), root.settings.data_folder or _("In memory only"))
        hardware = ("hardware", _("Buttons, lamps and cameras"), _("Test"))
        tour = ("tour", _("First-run tour"), _("Show"))
        shut_down = ("quit", _("Shut down"), _("Shut down"))
        if root.system is None:
            return [folder, hardware, tour, shut_down]
        update = ("update", _("Update from a USB stick"), _("Update"))
        back = ("back", _("Version before"), _("Go back"))
        return [shut_down, hardware, update, back, tour, folder]

    def _box_line(self, row: tuple[str, str, str]) -> Any:
        key, label, text = row
        line = OptionLine(label=label)
        if key == "folder":
            line.ids.slot.add_widget(Text(text=text, role="small", tone="muted", align="right"))
            return line
        plate = Plate(text=text, kind="soft", acts_on="release", icon=_BOX_ICONS[key])
        acts: dict[str, Callable[[], None]] = {
            "hardware": lambda: self.root.go("hardware"),
            "tour": self._tour,
            "quit": self._quit,
            "update": lambda: wish(self.root, "update"),
            "back": lambda: wish(self.root, "back"),
        }
        plate.bind(on_act=lambda _w, _t: acts[key]())
        line.ids.slot.add_widget(plate)
        return line

    def _tour(self) -> None:
        from companion.ui.tour import start_tour

        start_tour(self.root)

    def _quit(self) -> None:
        text = quit_text(self.root.desk.change)
        if self.root.system is None:
            text = f"{text} {_('Only the program ends; the computer stays on.')}"
        self.root.ask(
            Confirm(
                _("Shut down?"),
                text,
                _("Shut down"),
                lambda _touch: self.root.quit(),
            )
        )


load_kv(__file__)
