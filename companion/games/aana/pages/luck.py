"""The luck of an evening of North Africa: hits by the volleys, losses by each combat's odds from its beginning."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from companion.core.state import GameState
from companion.core.text import Say, Value, side
from companion.games.aana.odds.play import TooLargeError
from companion.games.aana.pages.evening import ROLES, combat_key, course, side_of, title_say
from companion.games.aana.pages.odds import combats_here
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.combat import ATTACKER
from companion.games.aana.rules.fight import Fight, Shot, lost_of
from companion.games.aana.rules.figures import MissingFiguresError
from companion.games.aana.rules.rounds import AttackPlan
from companion.games.luck import Hits, hits_row, losses_row
from companion.odds import luck
from companion.odds.distributions import Array
from companion.pages.film.fold import folded
from companion.pages.film.luck import Scope
from companion.pages.film.telling import Luck, LuckRow
from companion.pages.modules import modules
from companion.pages.report_parts import ReportSource

__all__ = ["evening_luck"]

_EQUAL = 1e-9


def evening_luck(source: ReportSource, *, is_brief: bool) -> Luck:
    """Return where hits and losses lie among all that might have been. Slow unless it is brief: hits alone."""
    state = source.change.state
    last: dict[str, Fight] = {}
    for entry, fight, _is_over in course(source):
        last[f"{getattr(entry.command, 'step', '')}.{fight.attack}"] = fight
    rows: list[LuckRow] = []
    whole = {str(info.id): Hits() for info in state.frozen_setup.sides}
    for key, fight in last.items():
        for role in ROLES:
            of, here = side_of(state, fight, role), Hits()
            for shot in fight.shots:
                if shot.role == role:
                    _add(here, shot)
                    if of in whole:
                        _add(whole[of], shot)
            if here.dice:
                rows.append(hits_row(state, Scope(key, "battle", side(of), of, title_say(fight)), here))
    evening = [
        hits_row(state, Scope(of, "evening", side(of), of), hits) for of, hits in whole.items() if hits.dice
    ]
    if not evening:
        return Luck((), (Say("No dice rolled in this game yet"),))
    notes: list[Value] = [Say("Hits: among all that the dice that were thrown might have shown.")]
    if not is_brief:
        of_evening, of_combats, told = _losses(source)
        evening += of_evening
        rows += of_combats
        notes += told
    return Luck((*evening, *rows), tuple(notes))


def _add(hits: Hits, shot: Shot) -> None:
    hits.add(luck.of_binomial(shot.dice, float(Fraction(*shot.chance))), shot.dice, shot.hits)


def _losses(source: ReportSource) -> tuple[list[LuckRow], list[LuckRow], list[Value]]:
    """Return the losses of the evening and of each combat that is over, and what the figures mean."""
    state = source.change.state
    rows: list[LuckRow] = []
    sums: dict[str, tuple[list[Array], int]] = {}
    left_out = 0
    for key, begun, first, end in _combats(source):
        shares = _shares(begun, first, end)
        if shares is None:
            left_out += 1
            continue
        for role in ROLES:
            of, lost = side_of(state, end, role), sum(lost_of(end, role).values())
            scope = Scope(key, "battle", side(of), of, title_say(end))
            rows.append(losses_row(state, scope, shares[role], lost))
            spreads, total = sums.get(of, ([], 0))
            sums[of] = ([*spreads, shares[role]], total + lost)
    evening = [
        losses_row(state, Scope(of, "evening", side(of), of), luck.total(spreads), lost)
        for of, (spreads, lost) in sums.items()
    ]
    notes: list[Value] = []
    if evening:
        notes.append(
            Say(
                "Losses: among all that might have come of the same combats from their beginning, when the attackers "
                "cease after the same round, nobody retreats and the least useful units are lost first."
            )
        )
    if left_out:
        notes.append(
            Say.counted(
                "The losses of {n} combat are left out: which supply pays for it is open, or it is too large.",
                "The losses of {n} combats are left out: which supply pays for them is open, or they are too large.",
                left_out,
            )
        )
    return evening, rows, notes


def _combats(source: ReportSource) -> list[tuple[str, GameState, Fight, Fight]]:
    """Return each combat that is over: its key, the state that it began in, and how it began and ended."""
    rules = modules()[source.change.state.frozen_setup.game].rules()
    begun: dict[str, tuple[GameState, Fight]] = {}
    found = []
    for entry, before, after in folded(rules, source):
        for event in entry.events:
            if isinstance(event, bm.FightChanged | bm.FireRolled | bm.CombatConcluded):
                fight = event.fight
                key = combat_key(before, fight.attack)
                begun.setdefault(key, (after, fight))
                if isinstance(event, bm.CombatConcluded):
                    found.append((key, *begun.pop(key), fight))
    return found


def _shares(begun: GameState, first: Fight, end: Fight) -> dict[str, Array] | None:
    """Return by role the chance of exactly so many units lost; None where that is not known."""
    if (first.start_a, first.start_d) != (end.start_a, end.start_d) or not (any(first.a) and any(first.d)):
        return None  # units joined it later, or nothing was fought
    try:
        rounds = end.round_no if end.result == "ceased" else None
        worked = [
            replace(combat, attack=AttackPlan(rounds=rounds)).odds() for combat in combats_here(begun, first)
        ]
    except (TooLargeError, MissingFiguresError):
        return None
    found: list[dict[str, Array]] = []
    for odds in worked:
        start = {role: sum(first.a if role == ATTACKER else first.d) for role in ROLES}
        found.append(
            {role: luck.of_table({start[role] - n: p for n, p in odds.left[role].items()}) for role in ROLES}
        )
    if not found or any(not _same(found[0][role], one[role]) for one in found for role in ROLES):
        return None
    return found[0]


def _same(one: Array, other: Array) -> bool:
    return len(one) == len(other) and bool((abs(one - other) < _EQUAL).all())
