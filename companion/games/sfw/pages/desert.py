"""The Desert screen of the first edition: who enters, the yellow dice, who goes back and who halts."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import msgspec

from companion.core.dice import DiceOrigin, DieColour, DieKind, Roll, joined
from companion.core.dice import Die as RolledDie
from companion.core.ids import Nation
from companion.core.state import GameState
from companion.core.text import Count, Say, Value, nation, several, unit
from companion.games.sfw.pages.spaces import ask_space, known_spaces
from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.rules.desert import (
    HALTING,
    NUMBER,
    DesertRoll,
    RollDesert,
    SettleDesert,
    can_roll,
    dice_needed,
    open_roll,
)
from companion.games.sfw.rules.named import some_dice
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.dice import virtual_dice
from companion.pages.entered_dice import EnteredDice, dice_buttons, with_read, without_last
from companion.pages.i18n import N_, _
from companion.pages.labels import stage_name
from companion.pages.page import (
    Acts,
    Banner,
    Block,
    Button,
    Choices,
    Dice,
    Die,
    Draft,
    Go,
    Item,
    Pad,
    Page,
    Rows,
    Send,
    Shown,
    Side,
    Sides,
    Sight,
    Tiles,
)
from companion.pages.parts import back_button, counting, nation_mark, taking_tool
from companion.pages.report_parts import ReportSource, Section, section, table_html
from companion.pages.speak import speak
from companion.pages.symbols import unit_short, unit_symbol

__all__ = ["DesertDraft", "desert_page", "outcome_say", "result_say", "roll_command", "virtual_values"]

_PAST = 2
"""Rolls of this act that stand below."""
_MOST = 20
"""Units of a kind that may enter at once."""


@dataclass(frozen=True, slots=True)
class DesertDraft(EnteredDice):
    """What has been entered of a desert roll and is not sent yet."""

    space: str = ""
    nation: str = ""
    units: Mapping[str, int] = field(default_factory=dict)
    is_rolling: bool = False
    """The units stand and the dice are being entered."""
    halts: Mapping[str, int] = field(default_factory=dict)
    """Who halts of the roll `halts_of`."""
    halts_of: int = 0
    is_taking: bool = False
    """Taps on units take off."""

    @property
    def dice(self) -> int:
        """How many yellow dice are rolled."""
        return dice_needed(self.units)

    @property
    def left(self) -> int:
        """How many of them are still to be entered."""
        return self.dice - len(self.values)

    def with_step(self, unit: str, amount: int) -> DesertDraft:
        """Add units, or take some out."""
        count = max(0, min(_MOST, self.units.get(unit, 0) + amount))
        return replace(self, units={**self.units, unit: count})


def _edit(change: Callable[[DesertDraft], DesertDraft]) -> Draft[DesertDraft]:
    return Draft(change, DesertDraft())


def desert_page(sight: Sight) -> Shown:
    """Return who enters, then the dice, then who halts where that is a choice."""
    state, acts, draft = sight.state, Acts(), sight.entered(DesertDraft())
    waiting = open_roll(state)
    if waiting is not None:
        page = _settle(state, acts, draft, waiting)
    elif not can_roll(state):
        why = Say("Land units enter deserts while their side moves; the dice are rolled then")
        page = Page(
            "closed", Say("Desert roll"), blocks=(Rows("closed", (), empty=why),), main=back_button(acts)
        )
    else:
        if not draft.nation:
            draft = replace(draft, nation=_nations(state)[0])
        page = _roll(sight, acts, draft) if draft.is_rolling else _compose(state, acts, draft)
    done = [one for one in state.game["desert"].rolls if one.step == state.step.id and one.is_settled]
    past = tuple(Item(str(one.id), result_say(one), state="muted") for one in reversed(done[-_PAST:]))
    if past:
        page = msgspec.structs.replace(page, blocks=(*page.blocks, Rows("past", past)))
    return Shown(page, acts)


def _nations(state: GameState) -> tuple[str, ...]:
    return tuple(info.id for info in state.frozen_setup.nations if info.side in state.step.owners)


def _compose(state: GameState, acts: Acts, draft: DesertDraft) -> Page:
    def of(one: str) -> Draft[DesertDraft]:
        return _edit(lambda d: replace(d, nation=one, units={}))

    nations = tuple(Item(one, nation(one), act=acts.put(one, of(one))) for one in _nations(state))

    def step(one: str, by: int) -> Draft[DesertDraft]:
        return _edit(lambda d: replace(d, nation=draft.nation).with_step(one, by))

    movers = [spec.id for spec in unit_table_of(state).fielded(draft.nation) if spec.type == "land"]
    tiles = tuple(
        _tile(state, acts, one, draft.units.get(one, 0), step, takes=draft.is_taking) for one in movers
    )
    which = Say("Which desert space?")
    deserts = [name for name, terrain in known_spaces(state).items() if terrain == "desert"]
    past = [one.space for one in state.game["desert"].rolls]
    space = ask_space(
        state,
        which,
        lambda name: _edit(lambda d: replace(d, space=name)),
        known=dict.fromkeys([*deserts, *past]),
    )
    roll = Say.counted("Roll {n} yellow die", "Roll {n} yellow dice", draft.dice)
    problem = None
    if not draft.space:
        problem = Say("Name the space first")
    elif not draft.dice:
        problem = Say("Who enters? Units aboard a transport go with it")
    start = acts.put("roll", _edit(lambda d: replace(d, nation=draft.nation, is_rolling=True)))
    return Page(
        "compose",
        Say("Desert roll"),
        tools=(
            Button(space_of(draft.space) if draft.space else which, acts.put("space", space)),
            _taking(acts, draft),
        ),
        blocks=(
            Choices("nations", nations, draft.nation),
            Tiles("units", tiles, mark=nation_mark(state.frozen_setup, draft.nation)),
        ),
        main=Button(roll, start) if problem is None else Button(problem, why_not=problem),
    )


def _tile(
    state: GameState,
    acts: Acts,
    one: str,
    count: int,
    step: Callable[[str, int], Draft[DesertDraft]],
    *,
    takes: bool,
    most: int = _MOST,
    sub: Say | None = None,
) -> Item:
    """Return a kind of unit on which a tap is one more, or where taps take off one less."""
    tile = Item(
        one, unit_short(state, one), sub, symbol=unit_symbol(state, one), state="chosen" if count else "plain"
    )
    less, more = acts.put(f"{one}.less", step(one, -1)), acts.put(f"{one}.more", step(one, 1))
    return counting(tile, count, less, more, takes=takes, most=most)


def _taking(acts: Acts, draft: DesertDraft) -> Button:
    turn = _edit(lambda d: replace(d, is_taking=not d.is_taking))
    return taking_tool(acts, turn, is_on=draft.is_taking)


# The dice


def _roll(sight: Sight, acts: Acts, draft: DesertDraft) -> Page:
    state = sight.state
    after = Draft(lambda _draft: DesertDraft(nation=draft.nation), DesertDraft())

    def face(value: int) -> Send | Draft[DesertDraft]:
        whole = replace(draft, values=(*draft.values, value))
        if whole.left > 0:
            return _edit(lambda d: replace(d, values=(*d.values, value)))
        return Send(roll_command(whole), then=after)

    def rolled(_at_ms: int) -> RollDesert:
        values, origin = virtual_values(draft, secrets.randbits(31))
        whole = (*draft.values, *values)
        return roll_command(replace(draft, values=whole, origin=joined(draft.origin, origin)))

    def record(values: tuple[int, ...], origin: DiceOrigin) -> dict[str, object]:
        return {"draft": with_read(draft, values[: draft.left], origin)}

    keys = tuple(Item(str(n), n, act=acts.put(f"face.{n}", face(n))) for n in range(1, 13))
    args = {
        "kind": "d12",
        "asked": (("yellow", draft.left),),
        "back": ("desert", {"draft": draft}),
        "record": record,
    }
    second: Button | None = None
    photo: tuple[Button, ...] = ()
    if draft.left > 0:
        read, roll = acts.put("read", Go("dice", args=args)), acts.put("virtual", Send(rolled, then=after))
        missing = Say("Type {dice}", dice=some_dice(draft.left, "yellow"))
        main, second, photo = dice_buttons(sight, read, roll, missing)
    else:
        take = Send(roll_command(draft), then=after)
        main = Button(Say("Accept the roll"), acts.put("take", take))
    change = _edit(lambda d: replace(d, is_rolling=False, values=(), read=frozenset(), origin=DiceOrigin()))
    mark = nation_mark(state.frozen_setup, draft.nation)
    title = Say("{who} to roll: {dice}", who=nation(draft.nation), dice=some_dice(draft.dice, "yellow"))
    banner = Banner("roll", title, None, Say("{n}+", n=NUMBER), Say("stops"), mark)
    there = Tiles(
        "units",
        tuple(
            Item(one, unit_short(state, one), value=count, symbol=unit_symbol(state, one))
            for one, count in _there(draft.units)
        ),
        mark=mark,
    )
    pad = (_lying(draft), *((Pad("dice", keys, columns=6),) if draft.left > 0 else ()))
    return Page(
        "roll",
        Say("Desert roll · {space}", space=space_of(draft.space)),
        tools=(
            Button(Say("Erase"), acts.put("erase", _edit(without_last)), "backspace")
            if draft.values
            else Button(Say("Change the units"), acts.put("change", change)),
            *photo,
        ),
        blocks=(banner, Sides("dice", (Side("units", None, (there,)), Side("pad", None, pad)))),
        main=main,
        second=second,
    )


def _lying(draft: DesertDraft) -> Dice:
    """Return the yellow dice: those that are entered with whether they stop somebody, the others to come."""
    entered = tuple(
        Die(str(n), 12, value, "yellow", "hit" if value >= NUMBER else "miss")
        for n, value in enumerate(draft.values)
    )
    open_ = tuple(
        Die(str(n), 12, None, "yellow", "unsure" if n == len(draft.values) else "empty")
        for n in range(len(draft.values), draft.dice)
    )
    return Dice("lying", (*entered, *open_))


def _there(units: Mapping[str, int]) -> list[tuple[str, int]]:
    return [(one, count) for one, count in units.items() if count]


def roll_command(draft: DesertDraft) -> RollDesert:
    """Return the command for a draft whose dice are all entered."""
    dice = tuple(RolledDie(DieColour.YELLOW, value) for value in draft.values)
    return RollDesert(
        draft.space, Nation(draft.nation), dict(_there(draft.units)), Roll(DieKind.D12, dice, draft.origin)
    )


def virtual_values(draft: DesertDraft, seed: int) -> tuple[Sequence[int], DiceOrigin]:
    """Roll the dice that are still to be entered virtually."""
    return virtual_dice(seed, draft.left, 12, f"desert/{len(draft.values)}")


# Who halts


def _settle(state: GameState, acts: Acts, draft: DesertDraft, entry: DesertRoll) -> Page:
    table, chosen = unit_table_of(state).units, draft.halts if draft.halts_of == entry.id else {}

    def step(most: int, one: str, by: int) -> Draft[DesertDraft]:
        def change(d: DesertDraft) -> DesertDraft:
            now = d.halts if d.halts_of == entry.id else {}
            return replace(d, halts_of=entry.id, halts={**now, one: max(0, min(most, now.get(one, 0) + by))})

        return _edit(change)

    tiles = tuple(
        _tile(
            state,
            acts,
            one,
            chosen.get(one, 0),
            partial(step, most),
            takes=draft.is_taking,
            most=most,
            sub=Say("of {n}", n=most),
        )
        for one, most in entry.units.items()
        if table[one].standard in HALTING
    )
    told: tuple[Block, ...] = ()
    if entry.sent_back:
        back = Item(
            "back",
            Say("Infantry going back: {n}.", n=entry.sent_back),
            mark=nation_mark(state.frozen_setup, entry.nation),
        )
        told = (Rows("back", (back,)),)
    asks = Say.counted(
        "{nation}: {n} unit halts in the desert. Which one?",
        "{nation}: {n} units halt in the desert. Which ones?",
        entry.to_halt,
        nation=nation(entry.nation),
    )
    is_whole = sum(chosen.values()) == entry.to_halt
    halt = Send(SettleDesert(entry.id, dict(_there(chosen))))
    return Page(
        f"settle.{entry.id}",
        Say("Desert roll · {space}", space=space_of(entry.space)),
        asks,
        "text",
        tools=(_taking(acts, draft),),
        blocks=(
            *told,
            Tiles("halts", tiles, mark=nation_mark(state.frozen_setup, entry.nation)),
        ),
        main=Button(Say("They halt"), acts.put("halt", halt), why_not=None if is_whole else asks),
    )


# What a roll came to


def outcome_say(entry: DesertRoll) -> Value:
    """Return what a roll came to, such as ``2 Infantry go back, 1 Tank halts``."""
    back, parts = entry.sent_back, []
    if back:
        units = Count(back, unit("infantry"))
        parts.append(Say.counted("{units} goes back", "{units} go back", back, units=units))
    parts += [
        Say.counted("{units} halts", "{units} halt", count, units=Count(count, unit(one)))
        for one, count in _there(entry.halted)
    ]
    return several(parts, "comma") if parts else Say("all continue")


def result_say(entry: DesertRoll) -> Say:
    """Return a roll with what it came to, such as ``Siwa, Italy: 4, 11, 10 – 2 Infantry go back, 1 Tank halts``."""
    return Say(
        "{space}, {nation}: {dice} – {outcome}",
        space=space_of(entry.space),
        nation=nation(entry.nation),
        dice=several(entry.roll.values(), "comma"),
        outcome=outcome_say(entry),
    )


@section("desert", N_("Desert rolls"), 42)
def _report(source: ReportSource) -> str:
    state = source.change.state
    rows = [
        (
            stage_name(state.frozen_setup, entry.stage),
            entry.space,
            speak(nation(entry.nation), state),
            speak(counts_say(entry.units.items()), state),
            " ".join(str(value) for value in entry.roll.values()),
            speak(outcome_say(entry), state),
        )
        for entry in state.game["desert"].rolls
    ]
    head = (_("Stage"), _("Space"), _("Nation"), _("Units"), _("Dice"), _("Result"))
    return table_html(head, rows) if rows else ""


SECTIONS: tuple[Section, ...] = (_report,)
"""What this adds to the report."""
