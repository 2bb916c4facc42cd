"""What the ledger already knows of a battle: its airfield, mines, lines and blown bridges.

The table confirms it and never enters it twice. Where one value decides, such as who holds the airfield, from which
space the movers come or whether a submarine moved, exactly that one is asked for, and only then.

Source: rulebook v0.96, Abilities, Anti-Air; Ambush; Objective and Airfield Control; Defensive Lines; Mines; Bridges.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from companion.core.ids import Side
from companion.core.judgement import Judgement, Need, unknown
from companion.core.rules import Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Count, Say, nation, unit
from companion.core.text import site as site_of
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Group, may_unload
from companion.games.sfw.rules.battle_commands import BattleCode
from companion.games.sfw.rules.battle_edition import EDITIONS
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_unsaid import is_active_by_reveal, unsaid
from companion.games.sfw.rules.control import held_by
from companion.games.sfw.rules.ledger import nation_side, ruling
from companion.games.sfw.rules.ledger_values import printed_key, tables
from companion.games.sfw.rules.loads import load_need, load_of
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.places import same_place, site_at
from companion.games.sfw.rules.seals import content_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.tokens import Bridge, Token, bridge_name, mines_in
from companion.games.sfw.rules.units import UnitSpec

__all__ = [
    "airfield_held",
    "airfield_side",
    "blown_beside",
    "blown_crossing",
    "enemy_lines",
    "is_revealed",
    "known_mines",
    "with_ledger",
]

_MOST_MINES = 6


def with_ledger(state: GameState, declared: Declared) -> Battle | Rejected:
    """Return a battle about to begin with all that the ledger tells of it; what the table said itself stands.

    A refusal asks for the one value that is missing, or says why the movers cannot cross.
    """
    revealed = _with_reveal(state, declared)
    if isinstance(revealed, Rejected):
        return revealed
    declared = replace(declared, battle=revealed)
    need = _unsaid_need(state, declared)
    if need is not None:
        return not_known(unknown(need))
    if declared.battle.occasion == "battle":
        told = with_airfield(state, declared)
        return told if isinstance(told, Rejected) else _with_walls(state, replace(declared, battle=told))
    return _with_entry(state, declared) if declared.battle.occasion == "movement" else declared.battle


# What the text leaves no room to take for granted


def is_revealed(state: GameState, space: str) -> bool:
    """Say whether a Hidden Fleet was revealed in a space in the act at hand."""
    seals = state.game.get("seals")
    return seals is not None and any(
        secret.shown is not None
        and secret.shown.step == state.step.id
        and same_place(content_of(secret.shown.plain_text).space, space)
        for secret in seals.secrets.values()
    )


def _with_reveal(state: GameState, declared: Declared) -> Battle | Rejected:
    """Fill in whether ships that are not active are a revealed Hidden Fleet; asked where a fleet may be on its dial alone.

    Source: rulebook v0.96, Declaring Battles; first edition, Declaring Battles, Revealing a Hidden Fleet; table ruling "fleet_place"
    """
    battle = declared.battle
    if battle.revealed is not None or not is_active_by_reveal(battle, unit_table_of(state)):
        return battle
    if is_revealed(state, declared.space):
        return replace(battle, revealed=True)
    if ruling(state, "fleet_place", "either") == "sealed":
        return replace(battle, revealed=False)
    question = Say(
        "Are the ships in {space} a Hidden Fleet that was just revealed?", space=space_of(declared.space)
    )
    return not_known(unknown(Need("revealed", declared.id, question)))


def _unsaid_need(state: GameState, declared: Declared) -> Need | None:
    """Ask what the dice hang on and no reading may be taken for: whether submarines moved, whether a load fits.

    Source: rulebook v0.96, Abilities, Ambush; first edition, Ambush, Transporting Units
    """
    battle, table = declared.battle, unit_table_of(state)
    for one in unsaid(battle, EDITIONS[state.frozen_setup.game], table):
        if one.counted not in ("moved", "fits"):
            continue
        group = (battle.attacking if one.side == ATTACKING else battle.defending)[one.group]
        if one.counted == "fits":
            return load_need(table.units[group.unit], load_of(table, group))
        units = Count(group.count, unit(group.unit))
        question = Say(
            "{nation}, {units}: did they move in this step?", nation=nation(group.nation), units=units
        )
        return Need("moved", f"{declared.id}.{one.side}.{one.group}", question)
    return None


# Mines and lines


def known_mines(state: GameState, space: str, mover: Side) -> int:
    """Return how many mines of the other side the ledger has in a space, as many as can be there.

    Source: rulebook v0.96, Mines, Detonation
    """
    if EDITIONS[state.frozen_setup.game].mine is None:
        return 0
    enemies = [token for token in mines_in(state, space) if _side(state, token) != mover]
    return min(len(enemies), _MOST_MINES)


def enemy_lines(state: GameState, space: str, mover: Side) -> tuple[Token, ...]:
    """Return the lines behind which a space lies, of the side that does not move."""
    if not EDITIONS[state.frozen_setup.game].line_dice:
        return ()
    return tuple(
        token
        for token in state.game["tokens"].tokens
        if token.face == "line" and same_place(token.where, space) and _side(state, token) != mover
    )


def _side(state: GameState, token: Token) -> Side:
    return nation_side(state.frozen_setup, token.nation)


def _facing(lines: Iterable[Token], space: str) -> int:
    return sum(same_place(token.facing, space) for token in lines)


def _with_walls(state: GameState, declared: Declared) -> Battle | Rejected:
    """Fill in the lines that fire at a landing: those that face the sea space from which it comes.

    Source: rulebook v0.96, Defensive Lines, Sea wall
    """
    battle = declared.battle
    landing = [group for group in battle.attacking if group.cargo and _lands_from_sea(state, battle, group)]
    lines = enemy_lines(state, declared.space, declared.attacker)
    if not landing or not lines or battle.sea_walls:
        return battle
    named = tuple(dict.fromkeys(group.origin for group in landing if group.origin not in ("", _SOME_SEA)))
    if named and not battle.came_from:
        faced = [line.facing for line in lines if any(same_place(line.facing, one) for one in named)]
        return replace(battle, sea_walls=len(faced), wall_facing=tuple(faced))
    if not battle.came_from:
        question = Say("From which sea space do they land in {space}?", space=space_of(declared.space))
        return not_known(unknown(Need("came_from", declared.id, question)))
    return replace(battle, sea_walls=_facing(lines, battle.came_from))


_SOME_SEA = "sea"
"""Origin of transports that stand in a sea space beside the battle which nobody has named."""


def _lands_from_sea(state: GameState, battle: Battle, group: Group) -> bool:
    spec = _spec(state, group)
    return spec is not None and spec.type == "sea" and group.unload and may_unload(battle, spec)


def _is(state: GameState, group: Group, kind: str) -> bool:
    spec = _spec(state, group)
    return spec is not None and spec.type == kind


def _spec(state: GameState, group: Group) -> UnitSpec | None:
    return unit_table_of(state).units.get(group.unit)


# Entering a space


def blown_beside(state: GameState, space: str) -> tuple[Bridge, ...]:
    """Return the blown bridges of which one end is a space."""
    return tuple(
        bridge
        for bridge in state.game["tokens"].bridges
        if any(same_place(end, space) for end in bridge.spaces)
    )


def blown_crossing(state: GameState, declared: Declared) -> Bridge | None:
    """Return the blown bridge over which Land Units enter; None where they enter otherwise, or nobody said from where."""
    came_from = declared.battle.came_from
    if not came_from or not any(_is(state, group, "land") for group in declared.battle.attacking):
        return None
    beside = blown_beside(state, declared.space)
    return next((one for one in beside if any(same_place(end, came_from) for end in one.spaces)), None)


def _with_entry(state: GameState, declared: Declared) -> Battle | Rejected:
    """Fill in the lines that face the movers, and judge a blown bridge; ask from where they come where that decides.

    Source: rulebook v0.96, Defensive Lines, Firepower and Combat; Moving Over a Bridge and Combat
    """
    battle = declared.battle
    lands = any(_is(state, group, "land") for group in battle.attacking)
    flies = any(_is(state, group, "air") for group in battle.attacking)
    lines = enemy_lines(state, declared.space, declared.attacker) if lands or flies else ()
    has_lines = bool(lines) and not battle.lines and not battle.line_dice
    has_bridge = lands and bool(blown_beside(state, declared.space))
    if not battle.came_from and (has_lines or has_bridge):
        question = Say("From which space do they enter {space}?", space=space_of(declared.space))
        return not_known(unknown(Need("came_from", declared.id, question)))
    if has_lines:
        battle = replace(battle, lines=_facing(lines, battle.came_from))
    bridge = blown_crossing(state, declared)
    return battle if bridge is None else _over_blown(state, declared, battle, bridge)


def _over_blown(state: GameState, declared: Declared, battle: Battle, bridge: Bridge) -> Battle | Rejected:
    """Judge Land Units that enter over a blown bridge: barred from control-capable enemies alone, else without fire.

    They end their move behind it, so nobody pushes through there.

    Source: rulebook v0.96, Moving Over a Bridge and Combat
    """
    enemies = [group for group in battle.defending if group.count and not group.distance]
    holds = any(spec.control for group in enemies if (spec := _spec(state, group)) is not None)
    others_bar = ruling(state, "blown_bridge", "may_cross") == "may_not"
    if not battle.contested and enemies and (holds or others_bar):
        name, space = bridge_name(bridge), space_of(declared.space)
        why = (
            Say("Bridge {bridge} is blown: nobody crosses into {space} while enemies that can control it hold it alone.",
                bridge=name, space=space)
            if holds
            else Say("Bridge {bridge} is blown: nobody crosses into {space} while enemies hold it alone.",
                     bridge=name, space=space)
        )  # fmt: skip
        return Rejected(BattleCode.BRIDGE_BLOWN, why)
    if battle.push_through:
        ends = Say(
            "Bridge {bridge} is blown: whoever crosses it ends the move in {space} and cannot push through.",
            bridge=bridge_name(bridge),
            space=space_of(declared.space),
        )
        return Rejected(BattleCode.BRIDGE_BLOWN, ends)
    return replace(battle, bridge=False)


# The airfield


def airfield_side(state: GameState, space: str, attacker: Side) -> str:
    """Return which side controls the airfield in a space and so rolls anti-air with it; empty without one, or unknown."""
    mine = airfield_held(state, space, attacker)
    return "" if mine is None or mine.is_unknown else ATTACKING if mine.is_yes else DEFENDING


def airfield_held(state: GameState, space: str, attacker: Side) -> Judgement | None:
    """Judge whether the attacker controls the airfield in a space; None where there is none that rolls.

    Source: rulebook v0.96, Abilities, Anti-Air; Objective and Airfield Control
    """
    site = site_at(state, space) if EDITIONS[state.frozen_setup.game].has_airfield_fire else None
    if site is None or site.kind != "airfield":
        return None
    held = held_by(state, site.id, attacker)
    if ruling(state, "airfield_roll", "every") == "every" or site.icon:
        return held
    if site.icon is False:
        return None
    question = Say("Does {site} show the anti-air icon?", site=site_of(site.id))
    icon = unknown(Need("printed", printed_key(tables(state), "icon", site.id), question))
    return icon if not held.is_unknown else Judgement(None, (*icon.needs, *held.needs))


def with_airfield(state: GameState, declared: Declared) -> Battle | Rejected:
    """Return a battle about to begin with the roll of its airfield, or ask who holds it where that decides a roll.

    It decides one only while aircraft are in the space, since it rolls at nothing else; what the table said itself stands.
    """
    battle = declared.battle
    if battle.occasion != "battle" or battle.airfield:
        return battle
    mine = airfield_held(state, declared.space, declared.attacker)
    if mine is None:
        return battle
    if not mine.is_unknown:
        return replace(battle, airfield=ATTACKING if mine.is_yes else DEFENDING)
    units = unit_table_of(state).units
    flies = any(
        units[group.unit].type == "air" and not group.distance
        for group in (*battle.attacking, *battle.defending)
        if group.unit in units
    )
    return not_known(mine) if flies else battle
