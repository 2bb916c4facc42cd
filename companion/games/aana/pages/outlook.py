"""The odds of a North Africa attack before it is fought, and of a combat from where it stands: under every rule for
stopping and retreating, with what the coach says of them and the smallest force that would do.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from msgspec.structs import replace

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Count, Say, Share, Value, area, several, unit
from companion.games.aana.odds.coach import (
    Advice,
    Combat,
    Tried,
    UnknownCostError,
    advise,
    reinforced,
)
from companion.games.aana.odds.coach_report import notes_of, tried_say
from companion.games.aana.odds.force import Force, smallest_force
from companion.games.aana.odds.play import Odds, TooLargeError
from companion.games.aana.pages.draft import CombatDraft, edit
from companion.games.aana.pages.odds import combats_here, end_shares
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER, Role
from companion.games.aana.rules.combat_open import foreseen
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.figures import SIDE_OF, MissingFiguresError, enemy_of
from companion.games.aana.rules.rounds import AttackPlan
from companion.games.aana.rules.turn import missing
from companion.odds import luck
from companion.odds.coaching import CHANCES, GOAL_NAMES, GOALS, coach_fault, worth_say
from companion.pages.film.luck import spread_plot
from companion.pages.needs import enter_first
from companion.pages.page import (
    Act,
    ActId,
    Acts,
    Block,
    Button,
    Choices,
    Draft,
    Head,
    Item,
    Mark,
    Page,
    Part,
    Plot,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Split,
    asked,
)
from companion.pages.parts import coach_is_on, nation_mark, refusal_words, side_mark
from companion.pages.rulings import ruling_tools

__all__ = ["outlook_page"]

_WANTED = (50, 70, 80, 90)
"""Percent for which the smallest force may be looked for."""
_ROUNDS = 4
"""Rounds after which stopping or retreating may be chosen."""
_FEW = 3
"""Units at which stopping or retreating may be chosen."""
_MOST_MORE = 3
_EQUAL = 1e-9


class _Sight(NamedTuple):
    """What the page is made of."""

    sight: Sight
    acts: Acts
    draft: CombatDraft
    fight: Fight
    combat: Combat
    """On the rules that are chosen."""

    def choose(self, **what: object) -> Draft[CombatDraft]:
        return _look(self.draft, **what)


def _look(draft: CombatDraft, **what: object) -> Draft[CombatDraft]:
    return edit(draft.key, lambda now: dataclasses.replace(now, **what))  # type: ignore[arg-type]


def outlook_page(sight: Sight, draft: CombatDraft) -> Shown:
    """Return the odds of the attack that the draft names, or of the combat under way."""
    state, acts = sight.state, Acts()
    fight = _fight(state, draft.outlook)
    tabs = {"odds": Say("Odds"), "coach": Say("Coach"), "force": Say("Smallest force")}
    blocks: tuple[Block, ...]
    ruled: tuple[str, ...] = ()
    title = Say("Odds") if isinstance(fight, Rejected) else Say("{space}: odds", space=area(fight.space))
    found = fight if isinstance(fight, Rejected) else _combat(state, fight)
    main, second = Button(Say("Back to the combat"), acts.put("back", _look(draft, outlook=""))), None
    match found:
        case Say():
            blocks = (Rows("odds", (), empty=found),)
        case Rejected():
            blocks = (Rows("odds", (), empty=refusal_words(found)),)
            ask = enter_first(state, found.needs, _look(draft))
            if ask is not None:
                main, second = Button(ask.form.title, acts.put("enter", ask)), main
        case _ if not isinstance(fight, Rejected):
            look = _Sight(sight, acts, draft, fight, _planned(found, draft))
            ruled = (
                ("aana.last_ground",)
                if AttackPlan(keep="useful").may_give_up(found.arena, found.pools)
                else ()
            )
            blocks = _odds(look) if draft.tab == "odds" else _coach(look, found)
    page = Page(
        f"outlook.{draft.outlook}.{draft.tab}",
        title,
        tabs=tuple(
            Item(one, word, act=acts.put(f"tab.{one}", _look(draft, tab=one))) for one, word in tabs.items()
        ),
        tab=draft.tab,
        tools=ruling_tools(state, acts, ruled),
        blocks=blocks,
        main=main,
        second=second,
    )
    return Shown(page, acts)


def _fight(state: GameState, of: str) -> Fight | Rejected:
    """Return the combat under way, or what a declared attack would begin as."""
    under_way = bm.fight_of(state)
    if under_way is not None:
        return under_way
    attack = next((one for one in bm.battles_of(state).attacks if str(one.id) == of), None)
    return Rejected("no_attack", Say("No attack was declared")) if attack is None else foreseen(state, attack)


def _combat(state: GameState, fight: Fight) -> Combat | Rejected | Say:
    """Return the combat from here on, or why there are no odds."""
    if fight.stage == "over":
        return Say("The combat is over")
    if fight.stage not in ("air_defence", "orders", "leave", "press") or any(fight.retreating):
        return Say("No odds during a round; check again when it ends")
    try:
        found = combats_here(state, fight)
    except MissingFiguresError as error:
        return missing(error)
    if len({(one.attack_supply, one.defence_supply, one.attackers) for one in found}) != 1:
        return Say("No odds: choose which supply pays first")
    if not any(found[0].attackers):
        return Say("Cease: nobody can be paid for")
    return found[0]


def _planned(combat: Combat, draft: CombatDraft) -> Combat:
    """Return a combat on the rules that are chosen."""
    stop, leave = draft.stop, draft.leave
    attack = replace(
        combat.attack,
        rounds=stop[1] if stop[0] == "rounds" else None,
        cease_at_most=stop[1] if stop[0] == "few" else None,
        press_at_most=stop[1] if stop[0] == "against" else None,
    )
    defence = replace(
        combat.defence,
        retreat_round=leave[1] if leave[0] == "round" else None,
        retreat_at_most=leave[1] if leave[0] == "few" else None,
    )
    return replace(combat, attack=attack, defence=defence)


# The rules


def _stop_say(stop: tuple[str, int]) -> Say:
    match stop[0]:
        case "rounds":
            return Say("Stop after round {n}", n=stop[1])
        case "few":
            return Say.counted(
                "Stop with {n} attacker left", "Stop with {n} attackers or fewer left", stop[1]
            )
        case "against":
            return Say.counted(
                "Press only against {n} defender", "Press only against {n} defenders or fewer", stop[1]
            )
        case _:
            return Say("Press for as long as supply lasts")


def _leave_say(leave: tuple[str, int]) -> Say:
    match leave[0]:
        case "round":
            return Say("Retreat from round {n} on", n=leave[1])
        case "few":
            return Say.counted("Retreat with {n} unit left", "Retreat with {n} units or fewer left", leave[1])
        case _:
            return Say("Nobody retreats")


def _rules(look: _Sight) -> tuple[Item, ...]:
    """Return both sides' rule, each a tap away from the others; none where the rulebook leaves no choice."""
    combat, fight = look.combat, look.fight
    marks = _marks(look)
    rounds = range(combat.from_round, combat.from_round + _ROUNDS)
    few = range(1, _FEW + 1)
    found = []
    if not combat.arena.rules.must_press:
        stops = [
            ("", 0),
            *(("rounds", n) for n in rounds),
            *(("few", n) for n in few),
            *(("against", n) for n in few),
        ]
        ask = _ask(look, "stop", Say("When do the attackers stop?"), {one: _stop_say(one) for one in stops})
        found.append(Item("stop", _stop_say(look.draft.stop), mark=marks[ATTACKER], act=ask))
    if combat.arena.rules.can_retreat and fight.rules.domain == "land":
        leaves = [("", 0), *(("round", n) for n in rounds), *(("few", n) for n in few)]
        ask = _ask(
            look, "leave", Say("When do the defenders retreat?"), {one: _leave_say(one) for one in leaves}
        )
        found.append(Item("leave", _leave_say(look.draft.leave), mark=marks[DEFENDER], act=ask))
    return tuple(found)


def _ask(look: _Sight, field: str, title: Say, options: dict[tuple[str, int], Say]) -> ActId:
    keys = {f"{kind}.{n}": (kind, n) for kind, n in options}
    items = tuple(Item(name, options[rule]) for name, rule in keys.items())

    def then(name: str) -> Act:
        return look.choose(**{field: keys[name]})

    return look.acts.put(field, asked(field, title, items, then))


def _marks(look: _Sight) -> dict[Role, Mark]:
    setup = look.sight.state.frozen_setup
    power = bm.attack_of(look.sight.state, look.fight).power
    return {ATTACKER: nation_mark(setup, power), DEFENDER: side_mark(setup, enemy_of(SIDE_OF[power]))}


# The odds


def _odds(look: _Sight) -> tuple[Block, ...]:
    combat = look.combat

    def work() -> tuple[Odds | None]:
        try:
            return (combat.odds(),)
        except TooLargeError:
            return (None,)

    rules = Rows("rules", _rules(look), is_wide=False)
    done = look.sight.work(("outlook", combat), work)
    if done is None:
        return rules, Rows("odds", (), empty=Say("Calculating the odds"))
    (odds,) = done
    if odds is None:
        return rules, Rows("odds", (), empty=Say("Too many kinds of pieces for exact odds"))
    return rules, _bar(look, odds), _losses(look, odds)


def _bar(look: _Sight, odds: Odds) -> Split:
    marks = _marks(look)
    a, d, both, neither = end_shares(odds.results)
    note = Say(
        "Defender eliminated {a}  ·  attacker eliminated {d}  ·  both {b}  ·  neither {n}",
        a=a, d=d, b=both, n=neither,
    )  # fmt: skip
    taken, held = odds.p_capture, 1 - odds.p_capture
    return Split(
        "odds",
        (
            Part("take", taken, worth_say("space", taken), Say("territory taken"), marks[ATTACKER]),
            Part("not", held, worth_say("space", held), Say("territory held"), marks[DEFENDER]),
        ),
        note=note,
    )


def _losses(look: _Sight, odds: Odds) -> Sides:
    marks, sides = _marks(look), []
    titles = {ATTACKER: Say("Attackers lose"), DEFENDER: Say("Defenders lose")}
    for role, title in titles.items():
        start = sum(look.combat.start(role))
        shares = luck.of_table({start - n: p for n, p in odds.left[role].items()})
        head = Head(role, title, Say("units, average"), round(odds.expected_loss[role], 1), marks[role])
        sides.append(Side(role, head, (Plot(role, spread_plot(shares.tolist(), None, marks[role].tone)),)))
    return Sides("losses", tuple(sides))


# The coach


def _coach(look: _Sight, combat: Combat) -> tuple[Block, ...]:
    """Return what is best for a side and a goal, each rule with what it comes to; a tap shows its odds."""
    draft, sight = look.draft, look.sight
    refused = coach_fault(sight.state, is_on=coach_is_on(sight))
    if refused is not None:
        return (Rows("coach", (), empty=refusal_words(refused)),)
    role: Role = ATTACKER if draft.coached == ATTACKER else DEFENDER
    marks = _marks(look)
    words = {ATTACKER: Say("attackers"), DEFENDER: Say("defenders")}
    who = tuple(
        Item(one, word, mark=marks[one], act=look.acts.put(f"role.{one}", look.choose(coached=one)))
        for one, word in words.items()
    )
    is_force = draft.tab == "force"
    goals = tuple(
        Item(one, GOAL_NAMES[one], act=look.acts.put(f"goal.{one}", look.choose(goal=one)))
        for one in (CHANCES if is_force else GOALS)
    )
    asks: tuple[Block, ...] = (Choices("role", who, role), Choices("goal", goals, draft.goal))
    if is_force:
        return (*asks, *_force(look, combat, role))

    def work() -> tuple[Advice, tuple[Tried, ...]] | Say:
        try:
            more = reinforced(combat, role, draft.goal) if combat.from_round == 1 else ()
            return advise(combat, role, draft.goal), more
        except TooLargeError:
            return Say("Too many kinds of pieces for exact odds")
        except UnknownCostError as error:
            return Say("Costs are missing: {units}.", units=several(map(unit, error.units), "comma"))

    done = sight.work(("outlook.coach", combat, role, draft.goal), work)
    if done is None:
        return (*asks, Rows("coach", (), empty=Say("Trying every rule")))
    if isinstance(done, Say):
        return (*asks, Rows("coach", (), empty=done))
    return (*asks, Rows("coach", _advice(look, role, *done), is_wide=False))


def _advice(look: _Sight, role: Role, advice: Advice, more: tuple[Tried, ...]) -> tuple[Item, ...]:
    def told(value: float) -> Value:
        return worth_say(advice.goal, value)

    usual = _stop_say(("", 0)) if role == ATTACKER else _leave_say(("", 0))
    found = [
        Item(
            "usual", usual, value=told(advice.usual), act=_to_odds(look, "usual", stop=("", 0), leave=("", 0))
        )
    ]
    if advice.best is not None:
        sub = several(notes, "comma") if (notes := notes_of(advice)) else None
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


def _to_odds(look: _Sight, name: str, **rule: object) -> ActId:
    return look.acts.put(f"rule.{name}", look.choose(tab="odds", **rule))


def _force(look: _Sight, combat: Combat, role: Role) -> tuple[Block, ...]:
    """Return the chances for which the smallest force within what is there is looked for, and what was found."""
    draft = look.draft
    goal = draft.goal if draft.goal in CHANCES else CHANCES[0]
    options = tuple(
        Item(str(n), Share(n / 100), act=look.acts.put(f"wanted.{n}", look.choose(wanted=n))) for n in _WANTED
    )
    ask = Choices("wanted", options, str(draft.wanted), Say("Smallest force for"))

    def work() -> tuple[Force | None]:
        try:
            return (smallest_force(combat, role, goal, draft.wanted / 100),)
        except TooLargeError:
            return (None,)

    done = look.sight.work(("outlook.force", combat, role, goal, draft.wanted), work)
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
