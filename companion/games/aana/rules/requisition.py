"""Phase 2: purchases with their limits, Malta, the repair of battleships, and mines.

Source: rulebook, Phase 2: Requisition Reinforcements; Mine Token Deployment; Free French Units; Optional Rules.
"""

from __future__ import annotations

from typing import Final

from companion.core.events import Event
from companion.core.ids import Nation, SiteId
from companion.core.judgement import unknown
from companion.core.rules import Accepted, Code, Decision, Rejected, not_known
from companion.core.state import GameState
from companion.core.text import Say, area, nation
from companion.core.text import unit as named
from companion.games.aana.rules import figures as fg
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules.board import POOL, RESERVE_ZONE
from companion.games.aana.rules.conditions import content_need, held_by, marker_known, marker_need
from companion.games.aana.rules.ledger_messages import MinesChanged, UnitsMoved
from companion.games.aana.rules.pieces import Piece, piece_key
from companion.games.aana.rules.routes import routes
from companion.games.aana.rules.sequence import LANDING_ROUND, TIGER_ROUND
from companion.games.aana.rules.turn import at_phase, missing, no_count, turn_of, turn_powers

__all__ = [
    "LAND_MINE_COST",
    "SEA_MINE_COST",
    "lay_land_mine",
    "lay_sea_mine",
    "malta_waits",
    "mine_in",
    "pay_malta",
    "purchase_fault",
    "repair",
    "requisition",
    "skip_malta",
]

SEA_MINE_COST: Final = 2
LAND_MINE_COST: Final = 1
_ICONS_A_TOKEN: Final = 2

_ORAN: Final = SiteId("oran")
_REPAIRS: Final = SiteId("sz.31")
"""Where a damaged British battleship lies in dock."""


def purchase_fault(state: GameState, power: Nation, unit: str, count: int) -> Rejected | None:
    """Say why a power may not buy so many of a unit now, costs aside; None when it may."""
    slice_ = rf.reinforce_of(state)
    if power not in turn_powers(state):
        return Rejected(
            "not_your_turn",
            Say(
                "{power} cannot buy in this turn ({now}).",
                power=nation(power),
                now=nation(lg.acting_power(state)),
            ),
        )
    if count < 1:
        return no_count(count)
    if unit in rf.TOKENS:
        if power == "free_french":
            return Rejected("no_requisition", Say("Free France buys only infantry and tanks."))
        most = 10 if power == "us" else int(state.rulings.get("aana.supply_limit", "5"))
        asked = count * rf.TOKENS[unit]
        have = slice_.bought.get(piece_key(power, rf.SUPPLY_ONE), 0)
        if have + asked > most:
            return Rejected(
                "supply_limit",
                Say(
                    "Only {limit} supply per turn: {have} bought and {need} more wanted.",
                    limit=most,
                    have=have,
                    need=asked,
                ),
            )
        return _token_limit(state, asked)
    book = lg.figures(state)
    if not book.has(power, unit):
        return Rejected("unknown_piece", fg.no_piece(power, unit))
    row = book.row(power, unit)
    if "no_requisition" in row.traits:
        return Rejected("no_requisition", Say("{unit} comes only by lend-lease.", unit=named(unit)))
    if unit == "tiger":
        if "tiger" not in state.frozen_setup.options.get("optional", ()):
            return Rejected(
                "no_requisition", Say("Tiger tanks are an optional advantage that this game does not use.")
            )
        if state.step.stage < TIGER_ROUND:
            return Rejected("no_requisition", Say("Tiger tanks are available from round {n}.", n=TIGER_ROUND))
        if slice_.bought.get("germany.tiger", 0) + count > 1:
            return Rejected("one_a_turn", Say("Only one Tiger tank per turn."))
    if power == "us" and row.type == "air" and state.step.stage == LANDING_ROUND:
        return Rejected("no_requisition", Say("No US aircraft in round {n}.", n=LANDING_ROUND))
    if power == "free_french":
        if slice_.bought.get(piece_key(power, unit), 0) + count > 1:
            return Rejected(
                "one_a_turn", Say("Only one of these per turn for Free France: {unit}.", unit=named(unit))
            )
        held = held_by(state, _ORAN, fg.ALLIES)
        if held.is_unknown:
            return not_known(held)
        if held.is_no:
            return Rejected(
                "no_requisition", Say("An Allied power must control {space} first.", space=area(_ORAN))
            )
        over = lg.over_limit(state, _ORAN, {piece_key(power, unit): count}, fg.ALLIES)
        if over is not None:
            return Rejected("over_limit", over)
    return lg.piece_limit(state, {piece_key(power, unit): count})


def _token_limit(state: GameState, asked: int) -> Rejected | None:
    """Refuse supply tokens that the box does not hold."""
    ledger = lg.ledger_of(state)
    out = sum(ledger.supply.values())
    for piece, n in ledger.units.get(RESERVE_ZONE, {}).items():
        out += n * rf.TOKENS.get(lg.split(piece)[1], 0)
    most = lg.board(state).file.tokens.supply
    if out + asked > most:
        return Rejected("piece_limit", lg.box_empty(rf.SUPPLY_ONE, most, out, asked))
    return None


def requisition(state: GameState, command: rf.Requisition) -> Decision:
    """Decide a purchase."""
    refused = at_phase(state, command.step, "requisition") or purchase_fault(
        state, command.power, command.unit, command.count
    )
    if refused is not None:
        return refused
    if command.unit in rf.TOKENS:
        cost = rf.TOKENS[command.unit] * command.count
    else:
        try:
            cost = lg.figures(state).need(command.power, command.unit, "cost") * command.count
        except fg.MissingFiguresError as error:
            return missing(error)
    payer = Nation("us") if command.power == "free_french" else command.power
    what = piece_key(command.power, command.unit)
    paid = rf.pay(state, payer, what, command.count, cost)
    if isinstance(paid, Rejected):
        return paid
    to = RESERVE_ZONE
    if command.power == "germany" and command.unit == "submarine":
        to = lg.board(state).deployment_zones(command.power)[0]
    elif command.power == "free_french":
        to = _ORAN
    return Accepted((paid, UnitsMoved(POOL, to, {what: command.count})))


def malta_waits(state: GameState) -> bool:
    """Say whether Malta's token may still earn its points this turn, and nobody has said that it does not.

    Source: rulebook, Phase 2: Requisition Reinforcements (Malta).
    """
    slice_ = rf.reinforce_of(state)
    if state.step.phase != "requisition" or state.step.nation != "uk":
        return False
    if slice_.malta_paid or slice_.malta_skipped or slice_.spent or slice_.bought:
        return False
    return lg.known_supply(lg.ledger_of(state), rf.MALTA) != 0


def skip_malta(state: GameState, command: rf.SkipMalta) -> Decision:
    """Decide that Malta's token is kept."""
    refused = at_phase(state, command.step, "requisition")
    if refused is not None:
        return refused
    if not malta_waits(state):
        return Rejected("done", Say("Malta's token has been decided on."))
    return Accepted((rf.MaltaSkipped(),))


def pay_malta(state: GameState, command: rf.PayMalta) -> Decision:
    """Decide Malta's supply."""
    refused = at_phase(state, command.step, "requisition")
    if refused is not None:
        return refused
    slice_ = rf.reinforce_of(state)
    if state.step.nation != "uk":
        return Rejected("not_your_turn", Say("Only the United Kingdom earns Malta's points."))
    if slice_.malta_paid:
        return Rejected("done", Say("Malta's points have already been added."))
    if slice_.spent or slice_.bought:
        return Rejected("too_late", Say("Pay for Malta before you buy anything."))
    spent = lg.supply_spent(state, rf.MALTA, 1)
    if isinstance(spent, Rejected):
        return spent
    return Accepted((rf.MaltaPaid(), *(() if spent is None else (spent,))))


def repair(state: GameState, command: rf.RepairBattleship) -> Decision:
    """Decide the repair of a battleship."""
    refused = at_phase(state, command.step, "requisition")
    if refused is not None:
        return refused
    if state.step.nation != "uk":
        return Rejected("not_your_turn", Say("Only the United Kingdom repairs battleships."))
    ledger = lg.ledger_of(state)
    hurt_key = Piece("uk.battleship.damaged")
    hurt = ledger.units.get(_REPAIRS, {}).get(hurt_key, 0)
    if not hurt and _REPAIRS in ledger.told:
        return Rejected("not_there", Say("No damaged battleship in {space}.", space=area(_REPAIRS)))
    spent = lg.supply_spent(state, "cairo", 1)
    if isinstance(spent, Rejected):
        return spent
    events: list[Event] = [] if spent is None else [spent]
    if hurt:
        events.append(UnitsMoved(_REPAIRS, POOL, {hurt_key: 1}))
        events.append(UnitsMoved(POOL, _REPAIRS, {Piece("uk.battleship"): 1}))
    return Accepted((rf.Paid(Nation("uk"), "repair", 1, 0), *events))


def mine_in(state: GameState, place: SiteId) -> bool:
    """Say whether a territory or zone has had its mine this turn."""
    slice_ = rf.reinforce_of(state)
    return slice_.turn == turn_of(state.step) and place in slice_.mined


def _may_touch(state: GameState, one: SiteId, other: SiteId) -> bool:
    """Say whether two territories may share a border: islands share none, and of others it may be known.

    Source: rulebook, Mine Token Deployment; Islands.
    """
    own, ways = lg.board(state), routes(state)
    if any(own.owner_side(space) for space in (one, other)):
        return False
    return ways is None or not (ways.knows(one) and ways.knows(other)) or other in ways.neighbours(one)


def lay_land_mine(state: GameState, command: rf.LayLandMine) -> Decision:
    """Decide a land mine."""
    refused = at_phase(state, command.step, "requisition")
    if refused is not None:
        return refused
    power, own, ledger = lg.acting_power(state), lg.board(state), lg.ledger_of(state)
    for space in (command.territory, command.toward):
        if own.type_of(space) != "land":
            return Rejected("unknown_space", Say("{space} is not a territory.", space=area(space)))
    if command.territory == command.toward:
        return Rejected(Code.BAD_VALUE, Say("A border needs two territories."))
    if mine_in(state, command.territory):
        return Rejected(
            "one_a_turn", Say("{space} already had its land mine this turn.", space=area(command.territory))
        )
    there = any(
        lg.figures(state).row(*lg.split(piece)[:2]).type == "land" and lg.split(piece)[0] == power
        for piece in lg.occupants(ledger, lg.figures(state), command.territory, fg.SIDE_OF[power])
    )
    holds = ledger.control.get(command.territory) == power
    open_ = [] if marker_known(state, command.territory) else [marker_need(command.territory)]
    open_ += [] if command.territory in ledger.told else [content_need(command.territory)]
    if not there and not holds and open_:
        return not_known(unknown(*open_))
    if not there and not holds:
        return Rejected(
            "not_yours",
            Say("You neither control {space} nor hold it with land units.", space=area(command.territory)),
        )
    # The table counts icons; a token shows two at most, and a second icon on a border turns the token there over.
    laid = sum(-(-n // _ICONS_A_TOKEN) for key, n in ledger.mines.items() if ">" in key)
    upgrades = ledger.mines.get(f"{command.territory}>{command.toward}", 0) % _ICONS_A_TOKEN
    if laid >= own.file.tokens.land_mines // _ICONS_A_TOKEN and not upgrades:
        return Rejected(
            "piece_limit",
            Say.counted(
                "The only land mine token is on the board.",
                "All {n} land mine tokens are on the board.",
                laid,
            ),
        )
    if not _may_touch(state, command.territory, command.toward):
        return Rejected(
            "not_adjacent",
            Say(
                "{origin} and {space} do not touch.",
                origin=area(command.territory),
                space=area(command.toward),
            ),
        )
    paid = rf.pay(state, power, "land_mine", 1, LAND_MINE_COST)
    if isinstance(paid, Rejected):
        return paid
    return Accepted(
        (paid, MinesChanged(command.territory, command.toward, 1), rf.MinePlaced(command.territory))
    )


def lay_sea_mine(state: GameState, command: rf.LaySeaMine) -> Decision:
    """Decide a sea mine."""
    refused = at_phase(state, command.step, "requisition")
    if refused is not None:
        return refused
    power, own, ledger = lg.acting_power(state), lg.board(state), lg.ledger_of(state)
    side = fg.SIDE_OF[power]
    if own.type_of(command.zone) not in ("sea", "convoy"):
        return Rejected("unknown_space", Say("{space} is not a sea zone.", space=area(command.zone)))
    if mine_in(state, command.zone):
        return Rejected(
            "one_a_turn", Say("{space} already had its sea mine this turn.", space=area(command.zone))
        )
    foes = lg.occupants(ledger, lg.figures(state), command.zone, fg.enemy_of(side))
    if not foes and command.zone not in ledger.told:
        return not_known(unknown(content_need(command.zone)))
    if any(lg.figures(state).row(*lg.split(piece)[:2]).is_sea for piece in foes):
        return Rejected("enemy_there", Say("{space} holds enemy warships.", space=area(command.zone)))
    for other, other_side in fg.SIDE_OF.items():
        if other_side != side and command.zone in own.deployment_zones(other):
            return Rejected(
                "enemy_zone",
                Say(
                    "{space} is an enemy deployment zone ({power}).",
                    space=area(command.zone),
                    power=nation(other),
                ),
            )
    if side == "axis" and command.zone in (_REPAIRS, "convoy.atlantic", "convoy.indian", "convoy.suez"):
        suez = command.zone == "convoy.suez" and "mine_suez" in state.frozen_setup.options.get("optional", ())
        bomber = any(
            lg.split(piece)[1] == "bomber"
            for piece in lg.occupants(ledger, lg.figures(state), SiteId("crete"), fg.AXIS)
        )
        ships = any(
            lg.figures(state).row(*lg.split(piece)[:2]).is_sea for piece in ledger.units.get(command.zone, {})
        )
        if not suez or not bomber or ships:
            return Rejected("closed_zone", Say("The Axis may not mine {space}.", space=area(command.zone)))
    most = own.file.tokens.allied_sea_mines if side == "allies" else own.file.tokens.axis_sea_mines
    laid = sum(n for key, n in ledger.mines.items() if fg.SIDE_OF.get(Nation(key.partition("@")[2])) == side)
    if laid >= most:
        return Rejected(
            "piece_limit",
            Say.counted(
                "The only sea mine of your side is on the board.",
                "All {n} sea mines of your side are on the board.",
                laid,
            ),
        )
    paid = rf.pay(state, power, "sea_mine", 1, SEA_MINE_COST)
    if isinstance(paid, Rejected):
        return paid
    return Accepted((paid, MinesChanged(command.zone, power, 1), rf.MinePlaced(command.zone)))
