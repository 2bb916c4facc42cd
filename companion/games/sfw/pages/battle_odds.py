"""Odds of a battle as distributions, before it and while it is fought; afterwards the actual result is marked.

Working the odds of a large battle takes up to a second, so a page has it done beside.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, Share, Typed, Value, several, unit
from companion.games.sfw.odds.answer import Odds
from companion.games.sfw.odds.play import TooLargeError, exact_odds
from companion.games.sfw.odds.simulate import simulated_odds
from companion.games.sfw.pages.battle_draft import BattleDraft, all_battles, look
from companion.games.sfw.pages.units import enter_button, enter_say
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Fight, other_side
from companion.games.sfw.rules.battle_fighting import with_retreats
from companion.games.sfw.rules.battle_fire import missing
from companion.games.sfw.rules.battle_losses import CHEAPEST, Policy
from companion.games.sfw.rules.battle_progress import END
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_setup import set_up
from companion.games.sfw.rules.battle_state import fight_of, side_id
from companion.games.sfw.rules.named import space as space_of
from companion.pages.page import (
    Act,
    Acts,
    Block,
    Button,
    Head,
    Item,
    Page,
    Part,
    Plot,
    Rows,
    Side,
    Sides,
    Sight,
    Split,
    asked,
)
from companion.pages.parts import refusal_words, side_mark
from companion.pages.plots import Bin, Distribution
from companion.pages.speak import speak

__all__ = [
    "OddsView",
    "battle_odds",
    "how_say",
    "odds_blocks",
    "odds_now",
    "odds_of",
    "odds_page",
    "share_say",
    "why_no_odds",
]

_MOST_BINS = 16
_KEPT = 7
_RUNS = 5_000
"""Virtual battles where exact odds would take too long; their error is shown."""


class OddsView(msgspec.Struct, frozen=True):
    """What is to be expected of a battle."""

    odds: Any
    """The `Odds`."""
    losses: dict[str, Distribution]
    """Chance of each cost lost, by side, with the actual one marked when the battle is over."""


_KNOWN: list[tuple[Fight, Policy, bool, Odds]] = []
"""Odds worked last: a screen asks for the same ones again and again."""


def battle_odds(
    state: GameState, declared: Declared, policy: Policy = CHEAPEST, *, retreats: bool = False
) -> OddsView | None:
    """Return the odds of a battle from its beginning; None while it cannot be fought as it stands."""
    fight = _leaving(state, declared) if retreats else fight_of(state, declared)
    if fight is None or isinstance(fight, Rejected) or missing(fight):
        return None
    return _view(state, declared, odds_of(fight, policy, retreats=retreats), _actual_losses(fight, declared))


def why_no_odds(state: GameState, declared: Declared) -> Value:
    """Return what a battle lacks that cannot be worked out as it stands."""
    key, fight = _figure_needed(state, declared), fight_of(state, declared)
    if key is not None:
        return Say("No odds yet. {ask}.", ask=enter_say(key))
    return refusal_words(fight) if isinstance(fight, Rejected) else Say("The battle is over")


def _figure_needed(state: GameState, declared: Declared) -> str | None:
    fight = fight_of(state, declared)
    return None if isinstance(fight, Rejected) else next(iter(missing(fight)), None)


def _leaving(state: GameState, declared: Declared) -> Fight | None:
    """Return a fight in which some defenders may retreat, before it is begun too; None where nobody may."""
    fight = fight_of(state, declared)
    if isinstance(fight, Rejected):
        return None
    battle = with_retreats(fight.battle, fight.table, fight.edition)
    if declared.status != "declared" or battle == fight.battle:
        return fight if fight.battle.retreat else None
    made = set_up(battle, fight.edition, fight.table)
    return made if isinstance(made, Fight) else None


def odds_now(
    state: GameState, declared: Declared, policy: Policy = CHEAPEST, *, retreats: bool = False
) -> OddsView | None:
    """Return the odds of the rest of a battle being fought, before the dice of the step at hand."""
    fight, progress = fight_of(state, declared), declared.progress
    if isinstance(fight, Rejected) or progress is None or progress.step == END:
        return None
    try:
        odds = exact_odds(
            fight,
            dict.fromkeys(SIDES, policy),
            position=progress.position,
            attacking=progress.attacking,
            defending=progress.defending,
            retreats=retreats,
        )
    except TooLargeError:
        return None
    return _view(state, declared, odds, {})


def odds_of(fight: Fight, policy: Policy = CHEAPEST, *, retreats: bool = False) -> Odds:
    """Return the odds of a fight from its beginning, when nobody retreats or all who may: exact, else of virtual battles."""
    for known, under, leaving, odds in _KNOWN:
        same = known.battle == fight.battle and known.table is fight.table and known.edition == fight.edition
        if same and under == policy and leaving == retreats:
            return odds
    policies = dict.fromkeys(SIDES, policy)
    try:
        odds = exact_odds(fight, policies, retreats=retreats)
    except TooLargeError:
        stays = fight if retreats else set_up(replace(fight.battle, retreat=()), fight.edition, fight.table)
        odds = simulated_odds(stays if isinstance(stays, Fight) else fight, policies, runs=_RUNS)
    _KNOWN[:] = [(fight, policy, retreats, odds), *_KNOWN[:_KEPT]]
    return odds


def _actual_losses(fight: Fight, declared: Declared) -> dict[str, int]:
    """Return the cost that each side lost, once the battle is over."""
    progress = declared.progress
    if progress is None or declared.status != "over":
        return {}
    found = dict.fromkeys(SIDES, 0)
    for record in progress.records:
        for side in SIDES:
            for kind in fight.kinds(side):
                found[side] += record.losses[side][kind.index] * kind.cost
    return found


def _view(state: GameState, declared: Declared, odds: Odds, actual: dict[str, int]) -> OddsView:
    tones = {
        side: side_mark(state.frozen_setup, side_id(state, declared.attacker, side)).tone for side in SIDES
    }
    return OddsView(
        odds,
        {
            side: _distribution(odds.loss_distribution[side], actual.get(side), tones[side], state)
            for side in SIDES
        },
    )


def _distribution(losses: dict[int, float], actual: int | None, tone: str, state: GameState) -> Distribution:
    """Return costs lost as bins, of equal width where there are too many different ones."""
    if not losses:
        return Distribution(())
    least, most = min(losses), max(losses)
    width = -(-(most - least + 1) // _MOST_BINS)
    # A cost that cannot be lost keeps its place on the axis: no number is skipped.
    shares: dict[int, float] = dict.fromkeys(range(least, most + 1), 0.0) if width == 1 else {}
    for cost, share in losses.items():
        key = cost if width == 1 else (cost - least) // width
        shares[key] = shares.get(key, 0.0) + share
    bins, index = [], None
    for key in sorted(shares):
        low = key if width == 1 else least + key * width
        high = low + width - 1
        bins.append(Bin(str(low) if width == 1 else f"{low}–{high}", shares[key]))
        if actual is not None and low <= actual <= high:
            index = len(bins) - 1
    text = "" if actual is None else speak(Say("lost {n}", n=actual), state)
    return Distribution(tuple(bins), index, text, tone)


# Words


def share_say(share: float) -> Value:
    """Return a share in percent that never rounds a chance away: <0.1 % and >99.9 % stay visible."""
    if 0 < share < 0.001:
        return Say("<{share}", share=Share(0.001, 1))
    if 0.999 < share < 1:
        return Say(">{share}", share=Share(0.999, 1))
    return Share(share, 1)


def how_say(odds: Odds) -> Say:
    """Return how odds were worked."""
    if odds.method == "exact":
        return Say("exact")
    return Say("{n} virtual battles, ±{error}", n=odds.runs, error=share_say(odds.error))


# Pages


def odds_page(sight: Sight, acts: Acts, declared: Declared, draft: BattleDraft) -> Page:
    """Return the odds under a way of choosing casualties: of the rest while the battle is fought, else of the whole."""
    policies = {
        "cheapest": Say("Cheapest losses"),
        "keep_control": Say("Keep one to hold"),
        "order": Say("Custom order"),
    }

    def assume(key: str) -> Act:
        return _ask_order(declared, ()) if key == "order" else look(policy=Policy(key))

    options = tuple(
        Item(key, text, act=acts.put(f"policy.{key}", assume(key))) for key, text in policies.items()
    )
    order = draft.policy.order
    key = _figure_needed(sight.state, declared)
    back = Button(Say("Back to the battle"), acts.put("back", look(page="")))
    first = Say("Lost first: {units}", units=several(map(unit, order), "comma"))
    told = (Rows("order", (Item("order", first, state="muted"),)),) if order else ()
    return Page(
        f"{declared.id}.odds",
        Say("{id}  {space}", id=Typed(declared.id), space=space_of(declared.space)),
        tabs=options,
        tab=draft.policy.name,
        blocks=(*told, *odds_blocks(sight, declared, draft.policy, retreats=draft.retreats)),
        main=back if key is None else enter_button(sight.state, acts, key),
        second=all_battles(acts) if key is None else back,
        tools=(
            *_retreat_tool(sight.state, acts, declared, draft),
            Button(Say("Coach"), acts.put("coach", look(page="coach"))),
        ),
    )


def _retreat_tool(state: GameState, acts: Acts, declared: Declared, draft: BattleDraft) -> tuple[Button, ...]:
    """Return the switch that has the defenders who may retreat do so after step 5, where there are any."""
    if declared.status == "over" or _leaving(state, declared) is None:
        return ()
    act = acts.put("retreats", look(retreats=not draft.retreats))
    return (Button(Say("They retreat"), act, is_on=draft.retreats),)


def _ask_order(declared: Declared, order: tuple[str, ...]) -> Act:
    """Ask in which order units are lost, one after the other."""
    battle = declared.started or declared.battle
    groups = (*battle.attacking, *battle.defending)
    units = [one for group in groups for one in (group.unit, *(load.unit for load in group.cargo))]
    left = [one for one in dict.fromkeys(units) if one not in order]
    if len(left) < 2:
        return look(policy=Policy("order", (*order, *left)))
    rest = (Item("", Say("The rest, cheapest first")),) if order else ()
    title = Say("Which loss next?") if order else Say("Which loss first?")
    options = (*(Item(one, unit(one)) for one in left), *rest)
    return asked(
        "order",
        title,
        options,
        lambda one: _ask_order(declared, (*order, one)) if one else look(policy=Policy("order", order)),
        is_wide=False,
    )


def odds_blocks(
    sight: Sight, declared: Declared, policy: Policy, *, retreats: bool = False, is_short: bool = False
) -> tuple[Block, ...]:
    """Return the odds as a bar and, unless they are told in short, two distributions; of a battle that is over, those before it."""
    state = sight.state

    def work() -> tuple[OddsView | None]:
        found = (
            odds_now(state, declared, policy, retreats=retreats) if declared.status == "fighting" else None
        )
        return (found or battle_odds(state, declared, policy, retreats=retreats),)

    done = sight.work(("odds", declared, policy, retreats, state.printed), work)
    if done is None:
        return (Rows("odds", (), empty=Say("Calculating the odds")),)
    (found,) = done
    if found is None:
        return (Rows("odds", (), empty=why_no_odds(state, declared)),)
    is_open = declared.status in ("declared", "fighting")
    before = () if is_open else (Head("before", Say("The odds before the first die")),)
    plots = () if is_short else (_plots(state, declared, found),)
    return (*before, _bar(state, declared, found.odds), *plots)


def _bar(state: GameState, declared: Declared, odds: Odds) -> Split:
    marks = {side: side_mark(state.frozen_setup, side_id(state, declared.attacker, side)) for side in SIDES}
    if movers := declared.battle.movers:
        through, lost = odds.p_through(movers), 1 - odds.p_through(movers)
        some = Part("through", through, share_say(through), Say("some get through"), marks[movers])
        none = Part("not", lost, share_say(lost), Say("nobody gets through"), marks[other_side(movers)])
        return Split("odds", (some, none), note=how_say(odds))
    note = Say(
        "Space taken {take}  ·  no defender left {clear}  ·  no attacker left {lost}  ({how})",
        take=share_say(odds.p_capture),
        clear=share_say(odds.p_defender_cleared),
        lost=share_say(odds.p_attacker_cleared),
        how=how_say(odds),
    )
    parts = (
        Part("take", odds.p_capture, share_say(odds.p_capture), Say("space taken"), marks[ATTACKING]),
        Part(
            "not", 1 - odds.p_capture, share_say(1 - odds.p_capture), Say("space not taken"), marks[DEFENDING]
        ),
    )
    return Split("odds", parts, note=note)


def _plots(state: GameState, declared: Declared, found: OddsView) -> Sides:
    odds: Odds = found.odds
    titles = {ATTACKING: Say("Attackers lose"), DEFENDING: Say("Defenders lose")}
    sides = []
    told = Say("armour levels, average") if odds.costs_missing else Say("cost, average")
    for side, model in found.losses.items():
        mark = side_mark(state.frozen_setup, side_id(state, declared.attacker, side))
        head = Head(side, titles[side], told, round(odds.expected_loss[side], 1), mark)
        sides.append(Side(side, head, (Plot(side, model),)))
    return Sides("losses", tuple(sides))
