"""Mine and line tokens, blown bridges and every other piece whose number in the box is limited.

Six double-sided tokens a nation: a token is in reserve or stands on the board as a mine or a line. Where it
stands is remembered as the table names it.

Source: rulebook v0.96, Defensive Lines; Mines; Bridges; Components; Short-Play Scenarios, Game Play.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.events import Event
from companion.core.ids import Nation
from companion.core.ledger import Counter
from companion.core.parts import Part
from companion.core.rules import Accepted, Code, Decision, Rejected
from companion.core.setup import Setup
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, Value, several
from companion.games.sfw.rules.battle_record import BattleSlice
from companion.games.sfw.rules.ledger import nation_side, not_in_game, turn_of
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import folded, ground_fault, same_place, spelled

__all__ = [
    "BlowBridge",
    "BridgeBlown",
    "CounterSet",
    "PlaceToken",
    "RemoveToken",
    "SetCounter",
    "Token",
    "TokenCode",
    "TokenPlaced",
    "TokenRemoved",
    "TokensPart",
    "TokensState",
    "bridge_counter",
    "bridge_name",
    "is_laid_at_sea",
    "counters",
    "enemy_mines",
    "mines_in",
    "reserve",
    "why_not_token",
]

INFERRED_BRIDGES_EACH = 3
"""Twelve tokens in the box for four nations; the text gives no number a nation: check yours."""


class TokenCode(StrEnum):
    """Why a piece cannot be placed or taken."""

    NOT_NOW = "not_now"
    NOT_YOUR_ACT = "not_your_act"
    NOT_IN_SCENARIO = "not_in_scenario"
    NONE_LEFT = "none_left"
    SPACE_FULL = "space_full"
    BORDER_TAKEN = "border_taken"
    UNKNOWN_TOKEN = "unknown_token"
    ALREADY_BLOWN = "already_blown"
    ENEMIES_THERE = "enemies_there"


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """A token on the board."""

    id: int
    nation: Nation
    face: Literal["mine", "line"]
    where: str
    """The mined space, or the space that the line defends."""
    facing: str = ""
    """A line: the adjacent space that it points at."""


class Bridge(msgspec.Struct, frozen=True, omit_defaults=True):
    """A blown bridge; it stays blown."""

    nation: Nation
    name: str
    spaces: tuple[str, ...] = ()
    """The two spaces that it joined; empty where only a name was given."""


class TokensState(msgspec.Struct, frozen=True):
    """The part's slice."""

    tokens: tuple[Token, ...] = ()
    next_id: int = 1
    bridges: tuple[Bridge, ...] = ()
    used: dict[str, int] = {}
    """Pieces in use by name of their counter, as the table counts them."""


# Commands and events


class PlaceToken(Command, frozen=True, tag=True):
    """Place a mine in a space, or a line on a border."""

    nation: Nation
    face: Literal["mine", "line"]
    where: str
    facing: str = ""


class RemoveToken(Command, frozen=True, tag=True):
    """A mine has detonated, or a line was destroyed: the token goes back to its nation's reserve."""

    token: int


class BlowBridge(Command, frozen=True, tag=True, omit_defaults=True):
    """An infantry has blown a bridge."""

    nation: Nation
    bridge: str = ""
    """What the table calls it; empty where its spaces name it."""
    spaces: tuple[str, ...] = ()
    """The two spaces that it joins."""


class SetCounter(Command, frozen=True, tag=True):
    """Say how many pieces of a kind are in use."""

    counter: str
    used: int


class TokenPlaced(Event, frozen=True, tag=True):
    """A token went onto the board."""

    token: Token


class TokenRemoved(Event, frozen=True, tag=True):
    """A token went back to its reserve."""

    token: int


class BridgeBlown(Event, frozen=True, tag=True, omit_defaults=True):
    """A bridge is gone."""

    nation: Nation
    bridge: str
    spaces: tuple[str, ...] = ()


class CounterSet(Event, frozen=True, tag=True):
    """Pieces were counted."""

    counter: str
    used: int


# Questions


def _own(state: GameState) -> TokensState:
    own: TokensState = state.game["tokens"]
    return own


def reserve(state: GameState, nation: Nation) -> Counter:
    """Return a nation's tokens: six, and how many stand on the board."""
    used = sum(token.nation == nation for token in _own(state).tokens)
    return Counter(tables(state).limits.tokens_each, used)


def mines_in(state: GameState, space: str) -> tuple[Token, ...]:
    """Return the mines in a space, of all nations."""
    where = spelled(state, space)
    return tuple(
        token for token in _own(state).tokens if token.face == "mine" and same_place(token.where, where)
    )


def enemy_mines(state: GameState, space: str, nation: Nation) -> tuple[Token, ...]:
    """Return the mines in a space that belong to the other side of a nation's."""
    setup = state.frozen_setup
    side = nation_side(setup, nation)
    return tuple(token for token in mines_in(state, space) if nation_side(setup, token.nation) != side)


def bridge_counter(state: GameState, nation: Nation) -> Counter:
    """Return a nation's bridge tokens; the limit is inferred until the table enters its own."""
    used = sum(bridge.nation == nation for bridge in _own(state).bridges)
    return Counter(tables(state).bridges_each.get(nation, INFERRED_BRIDGES_EACH), used)


def counters(state: GameState) -> dict[str, Counter]:
    """Return the counters of pieces that the table counts itself, by name."""
    used, limits = _own(state).used, tables(state).limits
    names = dict(limits.counters) or {
        "battle_markers": limits.battle_markers,
        "control_markers": limits.control_markers,
        "fortifications": limits.fortifications,
    }
    return {name: Counter(limit, used.get(name, 0)) for name, limit in names.items()}


def why_not_token(state: GameState, nation: Nation, face: str) -> Rejected | None:
    """Say why a nation cannot place a mine or a line now; None when it can."""
    table = tables(state)
    if nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(nation))
    if not table.has_tokens:
        return Rejected(TokenCode.NOT_IN_SCENARIO, Say("No new mines or lines are placed in this scenario."))
    refused = _refuse_step(state, nation, face)
    if refused is not None:
        return refused
    count = reserve(state, nation)
    return None if count.takes(1) else _none_in_reserve(count)


def _none_in_reserve(count: Counter) -> Rejected:
    return Rejected(
        TokenCode.NONE_LEFT,
        Say.counted(
            "No token is left: {used} of {n} is on the board.",
            "No token is left: {used} of {n} are on the board.",
            count.limit or 0,
            used=count.used,
        ),
    )


_STEPS: dict[str, tuple[int, ...]] = {"mine": (2, 4), "line": (4,), "bridge": (4,)}
"""Movement steps on which a piece is placed or a bridge is blown."""


def _when(what: str) -> Say:
    steps = several(_STEPS[what], "or")
    if what == "bridge":
        return Say("Bridges are blown in movement step {steps}, before any battle is resolved.", steps=steps)
    if what == "mine":
        return Say("Mines are placed in movement step {steps}, before any battle is resolved.", steps=steps)
    return Say("Lines are placed in movement step {steps}, before any battle is resolved.", steps=steps)


def _refuse_step(state: GameState, nation: Nation, what: str) -> Rejected | None:
    step = state.step
    is_open = step.movement_step in _STEPS[what] and step.act in ("move", "declare")
    if step.phase != "tactical" or not is_open:
        return Rejected(TokenCode.NOT_NOW, _when(what))
    if nation_side(state.frozen_setup, nation) not in step.owners:
        return Rejected(TokenCode.NOT_YOUR_ACT, turn_of(step))
    return None


_LAYS = 2
"""Movement step on which a Destroyer lays mines where it is, at sea; on the other Infantry places what it places ashore."""


def is_laid_at_sea(state: GameState) -> bool:
    """Say whether a mine that is placed now is laid by a Destroyer.

    Source: rulebook v0.96, Mines (Placement)
    """
    return state.step.movement_step == _LAYS


def _enemies_there(state: GameState, *spaces: str) -> Rejected | None:
    """Refuse a piece in or beside a space in which a battle of the act has enemies; of others the table sees it."""
    own: BattleSlice = state.game["battle"]
    for entry in filter(None, (own.with_enemies(space, state.step.owners) for space in spaces)):
        there = Say("Battle {battle} has enemies in {space}. Mines, lines and blown bridges need spaces without enemies.",
                    battle=Typed(entry.id), space=space_of(entry.space))  # fmt: skip
        return Rejected(TokenCode.ENEMIES_THERE, there)
    return None


def _place(state: GameState, command: PlaceToken) -> Decision:
    """Decide a mine or a line. Whether the space is empty or friendly is otherwise the table's to see.

    Source: rulebook v0.96, Mines (Placement); Defensive Lines (Placement)
    """
    refused = why_not_token(state, command.nation, command.face)
    if refused is not None:
        return refused
    where, facing = spelled(state, command.where), spelled(state, command.facing)
    if not where or (command.face == "line") != bool(facing) or same_place(where, facing):
        return Rejected(
            Code.BAD_VALUE,
            Say("A line needs the space that it defends and another that it faces.")
            if command.face == "line"
            else Say("A mine needs one space."),
        )
    is_laid = command.face == "mine" and is_laid_at_sea(state)
    ground = ground_fault(state, where, is_sea=is_laid)
    refused = _enemies_there(state, where, facing) if ground is None else Rejected(Code.BAD_VALUE, ground)
    if refused is not None:
        return refused
    most = tables(state).limits.mines_in_space
    if command.face == "mine":
        if len(mines_in(state, where)) >= most:
            return Rejected(
                TokenCode.SPACE_FULL,
                Say.counted(
                    "No more than {n} mine in a space: {space} is full.",
                    "No more than {n} mines in a space: {space} is full.",
                    most,
                    space=space_of(where),
                ),
            )
    elif any(_is_on_border(token, where, facing) for token in _own(state).tokens):
        return Rejected(
            TokenCode.BORDER_TAKEN,
            Say(
                "There is already a line between {space} and {other}.",
                space=space_of(where),
                other=space_of(facing),
            ),
        )
    token = Token(_own(state).next_id, command.nation, command.face, where, facing)
    return Accepted((TokenPlaced(token),))


def _is_on_border(token: Token, a: str, b: str) -> bool:
    return token.face == "line" and {folded(token.where), folded(token.facing)} == {folded(a), folded(b)}


def _blow(state: GameState, command: BlowBridge) -> Decision:
    table = tables(state)
    if not table.has_bridges:
        return Rejected(TokenCode.NOT_IN_SCENARIO, Say("Only the Italy board has bridges."))
    if command.nation not in {info.id for info in state.frozen_setup.nations}:
        return Rejected(Code.BAD_VALUE, not_in_game(command.nation))
    spaces = tuple(spelled(state, space) for space in command.spaces)
    name = " ".join(command.bridge.split()) or " – ".join(spaces)
    if not name or (spaces and (len(spaces) != 2 or not all(spaces) or same_place(*spaces))):
        return Rejected(Code.BAD_VALUE, Say("Name the two spaces of the bridge."))
    for space in spaces:
        ground = ground_fault(state, space, is_sea=False)
        if ground is not None:
            return Rejected(Code.BAD_VALUE, ground)
    blown = Bridge(command.nation, name, spaces)
    refused = _refuse_step(state, command.nation, "bridge") or _enemies_there(state, *spaces)
    if refused is not None:
        return refused
    known = next((bridge for bridge in _own(state).bridges if _is_same_bridge(bridge, blown)), None)
    if known is not None:
        blown_before = Say(
            "Bridge {bridge} is already blown and cannot be repaired.", bridge=bridge_name(known)
        )
        return Rejected(TokenCode.ALREADY_BLOWN, blown_before)
    for count in (
        bridge_counter(state, command.nation),
        Counter(table.limits.bridges, len(_own(state).bridges)),
    ):
        if not count.takes(1):
            return _none_in_reserve(count)
    return Accepted((BridgeBlown(command.nation, name, spaces),))


def _is_same_bridge(one: Bridge, other: Bridge) -> bool:
    if one.spaces and other.spaces:
        return {folded(space) for space in one.spaces} == {folded(space) for space in other.spaces}
    return same_place(one.name, other.name)


def bridge_name(bridge: Bridge) -> Value:
    """Name a bridge: by the spaces that it joins, or as the table calls it."""
    if len(bridge.spaces) != 2:
        return Typed(bridge.name)
    one, other = map(space_of, bridge.spaces)
    return Say("{one} – {other}", one=one, other=other)


def _remove(state: GameState, command: RemoveToken) -> Decision:
    if not any(token.id == command.token for token in _own(state).tokens):
        return Rejected(TokenCode.UNKNOWN_TOKEN, Say("Token {n} is not on the board.", n=command.token))
    return Accepted((TokenRemoved(command.token),))


def _set_counter(state: GameState, command: SetCounter) -> Decision:
    counter = counters(state).get(command.counter)
    if counter is None:
        known = several((Name("counter", name) for name in counters(state)), "or")
        return Rejected(
            Code.BAD_VALUE,
            Say(
                "There is no counter {counter}. Choose one of these: {counters}.",
                counters=known,
                counter=Typed(command.counter),
            ),
        )
    if not Counter(counter.limit).takes(command.used):
        whole = Say("Enter a whole number from {least} to {most}.", least=0, most=counter.limit or 0)
        return Rejected(TokenCode.NONE_LEFT, whole)
    return Accepted((CounterSet(command.counter, command.used),))


class TokensPart(Part):
    """Tokens, bridges and counters."""

    name = "tokens"
    deciders = {
        PlaceToken: _place,
        RemoveToken: _remove,
        BlowBridge: _blow,
        SetCounter: _set_counter,
    }
    commands = tuple(deciders)
    events: tuple[type[Event], ...] = (TokenPlaced, TokenRemoved, BridgeBlown, CounterSet)

    def initial(self, setup: Setup) -> TokensState:  # noqa: ARG002
        """Return an empty board."""
        return TokensState()

    def evolve(self, own: Any, event: Event, state: GameState) -> TokensState:  # noqa: ARG002
        """Apply an event of this part."""
        slice_: TokensState = own
        match event:
            case TokenPlaced():
                return replace(slice_, tokens=(*slice_.tokens, event.token), next_id=event.token.id + 1)
            case TokenRemoved():
                kept = tuple(token for token in slice_.tokens if token.id != event.token)
                return replace(slice_, tokens=kept)
            case BridgeBlown():
                return replace(
                    slice_, bridges=(*slice_.bridges, Bridge(event.nation, event.bridge, event.spaces))
                )
            case CounterSet():
                return replace(slice_, used={**slice_.used, event.counter: event.used})
        return slice_
