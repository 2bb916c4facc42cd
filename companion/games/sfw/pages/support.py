"""The Support screen: National Support tokens and cards, mines and lines, bridges, supply, counters with limits."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.change import Change
from companion.core.state import GameState
from companion.core.text import Name
from companion.core.text import site as site_of
from companion.core.text import unit as unit_of
from companion.games.sfw.pages.ledger_view import nation_name, site_name, who
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger import nation_side, tables
from companion.games.sfw.rules.supply import (
    cut_off_by,
    is_in_supply,
    missing_links,
    network,
)
from companion.games.sfw.rules.support import CardPlay, Hand, lasting, unit_table_of
from companion.games.sfw.rules.tokens import bridge_counter, counters, reserve, why_not_token
from companion.games.sfw.words_ledger import CARD_KINDS
from companion.pages.frame import Mark
from companion.pages.i18n import _
from companion.pages.labels import refusal, stage_name
from companion.pages.speak import speak

__all__ = [
    "CARD_KINDS",
    "CardRow",
    "CounterRow",
    "GroupRow",
    "HandRow",
    "HubRow",
    "SupportView",
    "TokenRow",
    "card_rows",
    "counter_name",
    "link_rows",
    "standard_units",
    "support_view",
]


@dataclass(frozen=True, slots=True)
class HandRow:
    """What a nation holds, and whether it may play now."""

    mark: Mark
    tokens: int
    cards: int
    discarded: int
    in_force: tuple[str, ...]
    can_play: bool


@dataclass(frozen=True, slots=True)
class CardRow:
    """A played card."""

    mark: Mark
    name: str
    detail: str
    is_lasting: bool
    can_discard: bool


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A nation's tokens: reserve, and what may be placed now."""

    mark: Mark
    text: str
    """``4 of 6 in reserve``."""
    why_mine: str
    why_line: str
    on_board: tuple[tuple[int, str], ...]
    """Token number and where it stands."""


@dataclass(frozen=True, slots=True)
class CounterRow:
    """Pieces of one kind."""

    key: str
    name: str
    used: int
    limit: int | None
    text: str


@dataclass(frozen=True, slots=True)
class HubRow:
    """One supply hub."""

    id: str
    mark: Mark | None
    name: str
    is_supplied: bool
    detail: str
    """In or out of supply, and what its loss would cut off."""
    is_mobile: bool = False


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A watched group of Land Units."""

    id: str
    mark: Mark
    name: str
    is_supplied: bool
    detail: str


@dataclass(frozen=True, slots=True)
class SupportView:
    """The Support screen."""

    tabs: tuple[tuple[str, str], ...] = ()
    """Parts that this scenario has: ``cards``, ``tokens``, ``bridges``, ``supply``, ``box``."""
    hands: tuple[HandRow, ...] = ()
    played: tuple[CardRow, ...] = ()
    tokens: tuple[TokenRow, ...] = ()
    bridges: tuple[CounterRow, ...] = ()
    blown: tuple[str, ...] = ()
    hubs: tuple[HubRow, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    missing_links: int = 0
    box: tuple[CounterRow, ...] = ()
    is_play_time: bool = False
    token_stock: str = ""


def support_view(change: Change) -> SupportView:
    """Return the Support screen of an open game."""
    state = change.state
    table = tables(state)
    tabs = [
        ("cards", _("Cards"), table.has_support),
        ("tokens", _("Mines, lines"), table.limits.tokens_each > 0),
        ("bridges", _("Bridges"), table.has_bridges),
        ("supply", _("Supply"), table.has_supply),
        ("box", _("Game box"), True),
    ]
    held = sum(hand.tokens for hand in state.game["support"].hands.values())
    stock = _("{n} of {m} tokens are out").format(n=held, m=table.limits.support_tokens_box)
    return SupportView(
        tuple((key, text) for key, text, has in tabs if has),
        _hands(state) if table.has_support else (),
        card_rows(state),
        _tokens(state),
        _bridges(state) if table.has_bridges else (),
        tuple(
            f"{bridge.name} ({nation_name(state.frozen_setup, bridge.nation)})"
            for bridge in state.game["tokens"].bridges
        ),
        _hubs(state) if table.has_supply else (),
        _groups(state) if table.has_supply else (),
        len(missing_links(state)) if table.has_supply else 0,
        tuple(
            CounterRow(key, counter_name(state, key), item.used, item.limit, f"{item.used} / {item.limit}")
            for key, item in counters(state).items()
        ),
        state.step.phase == "national_support",
        stock,
    )


def _hands(state: GameState) -> tuple[HandRow, ...]:
    step, setup = state.step, state.frozen_setup
    rows = []
    for info in setup.nations:
        hand: Hand = state.game["support"].hands[info.id]
        is_turn = step.phase == "national_support" and (not step.owners or info.side in step.owners)
        in_force = tuple(play.name for play in lasting(state.game["support"], info.id))
        rows.append(
            HandRow(
                who(setup, info.id),
                hand.tokens,
                hand.cards,
                hand.discarded,
                in_force,
                is_turn and hand.cards > 0,
            )
        )
    return tuple(rows)


def card_rows(state: GameState) -> tuple[CardRow, ...]:
    """Return every played card, newest first."""
    plays: tuple[CardPlay, ...] = state.game["support"].plays
    return tuple(
        CardRow(
            who(state.frozen_setup, play.nation),
            play.name,
            ", ".join(
                part
                for part in (
                    stage_name(state.frozen_setup, play.stage),
                    _(CARD_KINDS[play.kind]),
                    _("cost {n}").format(n=play.cost),
                    str(play.unit.get("name", "")),
                    play.note,
                )
                if part
            ),
            play.is_lasting,
            play.is_lasting and not play.unit,
        )
        for play in reversed(plays)
    )


def _tokens(state: GameState) -> tuple[TokenRow, ...]:
    rows = []
    for info in state.frozen_setup.nations:
        count = reserve(state, info.id)
        refused = {face: why_not_token(state, info.id, face) for face in ("mine", "line")}
        board = tuple(
            (
                token.id,
                _("mine in {where}").format(where=token.where)
                if token.face == "mine"
                else _("line at {where}, facing {facing}").format(where=token.where, facing=token.facing),
            )
            for token in state.game["tokens"].tokens
            if token.nation == info.id
        )
        why = {face: refusal(found, state) if found is not None else "" for face, found in refused.items()}
        text = _("{n} of {m} in reserve").format(n=count.left, m=count.limit)
        rows.append(TokenRow(who(state.frozen_setup, info.id), text, why["mine"], why["line"], board))
    return tuple(rows)


def _bridges(state: GameState) -> tuple[CounterRow, ...]:
    rows = []
    for info in state.frozen_setup.nations:
        count = bridge_counter(state, info.id)
        note = "" if info.id in tables(state).bridges_each else _(" (inferred, check)")
        text = _("{n} of {m} tokens left").format(n=count.left, m=count.limit) + note
        rows.append(CounterRow(info.id, _(info.name), count.used, count.limit, text))
    return tuple(rows)


def _hub_name(state: GameState, hub: str) -> str:
    return speak(site_of(hub), state)


def _hubs(state: GameState) -> tuple[HubRow, ...]:
    setup, table = state.frozen_setup, tables(state)
    rows = []
    for info in setup.sides:
        net = network(state, info.id)
        for hub in net.hubs:
            mobile = next((item for item in state.game["supply"].mobile if item.id == hub), None)
            nation = mobile.nation if mobile is not None else holder(state, hub).nation
            is_in = hub in net.supplied
            cut = ", ".join(_hub_name(state, other) for other in cut_off_by(state, info.id, hub))
            detail = _("in supply") if is_in else _("out of supply: units there may not move")
            if cut:
                detail += _("; its loss cuts off {hubs}").format(hubs=cut)
            major = hub in table.sites and table.sites[hub].hub == "major"
            name = _hub_name(state, hub) + (_(" (major)") if major else "")
            owner = None if nation is None else who(setup, nation)
            rows.append(HubRow(hub, owner, name, is_in, detail, mobile is not None))
    return tuple(rows)


def _groups(state: GameState) -> tuple[GroupRow, ...]:
    setup = state.frozen_setup
    rows = []
    for group in state.game["supply"].groups:
        net = network(state, nation_side(setup, group.nation))
        is_in = is_in_supply(net, group.at)
        at = " – ".join(_hub_name(state, hub) for hub in group.at) or _("away from hubs and roads")
        detail = at + ": " + (_("may move") if is_in else _("out of supply, may not move"))
        rows.append(GroupRow(group.id, who(setup, group.nation), group.label, is_in, detail))
    return tuple(rows)


def link_rows(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return the questions still open about hubs: printed-value key and text, those that matter now first."""
    pairs = missing_links(state)
    return tuple(
        (f"link.{pair}", " – ".join(site_name(state, hub) for hub in pair.split("."))) for pair in pairs
    )


def counter_name(state: GameState, key: str) -> str:
    """Return the name of a counter."""
    return speak(Name("counter", key), state)


def standard_units(state: GameState) -> tuple[tuple[str, str], ...]:
    """Return the standard units that a card may be based on: id and name."""
    units = unit_table_of(state).units.values()
    return tuple((spec.id, speak(unit_of(spec.id), state)) for spec in units if not spec.base)
