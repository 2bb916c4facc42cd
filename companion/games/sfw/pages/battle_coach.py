"""What the coach says of a battle: the best losses for a side and a goal, simple rules near them, what more units would change.

It never speaks under tournament time, nor where the arbiter or a setting forbids it; then the page says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from companion.core.rules import Rejected
from companion.core.text import Count, Say, Share, Typed, Value, several, unit
from companion.games.sfw.odds.advice import (
    Advice,
    Force,
    LossesNow,
    Reinforced,
    advise,
    losses_now,
    reinforced,
    smallest_force,
)
from companion.games.sfw.odds.coach import GOALS, Goal
from companion.games.sfw.odds.coach_report import group_say, line_say, more_say
from companion.games.sfw.odds.states import TooLargeError
from companion.games.sfw.pages.battle_draft import BattleDraft, look
from companion.games.sfw.pages.battle_odds import why_no_odds
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Fight, other_side
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_losses import CHEAPEST
from companion.games.sfw.rules.battle_progress import END
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_state import fight_of, side_id
from companion.games.sfw.rules.named import battle_side
from companion.games.sfw.rules.named import space as space_of
from companion.odds.coaching import CHANCES, coach_fault, goal_say, worth_say
from companion.pages.later import while_wanted
from companion.pages.page import Acts, Block, Button, Choices, Item, Page, Rows, Sight
from companion.pages.parts import coach_is_on, refusal_words, side_mark

__all__ = ["coach_page", "coach_refusal"]

_MOST_MORE = 3
"""Kinds of units of which it is told what two more would change."""
_WANTED = (50, 70, 80, 90)
"""Percent for which the smallest force may be looked for."""


def coach_refusal(sight: Sight) -> Rejected | None:
    """Return why the coach does not speak here; None where it may."""
    return coach_fault(sight.state, is_on=coach_is_on(sight))


def coach_page(sight: Sight, acts: Acts, declared: Declared, draft: BattleDraft) -> Page:
    """Return what the coach says of a battle, or why it does not speak."""
    side, goal = draft.coached, draft.goal
    back = Button(Say("Back to the odds"), acts.put("back", look(page="odds")))
    refused = coach_refusal(sight)
    blocks: tuple[Block, ...]
    tools: tuple[Button, ...] = ()
    if refused is not None:
        blocks = (Rows("coach", (), empty=refusal_words(refused)),)
    else:
        state = sight.state
        sides = tuple(
            Item(
                each,
                battle_side(each),
                mark=side_mark(state.frozen_setup, side_id(state, declared.attacker, each)),
                act=acts.put(f"side.{each}", look(coached=each)),
            )
            for each in SIDES
        )
        goals = tuple(
            Item(
                one,
                goal_say(one, is_attacking=side == ATTACKING),
                act=acts.put(f"goal.{one}", look(goal=one)),
            )
            for one in GOALS
        )
        if _asks_force(declared, goal):
            act = acts.put("force", look(wanted=0 if draft.wanted else _WANTED[1]))
            tools = (Button(Say("Smallest force"), act, is_on=draft.wanted > 0),)
        blocks = (
            Choices("side", sides, side),
            Choices("goal", goals, goal),
            *_advice_blocks(sight, acts, declared, draft, next(one for one in GOALS if one == goal)),
        )
    return Page(
        f"{declared.id}.coach",
        Say("Coach: {id} {space}", id=Typed(declared.id), space=space_of(declared.space)),
        blocks=blocks,
        main=back,
        tools=tools,
    )


def _advice_blocks(
    sight: Sight, acts: Acts, declared: Declared, draft: BattleDraft, goal: Goal
) -> tuple[Block, ...]:
    state, side = sight.state, draft.coached
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected) or missing(fight) or declared.status == "over":
        return (Rows("coach", (), empty=why_no_odds(state, declared)),)
    key = (declared, side, goal, state.printed)
    if draft.wanted and _asks_force(declared, goal):
        return _force_blocks(sight, acts, fight, key, draft.wanted)
    first_work = while_wanted(lambda check: _advice(fight, declared, side, goal, check, is_first=True))
    known = sight.work(("coach.first", *key), first_work)
    if known is None:
        return (Rows("coach", (), empty=Say("Looking for the best losses")),)
    work = while_wanted(lambda check: _advice(fight, declared, side, goal, check))
    done = sight.work(("coach", *key), work) if known[0] is not None else known
    if done is None:
        assert known[0] is not None, "it is known"
        usual = Item("usual", Say("Cheapest losses"), value=worth_say(goal, known[0].usual))
        looking = Item("best", Say("Best losses"), Say("Looking for the best losses"), state="muted")
        return (Rows("coach", (usual, looking), is_wide=False),)
    (advice,) = done
    if advice is None:
        return (Rows("coach", (), empty=Say("This battle is too large for the coach")),)
    first = _now_items(sight, declared, fight, side, goal)
    blocks: list[Block] = [Rows("coach", first + _items(fight, acts, advice), is_wide=False)]
    if declared.status == "declared":
        more_work = while_wanted(lambda check: reinforced(fight, side, goal, check=check))
        more = sight.work(("coach.more", *key), more_work)
        if more is None:
            blocks.append(Rows("more", (), empty=Say("Trying more units")))
        elif more[0]:
            blocks.append(Rows("more", _more_items(fight, goal, more[0]), is_wide=False))
    return tuple(blocks)


def _advice(
    fight: Fight,
    declared: Declared,
    side: str,
    goal: Goal,
    check: Callable[[], None],
    *,
    is_first: bool = False,
) -> Advice | None:
    """Return what is best; `is_first`: the usual losses alone, which are known soon."""
    progress = declared.progress if declared.status == "fighting" else None
    if progress is not None and progress.step == END:
        return None
    try:
        if progress is None:
            return advise(fight, side, goal, retreats=side == DEFENDING, check=check, is_first=is_first)
        strength = {ATTACKING: progress.attacking, DEFENDING: progress.defending}
        return advise(
            fight,
            side,
            goal,
            position=progress.position,
            strength=strength,
            retreats=side == DEFENDING,
            check=check,
            is_first=is_first,
        )
    except TooLargeError:
        return None


def _now_items(sight: Sight, declared: Declared, fight: Fight, side: str, goal: Goal) -> tuple[Item, ...]:
    """Return the best losses for hits that have fallen, where the side is to choose; hits combined are left to the table."""
    progress = declared.progress
    if progress is None or progress.step == "7A":
        return ()
    owed = {one.side: one for one in progress.owed}
    mine, theirs = owed.get(side), owed.get(other_side(side))
    if mine is None or mine.precise or mine.is_settled or not mine.plain:
        return ()
    hits, enemy_hits = mine.plain, theirs.hits if theirs is not None else ()
    taken = theirs.taken if theirs is not None and theirs.is_settled and theirs.taken else None
    strength = {ATTACKING: progress.attacking, DEFENDING: progress.defending}

    def work(check: Callable[[], None]) -> LossesNow | None:
        check()
        try:
            return losses_now(
                fight,
                side,
                goal,
                hits,
                enemy_hits,
                enemy_taken=taken,
                position=progress.position,
                strength=strength,
                retreats=side == DEFENDING,
            )
        except TooLargeError:
            return None

    key = ("coach.now", declared, side, goal, sight.state.printed)
    done = sight.work(key, while_wanted(work))
    if done is None or done[0] is None:
        return ()
    lost = zip(fight.kinds(side), done[0].losses, strict=True)
    units = several((Count(n, unit(kind.unit.id)) for kind, n in lost if n), "and")
    return (
        Item("now", Say("Lose now: {units}", units=units), value=worth_say(goal, done[0].value), state="ok"),
    )


def _items(fight: Fight, acts: Acts, advice: Advice) -> tuple[Item, ...]:
    def told(value: float) -> Value:
        return worth_say(advice.goal, value)

    odds = acts.put("rule.cheapest", look(page="odds", policy=CHEAPEST))
    found = [Item("usual", Say("Cheapest losses"), value=told(advice.usual), act=odds)]
    if advice.best is None:
        sub = Say("Too many choices for more; this much is certain")
        if advice.most is None:
            found.append(Item("best", Say("Best losses, at least"), sub, told(advice.least), state="ok"))
        else:
            value = Say("{least} to {most}", least=told(advice.least), most=told(advice.most))
            found.append(Item("best", Say("Best losses"), sub, value, state="ok"))
    else:
        sub = Say("Decided anew at every step")
        found.append(Item("best", Say("Best losses"), sub, told(advice.best), state="ok"))
    if advice.stays is not None:
        found.append(Item("stays", Say("If nobody retreats"), value=told(advice.stays)))
    for line in advice.lines:
        name = line.last or "hold"
        act = acts.put(f"rule.{name}", look(page="odds", policy=line.policy))
        found.append(Item(f"rule.{name}", line_say(fight, line), value=told(line.value), act=act))
    return tuple(found)


def _asks_force(declared: Declared, goal: str) -> bool:
    """Say whether the smallest force may be looked for: before the battle, for a chance."""
    return declared.status == "declared" and goal in CHANCES


def _force_blocks(
    sight: Sight, acts: Acts, fight: Fight, key: tuple[Any, ...], wanted: int
) -> tuple[Block, ...]:
    """Return the chances for which the smallest force within what was declared is looked for, and what was found."""
    _declared, side, goal, _printed = key
    options = tuple(
        Item(str(n), Share(n / 100), act=acts.put(f"wanted.{n}", look(wanted=n))) for n in _WANTED
    )
    ask = Choices("wanted", options, str(wanted), Say("Smallest force for"))
    question = (*key, wanted)
    work = while_wanted(lambda check: _force(fight, side, goal, wanted, check))
    done = sight.work(("coach.force", *question), work)
    if done is None:
        return ask, Rows("force", (), empty=Say("Trying smaller forces"))
    (force,) = done
    if force is None:
        return ask, Rows("force", (), empty=Say("These units do not reach that chance"))
    nations = {group.nation for group in force.units}
    units = several(
        (
            group_say(fight, group.unit, group.nation if len(nations) > 1 else "", group.count)
            for group in force.units
        ),
        "comma",
    )
    sub = (
        Say("Cost {cost}", cost=force.cost)
        if force.is_smallest
        else Say("Not every smaller force could be tried")
    )
    return ask, Rows("force", (Item("force", units, sub, worth_say(goal, force.value), state="ok"),))


def _force(fight: Fight, side: str, goal: Goal, wanted: int, check: Callable[[], None]) -> Force | None:
    try:
        return smallest_force(fight, side, goal, wanted / 100, check=check)
    except TooLargeError:
        return None


def _more_items(fight: Fight, goal: Goal, more: tuple[Reinforced, ...]) -> tuple[Item, ...]:
    dice = [one for one in more if one.bombing is not None]
    added = [one for one in more if one.bombing is None][:_MOST_MORE]
    return tuple(
        Item(f"more.{n}.{one.unit}", more_say(fight, one), value=worth_say(goal, one.value))
        for n, one in enumerate((*dice, *added))
    )
