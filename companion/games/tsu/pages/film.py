"""What The Soft Underbelly tells of an evening: stars, and attacks by their values. It has no dice, so no luck is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from companion.core.history import Entry
from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import Name, Say, Typed, nation
from companion.games.tsu.names import listed
from companion.games.tsu.pages.fight import result_line
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.state import ALLIES, AXIS, SIDE_OF, slice_of
from companion.games.tsu.rules.units import Unit
from companion.games.tsu.rules.victory import star_side, victory_stars
from companion.pages.film.telling import Fought, GameFilm, Held, Lost, Luck, Told
from companion.pages.report_parts import ReportSource

__all__ = ["SoftUnderbellyFilm"]


class SoftUnderbellyFilm(GameFilm):
    """Stars and attacks."""

    points_title = Say("Victory stars")

    def points(self, state: GameState) -> Mapping[str, float]:
        """Return how many of the victory stars each side holds."""
        return {side: float(len(victory_stars(state, side))) for side in (AXIS, ALLIES)}

    def held(self, state: GameState) -> tuple[Held, ...]:
        """Return who holds each star."""
        own = slice_of(state)
        return tuple(
            Held(star, Name("star", star), star_side(state, star) or "", nation(holder) if holder else None)
            for star, holder in own.stars.items()
        )

    def told(self, entry: Entry, before: GameState, after: GameState) -> Told:  # noqa: ARG002 - events tell it all
        """Return the attack of an act."""
        number = getattr(entry.command, "attack", None)
        if isinstance(entry.command, cm.DeclareAttack):
            number = next((one.number for one in entry.events if isinstance(one, cm.AttackDeclared)), None)
        return Told(_key(before, number)) if isinstance(number, int) else Told()

    def battles(self, source: ReportSource, around: Callable[[int], GameState]) -> tuple[Fought, ...]:
        """Return every attack that was declared, with its values."""
        found: dict[str, Fought] = {}
        for entry in source.entries:
            if not source.counts(entry.seq):
                continue
            for event in entry.events:
                before = around(entry.seq) if isinstance(event, _EVENTS) else None
                match event:
                    case cm.AttackDeclared(number, attack):
                        assert before is not None
                        title = Say("Attack on {area}", area=Typed(attack.target))
                        powers = [one.unit.nation for one in attack.attackers]
                        side = SIDE_OF.get(powers[0], "") if powers else ""
                        found[_key(before, number)] = Fought(_key(before, number), title, side)
                    case cm.AttackResolved(number, side, result):
                        assert before is not None
                        key = _key(before, number)
                        if key in found:
                            found[key] = _resolved(found[key], side, result)
                    case _:
                        pass
        return tuple(found.values())

    def battles_say(self, count: int) -> Say:
        """Return how many attacks there were."""
        return Say.counted("{n} attack was carried out.", "{n} attacks were carried out.", count)

    def won_say(self, count: int) -> Say:
        """Return how many of them succeeded."""
        return Say("Attacks that succeeded: {n}.", n=count)

    def luck(self, source: ReportSource, *, is_brief: bool = False) -> Luck:  # noqa: ARG002 - there is none
        """Say that there is none."""
        return Luck((), (Say("This game has no dice: what happened was nobody's luck."),))


_EVENTS = (cm.AttackDeclared, cm.AttackResolved)


def _key(state: GameState, number: int) -> str:
    owners = state.step.owners
    return f"{state.step.stage}.{owners[0] if len(owners) == 1 else ''}.{number}"


def _resolved(fought: Fought, side: Side, result: cm.Result) -> Fought:
    enemy = AXIS if side == ALLIES else ALLIES
    return Fought(
        fought.key,
        fought.title,
        side,
        Say("Values: {a} against {d}", a=result.attack_value, d=result.defence_value),
        None,
        result_line(result),
        bool(result.removed) or result.is_taken,
        (_lost(side, result.attackers_lost), _lost(enemy, result.removed)),
    )


def _lost(side: Side, units: tuple[Unit, ...]) -> Lost:
    kinds = Counter(unit.kind for unit in units)
    return Lost(side, listed(units) if units else None, len(units), tuple(kinds.items()))
