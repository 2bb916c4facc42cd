"""What Song for War tells of an evening: sites and points, dice by line, battles with odds and losses, exact luck."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec.structs import replace

from companion.core.dice import Roll, faces
from companion.core.history import Entry
from companion.core.ids import Nation, SiteId
from companion.core.rules import Rejected
from companion.core.state import GameState
from companion.core.text import Say, Typed, Value, nation, several, side, site, unit
from companion.games.luck import Hits, hits_row, losses_row
from companion.games.sfw.pages.battle_luck import Forecast, forecast_of, is_priced
from companion.games.sfw.pages.battle_odds import share_say
from companion.games.sfw.pages.decisions import costly
from companion.games.sfw.pages.tell import counts_say
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, SIDES, Fight
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_record import Declared, Line, Thrown
from companion.games.sfw.rules.battle_state import battles_of, fight_of, side_id
from companion.games.sfw.rules.control import holder, totals
from companion.games.sfw.rules.desert import RollDesert
from companion.games.sfw.rules.ledger import nation_side
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.units import UnitTable
from companion.odds import luck
from companion.odds.coaching import coach_fault, worth_say
from companion.odds.distributions import Part
from companion.pages.film.luck import Scope
from companion.pages.film.telling import Costly, Fought, GameFilm, Held, Lost, Luck, LuckRow, Throw, Told
from companion.pages.page import Die
from companion.pages.report_parts import ReportSource

__all__ = ["SongForWarFilm"]

_FACES = 12


class SongForWarFilm(GameFilm):
    """Both editions: what differs between them stands in the game's own tables."""

    points_title = Say("Victory points")
    judges_decisions = True

    def points(self, state: GameState) -> Mapping[str, float]:
        """Return both sides' victory points, or how many sites each holds where none are counted."""
        if tables(state).counts_points:
            known = totals(state).quarters
            return {id_: amount / 4 for id_, amount in known.items()}
        found: dict[str, float] = {info.id: 0.0 for info in state.frozen_setup.sides}
        for one in self.held(state):
            if one.side in found:
                found[one.side] += 1
        return found

    def held(self, state: GameState) -> tuple[Held, ...]:
        """Return who holds each Objective and Airfield."""
        found = []
        for id_ in map(SiteId, tables(state).sites):
            now = holder(state, id_)
            found.append(Held(id_, site(id_), now.side or "", nation(now.nation) if now.nation else None))
        return tuple(found)

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:
        """Return the battle of an act, and dice line by line."""
        command = entry.command
        if isinstance(command, RollDesert):
            return Told("", (_desert(before, command),))
        letter = getattr(command, "battle", "")
        if isinstance(command, bc.DeclareBattle):
            letter = next((one.battle for one in entry.events if isinstance(one, bc.BattleDeclared)), "")
        declared = battles_of(before).find(letter) or battles_of(after).find(letter)
        if declared is None:
            return Told()
        throws: tuple[Throw, ...] = ()
        if isinstance(command, bc.RecordRoll):
            throws = _thrown(before, entry, command, declared)
        return Told(_key(declared), throws)

    def battles(
        self,
        source: ReportSource,
        around: Callable[[int], GameState],  # noqa: ARG002 - a battle keeps how it began
    ) -> tuple[Fought, ...]:
        """Return every battle that was begun, with its odds and what each side lost."""
        state = source.change.state
        own = battles_of(state)
        return tuple(
            fought
            for declared in (*own.history, *own.battles)
            if (fought := _fought(state, declared)) is not None
        )

    def costly(self, source: ReportSource) -> tuple[Costly, ...] | Say:
        """Return the three choices of losses or retreat that cost most; never of a tournament."""
        refused = coach_fault(source.change.state, is_on=True)
        if refused is not None and refused.detail is not None:
            return refused.detail
        return tuple(
            Costly(
                one.seq,
                one.battle,
                one.side,
                one.chosen,
                one.better,
                Say("{b} instead of {a}", a=worth_say("space", one.was), b=worth_say("space", one.best)),
            )
            for one in costly(source)
        )

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:
        """Return hits by the dice that were thrown, and losses by each battle's odds from its beginning."""
        return _luck(source.change.state, is_brief=is_brief)


# Dice


def _key(declared: Declared) -> str:
    return f"{declared.stage}.{declared.movement_step}.{declared.attacker}.{declared.id}"


def _desert(state: GameState, command: RollDesert) -> Throw:
    who = Say("{nation}: {space}", nation=nation(command.nation), space=space_of(command.space))
    return Throw(nation_side(state.frozen_setup, command.nation), who, tuple(_dice(command.roll, None)))


def _dice(roll: Roll, least: int | None) -> Iterator[Die]:
    """Yield dice as they are drawn; `least`: the lowest value that hits, None where nothing does."""
    told = roll.origin.hits
    for n, one in enumerate(roll.dice):
        shown = Die(str(n), faces(roll.kind), one.value or None, str(one.colour))
        if least is not None:
            is_hit = one.value >= least if told is None else n < told
            shown = replace(shown, state="hit" if is_hit else "miss")
        yield shown


def _thrown(before: GameState, entry: Entry, command: bc.RecordRoll, declared: Declared) -> tuple[Throw, ...]:
    """Return the dice of one act by the lines of the roll list that they were for."""
    event = next((one for one in entry.events if isinstance(one, bc.DiceRecorded)), None)
    fight = fight_of(before, declared)
    if event is None or isinstance(fight, Rejected):
        return ()
    lines, thrown = event.progress.lines, event.progress.thrown
    if event.done:
        lines, thrown = event.done[0].lines, event.done[0].thrown
    was = {one.line: len(one.rolls) for one in declared.progress.thrown} if declared.progress else {}
    found = []
    for number in command.lines:
        if number >= len(lines):
            continue
        line = lines[number]
        rolls = thrown[number].rolls[was.get(number, 0) :]
        dice = tuple(die for roll in rolls for die in _dice(roll, line.number))
        hits = sum(die.state == "hit" for die in dice)
        chance = (_FACES + 1 - line.number) / _FACES
        found.append(
            Throw(
                side_id(before, declared.attacker, line.side),
                _shooters(before, declared, line),
                dice,
                hits,
                len(dice) * chance,
                luck.at_least(luck.of_binomial(len(dice), chance), hits),
            )
        )
    return tuple(found)


def _shooters(state: GameState, declared: Declared, line: Line) -> Say:
    owner = nation(line.nation) if line.nation else side(side_id(state, declared.attacker, line.side))
    return Say("{owner}, {units}", owner=owner, units=several(map(unit, line.units), "comma"))


# Battles


def _fought(state: GameState, declared: Declared) -> Fought | None:
    progress, fight = declared.progress, fight_of(state, declared)
    if progress is None or isinstance(fight, Rejected):
        return None
    forecast = forecast_of(state, declared) if declared.battle.occasion == "battle" else None
    before = None
    if forecast is not None:
        before = Say(
            "Before the battle: space taken {take}, held {hold} ({how})",
            take=share_say(forecast.p_capture),
            hold=share_say(forecast.p_hold),
            how=forecast.how,
        )
    won = _is_taken(fight, declared) if declared.battle.occasion == "battle" else None
    return Fought(
        _key(declared),
        Say("Battle {id}, {space}", id=Typed(declared.id), space=space_of(declared.space)),
        declared.attacker,
        before,
        None if forecast is None else forecast.p_capture,
        _result(declared, won),
        won,
        tuple(_lost(state, fight, declared, role) for role in SIDES),
    )


def _is_taken(fight: Fight, declared: Declared) -> bool | None:
    """Say whether attackers that can hold the space are left in it and no such defenders; None while it is fought.

    Nobody controls a sea space: there whoever is left alone has it.
    """
    progress = declared.progress
    if progress is None or declared.status != "over":
        return None
    at_sea = fight.battle.terrain == "sea"
    left = {
        role: sum(
            count
            for kind, count in zip(fight.kinds(role), progress.counts(role), strict=True)
            if kind.holds or (at_sea and kind.is_there)
        )
        for role in SIDES
    }
    return left[ATTACKING] > 0 and not left[DEFENDING]


def _result(declared: Declared, won: bool | None) -> Value | None:
    if declared.status == "broken_off":
        return Say("broken off")
    if declared.status != "over":
        return None
    if won is None:
        return Say("over")
    return Say("space taken") if won else Say("space not taken")


def _lost(state: GameState, fight: Fight, declared: Declared, role: str) -> Lost:
    assert declared.progress is not None
    gone: dict[str, int] = {}
    for record in declared.progress.records:
        for kind in fight.kinds(role):
            n = record.losses[role][kind.index]
            if n:
                gone[kind.unit.id] = gone.get(kind.unit.id, 0) + n
    return Lost(
        side_id(state, declared.attacker, role),
        counts_say(gone.items()) if gone else None,
        sum(gone.values()),
        tuple(gone.items()),
    )


# Luck


def _add(hits: Hits, line: Line, thrown: Thrown, table: UnitTable, edition: Edition) -> None:
    extra = any(id_ in table.units and table.units[id_].has("extra_shot") for id_ in line.units)
    part = Part(line.dice, line.number, 0, 0, extra, edition.extra_shot_again)
    hits.add(luck.of_dice(part, _FACES), sum(len(roll.dice) for roll in thrown.rolls), thrown.hits)


def _luck(state: GameState, *, is_brief: bool) -> Luck:
    own, rows = battles_of(state), []
    sides: dict[str, Hits] = {info.id: Hits() for info in state.frozen_setup.sides}
    nations: dict[str, Hits] = {}
    losses: dict[str, list[tuple[Forecast, str, int]]] = {id_: [] for id_ in sides}
    for declared in (*own.history, *own.battles):
        fight = fight_of(state, declared)
        if declared.progress is None or isinstance(fight, Rejected):
            continue
        here: dict[str, Hits] = {id_: Hits() for id_ in sides}
        for record in declared.progress.records:
            for line, thrown in zip(record.lines, record.thrown, strict=True):
                of = side_id(state, declared.attacker, line.side)
                for hits in (here[of], sides[of], nations.setdefault(line.nation, Hits())):
                    _add(hits, line, thrown, fight.table, fight.edition)
        rows += [
            hits_row(state, Scope(_key(declared), "battle", side(of), of, _title(declared)), hits)
            for of, hits in here.items()
            if hits.dice
        ]
        if declared.status == "over" and not is_brief:
            rows += _losses_of(state, fight, declared, losses)
    evening = [
        hits_row(state, Scope(id_, "evening", side(id_), id_), hits)
        for id_, hits in sides.items()
        if hits.dice
    ]
    evening += [_losses_sum(state, id_, found) for id_, found in losses.items() if found]
    of_nations = [
        hits_row(state, Scope(id_, "nation", nation(id_), nation_side(state.frozen_setup, Nation(id_))), hits)
        for id_, hits in nations.items()
        if hits.dice and id_
    ]
    if not evening:
        return Luck((), (Say("No dice rolled in this game yet"),))
    notes: list[Value] = [
        Say("Hits: among all that the dice that were thrown might have shown."),
        Say(
            "Losses: among all that might have come of the same battles from their beginning, when nobody "
            "retreats and the cheapest units are lost first."
        ),
    ]
    if not is_priced(state):
        notes.append(Say("Losses are counted by armour level, since not every cost is entered."))
    return Luck((*evening, *of_nations, *rows), tuple(notes))


def _title(declared: Declared) -> Say:
    return Say("Battle {id}, {space}", id=Typed(declared.id), space=space_of(declared.space))


def _losses_of(
    state: GameState, fight: Fight, declared: Declared, into: dict[str, list[tuple[Forecast, str, int]]]
) -> list[LuckRow]:
    """Add the losses of a battle to the evening's, and return its own rows."""
    forecast = forecast_of(state, declared)
    if forecast is None or declared.progress is None or declared.battle.occasion != "battle":
        return []
    rows = []
    for role in SIDES:
        of = side_id(state, declared.attacker, role)
        actual = sum(
            record.losses[role][kind.index] * kind.cost
            for record in declared.progress.records
            for kind in fight.kinds(role)
        )
        into[of].append((forecast, role, actual))
        scope = Scope(_key(declared), "battle", side(of), of, _title(declared))
        shares = luck.of_table(forecast.losses[role])
        rows.append(losses_row(state, scope, shares, actual, is_exact=forecast.is_exact))
    return rows


def _losses_sum(state: GameState, of: str, found: list[tuple[Forecast, str, int]]) -> LuckRow:
    shares = luck.total(luck.of_table(forecast.losses[role]) for forecast, role, _n in found)
    is_exact = all(forecast.is_exact for forecast, _role, _n in found)
    actual = sum(n for _forecast, _role, n in found)
    return losses_row(state, Scope(of, "evening", side(of), of), shares, actual, is_exact=is_exact)
