"""Hardware: every input live, every output tested by a tap, pins, box and cameras with one line each, the touch test."""

from __future__ import annotations

from typing import Any

from kivy.clock import Clock
from kivy.properties import BooleanProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.core.change import Change
from companion.pages.hardware import DeviceRow, HardwareView, PartRow, hardware_view
from companion.pages.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Pages, Panel, Plate, Text

__all__ = ["LOOK_S", "DeviceLine", "HardwareScreen", "InputTile"]

LOOK_S = 2.0
"""How often the screen looks which cameras are there, while it is up."""


class InputTile(Panel):
    """One button of the panel as it is now; it is no button of the screen."""

    title = StringProperty("")
    state = StringProperty("")
    tone = StringProperty("muted")
    is_on = BooleanProperty(False)

    def show(self, row: PartRow) -> None:
        """Show a part."""
        self.title, self.state, self.tone, self.is_on = row.name, row.state, row.tone, row.is_on


class DeviceLine(BoxLayout):
    """One device with its state and what to do, or one notice."""

    title = StringProperty("")
    state = StringProperty("")
    tone = StringProperty("muted")
    line = StringProperty("")
    facts = StringProperty("")
    can_test = BooleanProperty(False)


class HardwareScreen(Screen):
    """Shows the bench and the cameras of the root and follows them."""

    tab = StringProperty("panel")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = HardwareView()
        self._tiles: dict[str, Any] = {}
        self._pages: Any = None
        super().__init__(root, **kwargs)
        self._held = (root.bench.subscribe(self._moved), root.cameras.subscribe(self._moved))
        self._look_event = Clock.schedule_interval(lambda _dt: root.cameras.look(), LOOK_S)
        root.cameras.look()

    def enter(self, **args: Any) -> None:
        """Open a certain tab, where one is named."""
        self.tab = args.get("tab", self.tab)

    def refresh(self, change: Change | None) -> None:
        """Show everything as it is."""
        self.ids.tabs.options = [("panel", _("Panel")), ("devices", _("Devices"))]
        self.ids.tabs.chosen = self.tab
        in_game = change is not None and change.state.setup is not None
        self.main_text = _("Back to the table") if in_game else _("Done")
        self._show()

    def leave(self) -> None:
        """Stop following."""
        self._look_event.cancel()
        for held in self._held:
            held.cancel()

    def choose(self, key: str) -> None:
        """Show the other tab; it stays open when the look changes."""
        self.tab = key
        self.root.keep_args(tab=key)
        self.ids.tabs.chosen = key
        self.ids.body.clear_widgets()
        self._tiles, self._pages = {}, None
        self._show()

    def corners(self) -> None:
        """Start the corner-touch test."""
        from companion.ui.corners import CornerTest

        self.root.ask(CornerTest())

    def _moved(self) -> None:
        if self.root.screen is self:
            self._show()

    def _show(self) -> None:
        self.vm = hardware_view(self.root.bench, self.root.cameras)
        if self.tab == "panel":
            self._show_panel()
        else:
            self._show_devices()

    # Buttons, lamps and sound

    def _show_panel(self) -> None:
        if not self._tiles:
            self._build_panel()
        for row in self.vm.inputs:
            self._tiles[row.key].show(row)
        for row in self.vm.outputs:
            plate = self._tiles[row.key]
            plate.sub, plate.is_enabled = row.state, row.is_on
        trouble = self._tiles["trouble"]
        hint = _("Press the buttons: each shows at once. Tap an output to try it.")
        trouble.text = self.vm.trouble or self.vm.absence or hint
        trouble.tone = "danger" if self.vm.trouble else "muted"

    def _build_panel(self) -> None:
        columns = 2 if theme.is_portrait else 4
        inputs = GridLayout(
            cols=columns, spacing=theme.px(6), size_hint_y=2 / 3 if theme.is_portrait else 0.5
        )
        for row in self.vm.inputs:
            tile = InputTile()
            self._tiles[row.key] = tile
            inputs.add_widget(tile)
        outputs = GridLayout(cols=columns, spacing=theme.px(6), size_hint_y=4 / 3 if theme.is_portrait else 1)
        for row in self.vm.outputs:
            plate = Plate(text=row.name, kind="soft", role="body", acts_on="release")
            plate.bind(on_act=lambda _w, _t, key=row.key: self.root.bench.test(key))
            self._tiles[row.key] = plate
            outputs.add_widget(plate)
        corners = Plate(text=_("Touch test"), sub=_("Test"), kind="soft", role="body", acts_on="release")
        corners.bind(on_act=lambda _w, _t: self.corners())
        outputs.add_widget(corners)
        trouble = Text(role="small", size_hint_y=None, height=theme.font_px("small") * 2.6)
        self._tiles["trouble"] = trouble
        for widget in (inputs, outputs, trouble):
            self.ids.body.add_widget(widget)

    # Pins, box, cameras, notices

    def _show_devices(self) -> None:
        if self._pages is None:
            self._pages = Pages(row_px=theme.px(104 if theme.is_portrait else 66))
            self._pages.make = self._device_line
            self.ids.body.add_widget(self._pages)
        self._pages.items = list(self.vm.devices)

    def _device_line(self, row: DeviceRow) -> Any:
        line = DeviceLine(
            title=row.name,
            state=row.state,
            tone=row.tone,
            line=row.line,
            facts=row.facts,
            can_test=row.can_test,
        )
        if row.can_test:
            plate = Plate(text=_("Test"), kind="soft", role="body", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self.root.cameras.test(row.key))
            line.ids.slot.add_widget(plate)
        return line


load_kv(__file__)
