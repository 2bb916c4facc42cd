"""Words of North Africa: pieces, spaces, refusals, labels of the log, printed values and the victory line.

What the game adds to the shared screens.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.core.state import GameState
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules import ledger as lg
from companion.games.aana.rules import reinforce_messages as rf
from companion.games.aana.rules import travel as tr
from companion.games.aana.rules import victory as vc
from companion.games.aana.rules.board import RESERVE_ZONE
from companion.games.aana.rules.figures import FIGURES
from companion.games.aana.rules.ledger import board, figures, split
from companion.games.aana.rules.victory import judged
from companion.games.aana.rules.ways import MakeMove
from companion.pages.game_view import GameView, PrintedRow, Score
from companion.pages.i18n import N_, _, ngettext
from companion.pages.labels import label_command

__all__ = [
    "FIGURE_WORDS",
    "LEVEL_WORDS",
    "UNIT_WORDS",
    "kind_name",
    "level_line",
    "pieces_text",
    "power_name",
    "space_name",
    "supply_text",
    "unit_word",
    "unofficial_note",
]

UNIT_WORDS: dict[str, str] = {
    "infantry": N_("Infantry"),
    "mechanized": N_("Mechanized Infantry"),
    "artillery": N_("Artillery"),
    "anti_tank": N_("Anti-Tank Gun"),
    "aaa": N_("Anti-Aircraft Artillery"),
    "scout_car": N_("Scout Car"),
    "tank": N_("Tank"),
    "matilda": N_("Matilda II Tank"),
    "sherman": N_("Sherman Tank"),
    "tiger": N_("Tiger Tank"),
    "truck": N_("Truck"),
    "fighter": N_("Fighter"),
    "bomber": N_("Bomber"),
    "battleship": N_("Battleship"),
    "destroyer": N_("Destroyer"),
    "submarine": N_("Submarine"),
    "supply": N_("Supply token"),
    "supply5": N_("Five supply"),
}

FIGURE_WORDS: dict[str, str] = {
    "cost": N_("cost"),
    "attack": N_("attack"),
    "defence": N_("defence"),
    "move": N_("move"),
}

_COLOUR_WORDS: dict[str, str] = {
    "germany": N_("Germany"),
    "italy": N_("Italy"),
    "uk": N_("United Kingdom"),
    "us": N_("United States"),
    "france": N_("France"),
}

LEVEL_WORDS: dict[str, str] = {
    "instant total": N_("Instant Total Victory"),
    "total": N_("Total Victory"),
    "major": N_("Major Victory"),
    "minor": N_("Minor Victory"),
    "tie-break": N_("Tie-break"),
}


def unit_word(unit: str) -> str:
    """Return a piece's name."""
    return _(UNIT_WORDS[unit]) if unit in UNIT_WORDS else unit


def power_name(state: GameState, power: str) -> str:
    """Return a power's name."""
    names = {nation.id: nation.name for nation in state.frozen_setup.nations}
    return _(names.get(power, power))  # type: ignore[call-overload]


def space_name(state: GameState, space: str) -> str:
    """Return a space's name."""
    head, _dot, number = space.partition(".")
    if head == "sz" and number.isdigit():
        return _("Sea zone {n}").format(n=number)
    if space == RESERVE_ZONE:
        return _("Reinforcements Zone")
    if space.endswith("@landing"):
        return _("{space}, landing force").format(space=space_name(state, space[:-8]))
    return _(board(state).name(space))


def kind_name(state: GameState, key: str, *, with_power: bool = False) -> str:
    """Return a kind key or piece key as words: ``Infantry, Tobruk``."""
    body, _at, origin = key.partition("@")
    power, unit, damaged = split(body.rstrip("+"))
    text = unit_word(unit)
    if with_power:
        text = f"{power_name(state, power)}: {text}"
    if damaged:
        text = _("{unit}, damaged").format(unit=text)
    return f"{text}, {space_name(state, origin)}" if origin else text


def pieces_text(state: GameState, pieces: Mapping[str, int]) -> str:
    """Return pieces on one line, grouped by power."""
    groups: dict[str, list[str]] = {}
    for piece, n in pieces.items():
        if n:
            power, unit, damaged = split(piece.partition("@")[0])
            word = unit_word(unit) if not damaged else _("{unit}, damaged").format(unit=unit_word(unit))
            groups.setdefault(power, []).append(f"{n} × {word}")
    return "; ".join(f"{power_name(state, power)}: {', '.join(items)}" for power, items in groups.items())


def supply_text(tokens: int) -> str:
    """Return a number of supply tokens."""
    return ngettext("{n} supply", "{n} supply", tokens).format(n=tokens)


def unofficial_note(state: GameState) -> str:
    """Say that fan-made values are in play; empty when none were loaded."""
    if state.frozen_setup.options.get("values") == "unofficial":
        return _("unofficial values, fan-made")
    return ""


def level_line(state: GameState) -> str:
    """Return what the victory chart says now."""
    verdict = judged(state)
    if verdict.winner is None:
        return _("Chart now: draw")
    side = _("Axis") if verdict.winner == "axis" else _("Allies")
    return _("Chart now: {side}, {level}").format(side=side, level=_(LEVEL_WORDS[verdict.level]))


class NorthAfricaView(GameView):
    """What the game adds to the shared screens."""

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return for each side the best level that the chart gives it now."""
        reached = judged(state).reached
        found = []
        for info in state.frozen_setup.sides:
            levels = reached.get(info.id, ())
            found.append(Score(info.id, _(LEVEL_WORDS[levels[0]]) if levels else "–"))
        return tuple(found)

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return every figure that the text does not give, entered or not."""
        rows: list[PrintedRow] = []
        book, own = figures(state), board(state)
        for row in book.rows():
            for figure in FIGURES:
                key = f"unit.{row.power}.{row.unit}.{figure}"
                if row.status.get(figure) in ("unknown", "printed"):
                    label = f"{unit_word(row.unit)}, {_(FIGURE_WORDS[figure])}"
                    rows.append(PrintedRow(key, label, state.printed.get(key), _(_COLOUR_WORDS[row.power])))
        for territory in own.territories():
            key = f"rp.{territory.id}"
            if territory.rp == "printed":
                label = _("{space}: reinforcement points").format(space=_(territory.name))
                rows.append(PrintedRow(key, label, state.printed.get(key), _("Board")))
            if territory.bonus_key and not territory.bonus_reroll:
                label = _("{space}: lowest face that defenders reroll, 0 for none").format(
                    space=_(territory.name)
                )
                rows.append(
                    PrintedRow(territory.bonus_key, label, state.printed.get(territory.bonus_key), _("Board"))
                )
        for power in ("germany", "uk", "italy", "us"):
            key = f"base.{power}"
            label = _("{power}: National Basic points").format(power=power_name(state, power))
            rows.append(PrintedRow(key, label, state.printed.get(key), _("Board")))
        return tuple(rows)

    def ending(self, state: GameState) -> str:
        """Return who won at which level, or that it is a draw."""
        ending = state.ending
        if ending is None:
            return ""
        if ending.winner is None:
            return _("A draw.") if ending.reason == "victory chart" else ""
        side = _("Axis") if ending.winner == "axis" else _("Allies")
        level = _(LEVEL_WORDS[ending.level]) if ending.level in LEVEL_WORDS else ""
        return f"{side}: {level}." if level else ""

    def screen_for(self, state: GameState) -> str:
        """Return the screen that the current phase leads to."""
        phase = state.step.phase
        if phase in ("convoys", "requisition", "deploy"):
            return "aana_reinforce"
        if phase == "combat" or (phase == "combat_move" and state.step.act == "declare"):
            return "aana_combat"
        return ""


@label_command(vc.SetControl)
def _set_control(command: vc.SetControl, state: GameState) -> str:
    who = power_name(state, command.power) if command.power else _("nobody")
    return _("{space}: {power}").format(space=space_name(state, command.territory), power=who)


@label_command(lg.CountSpace)
def _count_space(command: lg.CountSpace, state: GameState) -> str:
    return _("Counted: {space}").format(space=space_name(state, command.space))


@label_command(lg.MoveUnits)
def _move_units(command: lg.MoveUnits, state: GameState) -> str:
    return _("Moved to {space}").format(space=space_name(state, command.to))


@label_command(MakeMove)
def _make_move(command: MakeMove, state: GameState) -> str:
    units = {**command.units}
    for piece, n in command.riders.items():
        units[piece] = units.get(piece, 0) + n
    words = ", ".join(f"{n} × {unit_word(split(piece)[1])}" for piece, n in units.items())
    return _("{units} to {space}").format(units=words, space=space_name(state, command.to))


@label_command(tr.AirTransport)
def _air_transport(command: tr.AirTransport, state: GameState) -> str:
    unit, space = unit_word(command.unit), space_name(state, command.to)
    return _("A bomber carries {unit} to {space}").format(unit=unit, space=space)


@label_command(tr.LoseAircraft)
def _lose_aircraft(_command: tr.LoseAircraft, _state: GameState) -> str:
    return _("Aircraft without a landing are lost")


@label_command(lg.CorrectSupply)
def _correct_supply(command: lg.CorrectSupply, state: GameState) -> str:
    return f"{space_name(state, command.space)}: {supply_text(command.count)}"


@label_command(lg.SetMines)
def _set_mines(command: lg.SetMines, state: GameState) -> str:
    return _("Mines: {space}").format(space=space_name(state, command.place))


@label_command(rf.Requisition)
def _requisition(command: rf.Requisition, _state: GameState) -> str:
    return _("Bought: {n} × {unit}").format(n=command.count, unit=unit_word(command.unit))


@label_command(rf.PayMalta)
def _malta(_command: rf.PayMalta, _state: GameState) -> str:
    return _("Malta paid")


@label_command(rf.RepairBattleship)
def _repair(_command: rf.RepairBattleship, _state: GameState) -> str:
    return _("Battleship repaired")


@label_command(rf.LayLandMine)
def _land_mine(command: rf.LayLandMine, state: GameState) -> str:
    return _("Mines: {space}").format(space=space_name(state, command.territory))


@label_command(rf.LaySeaMine)
def _sea_mine(command: rf.LaySeaMine, state: GameState) -> str:
    return _("Mines: {space}").format(space=space_name(state, command.zone))


@label_command(rf.AdvanceConvoys)
def _advance(_command: rf.AdvanceConvoys, _state: GameState) -> str:
    return _("Convoys advanced")


@label_command(rf.Deploy)
def _deploy(command: rf.Deploy, state: GameState) -> str:
    unit, space = unit_word(command.unit), space_name(state, command.to)
    return _("Deployed: {n} × {unit}, {space}").format(n=command.count, unit=unit, space=space)


@label_command(rf.LoseUndeployed)
def _lose(_command: rf.LoseUndeployed, _state: GameState) -> str:
    return _("Undeployed reinforcements lost")


@label_command(rf.PlaceFree)
def _place_free(command: rf.PlaceFree, _state: GameState) -> str:
    return _("Set up: {n} × {unit}").format(n=command.count, unit=unit_word(command.unit))


@label_command(bm.DeclareAttack)
def _declare(command: bm.DeclareAttack, state: GameState) -> str:
    return _("Attack declared: {space}").format(space=space_name(state, command.space))


@label_command(bm.OpenCombat)
def _open(_command: bm.OpenCombat, _state: GameState) -> str:
    return _("Combat begins")


@label_command(bm.RollFire)
def _roll(command: bm.RollFire, _state: GameState) -> str:
    values = " ".join(str(value) for roll in command.rolls for value in roll.values)
    return _("Dice: {values}").format(values=values)


@label_command(bm.TakeLosses)
def _losses(_command: bm.TakeLosses, _state: GameState) -> str:
    return _("Losses taken")


@label_command(bm.GiveOrders)
def _orders(command: bm.GiveOrders, _state: GameState) -> str:
    return _("Orders: fight") if command.fight else _("Orders: retreat")


@label_command(bm.LeaveCombat)
def _leave(_command: bm.LeaveCombat, _state: GameState) -> str:
    return _("Retreats and escapes")


@label_command(bm.Press)
def _press(_command: bm.Press, _state: GameState) -> str:
    return _("Attack pressed")


@label_command(bm.JoinAttack)
def _join(_command: bm.JoinAttack, _state: GameState) -> str:
    return _("Attack reinforced")


@label_command(bm.Cease)
def _cease(_command: bm.Cease, _state: GameState) -> str:
    return _("Attack ceased")


@label_command(bm.Conclude)
def _conclude(_command: bm.Conclude, _state: GameState) -> str:
    return _("Combat concluded")


@label_command(bm.RollMines)
def _mines(command: bm.RollMines, state: GameState) -> str:
    return _("Mines detonated: {space}").format(space=space_name(state, command.place))


@label_command(vc.Claim)
def _claim(_command: vc.Claim, _state: GameState) -> str:
    return _("No enemy left in North Africa")


@label_command(vc.BreakDraw)
def _break_draw(_command: vc.BreakDraw, _state: GameState) -> str:
    return _("Draw broken by cost of land units")
