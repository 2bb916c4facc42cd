"""Battle: declare, compose by taps, roll, take casualties, retreat, and the odds before and after.

The screen shows a `BattleView` page by page: the list, the tiles of a side, the roll list with the dice pad, the
casualties. It holds what a finger has typed and not yet sent; everything sent is a command of its view.
"""

from __future__ import annotations

import secrets
import threading
from typing import Any

from kivy.clock import Clock
from kivy.properties import BooleanProperty, ObjectProperty, StringProperty
from kivy.uix.boxlayout import BoxLayout
from kivy.uix.gridlayout import GridLayout

from companion.core.change import Change
from companion.core.dice import DiceOrigin
from companion.games.sfw.battle import ATTACKING, DEFENDING
from companion.games.sfw.battle_state import battles_of
from companion.presenters.battle import BattleView, battle_view, other_occasions
from companion.presenters.battle_compose import Composer, composer
from companion.presenters.battle_fight import (
    RollLine,
    loss_command,
    retreat_command,
    roll_command,
    virtual_values,
)
from companion.presenters.battle_odds import OddsView, battle_odds, odds_now
from companion.presenters.frame import Mark
from companion.presenters.i18n import _
from companion.ui.screen import Screen, load_kv
from companion.ui.screens.battle_dialogs import ask_circumstances, ask_declaration, ask_group
from companion.ui.theme import theme
from companion.ui.widgets import Badge, DicePad, Emblem, Histogram, Pages, Plate, Space, Tabs, Text
from companion.ui.widgets.marks import _NOBODY

__all__ = ["BattleScreen"]

_PLACES = ((ATTACKING, 0), (DEFENDING, 0), (ATTACKING, 1), (DEFENDING, 1))


class UnitTile(Plate):
    """One unit of one nation: a tap adds one."""


class RollRow(Plate):
    """One line of the roll list."""

    is_current = BooleanProperty(False)


class LossLine(BoxLayout):
    """A kind of unit with the count that is lost or leaves."""

    mark = ObjectProperty(_NOBODY, rebind=True)
    text = StringProperty("")
    count_text = StringProperty("0")

    __events__ = ("on_count",)

    def on_count(self, amount: int) -> None:
        """Announce a tap on minus or plus."""


class BattleScreen(Screen):
    """Shows the battle at hand."""

    headline = StringProperty("")
    odds_text = StringProperty("")
    list_text = StringProperty("")

    def __init__(self, root: Any, **kwargs: Any) -> None:
        self.vm: BattleView | None = None
        self.battle = ""
        self.page = ""
        """``list``, ``odds``, ``details`` or empty: what the battle's phase asks for."""
        self.place = 0
        """Index into `_PLACES`: whose units are composed, and where they stand."""
        self.is_taking = False
        self.line = -1
        self.typed: list[int] = []
        self.chosen: dict[tuple[str, int], int] = {}
        self._chosen_for: tuple[Any, ...] = ()
        self._known: set[str] = set()
        self._worker: threading.Thread | None = None
        super().__init__(root, **kwargs)

    def enter(self, battle: str = "", page: str = "", **_args: Any) -> None:
        """Open a certain battle."""
        self.battle, self.page = battle, page

    def refresh(self, change: Change | None) -> None:
        """Show the newest change."""
        if change is None:
            return
        self._select_new(change)
        view = battle_view(change.state, self.battle or None)
        self.vm, self.battle = view, view.selected
        if not view.rows:
            self.page = "list"
        self._forget_stale(change, view)
        body = self.ids.body
        body.clear_widgets()
        self.main_icon, self.main_enabled = "", True
        self.headline = view.title if view.phase in ("none", "compose") else f"{view.title} · {view.step}"
        can_judge = view.phase not in ("none",) and self.page != "list"
        self.odds_text = (_("Odds") if self.page != "odds" else _("Back")) if can_judge else ""
        self.list_text = _("All battles") if self.page != "list" and view.rows else ""
        if self.page == "list" or view.phase == "none":
            self._list(change, view, body)
        elif self.page == "odds":
            self._odds(change, body)
        else:
            getattr(self, f"_{view.phase}")(change, view, body)

    def _select_new(self, change: Change) -> None:
        """A battle that was just declared is the one at hand."""
        ids = {entry.id for entry in battles_of(change.state).battles}
        new = sorted(ids - self._known)
        if self._known and new:
            self.battle, self.page, self.place = new[-1], "", 0
        if self.battle not in ids:
            self.battle = ""
        self._known = ids or {""}

    def _forget_stale(self, change: Change, view: BattleView) -> None:
        """What a finger began counts only for the very question it answered."""
        at = (view.selected, view.phase, view.step, change.seq if view.phase != "roll" else view.lines)
        if at != self._chosen_for:
            self._chosen_for, self.typed, self.chosen = at, [], {}
            open_lines = [line.index for line in view.lines if line.dice]
            if self.line not in open_lines:
                self.line = open_lines[0] if open_lines else -1

    def show_list(self) -> None:
        """Show all battles."""
        self.page = "list"
        self.refresh(self.root.desk.change)

    def toggle_odds(self) -> None:
        """Show the odds, or go back to the battle."""
        self.page = "" if self.page == "odds" else "odds"
        self.refresh(self.root.desk.change)

    # The list

    def _list(self, change: Change, view: BattleView, body: Any) -> None:
        self.headline = _("Battles")
        pages = Pages(row_px=theme.px(58), empty_text=_("No battle is declared in this movement step"))
        pages.make = self._battle_row
        pages.items = list(view.rows)
        body.add_widget(pages)
        self.main_text = _("Declare a battle")
        self.main_enabled = view.can_declare
        others = other_occasions(change.state)
        if others:
            foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
            for occasion, text in others:
                plate = Plate(text=text, kind="quiet", acts_on="release", role="body")
                plate.bind(on_act=lambda _w, _t, o=occasion: self._other(change, o))
                foot.add_widget(plate)
            body.add_widget(foot)

    def _other(self, change: Change, occasion: str) -> None:
        """Call for a bonus roll, or go to the screen that an occasion of its own has."""
        if occasion == "desert":
            self.root.go("desert")
        else:
            ask_declaration(self, change.state, occasion)

    def _battle_row(self, row: Any) -> Any:
        plate = Plate(
            text=f"{row.id}  {row.space}  ({row.status_text})",
            sub=f"{row.attacking}  ·  {row.defending}",
            kind="row",
            align="left",
            acts_on="release",
            role="body",
        )
        plate.bind(on_act=lambda _w, _t: self._open(row.id))
        return plate

    def _open(self, battle: str) -> None:
        self.battle, self.page = battle, ""
        self.refresh(self.root.desk.change)

    # Composing

    def _compose(self, change: Change, view: BattleView, body: Any) -> None:
        side, distance = _PLACES[self.place]
        model = composer(change.state, view.selected, side, distance)
        if model is None:
            return
        self._compose_tabs(change, view, body)
        if self.page == "details":
            self._details(change, model, body)
        else:
            body.add_widget(self._tiles(model))
        body.add_widget(self._compose_foot(change, model))
        if model.missing:
            self.main_text = _("Enter figures")
        else:
            self.main_text, self.main_enabled = _("Begin battle"), model.begin is not None

    def _compose_tabs(self, change: Change, view: BattleView, body: Any) -> None:
        models = [composer(change.state, view.selected, side, distance) for side, distance in _PLACES]
        tabs = Tabs(size_hint_y=None, height=theme.target_px)
        tabs.options = [
            (index, (_("{side} support") if _PLACES[index][1] else "{side}").format(side=model.mark.name))
            for index, model in enumerate(models)
            if model is not None
        ]
        tabs.chosen = self.place
        tabs.bind(on_choose=lambda _w, key: self._choose_place(key))
        body.add_widget(tabs)

    def _choose_place(self, index: int) -> None:
        self.place = index
        self.refresh(self.root.desk.change)

    def _tiles(self, model: Composer) -> Any:
        """One tile for every unit of every nation; nations in rows, or in columns in portrait."""
        nations = max((len(row) for row in model.tiles), default=0)
        if theme.is_portrait:
            grid = GridLayout(cols=max(1, nations), spacing=(theme.px(6), theme.px(1)))
            for tile in model.tiles[0] if model.tiles else ():
                grid.add_widget(Badge(mark=tile.mark, size_hint_y=None, height=theme.px(24)))
            for row in model.tiles:
                for index in range(nations):
                    grid.add_widget(self._tile(row[index]) if index < len(row) else Space())
            return grid
        box = BoxLayout(orientation="vertical", spacing=theme.px(6))
        for index in range(nations):
            line = BoxLayout(spacing=theme.px(4))
            tiles = [row[index] for row in model.tiles if index < len(row)]
            if tiles:
                mark = tiles[0].mark
                line.add_widget(
                    Emblem(emblem=mark.emblem, tone=mark.tone, size_hint_x=None, width=theme.px(24))
                )
            for tile in tiles:
                line.add_widget(self._tile(tile))
            box.add_widget(line)
        return box

    def _tile(self, tile: Any) -> Any:
        text = f"{tile.count} {tile.short}" if tile.count else tile.short
        if theme.is_portrait:
            text = f"{tile.count or ''} {tile.name}".strip()
        plate = UnitTile(text=text, kind="chosen" if tile.count else "soft")
        plate.bind(on_act=lambda _w, _t: self._tap_tile(tile))
        return plate

    def _tap_tile(self, tile: Any) -> None:
        command = tile.take if self.is_taking else tile.add
        if command is not None:
            self.send(command)

    def _compose_foot(self, change: Change, model: Composer) -> Any:
        foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
        foot.add_widget(
            Text(
                text=model.problem or model.repeat_text,
                role="small",
                tone="danger" if model.missing else "muted",
            )
        )
        if model.repeat is not None:
            foot.add_widget(self._button(model.repeat_text, lambda: self.send(model.repeat), "soft", 200))
        taking = _("Taking out") if self.is_taking else _("Take out")
        foot.add_widget(
            self._button(taking, self._switch_taking, "chosen" if self.is_taking else "quiet", 110)
        )
        if model.groups:
            label = _("Units") if self.page == "details" else _("Details")
            foot.add_widget(self._button(label, self._switch_details, "quiet", 90))
        foot.add_widget(
            self._button(_("Space"), lambda: ask_circumstances(self, change.state, model.battle), "quiet", 90)
        )
        return foot

    def _button(self, text: str, act: Any, kind: str, width: int) -> Any:
        plate = Plate(
            text=text, kind=kind, acts_on="release", role="body", size_hint_x=None, width=theme.px(width)
        )
        plate.bind(on_act=lambda _w, _t: act())
        return plate

    def _switch_taking(self) -> None:
        self.is_taking = not self.is_taking
        self.refresh(self.root.desk.change)

    def _switch_details(self) -> None:
        self.page = "" if self.page == "details" else "details"
        self.refresh(self.root.desk.change)

    def _details(self, change: Change, model: Composer, body: Any) -> None:
        pages = Pages(row_px=theme.px(54))

        def make(row: Any) -> Any:
            plate = Plate(
                text=f"{row.mark.name}: {row.text}",
                sub=row.notes or _("Tap to say more"),
                kind="row",
                align="left",
                acts_on="release",
                role="body",
            )
            plate.bind(on_act=lambda _w, _t: ask_group(self, change.state, model.battle, row))
            return plate

        pages.make = make
        pages.items = list(model.groups)
        body.add_widget(pages)

    # Rolling

    def _roll(self, _change: Change, view: BattleView, body: Any) -> None:
        split = BoxLayout(
            orientation="vertical" if theme.is_portrait else "horizontal",
            spacing=theme.px(8),
        )
        pages = Pages(row_px=theme.px(58))
        pages.make = self._roll_row
        pages.items = list(view.lines)
        split.add_widget(pages)
        right = BoxLayout(orientation="vertical", spacing=theme.px(6))
        current = self._current(view)
        if current is not None:
            left = current.dice - len(self.typed)
            asked = _("{n} {colour} dice").format(n=left, colour=current.colour_name)
            right.add_widget(
                Text(
                    text=f"{asked}   {' '.join(map(str, self.typed))}",
                    role="strong",
                    size_hint_y=None,
                    height=theme.font_px("strong") * 1.6,
                )
            )
            pad = DicePad(faces=12)
            pad.cols = 4
            pad.bind(on_face=lambda _w, value: self._face(value))
            right.add_widget(pad)
            foot = BoxLayout(size_hint_y=None, height=theme.target_px, spacing=theme.px(8))
            foot.add_widget(self._wide(_("Erase"), self._erase, is_enabled=bool(self.typed)))
            foot.add_widget(self._wide(_("Roll for us"), self._virtual))
            right.add_widget(foot)
        split.add_widget(right)
        body.add_widget(split)
        self.main_text = _("Read the dice")

    def _wide(self, text: str, act: Any, *, is_enabled: bool = True) -> Any:
        plate = Plate(text=text, kind="soft", acts_on="release", role="body", is_enabled=is_enabled)
        plate.bind(on_act=lambda _w, _t: act())
        return plate

    def _current(self, view: BattleView) -> RollLine | None:
        return next((line for line in view.lines if line.index == self.line and line.dice), None)

    def _roll_row(self, line: RollLine) -> Any:
        what = _("{n} {colour} at {number} or more").format(
            n=line.dice or len(line.values), colour=line.colour_name, number=line.number
        )
        done = _("rolled {values}: {hits} hits").format(
            values=" ".join(map(str, line.values)), hits=line.hits
        )
        extra = f", {line.abilities}" if line.abilities else ""
        row = RollRow(
            text=f"{line.mark.name}: {line.units}",
            sub=done if not line.dice else f"{what}, {line.targets}{extra}",
            is_current=line.index == self.line and bool(line.dice),
            acts_on="release",
        )
        row.bind(on_act=lambda _w, _t: self._pick(line))
        return row

    def _pick(self, line: RollLine) -> None:
        if line.dice:
            self.line, self.typed = line.index, []
            self._chosen_for = ()
            self.refresh(self.root.desk.change)
            self.line = line.index

    def _face(self, value: int) -> None:
        view = self.vm
        line = None if view is None else self._current(view)
        if line is None or view is None:
            return
        self.typed.append(value)
        if len(self.typed) == line.dice:
            values, self.typed = tuple(self.typed), []
            self.send(roll_command(view.selected, line, values))
        else:
            self.refresh(self.root.desk.change)

    def _erase(self) -> None:
        if self.typed:
            self.typed.pop()
            self.refresh(self.root.desk.change)

    def _virtual(self) -> None:
        view = self.vm
        line = None if view is None else self._current(view)
        if view is None or line is None:
            return
        values, origin = virtual_values(line, secrets.randbits(31))
        self.send(roll_command(view.selected, line, values, origin))

    def take_dice(self, values: tuple[int, ...], origin: DiceOrigin) -> None:
        """Record dice that the Dice screen read, for the line at hand."""
        view = self.vm
        line = None if view is None else self._current(view)
        if view is not None and line is not None:
            self.send(roll_command(view.selected, line, values, origin))

    # Casualties, combining, retreat

    def _losses(self, _change: Change, view: BattleView, body: Any) -> None:
        for choice in view.losses:
            who = _("{side} chooses") if not choice.by_shooter else _("The shooters choose for {side}")
            text = f"{who.format(side=choice.mark.name)}: {choice.hits}"
            body.add_widget(
                Text(text=text, role="strong", size_hint_y=None, height=theme.font_px("strong") * 1.5)
            )
            pages = Pages(row_px=theme.px(54))
            pages.make = lambda row, side=choice.side: self._loss_row(side, row)
            pages.items = list(choice.rows)
            for row in choice.rows:
                self.chosen.setdefault((choice.side, row.kind), row.proposed)
            body.add_widget(pages)
        self.main_text = _("Take the losses")

    def _loss_row(self, side: str, row: Any) -> Any:
        key = (side, row.kind)
        line = LossLine(mark=row.mark, text=row.name)

        def show() -> None:
            line.count_text = f"{self.chosen.get(key, 0)} / {row.count}"

        def step(_w: Any, amount: int) -> None:
            self.chosen[key] = min(row.count, max(0, self.chosen.get(key, 0) + amount))
            show()
            if self.vm is not None and self.vm.phase == "retreat":
                self._name_retreat()

        line.bind(on_count=step)
        show()
        return line

    def _combine(self, _change: Change, view: BattleView, body: Any) -> None:
        combine = view.combine
        if combine is None:
            return
        pages = Pages(row_px=theme.px(58))

        def make(option: Any) -> Any:
            plate = Plate(text=option[0], kind="row", align="left", acts_on="release")
            plate.bind(on_act=lambda _w, _t: self.send(option[1]))
            return plate

        pages.make = make
        pages.items = list(combine.options)
        body.add_widget(Text(text=_("What do the hits combine to?"), size_hint_y=None, height=theme.px(30)))
        body.add_widget(pages)
        self.main_text = combine.options[0][0] if combine.options else ""

    def _retreat(self, _change: Change, view: BattleView, body: Any) -> None:
        retreat = view.retreat
        if retreat is None:
            return
        pages = Pages(row_px=theme.px(54))
        pages.make = lambda row: self._loss_row(DEFENDING, row)
        pages.items = list(retreat.rows)
        text = _("{side} may retreat to one space next to it").format(side=retreat.mark.name)
        body.add_widget(
            Text(text=text, role="strong", size_hint_y=None, height=theme.font_px("strong") * 1.5)
        )
        body.add_widget(pages)
        self._name_retreat()

    def _name_retreat(self) -> None:
        self.main_text = _("Retreat") if any(self.chosen.values()) else _("Stand fast")

    def _pass(self, _change: Change, _view: BattleView, body: Any) -> None:
        body.add_widget(Text(text=_("Nobody rolls on this battle step."), role="heading", align="center"))
        self.main_text = _("Go on")

    # The end

    def _over(self, change: Change, view: BattleView, body: Any) -> None:
        left = BoxLayout(size_hint_y=None, height=theme.px(64), spacing=theme.px(8))
        for units in (view.attacking, view.defending):
            left.add_widget(Text(text=_units(units) or _("Nobody is left"), role="strong"))
        body.add_widget(left)
        self._odds(change, body)
        waiting = [row for row in view.rows if row.is_open]
        self.main_text = _("Next battle") if waiting else _("Back to the table")

    # Odds

    def _odds(self, change: Change, body: Any) -> None:
        waiting = Text(text=_("Working out the odds"), tone="muted", align="center")
        body.add_widget(waiting)
        declared = battles_of(change.state).find(self.battle)
        if declared is None:
            return
        state, battle = change.state, self.battle

        def work() -> None:
            found = odds_now(state, declared) if declared.status == "fighting" else None
            found = found or battle_odds(state, declared)
            Clock.schedule_once(lambda _dt: show(found), 0)

        def show(found: OddsView | None) -> None:
            if self.root.screen is not self or self.battle != battle or waiting.parent is None:
                return
            body.remove_widget(waiting)
            if found is None:
                body.add_widget(Text(text=_("The battle cannot be judged as it stands"), align="center"))
            else:
                self._show_odds(found, body)

        self._worker = threading.Thread(target=work, name="odds", daemon=True)
        self._worker.start()
        if self.page == "odds":
            self.main_text = _("Back to the battle")

    def _show_odds(self, odds: OddsView, body: Any) -> None:
        head = _("Space cleared {clear}  ·  taken {take}  ·  attackers gone {lost}  ({how})").format(
            clear=odds.clear, take=odds.take, lost=odds.lost, how=odds.how
        )
        body.add_widget(Text(text=head, role="strong", size_hint_y=None, height=theme.px(30)))
        plots = BoxLayout(orientation="vertical" if theme.is_portrait else "horizontal", spacing=theme.px(12))
        titles = {ATTACKING: _("Attackers lose"), DEFENDING: _("Defenders lose")}
        for side, model in odds.losses.items():
            box = BoxLayout(orientation="vertical")
            text = _("{who} {n} on average").format(who=titles[side], n=odds.expected[side])
            box.add_widget(Text(text=text, role="small", tone="muted", size_hint_y=None, height=theme.px(24)))
            box.add_widget(Histogram(model=model))
            plots.add_widget(box)
        body.add_widget(plots)

    # The big button

    def main_act(self, touch: Any) -> None:
        """Do what the page at hand asks for."""
        change, view = self.root.desk.change, self.vm
        if change is None or view is None:
            super().main_act(touch)
        elif self.page == "list" or view.phase == "none":
            if view.can_declare:
                ask_declaration(self, change.state, "battle")
        elif self.page == "odds":
            self.toggle_odds()
        else:
            self._main_of_phase(change, view, touch)

    def _main_of_phase(self, change: Change, view: BattleView, touch: Any) -> None:
        if view.phase == "compose":
            side, distance = _PLACES[self.place]
            model = composer(change.state, view.selected, side, distance)
            if model is not None and model.missing:
                self.root.go("units", unit=model.missing[0].partition(".")[0])
            elif model is not None and model.begin is not None:
                self.send(model.begin)
        elif view.phase == "roll":
            self._read_dice(view)
        elif view.phase == "losses":
            for choice in view.losses:
                chosen = [(row.kind, self.chosen.get((choice.side, row.kind), 0)) for row in choice.rows]
                self.send(loss_command(view.selected, choice, chosen))
        elif view.phase == "combine" and view.combine is not None:
            self.send(view.combine.options[0][1])
        elif view.phase == "retreat" and view.retreat is not None:
            leaving = [(row.kind, self.chosen.get((DEFENDING, row.kind), 0)) for row in view.retreat.rows]
            if any(count for _kind, count in leaving):
                self.send(retreat_command(view.selected, leaving))
            else:
                self.send(view.retreat.stand)
        elif view.phase == "pass" and view.go_on is not None:
            self.send(view.go_on)
        else:
            self._next_battle(view, touch)

    def _next_battle(self, view: BattleView, touch: Any) -> None:
        waiting = [row.id for row in view.rows if row.is_open]
        if waiting:
            self._open(waiting[0])
        else:
            super().main_act(touch)

    def _read_dice(self, view: BattleView) -> None:
        line = self._current(view)
        if line is not None:
            self.root.go(
                "dice",
                kind="d12",
                asked=((line.colour, line.dice),),
                back=("battle", {"battle": view.selected}),
                record=(view.selected, line),
            )

    def on_key(self, name: str, event: Any) -> bool:  # noqa: ARG002
        """Digits are dice; erase takes the last one back."""
        if name.startswith("digit") and self.vm is not None and self.vm.phase == "roll":
            value = int(name.removeprefix("digit"))
            self._face(value or 10)
            return True
        if name == "erase" and self.typed:
            self._erase()
            return True
        return False


def _units(units: tuple[tuple[Mark, str, int], ...]) -> str:
    return ", ".join(f"{count} {name} ({mark.name})" for mark, name, count in units)


load_kv(__file__)
