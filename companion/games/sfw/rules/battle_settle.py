"""What the result of a battle changes in the ledger: spent mines, fallen lines, and an Objective that can be taken.

Source: rulebook v0.96, Mines, Detonation; Destroying a Defensive Line; Maintaining Control and Taking It Away.
"""

from __future__ import annotations

import msgspec

from companion.core.events import Event
from companion.core.ids import Nation, Side, SiteId
from companion.core.state import GameState
from companion.games.sfw.rules.battle import SIDES, Counts, Fight, other_side
from companion.games.sfw.rules.battle_record import Declared, Progress
from companion.games.sfw.rules.battle_state import fight_of, side_id
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger import nation_side, nations_of
from companion.games.sfw.rules.places import same_place, site_at
from companion.games.sfw.rules.tokens import Token, TokenRemoved, mines_in

__all__ = ["CaptureOffer", "capture_offer", "control_left", "doubtful_lines", "kept_site", "settled"]


class CaptureOffer(msgspec.Struct, frozen=True):
    """An Objective or Airfield that can be taken as a battle ended, with who stands there."""

    site: SiteId
    takers: tuple[Nation, ...]
    """Nations with the most control-capable units there: one, or the teammates who have to agree."""
    own: dict[str, int]
    """Control-capable units of the taking side by nation."""


def settled(
    state: GameState, fight: Fight, declared: Declared, progress: Progress, reason: str
) -> tuple[Event, ...]:
    """Return what the end of a battle does to the tokens: mines that went off and lines that fell are back in reserve."""
    if "tokens" not in state.game:
        return ()
    gone = [*_spent_mines(state, declared, progress)]
    if reason == "over" and declared.battle.occasion == "battle":
        gone += [token for side in SIDES for token in _fallen(state, fight, declared, progress, side)]
    return tuple(TokenRemoved(token.id) for token in gone)


def _spent_mines(state: GameState, declared: Declared, progress: Progress) -> list[Token]:
    """Return the mines that detonated: one for each that rolled, the first placed first."""
    spent = sum(record.step == "mine" for record in progress.records)
    enemies = [
        token
        for token in mines_in(state, declared.space)
        if nation_side(state.frozen_setup, token.nation) != declared.attacker
    ]
    return enemies[:spent]


def _lines_of(state: GameState, declared: Declared, side: str) -> list[Token]:
    """Return a side's lines behind which the battle's space lies."""
    owner = side_id(state, declared.attacker, side)
    return [
        token
        for token in state.game["tokens"].tokens
        if token.face == "line"
        and same_place(token.where, declared.space)
        and nation_side(state.frozen_setup, token.nation) == owner
    ]


def _fallen(state: GameState, fight: Fight, declared: Declared, progress: Progress, side: str) -> list[Token]:
    """Return the lines of a side that lost every control-capable unit behind them; where it never had one, none."""
    had = sum(_control(fight, side, fight.start(side)).values())
    left = sum(control_left(fight, side, progress).values())
    return _lines_of(state, declared, side) if had and not left else []


def doubtful_lines(state: GameState, declared: Declared) -> tuple[Token, ...]:
    """Return the lines on the board that an ended battle leaves without a control-capable unit behind them.

    The app cannot know whether such a unit was there that took no part, so the table is asked.
    """
    fight, progress = fight_of(state, declared), declared.progress
    if not isinstance(fight, Fight) or progress is None or declared.battle.occasion != "battle":
        return ()
    return tuple(
        token
        for side in SIDES
        if not sum(control_left(fight, side, progress).values())
        for token in _lines_of(state, declared, side)
    )


def control_left(fight: Fight, side: str, progress: Progress) -> dict[str, int]:
    """Return a side's control-capable units left in the battle space by nation, those aboard Land Transports too.

    Source: rulebook v0.96, Abilities, Control-capable unit
    """
    return _control(fight, side, progress.counts(side))


def _control(fight: Fight, side: str, counts: Counts) -> dict[str, int]:
    found: dict[str, int] = {}
    units = fight.table.units
    for kind in fight.kinds(side):
        here = counts[kind.index] if kind.holds else 0
        if kind.unit.has("mobile") and kind.place == "" and kind.role == "start":
            loads = kind.group.cargo if kind.group.unit == kind.unit.id else ()
            each = sum(load.count for load in loads if load.unit in units and units[load.unit].control)
            here += each * kind.start  # cargo kept aboard outlives its transport
        if here:
            found[kind.nation] = found.get(kind.nation, 0) + here
    return found


def kept_site(state: GameState, declared: Declared) -> tuple[SiteId, bool] | None:
    """Return the site of a battle that is over and changes no hands, and whether both sides are left there.

    None where the space has none, or somebody can take it. Whoever holds it goes on doing so.

    Source: rulebook v0.96, Maintaining Control and Taking It Away; Contested vs. Controlled
    """
    fight, progress, site = fight_of(state, declared), declared.progress, site_at(state, declared.space)
    is_over = declared.status in ("over", "broken_off") and declared.battle.occasion == "battle"
    if not is_over or site is None or progress is None or not isinstance(fight, Fight):
        return None
    if capture_offer(state, declared) is not None:
        return None
    return SiteId(site.id), all(control_left(fight, side, progress) for side in SIDES)


def capture_offer(state: GameState, declared: Declared) -> CaptureOffer | None:
    """Return the capture that the end of a battle makes possible; None where there is none.

    A side that does not hold the site has a control-capable unit there, and the other side none. Of teammates the one with
    the most takes it.

    Source: rulebook v0.96, Maintaining Control and Taking It Away; Contested vs. Controlled
    """
    fight, progress, site = fight_of(state, declared), declared.progress, site_at(state, declared.space)
    is_over = declared.status in ("over", "broken_off") and declared.battle.occasion == "battle"
    if not is_over or site is None or progress is None or not isinstance(fight, Fight):
        return None
    held = holder(state, site.id).side
    for side in SIDES:
        taking: Side = side_id(state, declared.attacker, side)
        own = control_left(fight, side, progress)
        if held == taking or not own or control_left(fight, other_side(side), progress):
            continue
        most = max(own.values())
        nations = nations_of(state.frozen_setup, taking)
        return CaptureOffer(SiteId(site.id), tuple(one for one in nations if own.get(one) == most), own)
    return None
