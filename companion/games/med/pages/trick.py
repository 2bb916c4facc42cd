"""The Engagement screen when all have played: dice of ``?`` values, who takes the trick and why, prizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from companion.core.dice import DiceOrigin
from companion.core.ids import Side as Player
from companion.core.options import says
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, card, sentences, side
from companion.games.med.pages.draft import MedDraft, edit, put
from companion.games.med.pages.storms import effect_rows, invalid_tool, storm_tool
from companion.games.med.pages.table import (
    ask_card,
    carried_out,
    columns,
    dice_pad,
    engagement_page,
    fighter_rows,
    gone_row,
    player_options,
)
from companion.games.med.pages.words import CAMPS, camp_mark
from companion.games.med.rules import commands as cm
from companion.games.med.rules.cards import ALLIES, AXIS, NO_CAMP, CardNo
from companion.games.med.rules.engagement import Engagement
from companion.games.med.rules.outcome import Outcome, dice_needed, rolled_for, share_faults, spoils
from companion.games.med.rules.slice import counting, known_cards, sharing, slice_of, verdict
from companion.games.med.rules.tricks import pickable, suppliers
from companion.pages import page as pg
from companion.pages.rulings import deciding, ruling_tools
from companion.pages.symbols import unit_symbol

__all__ = ["trick_page"]

_RULINGS = (
    "bonus_in_highest",
    "intelligence_draw",
    "air_plus_one",
    "destiny_storm",
    "battle_freighters",
    "prize_round",
)


def trick_page(sight: pg.Sight, acts: pg.Acts, engagement: Engagement, draft: MedDraft) -> pg.Page:
    """Return the page of an engagement in which all have played."""
    state = sight.state
    if slice_of(state).decided is not None:
        return engagement_page(state, acts, columns(Say("Decided"), ()))
    tools = (storm_tool(state, engagement), invalid_tool(state, engagement))
    fighting = (*fighter_rows(state, counting(state, engagement)), *gone_row(engagement))
    waiting = effect_rows(state, acts, engagement)
    if waiting:
        lead = Say("A Storm card has not taken effect yet")
        main = pg.Button(Say("Take the trick"), why_not=lead)
        return engagement_page(state, acts, columns(lead, (*waiting, *fighting)), tools=tools, main=main)
    for key, count in dice_needed(engagement, known_cards(state)).items():
        number, element = rolled_for(key)
        pad, main, second, photo = dice_pad(sight, acts, draft, count, _rolled(state, number, element))
        player = engagement.holders(number)[0]
        lead = Say.counted(
            "{player} rolls {n} die: {card}, {element}",
            "{player} rolls {n} dice: {card}, {element}",
            count,
            player=side(player),
            card=card(number),
            element=Name("element", element),
        )
        banner = _roll_banner(state, engagement, lead, number, element)
        table = (pg.Sides("table", (pg.Side("rows", None, (pg.Rows("rows", fighting),)), pad)),)
        page = engagement_page(state, acts, table, above=(banner,), tools=tools, main=main, second=second)
        # What the Operation is leaves its room in the head to the ways of entering dice.
        return replace(page, lead=None, tools=(*page.tools, *photo))
    won = verdict(state, engagement)
    prizes = (
        *_pick_rows(state, acts, engagement, won, draft),
        *_share_rows(state, acts, engagement, won, draft),
    )
    shares, missing = _shares(state, engagement, won, draft)
    title = {
        "won": Say("Take the trick"),
        "tie": Say("Fight again"),
        "nobody": Say("Discard the Operation"),
    }[won.kind]
    main = pg.Button(missing or title, why_not=missing)
    if missing is None:
        command = cm.TakeTrick(state.step.id, dict(draft.picks), shares)
        main = pg.Button(title, acts.put("take", pg.Send(command, then=pg.EndAct())))
    body: tuple[pg.Block, ...] = (pg.Rows("prizes", prizes),) if prizes else ()
    gone = gone_row(engagement)
    body = (*body, _both(state, won), *((pg.Rows("gone", gone),) if gone else ()))
    page = engagement_page(state, acts, body, above=(_banner(won),), tools=tools, main=main)

    def told(state: GameState) -> object:
        found = verdict(state, engagement)
        return found, _load(state, engagement), _sharing(state, engagement, found)

    return replace(page, tools=(*page.tools, *ruling_tools(state, acts, deciding(state, _RULINGS, told))))


def _load(state: GameState, engagement: Engagement) -> str:
    """Return the load line that may enlarge the winner's hand, as the table rules on those of battles."""
    operation = known_cards(state)[engagement.operation]
    is_battle = slice_of(state).options.is_battle(operation)
    return operation.freighter if not is_battle or says(state, "battle_freighters", "yes") else "none"


def _roll_banner(
    state: GameState, engagement: Engagement, lead: Say, number: CardNo, element: str
) -> pg.Banner:
    """Return who rolls for which card, in the colour of the side that it fights for, with both totals so far."""
    counts = counting(state, engagement)
    sums = {camp: sum(one.value for one in counts if one.side == camp) for camp in CAMPS}
    of = next((one.side for one in counts if number in (one.card, *one.bonuses)), NO_CAMP)
    totals = Say("{a} : {b}", a=sums[ALLIES], b=sums[AXIS])
    return pg.Banner("roll", lead, None, totals, mark=camp_mark(of), symbol=unit_symbol(state, element))


def _rolled(state: GameState, number: CardNo, element: Any) -> Any:
    def take(dice: tuple[int, ...], origin: DiceOrigin) -> pg.Act:
        return carried_out(cm.RollDice(state.step.id, number, element, dice, origin))

    return take


def _both(state: GameState, won: Outcome) -> pg.Sides:
    """Return what counts on either side, side by side."""
    return pg.Sides(
        "both",
        tuple(
            pg.Side(
                camp,
                pg.Head(camp, Name("camp", camp), value=won.totals.get(camp, 0), mark=camp_mark(camp)),
                (
                    pg.Rows(
                        f"fighters.{camp}",
                        fighter_rows(state, [one for one in won.fighters if one.side == camp]),
                        empty=Say("No card counts"),
                    ),
                ),
            )
            for camp in CAMPS
        ),
    )


def _banner(won: Outcome) -> pg.Banner:
    """Return who takes the trick and why."""
    totals = Say("{a} : {b}", a=won.totals.get(ALLIES, 0), b=won.totals.get(AXIS, 0))
    if won.kind != "won" or won.player is None:
        return pg.Banner("verdict", Name("reason", won.reason), value=totals)
    best = next(f for f in won.fighters if f.card == won.card)
    level = [f for f in won.fighters if f.side == won.side and f.value == best.value]
    why: Value = Say("highest card")
    if len({f.player for f in level}) > 1:
        why = Say("highest card, played first")
    if won.reason == "intelligence":
        why = Name("reason", "intelligence")
    counts = Say("{card} counts {value}, {why}", card=Typed(won.card), value=best.value, why=why)
    title = Say("{player} takes the trick", player=side(won.player))
    return pg.Banner("verdict", title, counts, totals, mark=camp_mark(won.side))


# Prizes


def _pick_rows(
    state: GameState, acts: pg.Acts, engagement: Engagement, won: Outcome, draft: MedDraft
) -> tuple[pg.Item, ...]:
    cards = known_cards(state)
    ships = pickable(engagement, cards, won) if won.kind == "won" else ()
    rows = []
    for player, number in suppliers(engagement, cards, won) if ships else ():
        picked = draft.picks.get(player)
        text = Say("{player} may take a ship back: {card}", player=side(player), card=card(number))
        none = (Say("None"), _pick(player, None))
        ask = ask_card("pick", text, ships, _picks(player), none)
        sub = card(picked) if picked else Say("none yet")
        rows.append(pg.Item(f"pick.{player}", text, sub, act=acts.put(f"pick.{player}", ask)))
    return tuple(rows)


def _picks(player: Player) -> Callable[[CardNo], pg.Act]:
    return lambda ship: _pick(player, ship)


def _pick(player: Player, ship: CardNo | None) -> pg.Act:
    def change(draft: MedDraft) -> MedDraft:
        others = {p: c for p, c in draft.picks.items() if p != player}
        return MedDraft(picks={**others, **({player: ship} if ship else {})}, shares=draft.shares)

    return edit(change)


def _sharing(
    state: GameState, engagement: Engagement, won: Outcome
) -> tuple[tuple[CardNo, ...], tuple[Player, ...]]:
    """Return prizes and who shares them; nobody but under the advanced rules with more than one sharer."""
    own, cards = slice_of(state), known_cards(state)
    if won.kind != "won" or not own.options.advanced:
        return (), ()
    players = sharing(state, engagement, won)
    prizes = (engagement.operation, *spoils(engagement, cards, won))
    return (prizes, players) if len(players) > 1 else ((), ())


def _share_rows(
    state: GameState, acts: pg.Acts, engagement: Engagement, won: Outcome, draft: MedDraft
) -> tuple[pg.Item, ...]:
    """Return a line for every prize: up to three players beside it, more in a question."""
    cards = known_cards(state)
    prizes, players = _sharing(state, engagement, won)
    rows = []
    for n, prize in enumerate(prizes):
        key, to = f"share.{n}", draft.shares.get(prize, "")
        text = Say("{card}, {points}", card=card(prize), points=Say("{n} VP", n=cards[prize].victory_points))

        def give(player: str, prize: str = prize) -> pg.Act:
            return put(shares={**draft.shares, prize: player})

        if len(players) > 3:
            sub = Say("to {player}", player=side(to)) if to else Typed("–")
            ask = acts.put(key, pg.asked("share", text, player_options(players), give))
            rows.append(pg.Item(key, text, sub, act=ask))
            continue
        keys = tuple(
            pg.Item(
                one,
                side(one),
                state="chosen" if one == to else "plain",
                act=acts.put(f"{key}.{one}", give(one)),
            )
            for one in players
        )
        rows.append(pg.Item(key, text, facet=pg.Keys(keys)))
    return tuple(rows)


def _shares(
    state: GameState, engagement: Engagement, won: Outcome, draft: MedDraft
) -> tuple[dict[Player, tuple[CardNo, ...]], Say | None]:
    """Return the sharing as the command wants it, and what is missing."""
    prizes, players = _sharing(state, engagement, won)
    if not players:
        return {}, None
    if any(prize not in draft.shares for prize in prizes):
        return {}, Say("{player} shares out the prizes", player=side(won.player or players[0]))
    given = {p: tuple(c for c in prizes if draft.shares[c] == p) for p in players}
    faults = share_faults(given, prizes, players)
    if faults:
        return {}, sentences(faults)
    return given, None
