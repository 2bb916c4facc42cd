"""What the coach says of a North Africa combat: the best times to press and cease, simple rules, the smallest force that would do.

The answer comes bit by bit, with what is certain so far; what is still being tried ends when something else is asked.
"""

from __future__ import annotations

from collections.abc import Callable

from companion.core.text import Count, Say, Share, Value, several, unit
from companion.games.aana.odds.coach import Advice, Tried, all_advice, first_advice, more_advice, reinforced
from companion.games.aana.odds.coach_report import notes_of, tried_say
from companion.games.aana.odds.force import Force, smallest_force
from companion.games.aana.odds.goals import Combat, UnknownCostError
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.pages.outlook_rules import Outlook, leave_say, marks_of, stop_say
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role
from companion.odds.coaching import CHANCES, GOALS, coach_fault, goal_say, worth_say
from companion.pages.later import while_wanted
from companion.pages.page import ActId, Block, Choices, Item, Rows
from companion.pages.parts import coach_is_on, refusal_words

__all__ = ["coach_blocks"]

_WANTED = (50, 70, 80, 90)
"""Percent for which the smallest force may be looked for."""
_MOST_MORE = 3
_EQUAL = 1e-9


def coach_blocks(look: Outlook, combat: Combat) -> tuple[Block, ...]:
    """Return what is best for a side and a goal, each rule with what it comes to; a tap shows its odds."""
    draft, sight = look.draft, look.sight
    refused = coach_fault(sight.state, is_on=coach_is_on(sight))
    if refused is not None:
        return (Rows("coach", (), empty=refusal_words(refused)),)
    role: Role = ATTACKER if draft.coached == ATTACKER else DEFENDER
    marks = marks_of(look)
    words = {ATTACKER: Say("attackers"), DEFENDER: Say("defenders")}
    who = tuple(
        Item(one, word, mark=marks[one], act=look.acts.put(f"role.{one}", look.choose(coached=one)))
        for one, word in words.items()
    )
    is_force = draft.tab == "force"
    goals = tuple(
        Item(
            one,
            goal_say(one, is_attacking=role == ATTACKER),
            act=look.acts.put(f"goal.{one}", look.choose(goal=one)),
        )
        for one in (CHANCES if is_force else GOALS)
    )
    asks: tuple[Block, ...] = (Choices("role", who, role), Choices("goal", goals, draft.goal))
    if is_force:
        return (*asks, *_force(look, combat, role))

    key = (combat, role, draft.goal)
    first = sight.work(("outlook.coach", *key), _caught(lambda: first_advice(*key)))
    if first is None:
        return (*asks, Rows("coach", (), empty=Say("Trying every rule")))
    if isinstance(first, Say):
        return (*asks, Rows("coach", (), empty=first))
    begun = while_wanted(lambda check: more_advice(combat, first, check))
    own = sight.work(("outlook.coach.own", *key), begun)
    if own is None:
        return (*asks, Rows("coach", _advice(look, role, first), is_wide=False))
    done = sight.work(
        ("outlook.coach.all", *key),
        while_wanted(lambda check: all_advice(combat, own[0], check)),
    )
    if done is None:
        return (*asks, Rows("coach", _advice(look, role, own[0]), is_wide=False))
    (advice,), more = done, None
    if combat.from_round == 1:
        more = sight.work(
            ("outlook.coach.more", *key),
            while_wanted(lambda check: reinforced(*key, check)),
        )
    return (*asks, Rows("coach", _advice(look, role, advice, more[0] if more else ()), is_wide=False))


def _caught(make: Callable[[], Advice]) -> Callable[[], Advice | Say]:
    """Return work that says why there is no advice."""

    def work() -> Advice | Say:
        try:
            return make()
        except TooLargeError:
            return Say("Too many kinds of pieces for exact odds")
        except UnknownCostError as error:
            return Say("Costs are missing: {units}.", units=several(map(unit, error.units), "comma"))

    return work


def _advice(look: Outlook, role: Role, advice: Advice, more: tuple[Tried, ...] = ()) -> tuple[Item, ...]:
    """Return advice as far as it goes: while something waits to be tried, what is certain at least."""

    def told(value: float) -> Value:
        return worth_say(advice.goal, value)

    usual = stop_say(("", 0)) if role == ATTACKER else leave_say(("", 0))
    found = [
        Item(
            "usual", usual, value=told(advice.usual), act=_to_odds(look, "usual", stop=("", 0), leave=("", 0))
        )
    ]
    if advice.waits:
        title = (
            Say("Best times to press and cease, at least") if role == ATTACKER else Say("Best rule, at least")
        )
        found.append(Item("best", title, Say("Trying every rule"), told(advice.least), state="muted"))
    elif advice.best is None and role == ATTACKER:
        certain = Say("Too many choices for more; this much is certain")
        found.append(
            Item("best", Say("Best times to press and cease, at least"), certain, told(advice.least))
        )
    elif advice.best is not None:
        sub = several(notes, "dots") if (notes := notes_of(advice)) else None
        found.append(Item("best", Say("Best times to press and cease"), sub, told(advice.best), state="ok"))
    for line in advice.lines:
        name = f"{line.kind}.{line.unit or line.rounds}"
        act = None
        if line.kind == "rounds":
            act = _to_odds(look, name, stop=("rounds", line.rounds))
        elif line.kind == "retreat":
            act = _to_odds(look, name, leave=("round", line.rounds))
        found.append(Item(name, tried_say(line), value=told(line.value), act=act))
    found += [
        Item(f"more.{line.unit}", tried_say(line), value=told(line.value))
        for line in more[:_MOST_MORE]
        if line.value > advice.usual + _EQUAL
    ]
    return tuple(found)


def _to_odds(look: Outlook, name: str, **rule: object) -> ActId:
    return look.acts.put(f"rule.{name}", look.choose(tab="odds", **rule))


def _force(look: Outlook, combat: Combat, role: Role) -> tuple[Block, ...]:
    """Return the chances for which the smallest force within what is there is looked for, and what was found."""
    draft = look.draft
    goal = draft.goal if draft.goal in CHANCES else CHANCES[0]
    options = tuple(
        Item(str(n), Share(n / 100), act=look.acts.put(f"wanted.{n}", look.choose(wanted=n))) for n in _WANTED
    )
    ask = Choices("wanted", options, str(draft.wanted), Say("Smallest force for"))

    key = (combat, role, goal, draft.wanted)

    def work(check: Callable[[], None]) -> Force | None:
        try:
            return smallest_force(combat, role, goal, draft.wanted / 100, check=check)
        except TooLargeError:
            return None

    done = look.sight.work(("outlook.force", *key), while_wanted(work))
    if done is None:
        return ask, Rows("force", (), empty=Say("Trying smaller forces"))
    (force,) = done
    if force is None:
        return ask, Rows("force", (), empty=Say("These units do not reach that chance"))
    units = several(
        (Count(n, unit(one.partition("@")[0].rpartition(".")[2])) for one, n in force.units.items()), "comma"
    )
    sub = Say("Not every smaller force could be tried")
    if force.is_smallest:
        n = sum(force.units.values())
        sub = (
            Say.counted("{n} unit", "{n} units", n)
            if force.cost is None
            else Say("Cost {cost}", cost=force.cost)
        )
    return ask, Rows("force", (Item("force", units, sub, worth_say(goal, force.value), state="ok"),))
