"""The whole line: photo in, readings out. Each step is a pure function of its own module."""

from __future__ import annotations

__all__ = ["Doubtful", "read"]

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.text import Name, Say, Typed, Value, several
from vision import sixnine
from vision.assign import assign_colours
from vision.checks import blot, photo_advice, sharpness, shine
from vision.colour import body_lab, company, expect, look_logits, name_colours, own_word, softmax
from vision.confidence import Signs, colour_vector, confidence, curve, die_vector, lean_vector, stack_vector
from vision.crops import Levels, scene_statistics
from vision.errors import Cancelled
from vision.find import find_dice
from vision.heights import HIGHER, lies_over, size_excess
from vision.models import Models, load_models
from vision.numerals import FaceVote, face_map, face_unit, read_faces
from vision.plane import Table, expected_pose, fit_table, top_direction
from vision.pose import find_poses, look_again
from vision.sets import DiceSet, set_votes
from vision.things import first_signs, keep_dice, overlap
from vision.types import COLOURS, KINDS, OTHER, Flag, Pose, Reading, Readings, Request, legal_values

Progress = Callable[[float, str], None]


def _corners(sides: int, start: float, reach: float) -> NDArray[np.float64]:
    turns = start + 2 * np.pi * np.arange(sides) / sides
    return reach * np.column_stack([np.cos(turns), np.sin(turns)])


_CORNERS = {
    "d12": _corners(5, -np.pi / 2, 1.0), "d10": _corners(4, -np.pi / 2, 1.15), "d6": _corners(4, -np.pi / 4, 1.09),
}  # fmt: skip
"""Of the top face of each kind, in face units."""
_OFF = 0.12
"""Distance from the table's direction at which a top face is looked for elsewhere."""
_LOOK_AGAIN = 0.13
"""Distance or lean, radians, from which a die is looked at from two sides."""
_BACKED = 0.8
"""Other dice that have to agree about the table before it is trusted over a die's own look."""
_LEANS = 0.14
"""Angle, radians, from which a die's nearest face is looked at, not the table's direction."""
_FACE_THERE = 0.4
"""How much that has to look like a face."""
_MOST_AGAIN = 5
"""Dice of one photo that are looked at again at most, the oddest first: a bound on time."""
_SURELY_A_DIE = 0.9
"""Probability from which a thing is not looked at again to tell whether it is a die."""
_NO_DIE = 0.05
"""Probability of being a die under which a thing is not looked at from two sides: of 3,142 dice none came to be one from there."""
_FAINT = 0.3
"""The finder's word under which it is not either."""
_WIDER, _CLOSE_UP = 1.2, 0.031
"""A doubtful thing whose radius is such a share of the photo's long side or more is also looked at in a circle so much wider."""
_WIDENED = 2
"""So many times, from where the circle before put it; a third changes nothing."""
_MANY_THINGS = 14
"""Things of one photo that are looked at for that: what is missing to so many, at least one; a bound on time."""
_HIDES = {"d12": 0.15, "d10": 0.15, "d6": 0.22}
"""Radius in face units from which a white spot is too large for a stroke, or on a d6 for a pip, and hides one."""
_HIDDEN = 0.5
"""A value read from beside such a spot, or of one of two things in one place, is at most this sure: the table is asked."""
_OUTSIDE = (0.1, 0.4)
"""How far, in radii, a corner of a top face may lie outside of the photo at no loss, and from where the table is asked: with the
reading net above 0.95, none of 62 before was misread, 3 of 16 behind."""
_LIKELY_TOO = 0.02
"""Probability from which the other of 6 and 9 is told beside the likelier."""
_LEAST_FACE_PX = 6.5
"""Face units under which no numeral can be told."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A reading with the signs its confidence came from, for fitting and for tests."""

    reading: Reading
    signs: Signs
    pose: Pose
    vote: FaceVote
    logits: tuple[float, ...]
    """The colour net's word on this die alone."""
    lab: tuple[float, ...]
    """The measured body, see ``colour.body_lab``."""


def _look_closer(photo: Levels, poses: Sequence[Pose], models: Models) -> tuple[Pose, ...]:
    """Look again at things that are neither surely dice nor faint: from where they were put right, and from the side.

    What the finder put a little beside or made too small, the pose net takes for none of its dice. Close up it makes many
    too small: those are looked at in wider circles, too, which are believed where pose net and kind net both see a die.
    """
    doubtful = [i for i, p in enumerate(poses) if p.die < _SURELY_A_DIE and p.found.score > _FAINT]
    most = max(1, _MANY_THINGS - len(poses))
    doubtful = sorted(doubtful, key=lambda i: -poses[i].found.score)[:most]
    out = list(poses)
    again = look_again(photo, [poses[i] for i in doubtful], models.pose, models.kind, quarters=(1,))
    for i, pose in zip(doubtful, again, strict=True):
        out[i] = pose
    near = [i for i in doubtful if most > 1 and poses[i].found.radius >= _CLOSE_UP * max(_size(photo))]
    places = {i: poses[i].found for i in near}
    for _ in range(_WIDENED):
        near = [i for i in near if out[i].die < _SURELY_A_DIE]
        circles = [replace(places[i], radius=places[i].radius * _WIDER) for i in near]
        wider = find_poses(photo, circles, models.pose, models.stack, models.kind)
        for i, pose in zip(near, wider, strict=True):
            places[i] = pose.found
            if min(pose.die, 1 - pose.named[3]) > out[i].die:
                out[i] = pose
    return tuple(out)


def _name_kinds(poses: Sequence[Pose], request: Request) -> list[tuple[str, float]]:
    """Name each die's kind with its probability; what was asked for, and what the others are, is favoured, not forced."""
    p = np.array([pose.kinds[:3] for pose in poses]) + 1e-6
    p = p / p.sum(axis=1, keepdims=True)
    weight = np.array([(pose.found.score * pose.die) ** 2 for pose in poses])
    p = p * ((p * weight[:, None]).sum(axis=0) / weight.sum() + 0.03)
    if request.kinds:
        p = p * np.array([1.0 if k in request.kinds else 0.03 for k in KINDS])
    p = p / p.sum(axis=1, keepdims=True)
    return [(KINDS[int(np.argmax(row))], float(row.max())) for row in p]


def _legal(logp: NDArray[np.float64], kind: str) -> dict[int, float]:
    """Merge a d10's 0 and 10, rule out what the kind cannot show, and normalise: value to probability."""
    p = np.exp(logp).tolist()
    if kind == "d10":
        p[10] += p[0]
    some = {v: p[v] + 1e-9 for v in legal_values(kind)}
    total = sum(some.values())
    rest = max(0.0, 1.0 - total)  # what fell on impossible numbers stays doubt, spread over all
    return {v: (q / total) * (1 - rest) + rest / len(some) for v, q in some.items()}


def _ranked(chances: dict[int, float], kind: str) -> list[tuple[int, float]]:
    """Return values and their probabilities, the likeliest first; 6 and 9 stand together where they are it together."""
    ranked = sorted(chances.items(), key=lambda item: -item[1])
    either = [item for item in ranked if item[0] in (6, 9) and kind != "d6"]
    if sum(p for _value, p in either) > ranked[0][1]:
        ranked = either + [item for item in ranked if item not in either]
    return ranked


def _is_six_or_nine(ranked: Sequence[tuple[int, float]], kind: str) -> bool:
    """Say whether the two likeliest values are 6 and 9 and neither is plain."""
    return kind != "d6" and {ranked[0][0], ranked[1][0]} == {6, 9} and ranked[1][1] > _LIKELY_TOO


def _outline(pose: Pose, kind: str, turn: float) -> tuple[tuple[float, float], ...]:
    corners = _CORNERS[kind]
    if kind == "d12" and np.cos(5 * (turn - np.pi / 2) - pose.phase) < 0:
        corners = -corners
    points = corners @ face_map(pose, turn).T + pose.top
    return tuple((round(x, 1), round(y, 1)) for x, y in points.tolist())


def _inside(outline: Sequence[tuple[float, float]], size: tuple[int, int], radius: float) -> float:
    """Return 1 for a top face within the photo (width, height), 0 for one of which so much is outside that a stroke may be missing."""
    outside = max(max(-x, -y, x - size[0], y - size[1]) for x, y in outline) / radius
    least, most = _OUTSIDE
    return min(1.0, max(0.0, (most - outside) / (most - least)))


def _amounts(amounts: dict[str, int]) -> Value:
    """Return so many dice of each colour."""
    said = [
        Say("{count} {colour}", count=amounts[colour], colour=Name("colour", colour))
        for colour in (*COLOURS, "unknown")
        if amounts.get(colour)
    ]
    return several(said) if said else Say("no dice")


def _mismatches(dice: Sequence[Reading], request: Request) -> tuple[Say, ...]:
    """Compare what lies there with what was asked for."""
    out = []
    strangers = sum(d.kind == OTHER for d in dice)
    dice = [d for d in dice if d.kind != OTHER]
    if request.counts:
        asked = {c: n for c, n in request.counts if n}
        seen = Counter(d.colour or "unknown" for d in dice)
        if dict(seen) != asked:
            out.append(Say("needed {asked}, found {seen}", asked=_amounts(asked), seen=_amounts(seen)))
    elif request.colours:
        odd = Counter(d.colour for d in dice if d.colour and d.colour not in request.colours)
        for colour, count in sorted(odd.items()):
            seen_here = _amounts({colour: count})
            if count == 1:
                out.append(Say("found {seen}, which is not part of this roll", seen=seen_here))
            else:
                out.append(Say("found {seen}, which are not part of this roll", seen=seen_here))
    if request.kinds:
        strange = Counter(d.kind for d in dice if d.kind not in request.kinds)
        for kind, count in sorted(strange.items()):
            asked_for = several(map(Typed, request.kinds), "or")
            out.append(
                Say("found {count} {kind}, needed {kinds}", count=count, kind=Typed(kind), kinds=asked_for)
            )
    if strangers:
        out.append(Say.counted("found {n} die of another kind", "found {n} dice of another kind", strangers))
    return tuple(out)


def _size(photo: Levels) -> tuple[int, int]:
    """Return a photo's width and height."""
    return photo.image.shape[1], photo.image.shape[0]


def _off(poses: Sequence[Pose], table: Table) -> NDArray[np.float64]:
    """Return how far each die's own idea of its top face lies from the table's, as the length between directions."""
    return np.asarray(np.linalg.norm(top_direction(poses) - table.up, axis=1))


def _second_thoughts(
    photo: Levels,
    poses: Sequence[Pose],
    votes: Sequence[FaceVote],
    table: Table,
    models: Models,
) -> tuple[tuple[Pose, ...], tuple[FaceVote, ...], NDArray[np.float64]]:
    """Read dice whose top face does not look where the table's does again where it should be; keep what reads better.

    Of a die that leans, that is its most upright face.

    Also returned: the best probability of a number there, 0 for dice that were not read again.
    """
    odd = _off(poses, table)
    elsewhere = np.zeros(len(poses))
    doubtful = [i for i in range(len(poses)) if odd[i] > _OFF and table.backing[i] > _BACKED]
    if not doubtful:
        return tuple(poses), tuple(votes), elsewhere
    upright = (table.lean < _LEANS) | (table.peak < _FACE_THERE)
    where = np.where(upright[:, None], table.up, table.peaks)
    others = [expected_pose(poses[i], where[i], table.poles[i]) for i in doubtful]
    again = read_faces(photo, others, models.read)
    out_poses, out_votes = list(poses), list(votes)
    for i, pose, vote in zip(doubtful, others, again, strict=True):
        elsewhere[i] = float(np.exp(max(vote.logp)))
        if max(vote.logp) > max(votes[i].logp) - min(3.0, 8.0 * (odd[i] - _OFF)) * (1 - poses[i].cocked):
            out_poses[i], out_votes[i] = pose, vote
    return tuple(out_poses), tuple(out_votes), elsewhere


def _from_two_sides(
    photo: Levels, poses: Sequence[Pose], models: Models, request: Request
) -> tuple[tuple[Pose, ...], Table]:
    """Look again, upright and on its side, at dice that seem to lean, or at all where no other die tells; fit the table."""
    size = _size(photo)
    kinds = _name_kinds(poses, request)
    table = fit_table(poses, size, [kind for kind, _p in kinds])
    keep = _dice_among(first_signs(poses, kinds, table, _off(poses, table)), models.doubt, _NO_DIE)
    keep = [i for i, pose in enumerate(poses) if i in keep or pose.is_other]
    poses, table = tuple(poses[i] for i in keep), table.of(keep)
    odd = np.maximum(_off(poses, table), table.lean)
    order = sorted(range(len(poses)), key=lambda i: -odd[i])
    again = [i for i in order if odd[i] > _LOOK_AGAIN or table.backing[i] < _BACKED][:_MOST_AGAIN]
    if not again:
        return poses, table
    out = list(poses)
    closer = look_again(photo, [poses[i] for i in again], models.pose, models.kind)
    for i, pose in zip(again, closer, strict=True):
        out[i] = pose
    named = [kind for kind, _p in _name_kinds(out, request)]
    return tuple(out), fit_table(out, size, named, table if table.backing.max() > _BACKED else None)


def _dice_among(signs: Sequence[Signs], doubt: dict[str, Any], most: float = 1.0) -> list[int]:
    """Return which things are dice by what is known before they are read; ``most`` is as much as is asked of them, 0 to 1."""
    least = min(most, doubt["die_at"])
    return [i for i, s in enumerate(signs) if curve(die_vector(s), doubt["die"]) >= least]


def examine(
    image: NDArray[np.uint8],
    request: Request,
    models: Models,
    *,
    dice_set: DiceSet | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Doubtful, ...]:
    """Do all steps and keep their evidence; ``read`` is this with the evidence dropped and dice of other kinds added."""
    dice, _strangers = _look(
        image, request, models, dice_set=dice_set, progress=progress, cancelled=cancelled
    )
    return dice


def _look(
    image: NDArray[np.uint8],
    request: Request,
    models: Models,
    *,
    dice_set: DiceSet | None,
    progress: Progress | None,
    cancelled: Callable[[], bool] | None,
) -> tuple[tuple[Doubtful, ...], tuple[Reading, ...]]:
    """Return the dice of a photo with their evidence, and those of other kinds, which nobody can read."""

    def step(share: float, what: str) -> None:
        if cancelled is not None and cancelled():
            raise Cancelled(Say("Reading was stopped."))
        if progress is not None:
            progress(share, what)

    size = (image.shape[1], image.shape[0])
    step(0.0, "finding dice")
    photo = Levels(image)
    found = find_dice(photo, models.finder, least=models.doubt["found_at"])
    step(0.35, "finding the top faces")
    poses = _look_closer(photo, find_poses(photo, found, models.pose, models.stack, models.kind), models)
    keep = keep_dice(found, poses, models.doubt)
    poses = tuple(poses[i] for i in keep)
    if not poses:
        step(1.0, "no dice")
        return (), ()
    step(0.55, "reading")
    poses, table = _from_two_sides(photo, poses, models, request)
    crowded = [near for near, p in zip(overlap(poses), poses, strict=True) if not p.is_other]
    strangers = tuple(_stranger(p) for p in poses if p.is_other)
    poses = tuple(p for p in poses if not p.is_other)
    if not poses:
        step(1.0, "no dice")
        return (), strangers
    if strangers:
        table = fit_table(poses, size, [kind for kind, _p in _name_kinds(poses, request)])
    kinds, odd = _name_kinds(poses, request), _off(poses, table)
    known = first_signs(poses, kinds, table, odd)
    keep = _dice_among(known, models.doubt)
    if not keep:
        step(1.0, "no dice")
        return (), strangers
    poses, table, odd = tuple(poses[i] for i in keep), table.of(keep), odd[keep]
    kinds, known, crowded = [kinds[i] for i in keep], [known[i] for i in keep], [crowded[i] for i in keep]
    votes = read_faces(photo, poses, models.read)
    poses, votes, elsewhere = _second_thoughts(photo, poses, votes, table, models)
    step(0.9, "naming colours")
    scene = scene_statistics(photo, np.array([[p.found.x, p.found.y, p.found.radius] for p in poses]))
    expected = request.colours or tuple(c for c, n in request.counts if n)
    logits = expect(look_logits(poses, scene, models.colour), expected)
    lab = body_lab(image, poses)
    tones = name_colours(logits, lab, grays=models.doubt["grays"])
    named = [kind for kind, _p in kinds]
    counts = [(colour, count) for colour, count in request.counts if count]
    if dice_set is not None:
        before = tones
        votes, tones = set_votes(dice_set, votes, tones, named)
        logits = (
            logits + np.log(tones + 1e-9) - np.log(before + 1e-9)
        )  # what the set rules out, for each die's own word
    own = [int(np.argmax(t)) for t in tones]
    # Each die's own word: what dice told one another would be counted twice.
    assigned = assign_colours(softmax(logits), counts, lab) if counts else None
    names = list(assigned.names) if assigned is not None else own
    beside = company(logits, lab, names)
    settled = sixnine.settle_photo(poses, votes, named, names)
    over = lies_over(poses, named, table)
    higher = size_excess(poses, named, names, table, size)
    out = []
    for i, (pose, vote) in enumerate(zip(poses, votes, strict=True)):
        kind = named[i]
        chances = _legal(settled[i], kind)
        ranked = _ranked(chances, kind)
        unit = face_unit(pose)
        winner = ranked[0][0]
        tone = names[i]
        next_tone = float(np.delete(tones[i], tone).max())
        signs = replace(
            known[i], winner=ranked[0][1], second=max(p for _value, p in ranked[1:]), agree=vote.agree, spread=vote.spread,
            face_px=unit, is_six_nine=winner in (6, 9) and kind != "d6", elsewhere=float(elsewhere[i]),
            higher=float(higher[i]), colour=float(tones[i, tone]), colour_second=next_tone,
            colour_own=own_word(logits[i], tone), mates=float(beside[i, 0]), is_gray=bool(beside[i, 1]),
            gray_gap=float(beside[i, 2]), light=float(lab[i, 0]) / 100, chroma=float(np.hypot(lab[i, 1], lab[i, 2])),
        )  # fmt: skip
        flags = []
        leans = curve(lean_vector(signs), models.doubt["lean"]) > models.doubt["cocked_at"]
        if over[i] or curve(stack_vector(signs), models.doubt["stack"]) > models.doubt["stacked_at"]:
            flags.append(Flag.STACKED)
        elif leans:
            flags.append(Flag.STACKED if higher[i] > HIGHER[kind] else Flag.COCKED)
        f = pose.found
        cut = min(f.x, f.y, size[0] - 1 - f.x, size[1] - 1 - f.y) < 0.86 * f.radius
        if cut:
            flags.append(Flag.CUT)
        sure = confidence(signs, models.doubt["weights"])
        if kind != "d6":
            sure = min(sure, sixnine.share(settled[i]))
        is_either = sure < 0.9 and _is_six_or_nine(ranked, kind)
        is_doubtful = sure < 0.9 and not is_either  # where it is not known why
        if blot(image, pose, unit) > _HIDES[kind] or (is_doubtful and shine(image, pose, unit) > 0.6):
            flags.append(Flag.GLARE)
            sure = min(sure, _HIDDEN)
        if unit < _LEAST_FACE_PX:
            flags.append(Flag.TOO_SMALL)
        elif is_doubtful and sharpness(image, pose) < 0.02:
            flags.append(Flag.BLURRED)
        if is_either:
            flags.append(Flag.SIX_NINE)
        if assigned is not None:  # what all dice together say
            colour_p = assigned.chances[i]
        else:
            colour_p = curve(colour_vector(signs), models.doubt["colour"])
        outline = _outline(pose, kind, vote.turn)
        sure *= 0.9 + 0.1 * _inside(outline, size, f.radius)
        if crowded[i]:
            sure = min(sure, _HIDDEN)
        # Flat on another die it shows a value all the same; the table is asked whether it counts.
        no_value = leans or Flag.TOO_SMALL in flags
        if no_value or Flag.STACKED in flags:
            sure *= 0.5
        reading = Reading(
            kind=kind, colour=COLOURS[tone], value=None if no_value else winner,
            confidence=float(np.clip(sure * colour_p, 0.0, 1.0)), x=f.x, y=f.y, radius=f.radius,
            outline=outline, flags=tuple(flags), guess=winner,
            others=tuple((v, round(p, 4)) for v, p in ranked[1:4]), value_confidence=float(np.clip(sure, 0.0, 1.0)),
            colour_confidence=colour_p, colour_decides=request.colour_decides,
        )  # fmt: skip
        out.append(Doubtful(reading, signs, pose, vote, tuple(logits[i].tolist()), tuple(lab[i].tolist())))
    step(1.0, "done")
    return tuple(out), strangers


def _stranger(pose: Pose) -> Reading:
    f = pose.found
    return Reading(OTHER, None, None, 0.0, f.x, f.y, f.radius, value_confidence=0.0, colour_confidence=0.0)


def read(
    image: NDArray[np.uint8],
    request: Request | None = None,
    *,
    models: Models | None = None,
    dice_set: DiceSet | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Readings:
    """Read every die in a photo.

    Args:
        image: (h, w, 3) uint8, BGR, as ``vision.load.load_photo`` gives it.
        request: What is expected; differences are reported, never forced.
        models: The nets; loaded from the package when missing.
        dice_set: A calibrated set (``vision.sets``).
        progress: Called with a share 0..1 and a few words, in the caller's thread.
        cancelled: Asked between steps; when it answers True, ``Cancelled`` is raised.

    Raises:
        Cancelled: The caller asked to stop.
        ModelError: The package's model files are missing.
        ValueError: The image has another shape or type.

    Whether the photo shows the table the caller thinks of is not checked.
    """
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"a photo is (h, w, 3) uint8 BGR, got {image.shape} {image.dtype}")
    request = request or Request()
    models = models or load_models()
    examined, strangers = _look(
        image, request, models, dice_set=dice_set, progress=progress, cancelled=cancelled
    )
    dice = (*(e.reading for e in examined), *strangers)
    return Readings(
        image.shape[1], image.shape[0], dice, _mismatches(dice, request), photo_advice(image, dice)
    )
