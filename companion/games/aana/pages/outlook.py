"""The odds of a North Africa attack before it is fought, and of a combat from where it stands: under every rule for
stopping and retreating, with what the coach says of them and the smallest force that would do.
"""

from __future__ import annotations

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, area
from companion.games.aana.odds.answer import Odds
from companion.games.aana.odds.goals import Combat
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.pages.draft import CombatDraft
from companion.games.aana.pages.odds import combats_here, end_shares
from companion.games.aana.pages.outlook_coach import coach_blocks
from companion.games.aana.pages.outlook_rules import Outlook, look_at, marks_of, planned, rule_items
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER, DEFENDER
from companion.games.aana.rules.combat_open import foreseen
from companion.games.aana.rules.fight import Fight
from companion.games.aana.rules.fight_flow import is_round_ahead
from companion.games.aana.rules.figures import MissingFiguresError
from companion.games.aana.rules.ledger import figures
from companion.games.aana.rules.rounds import AttackPlan
from companion.games.aana.rules.turn import missing
from companion.odds import luck
from companion.odds.coaching import worth_say
from companion.pages.film.luck import spread_plot
from companion.pages.needs import enter_first
from companion.pages.page import (
    Acts,
    Block,
    Button,
    Head,
    Item,
    Page,
    Part,
    Plot,
    Rows,
    Shown,
    Side,
    Sides,
    Sight,
    Split,
)
from companion.pages.parts import refusal_words
from companion.pages.rulings import ruling_tools

__all__ = ["outlook_page"]


def outlook_page(sight: Sight, draft: CombatDraft) -> Shown:
    """Return the odds of the attack that the draft names, or of the combat under way."""
    state, acts = sight.state, Acts()
    fight = _fight(state, draft.outlook)
    tabs = {"odds": Say("Odds"), "coach": Say("Coach"), "force": Say("Smallest force")}
    blocks: tuple[Block, ...]
    ruled: tuple[str, ...] = ()
    title = Say("Odds") if isinstance(fight, Rejected) else Say("{space}: odds", space=area(fight.space))
    found = fight if isinstance(fight, Rejected) else _combat(state, fight)
    main, second = Button(Say("Back to the combat"), acts.put("back", look_at(draft, outlook=""))), None
    match found:
        case Say():
            blocks = (Rows("odds", (), empty=found),)
        case Rejected():
            blocks = (Rows("odds", (), empty=refusal_words(found)),)
            ask = enter_first(state, found.needs, look_at(draft))
            if ask is not None:
                main, second = Button(ask.form.title, acts.put("enter", ask)), main
        case _ if not isinstance(fight, Rejected):
            look = Outlook(sight, acts, draft, fight, planned(found, draft))
            ruled = (
                ("aana.last_ground",)
                if AttackPlan(keep="useful").may_give_up(found.arena, found.pools)
                else ()
            )
            blocks = _odds(look) if draft.tab == "odds" else coach_blocks(look, found)
    page = Page(
        f"outlook.{draft.outlook}.{draft.tab}",
        title,
        tabs=tuple(
            Item(one, word, act=acts.put(f"tab.{one}", look_at(draft, tab=one))) for one, word in tabs.items()
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
    is_between = fight.stage in ("air_defence", "leave", "press") or is_round_ahead(figures(state), fight)
    if not is_between or any(fight.retreating):
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


# The odds


def _odds(look: Outlook) -> tuple[Block, ...]:
    combat = look.combat

    def work() -> tuple[Odds | None]:
        try:
            return (combat.odds(),)
        except TooLargeError:
            return (None,)

    rules = Rows("rules", rule_items(look), is_wide=False)
    done = look.sight.work(("outlook", combat), work)
    if done is None:
        return rules, Rows("odds", (), empty=Say("Calculating the odds"))
    (odds,) = done
    if odds is None:
        return rules, Rows("odds", (), empty=Say("Too many kinds of pieces for exact odds"))
    return rules, _bar(look, odds), _losses(look, odds)


def _bar(look: Outlook, odds: Odds) -> Split:
    marks = marks_of(look)
    a, d, both, neither = end_shares(odds.results)
    note = Say(
        "Defender eliminated {a}  ·  attacker eliminated {d}  ·  both {b}  ·  neither {n}",
        a=a, d=d, b=both, n=neither,
    )  # fmt: skip
    taken = odds.p_capture
    texts = (Say("territory taken"), Say("territory held"))
    if look.combat.arena.rules.domain == "sea":
        # Nobody takes a sea zone: what decides is whether a defender is left.
        taken = odds.results["attacker"] + odds.results["both"]
        texts = (Say("no defender left"), Say("defenders left"))
    return Split(
        "odds",
        (
            Part("take", taken, worth_say("space", taken), texts[0], marks[ATTACKER]),
            Part("not", 1 - taken, worth_say("space", 1 - taken), texts[1], marks[DEFENDER]),
        ),
        note=note,
    )


def _losses(look: Outlook, odds: Odds) -> Sides:
    marks, sides = marks_of(look), []
    titles = {ATTACKER: Say("Attackers lose"), DEFENDER: Say("Defenders lose")}
    for role, title in titles.items():
        start = sum(look.combat.start(role))
        shares = luck.of_table({start - n: p for n, p in odds.left[role].items()})
        head = Head(role, title, Say("units, average"), round(odds.expected_loss[role], 1), marks[role])
        sides.append(Side(role, head, (Plot(role, spread_plot(shares.tolist(), None, marks[role].tone)),)))
    return Sides("losses", tuple(sides))
