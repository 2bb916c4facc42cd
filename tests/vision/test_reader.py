"""The whole line on own renders whose fonts and seeds were never trained on, and its ports.

The floors below lie a little under what the shipped models reach, so that a worse model shows up as a red test; they are
not the goals, which stand with the figures in vision/README.md.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import vision
from vision.checks import blot
from vision.crops import Levels
from vision.errors import Cancelled
from vision.models import Models, load_models
from vision.numerals import face_map
from vision.pose import find_poses
from vision.reader import (
    _HIDES,
    _inside,
    _is_six_or_nine,
    _look_closer,
    _mismatches,
    _ranked,
    _stranger,
    examine,
)
from vision.things import keep_dice, overlap
from vision.training.pairs import pair_up
from vision.types import Flag, Found, Pose, Reading, Readings, Request

_PHOTOS = Path(__file__).parent / "photos"
_TRUTH = sorted(_PHOTOS.glob("own_*.json"))
_LEANING = sorted(_PHOTOS.glob("leaning_*.json"))


def _match(dice: list[dict[str, Any]], readings: Readings) -> list[tuple[dict[str, Any] | None, Any]]:
    own = pair_up([(*t["center"], t["radius"]) for t in dice], [(r.x, r.y) for r in readings.dice], 1.0)
    out: list[tuple[dict[str, Any] | None, Any]] = [
        (t, readings.dice[own[i]] if i in own else None) for i, t in enumerate(dice)
    ]
    return out + [(None, r) for j, r in enumerate(readings.dice) if j not in own.values()]


@pytest.fixture(scope="module")
def cases() -> list[tuple[dict[str, Any] | None, Any]]:
    out = []
    for path in _TRUTH:
        truth = json.loads(path.read_text())
        readings = vision.read(vision.load_photo(path.with_suffix(".jpg")))
        out += _match(truth["dice"], readings)
    return out


def test_there_are_photos_and_they_are_small() -> None:
    assert len(_TRUTH) >= 20
    assert sum(p.stat().st_size for p in _PHOTOS.iterdir()) < 8 * 1024 * 1024


def test_nearly_every_die_is_found_and_little_else(cases: list[tuple[dict[str, Any] | None, Any]]) -> None:
    count = Counter("missed" if r is None else "extra" if t is None else "found" for t, r in cases)
    assert count["found"] >= 200
    assert count["missed"] <= 0.04 * count["found"], count
    assert count["extra"] <= 0.07 * count["found"], count


def test_values_colours_and_kinds(cases: list[tuple[dict[str, Any] | None, Any]]) -> None:
    clear = [(t, r) for t, r in cases if t is not None and r is not None and t["legible"] and not t["cocked"]]
    kind = sum(t["kind"] == r.kind for t, r in clear) / len(clear)
    colour = sum(t["color"] == r.colour for t, r in clear) / len(clear)
    value = sum(
        (10 if t["kind"] == "d10" and t["value"] == 0 else t["value"]) == r.guess for t, r in clear
    ) / len(clear)
    assert kind >= 0.985
    # harsher than an evening's, and with no colours asked for: silvery gray is called white, and white gray
    assert colour >= 0.88
    assert value >= 0.93


def test_sure_readings_are_hardly_ever_wrong(cases: list[tuple[dict[str, Any] | None, Any]]) -> None:
    sure = [(t, r) for t, r in cases if r is not None and r.is_sure]
    wrong = [
        r for t, r in sure
        if t is None or t["cocked"] or (10 if t["kind"] == "d10" and t["value"] == 0 else t["value"]) != r.value
    ]  # fmt: skip
    assert len(sure) > 100
    # These photos are harsher than an evening's: dice lean four times as often, one camera hangs 27 degrees aside.
    assert len(wrong) <= 0.04 * len(sure), wrong


def test_an_empty_table_has_no_dice() -> None:
    for level in (0, 128, 255):
        assert vision.read(np.full((600, 800, 3), level, np.uint8)).dice == ()
    noise = np.random.default_rng(1).integers(0, 256, (400, 600, 3)).astype(np.uint8)
    assert not [d for d in vision.read(noise).dice if d.is_sure]


def _first() -> np.ndarray:
    return vision.load_photo(_TRUTH[0].with_suffix(".jpg"))


def test_reading_is_the_same_every_time_and_leaves_the_photo_alone() -> None:
    image = _first()
    before = image.copy()
    assert vision.read(image) == vision.read(image)
    assert np.array_equal(image, before)


def test_progress_is_told_and_cancel_is_heeded() -> None:
    told: list[tuple[float, str]] = []
    vision.read(_first(), progress=lambda share, what: told.append((share, what)))
    shares = [s for s, _ in told]
    assert shares[0] == 0
    assert shares[-1] == 1
    assert shares == sorted(shares)
    asked = iter([False, False, True, True, True])
    with pytest.raises(Cancelled, match="Reading was stopped"):
        vision.read(_first(), cancelled=lambda: next(asked))


def test_counts_asked_for_are_compared_not_forced() -> None:
    free = vision.read(_first())
    seen = Counter(d.colour for d in free.dice)
    asked = vision.read(_first(), Request(counts=(("white", 40), ("gray", 0))))
    assert len(asked.mismatches) == 1
    assert str(asked.mismatches[0]).startswith("needed 40 white, found ")
    assert len(asked.dice) == len(free.dice)
    same = vision.read(_first(), Request(counts=tuple((str(c), n) for c, n in seen.items())))
    assert same.mismatches == ()


def test_a_die_cut_by_the_edge_is_flagged() -> None:
    truth = json.loads(_TRUTH[0].read_text())
    die = max((d for d in truth["dice"]), key=lambda d: min(d["center"][0], 1024 - d["center"][0]))
    x = int(die["center"][0])
    readings = vision.read(np.ascontiguousarray(_first()[:, x:]))
    cut = [d for d in readings.dice if abs(d.y - die["center"][1]) < die["radius"] and d.x < die["radius"]]
    assert all(Flag.CUT in d.flags for d in cut)


def test_only_a_top_face_that_lies_well_outside_of_the_photo_is_cut() -> None:
    face = ((2.0, 10.0), (10.0, 2.0), (18.0, 10.0), (10.0, 18.0))
    assert _inside(face, (20, 20), 15) == 1
    for dx, dy in ((-6, 0), (0, -6), (6, 0), (0, 6)):
        moved = tuple((x + dx, y + dy) for x, y in face)
        assert _inside(moved, (20, 20), 60) == 1, "a corner a little outside hides no stroke"
        assert 0 < _inside(moved, (20, 20), 16) < 1
        assert _inside(moved, (20, 20), 10) == 0


def test_six_and_nine_stand_together_where_one_of_them_is_likeliest() -> None:
    chances = {5: 0.4, 6: 0.35, 9: 0.2, 2: 0.05}
    assert [value for value, _p in _ranked(chances, "d12")] == [6, 9, 5, 2]
    assert [value for value, _p in _ranked(chances, "d6")] == [5, 6, 9, 2], "a d6 has no 9"
    assert [value for value, _p in _ranked({5: 0.6, 6: 0.25, 9: 0.15}, "d12")] == [5, 6, 9]


def test_a_six_without_a_mark_is_told_as_six_or_nine_and_as_nothing_else() -> None:
    """A white d10 in strong light, small: neither its shine nor its softness is why it is asked about."""
    photo = vision.load_photo(_PHOTOS / "six_or_nine.jpg")
    (die,) = (d for d in vision.read(photo, Request(kinds=("d10",))).dice if d.guess in (6, 9))
    assert die.flags == (Flag.SIX_NINE,)
    assert {die.guess, die.others[0][0]} == {6, 9}
    assert not die.is_sure


def test_a_die_at_the_edge_is_as_sure_as_it_was_while_its_top_face_is_there() -> None:
    photo, whole = _first(), vision.read(_first())
    sure = [d for d in whole.dice if d.is_sure and d.x > 150]
    die = min(sure, key=lambda d: d.x)
    left = int(min(x for x, _y in die.outline)) - 1
    again = [
        d for d in vision.read(np.ascontiguousarray(photo[:, left:])).dice if abs(d.x + left - die.x) < 3
    ]
    (same,) = [d for d in again if abs(d.y - die.y) < 3]
    assert Flag.CUT in same.flags
    assert (same.value, same.is_sure) == (die.value, True)


def test_a_white_spot_over_a_numeral_is_asked_about_and_strokes_and_pips_are_none() -> None:
    models = load_models()
    hidden = flagged = plain = 0
    for path in [path for path in _TRUTH if '"glare"' not in path.read_text()][:6]:
        image = vision.load_photo(path.with_suffix(".jpg"))
        spotted = image.copy()
        painted = []
        for one in examine(image, Request(), models):
            plain += 1
            unit = float(np.sqrt(abs(np.linalg.det(face_map(one.pose)))))
            flagged += blot(image, one.pose, unit) > _HIDES[one.reading.kind]
            if one.reading.colour != "white" and one.reading.is_sure:
                top = (round(one.pose.top[0]), round(one.pose.top[1]))
                cv2.circle(spotted, top, round(0.4 * unit), (255, 255, 255), -1, cv2.LINE_AA)
                painted.append(one.reading)
        for after in vision.read(spotted).dice:
            if any(abs(after.x - p.x) + abs(after.y - p.y) < p.radius / 2 for p in painted):
                hidden += 1
                assert not after.is_sure, after
    assert hidden >= 8
    assert flagged == 0, f"{flagged} of {plain}"


def test_only_photos_are_taken() -> None:
    with pytest.raises(ValueError, match=r"a photo is \(h, w, 3\) uint8 BGR, got \(4, 4\) float64"):
        vision.read(np.zeros((4, 4)))  # type: ignore[arg-type]


def test_models_are_under_four_megabytes_and_load_once() -> None:
    folder = Path(vision.__file__).parent / "models"
    assert sum(p.stat().st_size for p in folder.glob("*.onnx")) < 4_000_000
    assert load_models() is load_models()


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180])
def test_a_turned_photo_gives_the_same_sure_values(turn: int) -> None:
    path = _TRUTH[18]
    image = vision.load_photo(path.with_suffix(".jpg"))
    a = Counter((d.colour, d.value) for d in vision.read(image).dice if d.is_sure)
    b = Counter(
        (d.colour, d.value)
        for d in vision.read(np.ascontiguousarray(cv2.rotate(image, turn))).dice
        if d.is_sure
    )
    assert sum(a.values()) >= 10
    assert sum((a & b).values()) >= 0.8 * sum(a.values())


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(counts=(("white", 4),)), ["needed 4 white, found 1 white, 2 gray, 1 unknown"]),
        (Request(counts=(("white", 1), ("gray", 2), ("black", 0))), ["needed 1 white, 2 gray, found"]),
        (Request(counts=(("white", 0),)), ["needed no dice, found 1 white"]),
        (Request(colours=("white",)), ["found 2 gray, which are not part of this roll"]),
        (Request(colours=("gray",)), ["found 1 white, which is not part of this roll"]),
        (Request(kinds=("d6", "d10")), ["found 1 d12, needed d6, d10"]),
        (Request(kinds=("d6",)), ["found 2 d10, needed d6", "found 1 d12, needed d6"]),
        (Request(kinds=("d6", "d10", "d12"), colours=("white", "gray")), []),
    ],
)
def test_what_lies_there_is_compared_with_what_was_asked(request_: Request, words: list[str]) -> None:
    from vision.reader import _mismatches

    dice = [
        Reading(kind, colour, 3, 0.99, 1, 1, 1)
        for kind, colour in (("d12", "white"), ("d10", "gray"), ("d10", "gray"), ("d6", None))
    ]
    found = [str(note) for note in _mismatches(dice, request_)]
    assert len(found) == len(words)
    assert all(any(line.startswith(one) for line in found) for one in words)


@pytest.fixture(scope="module")
def leaning() -> list[tuple[dict[str, Any] | None, Any]]:
    out = []
    for path in _LEANING:
        truth = json.loads(path.read_text())
        out += _match(truth["dice"], vision.read(vision.load_photo(path.with_suffix(".jpg"))))
    return out


@pytest.mark.parametrize(
    ("kind", "least_refused", "most_sure"), [("d12", 0.9, 0), ("d10", 0.7, 4), ("d6", 0.75, 3)]
)
def test_dice_that_lean_or_lie_on_others_are_rolled_again(
    leaning: list[tuple[dict[str, Any] | None, Any]], kind: str, least_refused: float, most_sure: int
) -> None:
    here = [(t, r) for t, r in leaning if t is not None and t["kind"] == kind and r is not None]
    odd = [r for t, r in here if t["cocked"]]
    assert len(odd) >= 10
    refused = [r for r in odd if r.value is None or Flag.STACKED in r.flags]
    assert len(refused) >= least_refused * len(odd)
    assert all({Flag.COCKED, Flag.STACKED} & set(r.flags) and r.guess for r in refused), (
        "the best guess is told"
    )
    assert len([r for r in odd if r.is_sure]) <= most_sure
    upright = [r for t, r in here if not t["cocked"] and t["legible"]]
    assert len(upright) >= 20
    assert len([r for r in upright if r.value is None]) <= 1


def test_some_dice_flat_on_others_are_told_and_none_on_the_table_is_taken_for_one() -> None:
    on, upright = [], []
    for path in sorted(_PHOTOS.glob("stacked_*.json")):
        truth = json.loads(path.read_text())
        seen = vision.read(vision.load_photo(path.with_suffix(".jpg")))
        pairs = [(t, r) for t, r in _match(truth["dice"], seen) if t is not None and r is not None]
        on += [r for t, r in pairs if t["cocked"]]
        upright += [r for t, r in pairs if not t["cocked"] and t["legible"]]
    assert len(on) >= 20
    told = [r for r in on if r.value is None or Flag.STACKED in r.flags]
    assert len(told) >= 8, "most lie too well to be told from dice on the table, which vision/README.md says"
    assert sum(Flag.STACKED in r.flags for r in told) >= 5
    assert all(r.guess and not r.is_sure for r in told), "what it shows is told, and asked"
    assert len(upright) >= 15
    assert all(r.value is not None for r in upright)


def test_a_die_told_to_lie_on_another_does_not_stand_upright(
    leaning: list[tuple[dict[str, Any] | None, Any]],
) -> None:
    stacked = [t for t, r in leaning if r is not None and Flag.STACKED in r.flags]
    assert stacked
    assert all(t is not None and t["cocked"] for t in stacked)


class _Counting(Models):
    """The shipped nets, with a count of what the pose net looks at."""

    looks = 0

    def pose(self, blob: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Count and run."""
        self.looks += len(blob)
        return super().pose(blob)


@pytest.mark.parametrize(("plain", "looks"), [(0, 3), (4, 3), (12, 1), (30, 1)])
def test_only_doubtful_things_are_looked_at_more_closely_and_few_where_there_are_many(
    poses: Any, plain: int, looks: int
) -> None:
    shipped = load_models()
    models = _Counting(shipped.nets, shipped.doubt)
    photo = Levels(_first())
    sure = [poses.pose(60 + 20 * i, 300, 20) for i in range(plain)]
    unsure = [
        replace(
            poses.pose(100 + 60 * i, 100, 20),
            kinds=(0.2, 0.1, 0.1, 0.6),
            found=Found(100 + 60 * i, 100, 20, score),
        )
        for i, score in enumerate((0.4, 0.6, 0.5))
    ]
    faint = replace(unsure[0], found=Found(400, 400, 20, 0.29))
    seen = _look_closer(photo, [*sure, *unsure, faint], models)
    assert models.looks == looks
    assert list(seen[:plain]) == sure
    assert seen[-1] == faint
    changed = [i for i, (a, b) in enumerate(zip(seen[plain:], unsure, strict=False)) if a != b]
    assert changed == ([0, 1, 2] if looks == 3 else [1]), "the finder's best first"


@pytest.mark.parametrize(("sure", "kept"), [(0.7, [0]), (0.6, [0, 1, 2])])
def test_specks_are_no_dice_beside_a_die_that_is_plain(poses: Any, sure: float, kept: list[int]) -> None:
    found = [Found(500, 500, 118, sure), Found(200, 300, 35, 0.5), Found(700, 200, 41, 0.4)]
    things = [replace(poses.pose(f.x, f.y, f.radius), found=f) for f in found]
    assert sorted(keep_dice(found, things, load_models().doubt)) == kept


def test_a_die_close_up_that_was_found_too_small_is_seen_in_a_wider_circle() -> None:
    models = load_models()
    path = _PHOTOS / "own_05.json"
    photo = Levels(vision.load_photo(path.with_suffix(".jpg")))
    dice = json.loads(path.read_text())["dice"]
    inside = [d for d in dice if d["radius"] > 70 and min(d["center"]) > 90]
    small = [Found(*d["center"], 0.55 * d["radius"], 0.8) for d in inside[4:8]]
    places = [(x, y) for x in range(60, 1000, 120) for y in range(60, 740, 120)]
    bare = [
        Found(x, y, 45, 0.8)
        for x, y in places
        if all(np.hypot(d["center"][0] - x, d["center"][1] - y) > d["radius"] + 60 for d in dice)
    ]
    assert (len(small), len(bare)) == (4, 3)
    first = find_poses(photo, [*small, *bare], models.pose, models.stack, models.kind)
    assert max(p.die for p in first[:4]) < 0.3
    seen = _look_closer(photo, first, models)
    assert min(p.die for p in seen[:4]) > 0.8
    assert max(p.die for p in seen[4:]) < 0.2


def test_a_die_of_another_kind_is_reported_and_never_read() -> None:
    pose = Pose(Found(50, 40, 20, 0.9), (0.1, 0.8, 0.0, 0.1), 0.0, (50, 40), (9, 0, 9), 0.0, 0.0)
    assert not pose.is_other
    assert not replace(pose, named=(0.1, 0.5, 0.0, 0.1, 0.3)).is_other
    pose = replace(pose, named=(0.0, 0.1, 0.05, 0.05, 0.8))
    assert pose.is_other
    stranger = _stranger(pose)
    assert (stranger.kind, stranger.value, stranger.guess, stranger.is_sure) == ("other", None, None, False)
    known = Reading("d12", "white", 7, 0.99, 10, 10, 5)
    told = _mismatches((known, stranger), Request(kinds=("d12",), counts=(("white", 1),)))
    assert [str(one) for one in told] == ["found 1 die of another kind"]


class _Strangers(Models):
    """Holds every third thing for a die of another kind."""

    def kind(self, middle: Any) -> Any:
        said = super().kind(middle)
        said[::3] = (0, 0, 0, 0, 9)
        return said


def test_what_the_kind_net_holds_for_another_kind_has_no_value_and_no_colour_and_the_others_keep_theirs() -> (
    None
):
    shipped = load_models()
    plain = vision.read(_first())
    readings = vision.read(_first(), models=_Strangers(shipped.nets, shipped.doubt))
    others = [d for d in readings.dice if d.kind == "other"]
    assert 0 < len(others) < len(readings.dice)
    assert all((d.value, d.guess, d.colour, d.is_sure) == (None, None, None, False) for d in others)
    values = {(round(d.x), round(d.y)): d.value for d in plain.dice if d.is_sure}
    kept = [d for d in readings.dice if d.is_sure]
    assert kept
    assert all(values.get((round(d.x), round(d.y)), d.value) == d.value for d in kept)


class _Unread(Models):
    """Fails the test where a face is read."""

    def read(self, blob: Any) -> Any:
        raise AssertionError(f"{len(blob)} faces of no dice were read")


def test_what_is_no_die_is_not_read() -> None:
    shipped = load_models()
    readings = vision.read(_first(), models=_Unread(shipped.nets, {**shipped.doubt, "die_at": 1.1}))
    assert readings.dice == ()


def test_two_things_in_one_place_are_not_both_dice(poses: Any) -> None:
    apart = [poses.pose(100 + 70 * i, 100, 40) for i in range(3)]
    assert overlap([]) == []
    assert overlap(apart) == [False] * 3, "dice that touch"
    assert overlap([*apart, poses.pose(120, 120, 20)]) == [True, False, False, True]
    assert overlap(apart[:1]) == [False]


@pytest.mark.parametrize(
    ("ranked", "kind", "is_doubt"),
    [
        (((6, 0.6), (9, 0.3)), "d12", True),
        (((9, 0.5), (6, 0.4)), "d10", True),
        (((6, 0.97), (9, 0.01)), "d12", False),
        (((6, 0.6), (8, 0.3)), "d12", False),
        (((6, 0.6), (5, 0.3)), "d6", False),
    ],
)
def test_six_or_nine_is_told_where_both_are_likely(
    ranked: tuple[tuple[int, float], ...], kind: str, is_doubt: bool
) -> None:
    assert _is_six_or_nine(ranked, kind) == is_doubt
