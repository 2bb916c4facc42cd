"""The finder's map to places, and the second looks, with a net made of numpy."""

from __future__ import annotations

import numpy as np
import pytest

from vision.find import LONG_PX, choose, find_dice, peaks, small_photo
from vision.types import Found


def _map(places: list[tuple[float, float, float]], height: int = 120, width: int = 160) -> np.ndarray:
    """Make the map that a perfect finder would give for (x, y, radius) in blob pixels."""
    out = np.zeros((4, height, width), np.float32)
    out[0] = -6
    gy, gx = np.mgrid[0:height, 0:width] * 4 + 1.5
    for x, y, r in places:
        d2 = (gx - x) ** 2 + (gy - y) ** 2
        heat = 9 * np.exp(-d2 / (2 * (0.2 * r + 1) ** 2)) - 6
        near = heat > out[0]
        out[1][near], out[2][near], out[3][near] = ((x - gx) / r)[near], ((y - gy) / r)[near], np.log(r / 16)
        out[0] = np.maximum(out[0], heat)
    return out


def test_peaks_come_back_with_place_and_size() -> None:
    want = [(100.0, 80.0, 20.0), (142.0, 80.0, 20.0), (300.5, 222.0, 40.0)]
    got = sorted(peaks(_map(want), 0.3), key=lambda f: f.x)
    assert [(round(f.x, 1), round(f.y, 1), round(f.radius, 1)) for f in got] == [
        (100, 80, 20),
        (142, 80, 20),
        (300.5, 222.0, 40),
    ]
    assert all(f.score > 0.9 for f in got)


def test_one_die_is_one_peak_even_where_the_map_has_two() -> None:
    grid = _map([(100, 80, 30), (112, 80, 30)])
    assert len(peaks(grid, 0.3)) == 1


def test_nothing_is_found_in_an_empty_map() -> None:
    assert peaks(_map([]), 0.3) == []


@pytest.mark.parametrize(("w", "h"), [(1296, 972), (972, 1296), (4608, 2592), (100, 60)])
def test_photos_are_made_small_and_padded(w: int, h: int) -> None:
    blob, k = small_photo(np.full((h, w, 3), 200, np.uint8))
    assert blob.shape[2] % 32 == 0
    assert blob.shape[3] % 32 == 0
    assert max(blob.shape[2:]) == LONG_PX
    assert k == pytest.approx(LONG_PX / max(w, h))
    assert blob[0, :, 4, 4] == pytest.approx([200 / 255] * 3, abs=0.01)


def _net_for() -> object:
    """Make a net that knows the truth of a white-on-black photo by looking for its spots in the blob."""

    def net(blob: np.ndarray) -> np.ndarray:
        import cv2

        gray = (blob[0].mean(axis=0) > 0.5).astype(np.uint8)
        edges, _ = cv2.findContours(gray, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        spots = [(*c, r) for c, r in (cv2.minEnclosingCircle(e) for e in edges) if 8 < r < 75]
        return _map([(x, y, r) for x, y, r in spots], blob.shape[2] // 4, blob.shape[3] // 4)[None]

    return net


def _photo(size: tuple[int, int], dice: list[tuple[int, int, int]]) -> np.ndarray:
    import cv2

    image = np.zeros((size[1], size[0], 3), np.uint8)
    for x, y, r in dice:
        cv2.circle(image, (x, y), r, (255, 255, 255), -1)
    return image


@pytest.mark.parametrize(
    ("size", "dice"),
    [
        ((1296, 972), [(200, 300, 40), (800, 700, 44)]),
        ((3000, 2000), [(400, 300, 26), (2700, 1800, 27), (1500, 1000, 26)]),  # tiny: seen in the quarters
        ((480, 480), [(240, 240, 120)]),  # a close-up: seen smaller
    ],
)
def test_dice_of_any_size_are_found_once(size: tuple[int, int], dice: list[tuple[int, int, int]]) -> None:
    got = find_dice(_photo(size, dice), _net_for())  # type: ignore[arg-type]
    assert len(got) == len(dice)
    for x, y, r in dice:
        near = min(got, key=lambda f: (f.x - x) ** 2 + (f.y - y) ** 2)
        assert np.hypot(near.x - x, near.y - y) < 0.1 * r
        assert near.radius == pytest.approx(r, rel=0.12)


def test_a_photo_of_nothing_is_no_dice() -> None:
    assert find_dice(np.zeros((972, 1296, 3), np.uint8), _net_for()) == ()  # type: ignore[arg-type]


def test_what_is_printed_on_a_close_die_is_no_die_of_its_own() -> None:
    die = Found(300, 300, 120, 0.83)
    numeral = Found(310, 330, 34, 0.65)
    same = Found(305, 296, 128, 0.7)
    beside = Found(500, 300, 110, 0.6)
    assert choose([numeral, die, same, beside]) == [die, beside]
    faces = [Found(300 + dx, 300 + dy, 28, 0.6) for dx, dy in ((-70, 10), (60, -20), (10, 75), (0, -60))]
    assert choose([*faces, die]) == [die]


def test_a_heap_of_dice_is_not_one_large_die() -> None:
    heap = Found(300, 300, 120, 0.9)
    dice = [Found(300 + dx, 300 + dy, 40, 0.6) for dx, dy in ((-60, 0), (60, 0), (0, 70), (0, -70))]
    assert choose([heap, *dice]) == dice
    many = [Found(220 + 53 * (i % 4), 220 + 53 * (i // 4), 26, 0.85) for i in range(16)]
    assert choose([heap, *many]) == many
    assert choose([]) == []


@pytest.mark.parametrize(("count", "radius", "looks"), [(6, 40, 1), (5, 40, 4), (6, 70, 2), (1, 40, 4)])
def test_only_photos_that_may_be_close_ups_are_looked_at_again(count: int, radius: int, looks: int) -> None:
    seen = []
    net = _net_for()

    def counting(blob: np.ndarray) -> np.ndarray:
        seen.append(max(blob.shape[2:]))
        return net(blob)  # type: ignore[operator, no-any-return]

    dice = [(200 + 400 * (i % 3), 250 + 400 * (i // 3), radius) for i in range(count)]
    assert len(find_dice(_photo((1296, 972), dice), counting)) == count
    assert seen == [640, 256, 128, 384][:looks]
