"""Sealed: hidden fleets and units, sealed by a side's PIN, opened only by it, revealed to all by an act."""

from __future__ import annotations

from typing import Any

from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.ids import Nation, Side
from companion.core.text import Say
from companion.games.sfw.pages.sealed import (
    FORCED_TEXTS,
    NewSecret,
    SealedView,
    SecretRow,
    content_text_rows,
    draft_fault,
    fleet_units,
    holders_of,
    new_label,
    note_label,
    sealed_view,
    start_spaces,
    tries_key,
)
from companion.games.sfw.rules import seals as se
from companion.games.sfw.rules.ledger import nation_side
from companion.pages.desk import Notice
from companion.pages.frame import Mark
from companion.pages.i18n import _
from companion.pages.labels import side_name, unit_name
from companion.pages.notices import told
from companion.ui.art import EMBLEMS
from companion.ui.dialogs import Choose, Confirm, NumberEntry
from companion.ui.kept import kept_pages
from companion.ui.letters import TextEntry
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import Plate, Text
from companion.ui.widgets.marks import _NOBODY

__all__ = ["SealedScreen"]

_NO_ROW = SecretRow("", _NOBODY, "", "", True, "")


class SecretLine(BoxLayout):
    """One secret with what can be done with it."""

    row = ObjectProperty(_NO_ROW, rebind=True)
    can_reveal = BooleanProperty(False)


class UnitStepper(BoxLayout):
    """A unit's name over minus, count and plus."""

    name = StringProperty("")
    count = NumericProperty(0)

    __events__ = ("on_step",)

    def on_step(self, amount: int) -> None:
        """Announce a step."""


class SealedScreen(Screen):
    """Shows a `SealedView`; a note being written lives in this screen only, until it is sealed."""

    space = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = SealedView()
        self._draft: tuple[Mark, str, str] | None = None
        """Nation, kind and, for one sealed again, its id."""
        self._units: dict[str, int] = {}
        self._kept: dict[str, int] = {}
        super().__init__(root, **kwargs)

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self.vm = sealed_view(change)
        body = self.ids.body
        body.clear_widgets()
        self.main_enabled = True
        if self._draft is not None:
            self._show_draft(change, body)
            return
        pages = kept_pages(
            self._kept,
            "list",
            row_px=theme.px(66 if theme.is_portrait else 58),
            empty_text=_("Nothing is sealed"),
        )
        pages.make = self._row
        questions = [(_("Reveal if"), text) for _key, text in self.vm.questions]
        pages.items = [*self.vm.secrets, *self._shown_lines(), *questions, *self.vm.new]
        body.add_widget(pages)
        if self.vm.searchers:
            plate = Plate(
                text=_("Search a sea space"),
                kind="soft",
                acts_on="release",
                size_hint_y=None,
                height=theme.target_px,
            )
            plate.bind(on_act=lambda _w, _t: self._search())
            body.add_widget(plate)
        if self.vm.note:
            body.add_widget(
                Text(text=self.vm.note, role="small", tone="muted", size_hint_y=None, height=theme.px(24))
            )
        if self.vm.confirm:
            names = ", ".join(mark.name for mark in self.vm.confirm)
            self.main_text = _("{side}: stays hidden").format(side=names)
        else:
            self.main_text = _("Back to the table")

    def leave(self) -> None:
        """Forget what was being written."""
        self._forget()

    def _forget(self) -> None:
        self._draft, self._units, self.space = None, {}, ""

    def main_act(self, touch: Any) -> None:
        """Seal the note, confirm that fleets stay hidden, or go back."""
        change = self.root.desk.change
        if change is None:
            return
        if self._draft is not None:
            self._seal(change)
        elif self.vm.confirm:
            for mark in self.vm.confirm:
                self.send(se.ConfirmHidden(change.state.step.id, Side(mark.id)))
        else:
            super().main_act(touch)

    # The list

    def _shown_lines(self) -> list[Any]:
        return [(row.label, line) for row in self.vm.secrets for line in row.shown]

    def _row(self, item: Any) -> Any:
        if isinstance(item, SecretRow):
            line = SecretLine(row=item, can_reveal=self.vm.can_reveal or bool(item.owed))
            line.ids.look.bind(on_act=lambda _w, _t: self._open(item, is_reveal=False))
            line.ids.more.bind(on_act=lambda _w, _t: self._more(item))
            line.ids.reveal.bind(on_act=lambda _w, _t: self._open(item, is_reveal=True))
            return line
        if isinstance(item, NewSecret):
            plate = Plate(
                text=item.text, sub=item.nation.name, kind="quiet", align="left", acts_on="release",
                icon=item.nation.emblem if item.nation.emblem in EMBLEMS else "sealed",
            )  # fmt: skip
            plate.bind(on_act=lambda _w, _t: self._begin(item.nation, item.kind))
            return plate
        return Text(text=f"{item[0]}: {item[1]}", role="small")

    def _more(self, row: SecretRow) -> None:
        options = [("again", _("It moved or changed: seal it again"))]
        options += [(key, _(text)) for key, text in FORCED_TEXTS.items()]

        def chosen(key: str) -> None:
            if key == "again":
                kind = "fleet" if ".fleet." in row.id else "units"
                self._begin(row.mark, kind, row.id)
            else:
                self.send(se.OweReveal(row.id, key))

        self.root.ask(Choose(row.label, options, chosen))

    def _search(self) -> None:
        """Enter a search and what the other side's owners answer."""
        found: list[tuple[tuple[str, ...], str]] = [((), _("Nothing is there"))]
        found += [((row.id,), _("Found: {label}").format(label=row.label)) for row in self.vm.searchable]

        units = self.vm.search_units

        def searched(nation: str) -> None:
            if len(units) > 1:
                self.root.ask(Choose(_("What searches?"), units, lambda unit: spaced(nation, unit)))
            else:
                spaced(nation, units[0][0] if units else "")

        def spaced(nation: str, unit: str) -> None:
            def send(space: str, ids: tuple[str, ...]) -> None:
                self.send(se.SearchSpace(Nation(nation), space, ids, unit))

            self.root.ask(
                TextEntry(
                    _("Which sea space?"),
                    lambda space: self.root.ask(Choose(space, found, lambda ids: send(space, ids))),
                )
            )

        self.root.ask(Choose(_("Who searches?"), [(m.id, m.name) for m in self.vm.searchers], searched))

    # Writing and sealing

    def _begin(self, nation: Mark, kind: str, secret: str = "") -> None:
        change = self.root.desk.change
        if change is None or self._vault() is None:
            return
        self._forget()
        self._draft = (nation, kind, secret)
        title = _("Space, seen by its owner only")
        spaces = start_spaces(change.state, nation.id, kind)
        if spaces:
            self.root.ask(Choose(title, [(space, space) for space in spaces], self._spaced))
        else:
            self.root.ask(TextEntry(title, self._spaced))
        self.refresh(self.root.desk.change)

    def _spaced(self, space: str) -> None:
        self.space = space
        self.refresh(self.root.desk.change)

    def _vault(self) -> Any:
        vault = getattr(self.root.desk, "vault", None)
        if vault is None:
            self.root.notify(Notice("warning", Say("This box cannot seal anything here")))
        return vault

    def _content(self) -> se.Content:
        units = {unit: count for unit, count in self._units.items() if count}
        return se.Content(self.space, units)

    def _show_draft(self, change: Change, body: Any) -> None:
        if self._draft is None:
            return
        mark, kind, _secret = self._draft
        head = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        back = Plate(icon="back", kind="soft", acts_on="release", size_hint_x=None, width=theme.px(56))
        back.bind(on_act=lambda _w, _t: self._cancel())
        head.add_widget(back)
        head.add_widget(Text(text=mark.name, role="heading", tone=mark.tone, wraps=False))
        space = Plate(text=self.space or _("Space"), icon_after="edit", kind="soft", acts_on="release")
        space.bind(on_act=lambda _w, _t: self.root.ask(TextEntry(_("Space"), self._spaced, value=self.space)))
        head.add_widget(space)
        body.add_widget(head)
        pages = kept_pages(self._kept, "draft", row_px=theme.px(74), columns=2 if theme.is_portrait else 3)
        pages.make = self._unit
        pages.items = [(unit, self._units.get(unit, 0)) for unit in fleet_units(change.state, kind)]
        body.add_widget(pages)
        fault = draft_fault(change.state, kind, self._content(), mark.id)
        body.add_widget(Text(text=fault, role="small", tone="muted", size_hint_y=None, height=theme.px(24)))
        self.main_text, self.main_enabled = _("Seal"), not fault

    def _unit(self, item: tuple[str, int]) -> Any:
        unit, count = item
        stepper = UnitStepper(name=unit_name(unit), count=count)
        stepper.bind(on_step=lambda _w, amount: self._step(unit, int(amount)))
        return stepper

    def _step(self, unit: str, amount: int) -> None:
        self._units[unit] = max(0, self._units.get(unit, 0) + amount)
        self.refresh(self.root.desk.change)

    def _cancel(self) -> None:
        self._forget()
        self.refresh(self.root.desk.change)

    def _seal(self, change: Change) -> None:
        if self._draft is None:
            return
        mark = self._draft[0]
        side = nation_side(change.state.frozen_setup, mark.id)

        def first(pin: str) -> None:
            self.root.ask(
                NumberEntry(
                    _("The same PIN again"),
                    lambda again: self._second_holder(change, side, again),
                    is_secret=True,
                    check=lambda again: None if again == pin else _("That is not the same PIN"),
                )
            )

        self.root.ask(
            NumberEntry(
                _("PIN of the {side}").format(side=side_name(change.state.frozen_setup, side)),
                first,
                is_secret=True,
                text=_("At least 4 digits. It is stored nowhere."),
                check=lambda pin: None if len(pin) >= 4 else _("At least 4 digits"),
            )
        )

    def _second_holder(self, change: Change, side: str, pin: str) -> None:
        """Ask who else can open it: the arbiter, where the game has one, or whoever has the recovery code."""
        if not change.state.frozen_setup.arbiter_hash:
            self._sealed(change, side, pin)
            return

        def chosen(holder: str) -> None:
            if holder == "recovery":
                self._sealed(change, side, pin)
                return
            self.root.ask(
                NumberEntry(
                    _("Arbiter's PIN"),
                    lambda arbiter: self._sealed(change, side, pin, arbiter),
                    is_secret=True,
                    check=lambda text: (
                        None if self.root.desk.check_arbiter(text) else _("That is not the PIN")
                    ),
                )
            )

        options = [("arbiter", _("The arbiter's PIN")), ("recovery", _("The recovery code"))]
        self.root.ask(Choose(_("Who else can open it?"), options, chosen))

    def _sealed(self, change: Change, side: str, pin: str, arbiter: str = "") -> None:
        vault = self._vault()
        if vault is None or self._draft is None:
            return
        mark, kind, secret = self._draft
        state = change.state
        label = note_label(state.frozen_setup, mark.id, kind)
        try:
            envelope, recovery = vault.seal(
                se.content_text(self._content()), label, side=side, side_pin=pin, arbiter_pin=arbiter
            )
        except ValueError as fault:
            self.root.notify(Notice("warning", told(fault)))
            return
        known = state.game["seals"].secrets.get(secret)
        name = known.label if known is not None else new_label(state, mark.id, kind)
        self._forget()
        self.send(se.SealSecret(Nation(mark.id), kind, name, envelope, secret))  # type: ignore[arg-type]
        if recovery:
            self.root.ask(
                Confirm(
                    _("Recovery code"),
                    _("Write it down for the arbiter and keep it closed. It is shown once:\n{code}").format(
                        code=recovery
                    ),
                    _("Written down"),
                    lambda _t: None,
                )
            )

    # Opening

    def _open(self, row: SecretRow, *, is_reveal: bool) -> None:
        change = self.root.desk.change
        if change is None or self._vault() is None:
            return
        holders = holders_of(change.state, row.id)

        def chosen(holder: str) -> None:
            if holder == "recovery":
                self.root.ask(
                    TextEntry(
                        _("Recovery code"), lambda code: self._opened(row, holder, code, is_reveal=is_reveal)
                    )
                )
            else:
                self.root.ask(
                    NumberEntry(
                        dict(holders)[holder],
                        lambda pin: self._opened(row, holder, pin, is_reveal=is_reveal),
                        is_secret=True,
                    )
                )

        self.root.ask(Choose(_("Who opens it?"), holders, chosen))

    def _opened(self, row: SecretRow, holder: str, secret: str, *, is_reveal: bool) -> None:
        change, vault = self.root.desk.change, self._vault()
        if change is None or vault is None:
            return
        state = change.state
        found = state.game["seals"].secrets[row.id]
        label = note_label(state.frozen_setup, found.nation, found.kind)
        by = holder if holder in ("arbiter", "recovery") else "side"
        envelope = found.versions[-1].envelope
        try:
            text, opening = vault.open(envelope, label, holder, secret, tries_of=tries_key(state, row.id))
        except PermissionError as fault:
            self.send(se.RecordOpening(row.id, by, False))  # type: ignore[arg-type]
            self.root.notify(Notice("warning", told(fault)))
            return
        except ValueError as fault:
            self.root.notify(Notice("error", told(fault)))
            return
        if is_reveal:
            reason = found.owed or "chosen"
            self.send(se.RevealSecret(row.id, text, opening, reason))
            return
        self.send(se.RecordOpening(row.id, by, True))  # type: ignore[arg-type]
        lines = "\n".join(content_text_rows(state, se.content_of(text)))
        self.root.ask(Confirm(row.label, lines, _("Hide again"), lambda _t: None))


load_kv(__file__)
