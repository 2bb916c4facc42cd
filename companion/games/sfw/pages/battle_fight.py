"""A battle being fought: how it stands, casualties, combined fire, retreat, and what taps send; dice are in `battle_roll`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import add
from typing import Literal

from msgspec.structs import replace

from companion.core.places import same_place
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, unit
from companion.games.sfw.pages.battle_course import BattleView, LossChoice, RollLine
from companion.games.sfw.pages.battle_draft import BattleDraft, enter
from companion.games.sfw.pages.spaces import ask_space, known_spaces
from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import DEFENDING, SIDES, Kind
from companion.games.sfw.rules.battle_fire import has_twelves
from companion.games.sfw.rules.battle_progress import (
    set_down,
)
from companion.games.sfw.rules.battle_record import Progress
from companion.games.sfw.rules.battle_rolls import BATTLE_STEPS
from companion.games.sfw.rules.battle_state import side_id
from companion.games.sfw.rules.named import space as space_of
from companion.pages.modules import words_of
from companion.pages.page import (
    Acts,
    Block,
    Button,
    Cell,
    Counter,
    Draft,
    Head,
    Item,
    Mark,
    Notice,
    Page,
    Rows,
    Send,
    Side,
    Sides,
    Tiles,
)
from companion.pages.parts import apart, nation_mark, side_mark
from companion.pages.rulings import ruling_block
from companion.pages.symbols import UNIT, unit_short, unit_symbol

__all__ = [
    "deciding",
    "fought_page",
    "left_of",
    "lost_say",
    "mark_of",
    "nation_tiles",
    "settled_by",
    "step_page",
]


_TALL_ROWS = 3
"""Groups that roll in a step on lines that a finger can pick; more stand on low lines, all in sight at once."""

_FIRING = {
    "1": "aa", "2": "fighter", "3": "light_bomber", "4": "destroyer", "5": "artillery", "6": "tank",
    "7": "sea_transport",
}  # fmt: skip
"""Battle step to the symbol of what fires, or unloads, in it."""


# Pages


def fought_page(state: GameState, acts: Acts, view: BattleView, draft: BattleDraft) -> Page:
    """Return what the step at hand of a battle asks for, other than dice."""
    progress = view.declared.progress
    assert progress is not None, "it is being fought"
    draft = draft.at(progress)
    pages = {
        "losses": _loss_page,
        "combine": _combine_page,
        "retreat": _retreat_page,
        "pass": _pass_page,
    }
    return pages[view.phase](state, acts, view, draft)


def deciding(view: BattleView) -> tuple[str, ...]:
    """Return the open points of the rules that decide the dice at hand or settled the casualties before them."""
    icons = view.phase == "roll" and any(_is_icon(view, line) for line in view.lines)
    return (*(("anti_air_abilities",) if icons else ()), *settled_by(view))


def settled_by(view: BattleView) -> tuple[str, ...]:
    """Return the open points of the rules that settled the casualties of the last battle step without a choice."""
    progress, course = view.declared.progress, view.course
    if progress is None or course is None or not progress.records:
        return ()
    record = progress.records[-1]
    for side in SIDES:
        plain = tuple(hit for hit in record.hits.get(side, ()) if not hit.precise)
        left, lost = progress.counts(side), record.losses.get(side, ())
        if len(plain) == len(record.hits.get(side, ())) and len(lost) == len(left):
            before = tuple(map(add, left, lost))
            if course.tables[side].hangs_on_order(before, plain):
                return ("joint_hits",)
    return ()


def _is_icon(view: BattleView, line: RollLine) -> bool:
    """Say whether a line's dice are those of anti-air icons of units with an ability that a 12 brings."""
    if (
        view.course is None
        or view.declared.progress is None
        or view.declared.progress.step not in ("1", "push")
    ):
        return False
    kinds = view.course.fight.kinds(line.side)
    specs = [kinds[index].unit for index in line.line.kinds if index >= 0]
    return any(spec.anti_air and has_twelves(spec) for spec in specs)


def step_page(
    view: BattleView,
    blocks: tuple[Block, ...],
    main: Button,
    *,
    lead: Say | None = None,
) -> Page:
    declared = view.declared
    title = Say(
        "{id}  {space} · {step}", id=Typed(declared.id), space=space_of(declared.space), step=view.step
    )
    return Page(
        f"{declared.id}.{view.phase}", title, lead, "danger", steps=_steps(view), blocks=blocks, main=main
    )


def _steps(view: BattleView) -> tuple[Cell, ...]:
    """Return the seven steps of a battle with what fires in each; none where a fight has other steps."""
    at = view.step.id
    if at not in BATTLE_STEPS:
        return ()
    here = BATTLE_STEPS.index(at)
    cells = []
    for number, symbol in _FIRING.items():
        own = [n for n, step in enumerate(BATTLE_STEPS) if step[0] == number]
        state: Literal["done", "now", "next"] = "now" if here in own else "done" if own[-1] < here else "next"
        cells.append(Cell(number, Typed(number), state, f"{UNIT}{symbol}"))
    return tuple(cells)


def mark_of(state: GameState, view: BattleView, side: str) -> Mark:
    return side_mark(state.frozen_setup, side_id(state, view.declared.attacker, side))


def _counter(
    state: GameState, acts: Acts, key: str, kind: Kind, progress: Progress | None, *, now: int, most: int
) -> Item:
    """Return a kind with how many of it are lost, or leave."""

    def step(by: int) -> Draft[BattleDraft]:
        def change(d: BattleDraft) -> BattleDraft:
            count = min(most, max(0, d.chosen.get(key, now) + by))
            return replace(d, chosen={**d.chosen, key: count})

        return enter(progress, change)

    less, more = acts.put(f"{key}.less", step(-1)), acts.put(f"{key}.more", step(1))
    counter = Counter(now, less, more, most=most, left=Say("of {n}", n=most))
    return Item(key, unit(kind.unit.id), mark=nation_mark(state.frozen_setup, kind.nation), facet=counter)


def _loss_page(state: GameState, acts: Acts, view: BattleView, draft: BattleDraft) -> Page:
    """Return what each side owes as units that a tap crosses out; the cheapest that pays it is filled in."""
    sides = []
    take: Send | None = None
    for choice in reversed(view.losses):
        # What the second side has chosen is sent after the first one's losses are taken.
        take = Send(choice.command(view.declared.id, draft.chosen), then=take)
        mark = mark_of(state, view, choice.side)
        who = Say("{hits} hit: the shooters choose", hits=choice.hits)
        head = Head(
            choice.side,
            mark.name or 0,
            who if choice.by_shooter else Say("{hits} hit", hits=choice.hits),
            mark=mark,
        )
        sides.append(Side(choice.side, head, tuple(_owed(state, acts, view, draft, choice))))
    assert take is not None, "losses are chosen"
    open_points = ("joint_hits",) if any(choice.hangs_on_order for choice in view.losses) else ()
    is_proposed = all(choice.is_proposed(draft.chosen) for choice in view.losses)
    cheapest = Say("The cheapest losses are filled in. Tap a unit to lose it instead.")
    how = Head("how", cheapest if is_proposed else Say("Tap a unit to lose it instead."))
    blocks = (Sides("losses", tuple(reversed(sides))), how, *ruling_block(state, acts, open_points))
    return step_page(view, blocks, Button(Say("Take the losses"), acts.put("take", take)))


def _owed(
    state: GameState, acts: Acts, view: BattleView, draft: BattleDraft, choice: LossChoice
) -> Iterator[Tiles]:
    """Yield the units of each nation that may be lost."""
    for of in dict.fromkeys(kind.nation for kind in choice.kinds):
        tiles = tuple(
            _loss_tile(state, acts, view, draft, choice, kind) for kind in choice.kinds if kind.nation == of
        )
        yield nation_tiles(state, f"{choice.side}.{of}", of, tiles)


def nation_tiles(state: GameState, key: str, of: str, tiles: tuple[Item, ...]) -> Tiles:
    """Return units of a nation as tiles beside its mark."""
    has_short = words_of(state.frozen_setup.game).word("nation_short", of) is not None
    return Tiles(
        key, tiles, Name("nation_short", of) if has_short else None, nation_mark(state.frozen_setup, of)
    )


def _loss_tile(  # noqa: PLR0917
    state: GameState, acts: Acts, view: BattleView, draft: BattleDraft, choice: LossChoice, kind: Kind
) -> Item:
    key = f"{choice.side}.{kind.index}"

    def step(by: int) -> Draft[BattleDraft]:
        return enter(view.declared.progress, lambda d: replace(d, chosen=choice.changed(d.chosen, kind, by)))

    less, more = acts.put(f"{key}.less", step(-1)), acts.put(f"{key}.more", step(1))
    now, (least, most) = choice.chosen(draft.chosen, kind), choice.bounds(kind)
    left = Say("of {n}", n=choice.counts[kind.index])
    return Item(
        key,
        unit_short(state, kind.unit.id),
        left,
        symbol=unit_symbol(state, kind.unit.id),
        state="lost" if now else "plain",
        facet=Counter(now, less, more, least, most, left),
    )


def _combine_page(_state: GameState, acts: Acts, view: BattleView, _draft: BattleDraft) -> Page:
    options = tuple(
        Item(str(n), text, act=acts.put(f"combine.{n}", Send(command)))
        for n, (text, command) in enumerate(view.combine)
    )
    best, command = view.combine[0]
    rows = Rows("combine", options, Say("How do the hits combine?"))
    return step_page(view, (rows,), Button(best, acts.put("best", Send(command))))


def _retreat_page(state: GameState, acts: Acts, view: BattleView, draft: BattleDraft) -> Page:
    declared, progress = view.declared, view.declared.progress
    assert progress is not None, "it is being fought"
    counts = {kind.index: draft.chosen.get(f"{DEFENDING}.{kind.index}", 0) for kind in view.leaving}
    rows = tuple(
        _counter(
            state, acts, f"{DEFENDING}.{kind.index}", kind, progress,
            now=counts[kind.index], most=progress.defending[kind.index],
        )
        for kind in view.leaving
    )  # fmt: skip
    others = [space for space in known_spaces(state) if not same_place(space, declared.space)]

    def to(space: str) -> Draft[BattleDraft]:
        return enter(progress, lambda d: replace(d, retreat_to=space))

    where = Say(
        "Retreat to: {space}", space=space_of(draft.retreat_to) if draft.retreat_to else Say("not stated")
    )
    ask = acts.put("to", ask_space(state, Say("Retreat to which space?"), to, known=others))
    leaving = tuple(bc.UnitLosses(kind, n) for kind, n in counts.items() if n)
    go = Send(
        bc.RetreatUnits(declared.id, leaving, draft.retreat_to) if leaving else bc.StandFast(declared.id)
    )
    main = Button(Say("Retreat") if leaving else Say("Stand fast"), acts.put("main", go))
    mark = mark_of(state, view, DEFENDING)
    who = Say("{side} may retreat to one adjacent space", side=mark.name or 0)
    blocks = (Head("who", who, mark=mark), Rows("leaving", rows), Rows("to", (Item("to", where, act=ask),)))
    return step_page(view, blocks, main, lead=lost_say(state, view))


def _pass_page(state: GameState, acts: Acts, view: BattleView, _draft: BattleDraft) -> Page:
    told = Notice("pass", Say("Nobody rolls in this battle step."))
    go_on = acts.put("pass", Send(bc.PassStep(view.declared.id)))
    return step_page(view, (told,), Button(Say("Continue"), go_on), lead=lost_say(state, view))


# What is left


def left_of(state: GameState, view: BattleView) -> tuple[Block, ...]:
    """Return what both sides have lost and kept, and what the battle leaves to be done elsewhere."""
    progress, course = view.declared.progress, view.course
    if progress is None or course is None:
        return ()
    sides = []
    for side in SIDES:
        mark, left = mark_of(state, view, side), progress.counts(side)
        gone = [sum(record.losses.get(side, left)[n] if record.losses.get(side) else 0
                    for record in progress.records) for n in range(len(left))]  # fmt: skip
        kinds = [kind for kind in course.fight.kinds(side) if kind.is_active]
        lost, kept = sum(gone[kind.index] for kind in kinds), sum(left[kind.index] for kind in kinds)
        head = Head(side, mark.name or 0, _lost_say(lost, kept), mark=mark)
        groups = tuple(
            nation_tiles(state, f"{side}.{of}", of, tuple(_fates(state, kinds, of, left, gone)))
            for of in dict.fromkeys(kind.nation for kind in kinds)
            if any(left[kind.index] or gone[kind.index] for kind in kinds if kind.nation == of)
        )
        sides.append(Side(side, head, groups))
    notes = tuple(Item(f"note.{n}", note, state="chosen") for n, note in enumerate(_notes(view, progress)))
    return (Sides("left", tuple(sides)), *((Rows("notes", notes),) if notes else ()))


def _lost_say(lost: int, kept: int) -> Say:
    if not lost:
        return Say("nobody lost")
    return Say("{n} of {m} lost", n=lost, m=lost + kept) if kept else Say("all lost")


def _fates(
    state: GameState, kinds: Sequence[Kind], of: str, left: Sequence[int], gone: Sequence[int]
) -> Iterator[Item]:
    """Yield a nation's units: those that were lost crossed out, then those that are left."""
    for counts, fate in ((gone, "lost"), (left, "plain")):
        for kind in kinds:
            if kind.nation == of and counts[kind.index]:
                yield Item(
                    f"{fate}.{kind.index}",
                    unit_short(state, kind.unit.id),
                    value=counts[kind.index],
                    symbol=unit_symbol(state, kind.unit.id),
                    state="lost" if fate == "lost" else "plain",
                )


def lost_say(state: GameState, view: BattleView) -> Say | None:
    """Return what was lost on the battle step before, until dice of the one at hand lie; None where nobody was."""
    progress, course = view.declared.progress, view.course
    if progress is None or course is None or not progress.records:
        return None
    if any(thrown.rolls for thrown in progress.thrown):
        return None
    parts = []
    for side in SIDES:
        losses = progress.records[-1].losses.get(side, ())
        units = [(kind.unit.id, losses[kind.index]) for kind in course.fight.kinds(side) if losses]
        if any(n for _id, n in units):
            name = mark_of(state, view, side).name or 0
            parts.append(Say("{side} {units}", side=name, units=counts_say((i, n) for i, n in units if n)))
    return Say("Lost: {units}", units=apart(parts)) if parts else None


def _notes(view: BattleView, progress: Progress) -> Iterator[Say]:
    """Yield what a battle leaves to be done elsewhere: bombed resupply, cargo set down in a push through."""
    if progress.bombing:
        yield Say("Objective bombed: {n} fewer of each type at its next Resupply", n=progress.bombing)
    dropped: dict[str, int] = {}
    if view.declared.battle.occasion == "movement" and view.course is not None:
        for kind in view.course.fight.attacking:
            for group in set_down(kind, progress.attacking[kind.index]):
                dropped[group.unit] = dropped.get(group.unit, 0) + group.count
    units = [(one, n) for one, n in dropped.items() if n]
    if units:
        yield Say(
            "{units} set down in {space}: declare a battle there",
            units=counts_say(units),
            space=space_of(view.declared.space),
        )
