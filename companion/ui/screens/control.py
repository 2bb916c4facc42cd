"""Control: who holds what, a capture by tap, victory points, the distance to each condition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kivy.properties import BooleanProperty, ListProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import EnterPrintedValue
from companion.core.ids import ARBITER, TABLE, Nation
from companion.core.ledger import quarters
from companion.games.sfw.pages.control import (
    CaptureDraft,
    CaptureView,
    ConditionRow,
    ControlView,
    SiteRow,
    capture_command,
    capture_view,
    control_view,
    holder_key,
    site_command,
    totals_command,
)
from companion.games.sfw.rules.control import CorrectControl
from companion.games.sfw.rules.ledger import printed_key, tables
from companion.pages.i18n import _
from companion.pages.labels import done_name
from companion.pages.numbers import DECIMAL, decimal
from companion.pages.plots import score_lines
from companion.pages.printed import value_fault
from companion.pages.table import main_command
from companion.ui.arbiter import as_arbiter
from companion.ui.art import EMBLEMS
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.kept import kept_pages
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import LinePlot, Pages, Plate, Text
from companion.ui.widgets.marks import _NOBODY
from companion.ui.widgets.tap import Tap

__all__ = ["ControlScreen"]

_EMPTY = ControlView()
_NO_SITE = SiteRow("", "", "", None, "")
_ADD = SiteRow("", "", "", None, "")


class SiteLine(Tap, BoxLayout):
    """One Objective or Airfield in its side's column."""

    row = ObjectProperty(_NO_SITE, rebind=True)
    side = ObjectProperty(_NOBODY)


class ConditionLine(BoxLayout):
    """One victory condition."""

    row = ObjectProperty(ConditionRow(_NOBODY, "", "", None), rebind=True)


class CountLine(BoxLayout):
    """A nation's control-capable units in a space, with minus and plus."""

    mark = ObjectProperty(_NOBODY, rebind=True)
    count = ObjectProperty(0)
    note = StringProperty("")

    __events__ = ("on_step",)

    def on_step(self, amount: int) -> None:
        """Announce a step."""


class ControlScreen(Screen):
    """Shows a `ControlView`; a tap on a site opens its capture form."""

    tab = StringProperty("sites")
    is_form = BooleanProperty(False)
    scores = ListProperty([])

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = _EMPTY
        self.draft: CaptureDraft | None = None
        self._kept: dict[str, int] = {}
        super().__init__(root, **kwargs)

    def enter(self, site: str = "", tab: str = "sites", **_args: Any) -> None:
        """Open at a site's form, or at a tab."""
        self.tab = tab
        if site:
            self.draft = CaptureDraft(site)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.vm = control_view(change)
        options = [("sites", _("Objectives")), ("victory", _("Victory")), ("changes", _("Changes"))]
        self.ids.tabs.options = options
        self.ids.tabs.chosen = self.tab
        self.scores = [(column.mark, column.total) for column in self.vm.columns]
        self.is_form = self.draft is not None
        body = self.ids.body
        body.clear_widgets()
        if self.draft is not None:
            self._show_capture(change, body)
            return
        {"sites": self._show_sites, "victory": self._show_victory, "changes": self._show_changes}[self.tab](
            body
        )
        is_ours = change.state.step.phase == "victory" and change.state.ending is None
        self.main_text = done_name(change.state.step.act) if is_ours else _("Back to the table")
        self.main_enabled = True

    def choose(self, key: str) -> None:
        """Show another tab."""
        self.tab, self.draft = key, None
        self.refresh(self.root.desk.change)

    def main_act(self, touch: Any) -> None:
        """Take the site, confirm the phase, or go back."""
        change = self.root.desk.change
        if change is None:
            return
        if self.draft is not None:
            command = capture_command(self.draft)
            self.draft = None
            if command is not None:
                self.send(command)
            self.refresh(self.root.desk.change)
        elif change.state.step.phase == "victory" and change.state.ending is None:
            self.send(main_command(change.state, self.stamp_ms(touch)))
        else:
            super().main_act(touch)

    # Objectives

    def _show_sites(self, body: Any) -> None:
        view: ControlView = self.vm
        pages = kept_pages(self._kept, "sites", row_px=theme.target_px, columns=2 if theme.is_portrait else 4)
        pages.make = self._site
        held = [(column.mark, row) for column in view.columns for row in column.rows]
        added = [(_NOBODY, _ADD)] if view.can_add else []
        pages.items = [*held, *((_NOBODY, row) for row in view.unknown), *added]
        body.add_widget(pages)

    def _site(self, item: tuple[Any, SiteRow]) -> Any:
        if item[1] is _ADD:
            plate = Plate(text=_("Add one"), icon="plus", kind="quiet", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self._add())
            return plate
        line = SiteLine(side=item[0], row=item[1])
        line.bind(on_act=lambda widget, _touch: self._open(widget.row.id))
        return line

    def _add(self) -> None:
        """Add an Objective or Airfield that the rules text does not name."""
        change = self.root.desk.change
        if change is None:
            return
        kinds = [("objective", _("Objective")), ("airfield", _("Airfield"))]

        def named(name: str) -> None:
            self.root.ask(Choose(name, kinds, lambda kind: self.send(site_command(change.state, name, kind))))

        self.root.ask(TextEntry(_("Its name on the board"), named))

    def _open(self, site: str) -> None:
        self.draft = CaptureDraft(site)
        self.refresh(self.root.desk.change)

    # One site

    def _show_capture(self, change: Change, body: Any) -> None:
        draft, rules = self.draft, self.root.desk.rules
        if draft is None or rules is None:
            return
        view = capture_view(change, rules, draft)
        form = CaptureForm(view=view)
        for mark, count in view.own:
            form.ids.own.add_widget(self._count(mark, count, "own"))
        for mark, count in view.left:
            form.ids.left.add_widget(self._count(mark, count, "left"))
        agree = form.ids.agree
        if view.needs_agreement:
            for mark, count in view.own:
                if count == max(c for _m, c in view.own):
                    is_chosen = draft.is_agreed and draft.nation == mark.id
                    plate = Plate(
                        text=mark.name, tone=mark.tone, kind="chosen" if is_chosen else "quiet", acts_on="release",
                        icon=mark.emblem if mark.emblem in EMBLEMS else "",
                    )  # fmt: skip
                    plate.nation = mark.id
                    plate.bind(on_act=lambda widget, _t: self._agree(widget.nation))
                    agree.add_widget(plate)
        form.ids.back.bind(on_act=lambda _w, _t: self.choose(self.tab))
        form.ids.by_hand.bind(on_act=lambda _w, _t: self._by_hand(change, draft.site))
        form.ids.value.bind(on_act=lambda _w, _t: self._value(change, draft.site))
        form.ids.value.is_enabled = self.vm.has_points
        body.add_widget(form)
        taker = view.nation
        self.main_text = (
            _("{nation} takes it").format(nation=taker.name) if taker and not view.fault else _("Take it")
        )
        self.main_enabled = not view.fault

    def _count(self, mark: Any, count: int, which: str) -> Any:
        line = CountLine(mark=mark, count=count)
        line.bind(on_step=lambda _w, amount: self._step(which, mark.id, amount))
        return line

    def _step(self, which: str, nation: str, amount: int) -> None:
        if self.draft is None:
            return
        counts = dict(getattr(self.draft, which))
        counts[nation] = max(0, counts.get(nation, 0) + amount)
        changes: dict[str, Any] = {which: counts, "is_agreed": False}
        self.draft = replace(self.draft, **changes)
        self.refresh(self.root.desk.change)

    def _agree(self, nation: str) -> None:
        if self.draft is not None:
            self.draft = replace(self.draft, nation=nation, is_agreed=True)
            self.refresh(self.root.desk.change)

    def _by_hand(self, change: Change, site: str) -> None:
        nations = [(info.id, _(info.name)) for info in change.state.frozen_setup.nations]
        known = change.state.game["control"].holders
        at_start = site not in known and holder_key(change.state, site) not in change.state.printed

        def chosen(nation: str) -> None:
            self.draft = None
            if at_start:
                self.send(EnterPrintedValue(holder_key(change.state, site), nation))
            else:
                as_arbiter(
                    self.root, lambda: self.send(CorrectControl(site, Nation(nation)), actor=self._actor())
                )

        title = _("Who holds it at the start?") if at_start else _("Set by hand")
        self.root.ask(Choose(title, nations, chosen))

    def _actor(self) -> Any:
        change = self.root.desk.change
        return ARBITER if change is not None and change.state.clocks.config.tournament else TABLE

    def _value(self, change: Change, site: str) -> None:
        key = printed_key(tables(change.state), "vp", site)
        rules = self.root.desk.rules

        def check(text: str) -> str | None:
            try:
                quarters(text)
            except ValueError:
                return _("Quarter steps, such as {example}").format(example=decimal("0.75"))
            return None if rules is None else value_fault(rules, change.state, key, float(text))

        self.root.ask(
            NumberEntry(
                _("Tile value"),
                lambda text: self.send(EnterPrintedValue(key, float(text))),
                extra=DECIMAL,
                check=check,
                text=_("As printed on the tile or the board."),
            )
        )

    # Victory

    def _show_victory(self, body: Any) -> None:
        view: ControlView = self.vm
        change = self.root.desk.change
        outer = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(12))
        box = BoxLayout(orientation="vertical", spacing=theme.px(8))
        outer.add_widget(box)
        rows = Pages(row_px=theme.px(52))
        rows.make = lambda row: ConditionLine(row=row)
        rows.items = list(view.conditions)
        box.add_widget(rows)
        text = " ".join(note for note in (view.missing, *view.refused) if note)
        if text:
            box.add_widget(
                Text(text=text, role="small", tone="danger", size_hint_y=None, height=theme.px(60))
            )
        if view.has_points:
            plate = Plate(
                text=_("Set totals by hand"),
                kind="soft",
                acts_on="release",
                size_hint_y=None,
                height=theme.target_px,
            )
            plate.bind(on_act=lambda _w, _t: self._totals())
            box.add_widget(plate)
        model = score_lines(self.root.desk.entries(), change.state) if change is not None else None
        if model is not None:
            outer.add_widget(LinePlot(model=model, size_hint_x=1 if theme.is_portrait else 0.8))
        body.add_widget(outer)

    def _totals(self) -> None:
        change = self.root.desk.change
        if change is None:
            return
        side = change.state.frozen_setup.sides[0]

        def command(text: str) -> Any:
            try:
                return totals_command(change.state, side.id, quarters(text))
            except ValueError:
                return None

        self.root.ask(
            NumberEntry(
                _("Victory points, {side}").format(side=_(side.name)),
                lambda text: self.send(command(text)),
                text=_("The other side gets the rest: both together never change."),
                extra=DECIMAL,
                check=lambda text: (
                    None
                    if command(text) is not None
                    else _("Quarter steps, such as {example}").format(example=decimal("48.5"))
                ),
            )
        )

    def _show_changes(self, body: Any) -> None:
        pages = Pages(row_px=theme.px(40), empty_text=_("Nothing has changed hands yet"))
        pages.make = lambda text: Text(text=text, wraps=False, may_shorten=True)
        pages.items = list(self.vm.changes)
        body.add_widget(pages)
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        change = self.root.desk.change
        game = change.state.frozen_setup.game if change is not None else ""
        for text, act in (
            (_("Printed values to a stick"), lambda: self.root.export_printed(game)),
            (_("Printed values from a stick"), self.root.import_printed),
        ):
            plate = Plate(text=text, kind="quiet", role="body", acts_on="release")
            plate.bind(on_act=lambda _w, _t, act=act: act())
            foot.add_widget(plate)
        body.add_widget(foot)


class CaptureForm(BoxLayout):
    """The questions about one site."""

    view = ObjectProperty(CaptureView("", "", None, (), (), None, False, ""), rebind=True)


load_kv(__file__)
