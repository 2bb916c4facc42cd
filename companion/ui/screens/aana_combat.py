"""Combat: attacks declared, then one combat stage by stage; the dice of each stage, losses, orders, pressing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kivy.properties import BooleanProperty, NumericProperty, ObjectProperty
from kivy.uix.boxlayout import BoxLayout

from companion.core.change import Change
from companion.core.commands import Command
from companion.core.dice import DiceOrigin, DiceSource
from companion.core.text import Typed
from companion.games.aana.pages.closing import retreat_options, with_refuge
from companion.games.aana.pages.combat import combat_view
from companion.games.aana.pages.combat_view import CombatRow, CombatView, Draft, VolleyLine
from companion.games.aana.pages.declare import (
    join_options,
    main_directions,
    mine_dice,
    mine_options,
    pay_options,
    target_options,
)
from companion.games.aana.pages.odds import odds_text
from companion.games.aana.pages.stages import aim_options, throw
from companion.games.aana.rules import battle_messages as bm
from companion.pages.desk import Notice
from companion.pages.entered_dice import with_read, without_last
from companion.pages.i18n import _
from companion.pages.table import main_command
from companion.ui.dialogs import Choose
from companion.ui.screen import Screen, load_kv
from companion.ui.theme import theme
from companion.ui.widgets import DicePad, Pages, Plate, Stepper, Text

__all__ = ["AanaCombatScreen"]

_NO_VOLLEY = VolleyLine("", "", ())


class AanaVolleyLine(BoxLayout):
    """One volley: who rolls what, and the dice so far."""

    line = ObjectProperty(_NO_VOLLEY, rebind=True)

    def __init__(self, line: VolleyLine, aim: Callable[[VolleyLine], None], **kwargs: Any) -> None:
        """Show a line; `aim` is called when the choice of what its hits are aimed at is tapped."""
        super().__init__(line=line, **kwargs)
        if line.aim:
            plate = Plate(text=line.aim, kind="quiet", acts_on="release", size_hint_y=None)
            plate.height = theme.target_px
            plate.bind(on_act=lambda _w, _t: aim(line))
            self.add_widget(plate)


class AanaCombatScreen(Screen):
    """Shows a `CombatView`."""

    force_lines = NumericProperty(2)
    """Lines of the text that names the forces."""
    attack_share = NumericProperty(0.5)
    """Share of the width that the attacking force's text takes."""
    is_tight = BooleanProperty(False)
    """Whether forces of many lines in large type leave the dice keys no room but the lead's, which they say again."""

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm = CombatView()
        self.draft = Draft()
        self._sent: Command | None = None
        """What the main button sent: what was entered for it goes once it is taken, and stays when it is refused."""
        self._page: tuple[str, int] = ("", 0)
        """What was shown and which page of it: a tap on a counter does not turn back."""
        super().__init__(root, **kwargs)

    def enter(self, draft: Draft | None = None, **_args: Any) -> None:
        """Take up what was being entered."""
        self.draft = draft or Draft()

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        answered = change.envelope is not None and change.envelope.command == self._sent
        if self._sent is not None and answered:
            self._sent = None
            if change.rejected is None:
                self.draft = Draft()
                self.root.keep_args(draft=self.draft)
        view = combat_view(change, self.draft)
        if not self.draft.target and self.draft.mines is None and self.draft.key != view.key:
            self.draft = Draft(key=view.key)
        self.vm = view
        self.main_text, self.main_enabled = view.main_text, view.is_main_ready
        self._make_room()
        self._fill()

    def on_width(self, *_args: Any) -> None:
        """Give the forces as many lines as they take at the new width."""
        self._make_room()

    def _make_room(self) -> None:
        """Part the width between the two forces by their letters, and count the lines of the longer one."""
        view = self.vm
        attack = len(view.attack_name) + len(view.attackers) + 4
        defence = len(view.defence_name) + len(view.defenders) + 4
        share = min(0.65, max(0.35, attack / (attack + defence)))
        wide = (self.width if self.width > theme.px(200) else theme.px(690)) - theme.px(12)
        letter = theme.font_px("small") * 0.54
        if theme.is_portrait:
            lines = max(attack, defence) * letter / wide
        else:
            lines = max(attack / share, defence / (1 - share)) * letter / wide
        self.attack_share = share
        self.force_lines = math.ceil(lines)
        self.is_tight = view.is_dice and self.force_lines > 2 and not theme.is_portrait

    def _fill(self) -> None:
        body = self.ids.body
        body.clear_widgets()
        if self.vm.is_dice:
            self._dice(body)
            return
        kept = self._page if self._page[0] == self.vm.key else (self.vm.key, 0)
        self._page = kept
        pages = Pages(row_px=theme.px(58), page=kept[1])
        pages.bind(page=lambda _w, page: self._turned(int(page)))
        pages.make = self._row
        pages.items = list(self.vm.rows)
        pages.empty_text = _("No attack was declared")
        body.add_widget(pages)

    def _turned(self, page: int) -> None:
        self._page = (self.vm.key, page)

    def _dice(self, body: Any) -> None:
        box = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(10))
        aimed = any(line.aim for line in self.vm.volleys)
        pages = Pages(row_px=theme.px((100 if theme.text_step == 2 else 90) if aimed else 64))
        pages.make = lambda line: AanaVolleyLine(line, self._aim)
        pages.items = list(self.vm.volleys)
        at = self._at_hand()
        pages.fbind("height", lambda *_a: setattr(pages, "page", at // pages.page_size))
        box.add_widget(pages)
        side = BoxLayout(orientation="vertical", spacing=theme.px(6))
        pad = DicePad(faces=10)
        pad.bind(on_face=lambda _w, value: self._face(int(value)))
        side.add_widget(pad)
        keys = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(6))
        erase = Plate(text=_("Erase"), kind="quiet", acts_on="release")
        erase.bind(on_act=lambda _w, _t: self._erase())
        roll = Plate(text=_("Roll for us"), kind="quiet", acts_on="release")
        roll.bind(on_act=lambda _w, touch: self._roll(touch))
        photo = Plate(text=_("Photo"), kind="quiet", acts_on="release")
        photo.is_enabled = any(None in line.values for line in self.vm.volleys)
        photo.bind(on_act=lambda _w, _t: self._photo())
        for key in (erase, roll, photo):
            keys.add_widget(key)
        side.add_widget(keys)
        box.add_widget(side)
        body.add_widget(box)

    def _at_hand(self) -> int:
        """Return the volley whose dice come next; once all are in, the first whose hits are aimed."""
        lines = self.vm.volleys
        waiting = (i for i, line in enumerate(lines) if None in line.values)
        aimed = (i for i, line in enumerate(lines) if line.aim)
        return next(waiting, next(aimed, 0))

    def _row(self, row: CombatRow) -> Any:
        if row.count is None:
            plate = Plate(text=row.text, sub=row.sub, kind="soft", align="left", acts_on="release")
            plate.is_enabled = row.command is not None or bool(row.ask)
            plate.bind(on_act=lambda _w, touch: self._tapped(row, touch))
            return plate
        box = BoxLayout(spacing=theme.px(10), padding=(theme.px(10), 0))
        words = BoxLayout(orientation="vertical")
        words.add_widget(Text(text=row.text, role="strong", wraps=False, may_shorten=True))
        words.add_widget(Text(text=row.sub, role="small", tone="muted", wraps=False, may_shorten=True))
        box.add_widget(words)
        stepper = Stepper(
            text=str(row.count),
            can_less=row.count > 0,
            can_more=row.count < row.most,
            size_hint_x=None,
            width=theme.px(180),
        )
        stepper.bind(on_step=lambda _w, amount: self._count(row, int(amount)))
        box.add_widget(stepper)
        return box

    # What is being entered

    def _set(self, draft: Draft) -> None:
        self.draft = draft
        self.root.keep_args(draft=draft)
        self.refresh(self.root.desk.change)

    def _count(self, row: CombatRow, amount: int) -> None:
        counts = {item.key: item.count for item in self.vm.rows if item.count is not None}
        counts[row.key] = min(row.most, max(0, (row.count or 0) + amount))
        self._set(replace(self.draft, counts=counts, key=self.vm.key))

    def _face(self, value: int) -> None:
        wanted = sum(len(line.values) for line in self.vm.volleys)
        if len(self.draft.values) < wanted:
            self._set(replace(self.draft, values=(*self.draft.values, value), key=self.vm.key))

    def _erase(self) -> None:
        if self.draft.mines is not None and not self.draft.values:
            self._set(Draft())
            return
        self._set(without_last(self.draft))

    def _photo(self) -> None:
        """Read the dice that the volley at hand still lacks from a photo; they are added to what stands there."""
        waiting = [line for line in self.vm.volleys if None in line.values]
        if not waiting:
            return
        line = waiting[0]
        draft = replace(self.draft, key=self.vm.key)

        def record(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, Any]:
            # the volleys of one stage are sent together
            return {"draft": with_read(draft, values, origin)}

        self.root.go(
            "dice",
            kind="d10",
            asked=(("", line.values.count(None)),),
            what=line.text,
            back=("aana_combat", {"draft": draft}),
            record=record,
        )

    def _roll(self, touch: Any) -> None:
        change = self.root.desk.change
        if change is None:
            return
        seed = self.stamp_ms(touch)
        if self.draft.mines is not None:
            wanted = sum(len(line.values) for line in self.vm.volleys)
            origin = DiceOrigin(DiceSource.VIRTUAL, seed=seed)
            self._set(replace(self.draft, values=mine_dice(seed, wanted), read=frozenset(), origin=origin))
            return
        command = throw(change.state, seed)
        if command is not None:
            self.send(command)

    def _tapped(self, row: CombatRow, _touch: Any) -> None:
        change = self.root.desk.change
        if change is None:
            return
        state = change.state
        if row.command is not None:
            self.send(row.command)
        elif row.ask == "target":
            self.root.ask(
                Choose(
                    _("Which space is attacked?"),
                    (*target_options(state), ("", _("Another space"))),
                    lambda space: self._target(space, change),
                )
            )
        elif row.ask == "open":
            attack = int(row.key)
            tied = main_directions(state, attack)
            step = state.step.id
            if tied:
                self.root.ask(
                    Choose(
                        _("Which is the main attack?"),
                        tied,
                        lambda origin: self.send(bm.OpenCombat(step, attack, main_origin=origin)),
                        _("All others flank and reroll 8 and above"),
                    )
                )
            else:
                self.send(bm.OpenCombat(step, attack))
        elif row.ask == "mines":
            self.root.ask(
                Choose(_("Which mines?"), mine_options(state), lambda mines: self._set(Draft(mines=mines)))
            )
        elif row.ask == "join":
            fight = bm.fight_of(state)
            if fight is not None:
                self.root.ask(Choose(_("Who joins the attack?"), join_options(state, fight), self.send))
        elif row.ask == "odds":
            fight = bm.fight_of(state)
            if fight is not None:
                self.root.notify(Notice("info", Typed(odds_text(state, fight))))
        elif row.ask == "retreat":
            fight = bm.fight_of(state)
            if fight is not None:
                self.root.ask(
                    Choose(
                        _("Where do they go?"),
                        retreat_options(state, fight),
                        lambda space: self._set(with_refuge(state, fight, self.draft, space)),
                        _("What finds no room is asked next"),
                    )
                )
        elif row.ask == "pay":
            _head, origin, cost = row.key.split(".")
            self.root.ask(
                Choose(
                    _("Whose supply?"),
                    pay_options(state, origin, int(cost)),
                    lambda source: self._set(replace(self.draft, pay={**self.draft.pay, origin: source})),
                )
            )

    def _aim(self, line: VolleyLine) -> None:
        """Ask what the hits of a volley are aimed at."""
        change = self.root.desk.change
        fight = None if change is None else bm.fight_of(change.state)
        if change is None or fight is None:
            return

        def chosen(option: tuple[int, dict[str, int]]) -> None:
            aims = {**self.draft.aims, line.number: option}
            self._set(replace(self.draft, aims=aims, key=self.vm.key))

        options = aim_options(change.state, fight, line.number, self.draft)
        self.root.ask(Choose(_("What do these hits fall on?"), options, chosen))

    def _target(self, space: str, change: Change) -> None:
        if space:
            self._set(Draft(target=space))
            return
        options = target_options(change.state, known=False)
        self.root.ask(Choose(_("Another space"), options, lambda other: self._set(Draft(target=other))))

    # Main button and keys

    def main_act(self, touch: Any) -> None:
        """Send what the stage is ready for, end the act, or go back."""
        change = self.root.desk.change
        if change is None:
            return
        command = self.vm.main_command
        if command is not None:
            if isinstance(command, bm.Conclude):
                command = bm.Conclude(command.step, command.advance, self.stamp_ms(touch), command.raids)
            self._sent = command
            self.send(command)
        elif self.vm.ends_act:
            self.send(main_command(change.state, self.stamp_ms(touch)))
        elif self.vm.is_main_ready:
            super().main_act(touch)

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Digits enter dice (0 is a ten), erase takes the last one back."""
        if not self.vm.is_dice:
            return False
        if name.startswith("digit"):
            self._face(int(name[5:]) or 10)
            return True
        if name == "erase":
            self._erase()
            return True
        return False


load_kv(__file__)
