"""A camera as a real kernel shows it: vivid's test picture through V4L2 and OpenCV, busy, pulled and put back. Long."""

from __future__ import annotations

from typing import Any

import pytest

from tests.box.kernel import Kernel
from tests.box.machine import Machine

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def heard(kernel: Kernel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one start of the machine told, by its names."""
    with Machine(kernel, tmp_path_factory.mktemp("camera"), "guest_camera.py", ["vivid"]) as box:
        return {name: box.hear(name, 600) for name in ("free", "pictures", "busy", "pulled", "back", "done")}


def test_a_free_camera_gives_different_pictures_of_something(heard: dict[str, Any]) -> None:
    use, (width, height) = heard["free"]
    assert use == "working"
    assert width >= 640
    assert height >= 360
    shape, spread, moves = heard["pictures"]
    assert shape == [360, 640, 3]
    assert spread > 20, "a picture of one colour is none"
    assert moves


def test_a_camera_in_use_is_told_without_disturbing_who_has_it(heard: dict[str, Any]) -> None:
    use, words = heard["busy"]
    assert use == "busy"
    assert words == "eye: another program is using it; close that program, or enter the dice by hand"


def test_a_camera_that_is_pulled_under_a_picture_says_so_and_comes_back(heard: dict[str, Any]) -> None:
    words, milliseconds, use, refusal = heard["pulled"]
    print(f"\nnoticed after {milliseconds} ms")
    assert words == ("eye: gives no picture; was it unplugged? Plug it in again, or enter the dice by hand")
    assert use == "lost"
    assert refusal == "eye: not plugged in; plug it in, or enter the dice by hand"
    assert heard["back"] == heard["free"][1]
