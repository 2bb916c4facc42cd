"""New game: choose a scenario, then its options, then start."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, ListProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.text import Say
from companion.pages import new_game as ng
from companion.pages.desk import Notice
from companion.pages.i18n import _
from companion.pages.labels import humanise
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Choice, Plate, Stepper
from companion.ui.widgets.tap import Tap

__all__ = ["NewGameScreen"]


class ScenarioLine(Tap, BoxLayout):
    """One scenario in the list."""

    title = StringProperty("")
    facts = StringProperty("")
    summary = StringProperty("")
    is_chosen = BooleanProperty(False)
    row = ObjectProperty(None)


class OptionLine(BoxLayout):
    """One option: its label and what it can be."""

    label = StringProperty("")
    hint = StringProperty("")
    share = NumericProperty(0.42)
    """Share of the width that the label gets."""

    ROW = (64, 104)
    """Height at 800x480, and in portrait, where the label stands above."""


class NewGameScreen(Screen):
    """Two pages: the scenarios, and the options of the chosen one. The main act goes on, then starts."""

    page = StringProperty("scenarios")
    tabs = ListProperty([])
    tab = ObjectProperty(None, allownone=True)

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.info: Any = None
        self.chosen: dict[str, Any] = {}
        self.pin = ""
        self._texts: dict[str, Any] = {}
        self._list_page = 0
        """The page on which the list of scenarios stood when the options opened."""
        self._seats_of: tuple[str, tuple[Any, ...]] = ("", ())
        super().__init__(root, **kwargs)
        self._infos = root.desk.scenarios()
        self._games = ng.games(self._infos)
        self._game = self._games[0][0] if self._games else ""

    def enter(self, **args: Any) -> None:
        """Open the options of a scenario at once, where one is named."""
        scenario = args.get("scenario")
        for info in self._infos:
            if scenario is not None and info.scenario == scenario:
                self._game = info.game
                self._choose(info.scenario)

    def refresh(self, change: Change | None) -> None:  # noqa: ARG002
        """Show the page at hand."""
        pages = self.ids.pages
        if self.page == "scenarios":
            self.tabs, self.tab = ([*self._games] if len(self._games) > 1 else []), self._game
            pages.row_px, pages.columns = (
                theme.px(100 if theme.is_portrait else 76) * (1 + 0.1 * theme.text_step),
                1,
            )
            pages.make = self._scenario_line
            pages.items = list(ng.scenario_rows(self._infos, self._game))
            pages.empty_text = _("No scenario data was found")
            named = "" if self.info is None else _("Options: {scenario}").format(scenario=_(self.info.title))
            self.main_text, self.main_enabled = named, True
            return
        self.tabs = [("options", _("Options")), ("rulings", _("Rulings"))]
        pages.make = self._option_line
        if self.tab == "rulings":
            pages.row_px = theme.px(122 if theme.is_portrait else 84)
            pages.items = list(ng.ruling_rows(self.info, self.chosen, self._texts))
        else:
            pages.row_px = theme.px(OptionLine.ROW[theme.is_portrait])
            pin = ng.OptionRow(
                "pin",
                _("Arbiter's PIN"),
                ((True, _("Set") if self.pin else _("Give a PIN")), (False, _("None"))),
                bool(self.pin),
            )
            pages.items = [*ng.option_rows(self.info, self.chosen, self._seats()), pin]
        self.main_text, self.main_enabled = _("Start"), True

    def _scenario_line(self, row: Any) -> Any:
        is_chosen = self.info is not None and (row.game, row.scenario) == (self.info.game, self.info.scenario)
        line = ScenarioLine(
            title=row.title, facts=row.facts, summary=row.summary, is_chosen=is_chosen, row=row
        )
        line.bind(on_act=lambda widget, _touch: self._chosen(widget.row.scenario))
        return line

    def _chosen(self, scenario: str) -> None:
        self._choose(scenario)
        self.refresh(None)

    def _choose(self, scenario: str) -> None:
        self._seats_of = ("", ())
        self.info = next(i for i in self._infos if (i.game, i.scenario) == (self._game, scenario))
        self.chosen = ng.starting_options(self.info)
        try:
            setup = self.root.desk.make_setup(self.info.game, self.info.scenario, {})
        except ValueError as fault:
            self.root.notify(Notice("error", Say("This scenario's data is broken"), ng.refusal(fault)[0]))
            self._texts = {}
        else:
            self._texts = {r.id: (r.text, r.choice_texts) for r in setup.ruling_infos}
        self._show_options()

    def _show_options(self) -> None:
        """Turn from the list to the first page of the options."""
        self._list_page = int(self.ids.pages.page)
        self.ids.pages.page = 0
        self.page, self.tab = "options", "options"

    def _option_line(self, row: Any) -> Any:
        line = OptionLine(label=row.label, hint=row.hint, share=0.24 if len(row.values) == 4 else 0.42)
        if row.is_stepped:
            field: Any = Stepper(
                text=_("{n} min").format(n=row.chosen), can_less=row.chosen > 1, can_more=row.chosen < 600
            )
            field.bind(on_step=lambda _w, amount: self._step(row, amount))
        elif row.is_typed:
            field = Plate(text=str(row.chosen), kind="soft", icon_after="edit", acts_on="release")
            field.icon_px = theme.px(18)
            field.bind(on_act=lambda _w, _t: self._type(row))
        elif self.tab == "rulings":
            text = next((text for key, text in row.values if key == row.chosen), str(row.chosen))
            field = Plate(
                text=text, role="body", kind="soft", align="left", icon_after="down", acts_on="release"
            )
            field.icon_px = theme.px(18)
            field.bind(on_act=lambda _w, _t: self._pick(row))
        elif len(row.values) > 5:
            text = next((text for key, text in row.values if key == row.chosen), str(row.chosen))
            field = Plate(text=text, kind="soft", icon_after="down", acts_on="release")
            field.bind(on_act=lambda _w, _t: self._pick(row))
        else:
            field = Choice(role="body" if len(row.values) > 2 else "button")
            field.options, field.chosen = list(row.values), row.chosen
            field.bind(on_choose=lambda _w, key: self._set(row.name, key))
        line.ids.slot.add_widget(field)
        return line

    def _seats(self) -> tuple[Any, ...]:
        """Return the seats of the game as it is chosen so far; none where a game has no seats or a choice is faulty."""
        options = ng.resolved_options(self.info, self.chosen)
        key = repr(sorted(options.items()))
        if key != self._seats_of[0]:
            try:
                setup = self.root.desk.make_setup(self.info.game, self.info.scenario, options)
            except ValueError:
                return ()
            names = {nation.id: nation.name for nation in setup.nations}
            seats = tuple(
                {"side": seat["side"], "plays": [names.get(key, humanise(key)) for key in seat["plays"]]}
                for seat in setup.options.get("seats", ())
            )
            self._seats_of = (key, seats)
        return self._seats_of[1]

    def _type(self, row: Any) -> None:
        self.root.ask(TextEntry(row.label, lambda text: self._set(row.name, text), most=24))

    def _pick(self, row: Any) -> None:
        self.root.ask(Choose(row.label, row.values, lambda key: self._set(row.name, key)))

    def _step(self, row: Any, amount: int) -> None:
        minutes = dict(self.chosen.get("minutes", {}))
        minutes[row.name.partition(".")[2]] = row.chosen + amount
        self._set("minutes", minutes)

    def _set(self, name: str, value: Any) -> None:
        if name == "pin":
            if value:
                self.root.ask(
                    NumberEntry(
                        _("Arbiter's PIN"), self._set_pin, text=_("Four digits or more"), check=_pin_fault
                    )
                )
            else:
                self._set_pin("")
            return
        self.chosen[name] = value
        if name == "commander" and value and self.chosen.get("time") == "tournament":
            self.chosen["time"] = "custom"
        self.refresh(None)

    def _set_pin(self, pin: str) -> None:
        self.pin = pin
        self.refresh(None)

    def choose_tab(self, key: Any) -> None:
        """Show another game's scenarios, or the other options."""
        if self.page == "scenarios":
            self._game, self.tab = key, key
            self.info = None
        else:
            self.tab = key
        self.ids.pages.page = 0
        self.refresh(None)

    def back(self) -> None:
        """Go back to the scenarios, or home."""
        if self.page == "options":
            self.page = "scenarios"
            self.ids.pages.page = self._list_page
            self.refresh(None)
        else:
            self.root.go("home")

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Back goes one page back."""
        if name in ("back", "previous"):
            self.back()
            return True
        return False

    def main_act(self, touch: Any) -> None:  # noqa: ARG002
        """Go on to the options, or start the game."""
        if self.page == "scenarios":
            if self.info is not None:
                self._show_options()
                self.refresh(None)
            return
        options = ng.resolved_options(self.info, self.chosen, self._seats())
        try:
            setup = self.root.desk.make_setup(self.info.game, self.info.scenario, options)
        except ValueError as fault:
            self.root.notify(Notice("error", *ng.refusal(fault)))
            return
        self.root.start_game(setup, self.pin)


def _pin_fault(pin: str) -> str | None:
    return None if len(pin) >= 4 else _("Four digits or more")


load_kv(__file__)
