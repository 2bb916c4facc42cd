"""A battle being fought: from one thing that the table has to do to the next.

Pure functions over `Progress`; whatever follows by itself (a step on which nobody rolls, casualties that leave no
choice) is done at once, so that a progress always waits for dice, a choice or a decision, or is at its end.
Source: rulebook v0.96, Battle Steps; table ruling "when does a battle end".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec
from msgspec.structs import replace

from companion.core.dice import Roll
from companion.games.sfw.rules.battle import (
    ATTACKING,
    DEFENDING,
    SIDES,
    Counts,
    Fight,
    Group,
    Kind,
    home_of,
    other_side,
)
from companion.games.sfw.rules.battle_combine import each_combination
from companion.games.sfw.rules.battle_losses import Hit, LossTable, merge_hits
from companion.games.sfw.rules.battle_play import (
    hits_of,
    is_over,
    read_dice,
    retreating,
    step_rolls,
    unloaded,
)
from companion.games.sfw.rules.battle_record import Line, Owed, Progress, StepRecord, Thrown, Used
from companion.games.sfw.rules.battle_rolls import OBJECTIVE, Rolls, Volley, is_full_retreat, steps

__all__ = [
    "END",
    "Conduct",
    "Course",
    "begin",
    "combined",
    "due_rolls",
    "groups_left",
    "is_ashore",
    "losses_chosen",
    "may_retreat",
    "open_losses",
    "passed",
    "retreated",
    "rolled",
    "set_down",
    "used_in",
    "volley_of",
]

END = "end"
"""Step of a progress at its end."""


class Conduct(msgspec.Struct, frozen=True):
    """How the table conducts its battles."""

    all_steps: bool = False
    """Every step is gone through, also those on which nobody rolls."""
    silent_sides: tuple[str, ...] = ()
    """Sides that roll nothing (a fallen flag under the strict ruling)."""


class Course(msgspec.Struct, frozen=True):
    """A fight with how it is conducted and the casualties of both sides."""

    fight: Fight
    conduct: Conduct
    tables: dict[str, LossTable]


def begin(course: Course) -> Progress:
    """Return the progress at the first thing to do."""
    fight = course.fight
    return _enter(course, Progress(0, "", fight.start(ATTACKING), fight.start(DEFENDING)))


def due_rolls(course: Course, progress: Progress) -> tuple[Rolls, Rolls]:
    """Return what both sides roll on the step at hand."""
    fight, conduct = course.fight, course.conduct
    if progress.step in ("", END) or (progress.step == "retreat" and not _is_leaving(fight, progress)):
        return Rolls(()), Rolls(())
    both = step_rolls(fight, progress.step, progress.attacking, progress.defending)
    attacking, defending = (
        Rolls((), part.silent) if side in conduct.silent_sides else part
        for side, part in zip(SIDES, both, strict=True)
    )
    return attacking, defending


def may_retreat(fight: Fight, progress: Progress) -> bool:
    """Say whether the battle waits for the defender to retreat or stand."""
    return progress.step == "retreat" and not _is_leaving(fight, progress)


def _is_leaving(fight: Fight, progress: Progress) -> bool:
    return any(progress.defending[kind.index] for kind in fight.defending if kind.role == "leaving")


def _enter(course: Course, progress: Progress) -> Progress:
    """Go on from a position to the first step that waits for somebody."""
    fight, conduct = course.fight, course.conduct
    order = steps(fight)
    while progress.position < len(order):
        step = order[progress.position]
        if not conduct.all_steps and is_over(
            fight, progress.position, progress.attacking, progress.defending
        ):
            break
        if step == "7B":
            progress = replace(progress, attacking=unloaded(fight, progress.attacking))
        progress = replace(progress, step=step, lines=(), thrown=(), owed=())
        if step == "retreat":
            could = any(
                kind.role == "leaving" and progress.defending[kind.source] for kind in fight.defending
            )
            if could and fight.in_space(ATTACKING, progress.attacking):
                return progress
        lines = _lines(fight, due_rolls(course, progress))
        if lines:
            return _with_lines(progress, lines)
        if conduct.all_steps and step != "retreat":
            return progress
        progress = replace(progress, position=progress.position + 1)
    return replace(progress, step=END, lines=(), thrown=(), owed=())


def _with_lines(progress: Progress, lines: tuple[Line, ...]) -> Progress:
    thrown = tuple(Thrown(n, waiting=line.dice) for n, line in enumerate(lines))
    return replace(progress, lines=lines, thrown=thrown)


def _lines(fight: Fight, both: tuple[Rolls, Rolls]) -> tuple[Line, ...]:
    """Gather volleys that are rolled alike into lines: same nation, colour, number, aim and abilities."""
    found: list[Line] = []
    for side, part in zip(SIDES, both, strict=True):
        grouped: dict[tuple[object, ...], list[int]] = {}
        for n, volley in enumerate(part.volleys):
            key = (
                volley.nation,
                volley.level,
                volley.number,
                volley.aim,
                volley.extra_shot,
                volley.level_up,
                volley.precise,
            )
            grouped.setdefault(key, []).append(n)
        for members in grouped.values():
            first = part.volleys[members[0]]
            found.append(
                Line(
                    side,
                    fight.table.level_name(first.level),
                    first.number,
                    sum(part.volleys[n].dice for n in members),
                    first.nation,
                    tuple(dict.fromkeys(part.volleys[n].source for n in members)),
                    tuple(part.volleys[n].kind for n in members),
                    tuple(members),
                )
            )
    return tuple(found)


def volley_of(line: Line, both: tuple[Rolls, Rolls]) -> Volley:
    """Return the first of a line's volleys; the others differ from it in unit and count only."""
    return both[0 if line.side == ATTACKING else 1].volleys[line.volleys[0]]


def rolled(course: Course, progress: Progress, rolls: Sequence[tuple[int, Roll]]) -> Progress:
    """Return the progress after dice for some lines; each roll has exactly the dice that its line waits for."""
    both = due_rolls(course, progress)
    thrown = list(progress.thrown)
    for number, roll in rolls:
        before = thrown[number]
        volley = volley_of(progress.lines[number], both)
        read = read_dice(volley, roll.values(), is_bonus=bool(before.rolls))
        thrown[number] = Thrown(
            number,
            (*before.rolls, roll),
            before.hits + roll.hits(volley.number),
            before.twelves + read.twelves,
            read.again,
        )
    progress = replace(progress, thrown=tuple(thrown))
    if any(entry.waiting for entry in thrown):
        return progress
    return _tally(course, progress, both)


def _tally(course: Course, progress: Progress, both: tuple[Rolls, Rolls]) -> Progress:
    levels = len(course.fight.edition.capacity)
    on: dict[str, list[Hit]] = {side: [] for side in SIDES}
    bombing = progress.bombing
    for entry in progress.thrown:
        line = progress.lines[entry.line]
        volley = volley_of(line, both)
        if volley.aim.types == (OBJECTIVE,):
            bombing += entry.hits
            continue
        on[other_side(line.side)].extend(hits_of(volley, entry.hits, entry.twelves, levels))
    owed = []
    for side in SIDES:
        hits = merge_hits(tuple(on[side]))
        to_combine = progress.step == "7A" and len(tuple(islice(each_combination(hits, levels), 2))) > 1
        owed.append(
            Owed(
                side,
                tuple(hit for hit in hits if hit.precise),
                tuple(hit for hit in hits if not hit.precise),
                to_combine,
                hits,
            )
        )
    progress = replace(progress, owed=tuple(owed), bombing=bombing)
    return _settle(course, progress)


def open_losses(progress: Progress, side: str) -> tuple[Counts, tuple[Hit, ...], bool] | None:
    """Return what a side has to choose now: its counts, the hits, and whether the shooter chooses; else None."""
    owed = next((entry for entry in progress.owed if entry.side == side), None)
    if owed is None or owed.is_settled or owed.to_combine:
        return None
    counts = progress.counts(side)
    taken = owed.taken or tuple(0 for _ in counts)
    left = tuple(count - loss for count, loss in zip(counts, taken, strict=True))
    if owed.precise:
        return left, owed.precise, True
    return left, owed.plain, False


def _settle(course: Course, progress: Progress) -> Progress:
    """Take the casualties that leave no choice; when all are taken, remove them and go on."""
    for side in SIDES:
        choice = open_losses(progress, side)
        while choice is not None:
            counts, hits, _ = choice
            if not course.tables[side].is_forced(counts, hits):
                break
            losses = next(iter(course.tables[side].legal(counts, hits)))
            progress = _taken(progress, side, losses)
            choice = open_losses(progress, side)
    if progress.owed and all(entry.is_settled for entry in progress.owed):
        return _removed(course, progress)
    return progress


def _taken(progress: Progress, side: str, losses: Counts) -> Progress:
    """Note losses of the phase at hand: precise hits first, then the rest."""
    owed = []
    for entry in progress.owed:
        if entry.side != side:
            owed.append(entry)
            continue
        before = entry.taken or tuple(0 for _ in losses)
        total = tuple(a + b for a, b in zip(before, losses, strict=True))
        if entry.precise:
            owed.append(replace(entry, precise=(), taken=total))
        else:
            owed.append(replace(entry, taken=total, is_settled=True))
    return replace(progress, owed=tuple(owed))


def losses_chosen(course: Course, progress: Progress, side: str, losses: Counts) -> Progress:
    """Return the progress after a side's casualties were chosen; they have been checked."""
    return _settle(course, _taken(progress, side, losses))


def combined(course: Course, progress: Progress, side: str, hits: tuple[Hit, ...]) -> Progress:
    """Return the progress after the hits on a side were combined to these; they have been checked."""
    owed = tuple(
        replace(
            entry,
            precise=tuple(hit for hit in hits if hit.precise),
            plain=tuple(hit for hit in hits if not hit.precise),
            to_combine=False,
            hits=hits,
        )
        if entry.side == side
        else entry
        for entry in progress.owed
    )
    return _settle(course, replace(progress, owed=owed))


def _removed(course: Course, progress: Progress) -> Progress:
    losses = {entry.side: entry.taken for entry in progress.owed}
    record = StepRecord(
        progress.step,
        progress.lines,
        progress.thrown,
        {entry.side: entry.hits for entry in progress.owed},
        losses,
    )
    attacking, defending = (
        tuple(count - loss for count, loss in zip(progress.counts(side), losses[side], strict=True))
        for side in SIDES
    )
    progress = replace(
        progress,
        attacking=attacking,
        defending=defending,
        owed=(),
        records=(*progress.records, record),
        position=progress.position + 1,
    )
    return _enter(course, progress)


def retreated(course: Course, progress: Progress, leaving: Counts, to: str) -> Progress:
    """Return the progress after units were set apart for a retreat: a full one draws fire at once."""
    fight = course.fight
    after = retreating(fight, progress.defending, leaving)
    progress = replace(progress, defending=after, retreat_to=to)
    if is_full_retreat(fight, after):
        lines = _lines(fight, due_rolls(course, progress))
        if lines:
            return _with_lines(progress, lines)
    return passed(course, progress)


def passed(course: Course, progress: Progress) -> Progress:
    """Return the progress after the step at hand was left without a roll."""
    return _enter(course, replace(progress, position=progress.position + 1))


def is_ashore(fight: Fight, progress: Progress) -> bool:
    """Say whether cargo that was to land is counted on its own."""
    order = steps(fight)
    return "7B" in order[: progress.position] or progress.step in ("7B", "7C")


def set_down(kind: Kind, left: int) -> tuple[Group, ...]:
    """Return what stands in a kind's space since its land transports were lost: the cargo kept aboard them."""
    lost = kind.start - left
    if not lost or not kind.unit.has("mobile"):
        return ()
    return tuple(
        Group(load.unit, load.count * lost, kind.nation, kind.distance, home=kind.group.home)
        for load in kind.group.cargo
    )


def groups_left(fight: Fight, side: str, progress: Progress) -> tuple[Group, ...]:
    """Return what a side has left as groups, as a composition to begin the next battle with.

    Units that retreated have left the space; conditions of this battle (split, combined fire, bombing, what was
    spent) are dropped.
    """
    kinds, counts = fight.kinds(side), progress.counts(side)
    unloading = {kind.source for kind in kinds if kind.role == "landing"}
    found: dict[Group, int] = {}
    for kind in kinds:
        for landed in set_down(kind, counts[kind.index]):
            group = replace(landed, count=0)
            found[group] = found.get(group, 0) + landed.count
        if not counts[kind.index] or kind.role == "leaving":
            continue
        old = kind.group
        gone = kind.index in unloading and is_ashore(fight, progress)
        group = Group(
            unit=kind.unit.id,
            count=0,
            nation=kind.nation,
            distance=kind.distance,
            terrain=old.terrain,
            home=old.home,
            cargo=() if gone or old.unit != kind.unit.id else old.cargo,
        )
        found[group] = found.get(group, 0) + counts[kind.index]
    return tuple(replace(group, count=count) for group, count in found.items())


def used_in(fight: Fight, progress: Progress, space: str) -> tuple[Used, ...]:
    """Return the units that are left and have used their attack or defence in a battle.

    Landing defence and the other bonus rolls do not count, nor do anti-air symbols where the edition frees them.
    Units that retreated take what they have used along, where the table said to which space.
    """
    if fight.battle.occasion != "battle":
        return ()
    is_free = fight.edition.is_anti_air_free
    fired: dict[str, set[int]] = {side: set() for side in SIDES}
    for record in progress.records:
        if record.step not in ("1", "2", "3", "4", "5", "6", "7A"):
            continue
        for line in record.lines:
            kinds = fight.kinds(line.side)
            for index in line.kinds:
                if index >= 0 and (
                    record.step == "7A" or not is_free or int(record.step) in kinds[index].unit.battle_steps
                ):
                    fired[line.side].add(index)
    found = []
    for side in SIDES:
        for index in sorted(fired[side]):
            kind, count = fight.kinds(side)[index], progress.counts(side)[index]
            home = home_of(kind.group) if kind.place else space
            if count:
                found.append(Used(side, home, kind.nation, kind.unit.id, count, kind.group.dice))
    for kind in fight.defending:
        count = progress.defending[kind.index]
        if kind.role == "leaving" and kind.source in fired[DEFENDING] and count and progress.retreat_to:
            found.append(Used(DEFENDING, progress.retreat_to, kind.nation, kind.unit.id, count))
    return tuple(found)
