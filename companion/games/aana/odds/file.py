"""The battle file of North Africa: JSON in, a checked combat out.

    {"game": "aana", "terrain": "land", "territory": "tobruk",
     "attacking": [{"unit": "tank", "count": 2, "nation": "germany", "origin": "benghazi"}],
     "defending": [{"unit": "infantry", "count": 3, "nation": "uk"}],
     "printed_values": {"germany.tank": {"attack": 5}},
     "supply": {"attacking": 3, "defending": 2}, "rounds": 3,
     "stop": {"cease_when": {"attackers_at_most": 2}}}

`companion odds --help` lists every key. A key that is not known is a fault, so that a typing error never passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec

from companion.core.collecting import one_of
from companion.core.ids import Nation, SiteId
from companion.core.text import Name, Range, Say, Typed
from companion.games.aana.odds.checks import Group, Table, check_pieces, check_sides
from companion.games.aana.odds.plans import Keys, read_defence_supply, read_plans, read_supply
from companion.games.aana.odds.unsaid import unsaid_keys
from companion.games.aana.rules.board import Board
from companion.games.aana.rules.casualties import Cargo
from companion.games.aana.rules.combat import Arena, Counts, Kind, NoCombatUnitError, Rules, arena_of
from companion.games.aana.rules.figures import (
    SIDE_OF,
    FigureBook,
    MissingFiguresError,
    UnknownPieceError,
    figure_book,
)
from companion.games.aana.rules.new_game import unofficial_values
from companion.games.aana.rules.rounds import AttackPlan, DefencePlan, Pools
from companion.games.aana.rules.routes import Routes
from companion.games.aana.rules.tables import NO_SPACE, RoutesTable, UnofficialFile
from companion.games.aana.shipped import shipped_board, shipped_table
from companion.odds.battle_file import BattleFileError, ruling_faults

__all__ = ["KEYS", "AanaBattle", "AanaDice", "read_aana"]

KEYS: Final = """\
Axis & Allies: North Africa ("game": "aana"). Needed: attacking, defending. terrain: land or sea. territory brings its
defence bonus in. A group: {"unit", "count", "nation", "origin", "damaged", "spaces"}; origin is the territory attacked
from (land), or where aircraft and ships began; spaces is how many they moved. nation: germany italy vichy uk us
free_french. Units: infantry mechanized artillery anti_tank aaa scout_car tank matilda sherman tiger fighter bomber
battleship destroyer submarine; as cargo also truck and supply.
More: printed_values {"germany.tank": {"attack": 5}}, values ("unofficial"), main (territory of the main attack),
bonus_reroll (face), cargo (groups on the defender's transports), supply {"attacking": tokens or {territory: tokens},
"defending": tokens} with the declaration still to be paid, rounds (most rounds), stop {"press_while":
{"defenders_at_most": n}, "cease_when": {"attackers_at_most": n}, "retreat_when": {"round": n, "defenders_at_most":
n}, "submerge": ["attacking"], "exempt_fight", "air_alone"}, can_retreat, landing, policy (cheapest, or a list of
units in order of loss, or one for each side), aim (what the attacker's targeted bombers hit first: unit types,
"transport" among them, or "none": not aimed), rulings. companion battle also takes dice [{"round": 1, "stage":
"attack", "values": [[3, 8], [5]]}] (one list a volley) and seed. Stages: air_defence strike_attack strike_defence
attack defence.
"""

_AAA_LAST: Final[Mapping[str, Literal["at_once", "ends"]]] = {"at_once": "at_once", "ends": "ends"}
_TOP: Final = (
    "game",
    "terrain",
    "territory",
    "attacking",
    "defending",
    "printed_values",
    "values",
    "main",
    "bonus_reroll",
    "cargo",
    "supply",
    "rounds",
    "stop",
    "can_retreat",
    "landing",
    "policy",
    "aim",
    "rulings",
    "dice",
    "seed",
)


_NOT_AT_SEA: Final = ("territory", "main", "bonus_reroll", "landing")
_NOT_ON_LAND: Final = ("cargo",)
"""Keys that mean nothing there: taken without a word they would seem to count."""


class AanaDice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Dice given for one stage of one round, volley by volley."""

    round: int
    stage: str
    values: tuple[tuple[int, ...], ...]


class AanaBattle(msgspec.Struct, frozen=True):
    """A combat as the file describes it."""

    book: FigureBook
    arena: Arena
    attackers: Counts
    defenders: Counts
    cargo: Cargo
    costs: dict[tuple[Nation, str], int]
    attack: AttackPlan
    defence: DefencePlan
    attack_supply: tuple[int, ...]
    """Left after the declaration."""
    defence_supply: int
    pools: Pools
    declared: dict[SiteId, int]
    """Tokens that the declaration cost, by territory."""
    inferred: tuple[str, ...]
    dice: tuple[AanaDice, ...] = ()
    seed: int | None = None
    unsaid: tuple[str, ...] = ()
    """Keys that were left out although they decide something; see `companion.games.aana.odds.unsaid`."""


def read_aana(raw: Mapping[str, Any], name: str) -> AanaBattle:
    """Check a battle file that is parsed already.

    Raises:
        BattleFileError: ``bad_battle`` with every fault, or ``printed_value_missing`` with the keys to enter.
    """
    return _Reader(raw, name).read()


class _Reader(Keys):
    """Reads who fights, where and by which rules."""

    def read(self) -> AanaBattle:
        for key in self.raw:
            if key not in _TOP:
                self.fault(key, one_of(_TOP, key), key)
        self.rulings = self.converted("rulings", dict[str, str], {})
        self.faults += ruling_faults("aana", self.rulings, self.name)
        terrain = self.choice("terrain", ("land", "sea"), "land")
        at_sea = terrain == "sea"
        idle = Say("nothing in a battle at sea") if at_sea else Say("nothing in a battle on land")
        for key in _NOT_AT_SEA if at_sea else _NOT_ON_LAND:
            if self.raw.get(key):
                self.fault(key, idle, self.raw[key])
        book, board = self.tables()
        attackers, defenders = self.groups("attacking"), self.groups("defending")
        cargo_groups = self.groups("cargo", needed=False)
        for key, groups in (("attacking", attackers), ("defending", defenders)):
            for number, group in enumerate(groups):
                if group.nation in SIDE_OF and not book.has(group.nation, group.unit):
                    pieces = dict.fromkeys(r.unit for r in book.rows() if book.has(group.nation, r.unit))
                    self.fault(f"{key}[{number}].unit", one_of(pieces, group.unit), group.unit)
        for group in attackers:
            known = terrain == "land" and group.origin == "" and book.has(group.nation, group.unit)
            if known and book.row(group.nation, group.unit).type == "land":
                self.fault("attacking.origin", Say("the territory attacked from"), None)
        check_sides(self, attackers, [*defenders, *cargo_groups])
        table = Table(book, board, self.routes)
        check_pieces(self, table, terrain, attackers=attackers, defenders=defenders, cargo=cargo_groups)
        rules = self.rules(terrain, board, attackers, book)
        attack, defence = read_plans(self, self.rulings)
        dice = self.converted("dice", tuple[AanaDice, ...], ())
        seed = self.converted("seed", int | None, None)
        self.stop_on_faults()
        on_land = terrain == "land"
        a_kinds = _kinds(attackers, on_land, book)
        d_kinds = _kinds(defenders, False, book)
        try:
            arena, at_a, at_d = arena_of(book, rules, a_kinds, d_kinds)
        except MissingFiguresError as error:
            raise BattleFileError(
                "printed_value_missing", [self.to_add(key) for key in error.keys], error.keys
            ) from None
        except (UnknownPieceError, NoCombatUnitError) as error:
            fault = Say("{file}: {fault}", file=Typed(self.name), fault=error.say)
            raise BattleFileError("bad_battle", [fault]) from None
        a, d = [0] * len(arena.attackers), [0] * len(arena.defenders)
        for kind, n in a_kinds.items():
            a[at_a[kind]] += n
        for kind, n in d_kinds.items():
            d[at_d[kind]] += n
        cargo = _cargo(cargo_groups)
        pools, supply, declared = read_supply(self, arena, tuple(a), bool(sum(d)))
        defence_supply = read_defence_supply(self)
        self.stop_on_faults()
        costs = {
            (group.nation, group.unit): cost
            for group in cargo_groups
            if group.unit != "supply" and (cost := book.row(group.nation, group.unit).cost) is not None
        }
        return AanaBattle(
            book,
            arena,
            tuple(a),
            tuple(d),
            cargo,
            costs,
            attack,
            defence,
            supply,
            defence_supply,
            pools,
            declared,
            _inferred(arena),
            dice,
            seed,
            unsaid_keys(
                self.raw,
                book,
                self.routes,
                attackers,
                arena=arena,
                attackers=tuple(a),
                defenders=tuple(d),
                defence=defence,
            ),
        )

    def to_add(self, key: str) -> Say:
        """Ask for a figure that the text does not state."""
        return Say(
            "{file}: {figure} is printed on your Reference Chart: add {key} to printed_values.",
            file=Typed(self.name),
            figure=Name("key", key),
            key=Typed(key),
        )

    def tables(self) -> tuple[FigureBook, Board]:
        printed: dict[str, Any] = {}
        values = self.choice("values", ("rulebook", "unofficial"), "rulebook")
        plain = figure_book(shipped_table("units"), {})
        if values == "unofficial":
            fan = msgspec.convert(shipped_table("unofficial"), UnofficialFile)
            unknown = set(plain.unknown_keys())
            printed = {k: v for k, v in unofficial_values(fan).items() if k in unknown}
        given = self.converted("printed_values", dict[str, dict[str, Any]], {})
        for piece, figures in given.items():
            for figure, value in figures.items():
                key = f"unit.{piece}.{figure}"
                try:
                    fault = plain.fault(key, value)
                except KeyError:
                    fault = Say(
                        "{piece} has no such value: {figure}.", piece=Typed(piece), figure=Typed(figure)
                    )
                if fault is not None:
                    file, at = Typed(self.name), Typed("printed_values")
                    self.faults.append(Say("{file}: {key}: {fault}", file=file, key=at, fault=fault))
                else:
                    printed[key] = value
        return figure_book(shipped_table("units"), printed), shipped_board()

    def groups(self, key: str, needed: bool = True) -> list[Group]:
        if key not in self.raw:
            if needed:
                self.fault(key, Say("a list of groups"), None)
            return []
        found: list[Group] = self.converted(key, list[Group], [])
        for number, group in enumerate(found):
            if group.count < 1:
                self.fault(f"{key}[{number}].count", Say("{n} or more", n=1), group.count)
            if group.spaces < 0:
                self.fault(f"{key}[{number}].spaces", Say("{n} or more", n=0), group.spaces)
            if group.nation not in SIDE_OF:
                self.fault(f"{key}[{number}].nation", one_of(SIDE_OF, group.nation), group.nation)
        return found

    @property
    def routes(self) -> Routes | None:
        """The borders of the unofficial set, where the file takes its figures."""
        if self.raw.get("values") != "unofficial":
            return None
        fan = msgspec.convert(shipped_table("unofficial"), UnofficialFile)
        return Routes(RoutesTable(fan.borders, fan.sahara))

    def rules(self, terrain: str, board: Board, attackers: list[Group], book: FigureBook) -> Rules:
        strength: dict[SiteId, int] = {}
        for group in attackers:
            if book.has(group.nation, group.unit) and book.row(group.nation, group.unit).type == "land":
                strength[group.origin] = strength.get(group.origin, 0) + group.count
        main = SiteId(str(self.raw.get("main", "")))
        most = max(strength.values(), default=0)
        tied = sorted(origin for origin, n in strength.items() if n == most)
        if terrain == "land" and tied and not main:
            main = tied[0]
            if len(tied) > 1:
                self.fault("main", one_of(tied), None)
        elif main and main not in tied:
            self.fault("main", one_of(tied, main), main)
        reroll, source = 0, ""
        territory = SiteId(str(self.raw.get("territory", "")))
        if territory:
            if board.territory(territory) is None:
                self.fault("territory", Say("a territory that the rules name"), territory)
            else:
                bonus = board.bonus(territory)
                row = board.territory(territory)
                source = "" if row is None else row.bonus_from
                if bonus is not None:
                    reroll, source = bonus
                elif "bonus_reroll" not in self.raw and source in strength:
                    self.fault(
                        "bonus_reroll", Say("the lowest face that defenders reroll, from your board"), None
                    )
        reroll = self.converted("bonus_reroll", int, reroll)
        if reroll and not 2 <= reroll <= 10:
            self.fault("bonus_reroll", one_of([Range(2, 10), Typed("0")]), reroll)
        rulings = self.rulings
        return Rules(
            domain="land" if terrain == "land" else "sea",
            main_origin=main,
            bonus_reroll=reroll,
            bonus_from=source,
            bonus_once=rulings.get("aana.bonus_reroll") == "once",
            spill=rulings.get("aana.transport_hits", "transports") == "transports",
            can_retreat=self.converted("can_retreat", bool, True),
            must_press=self.converted("landing", bool, False),
            aaa_last=_AAA_LAST.get(rulings.get("aana.aaa_last", ""), "refuge"),
            vichy_binds=rulings.get("aana.vichy_beside") == "bound",
        )


def _kinds(groups: list[Group], with_origin: bool, book: FigureBook) -> dict[Kind, int]:
    found: dict[Kind, int] = {}
    for group in groups:
        is_land = book.has(group.nation, group.unit) and book.row(group.nation, group.unit).type == "land"
        origin = group.origin if with_origin and is_land else NO_SPACE
        kind = Kind(group.unit, group.nation, origin, group.damaged)
        found[kind] = found.get(kind, 0) + group.count
    return found


def _cargo(groups: list[Group]) -> Cargo:
    units: dict[tuple[Nation, str], int] = {}
    supply: dict[Nation, int] = {}
    for group in groups:
        if group.unit == "supply":
            supply[group.nation] = supply.get(group.nation, 0) + group.count
        else:
            key = (group.nation, group.unit)
            units[key] = units.get(key, 0) + group.count
    return Cargo(
        tuple(sorted((power, unit, n) for (power, unit), n in units.items())), tuple(sorted(supply.items()))
    )


def _inferred(arena: Arena) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for row in (*arena.attacker_rows, *arena.defender_rows):
        for figure, status in row.status.items():
            if status.startswith("inferred"):
                found[f"{row.power}.{row.unit}.{figure}"] = None
    return tuple(found)
