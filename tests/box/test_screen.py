"""The whole program on a real kernel's picture, touch panel, pins and USB: played from outside, by these devices alone.

KMS of virtio-gpu, a multitouch screen made with uinput, edges of gpio-sim, a serial gadget. Fingers are put on the panel,
never into the program; what stands where is asked of it, and the picture is taken from outside. Long: ten minutes and more, of
which most is emulation.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.pages.panel import REACTION_MS
from tests.box.kernel import Kernel
from tests.box.seat import CONSOLE_COLOURS, HEIGHT, WIDTH, Seat, empty_disk

pytestmark = pytest.mark.long
CORNERS = ((20, 20), (WIDTH - 20, 20), (WIDTH - 20, HEIGHT - 20), (20, HEIGHT - 20))
BUTTONS = {"allies": "left", "axis": "right"}
"""The first side sits at the left."""
EXACT_MS = 2
IGNORED = "late and was ignored"
LEAVE_OPEN = ("Leave it open", "Continue")
UPSIDE_DOWN = "-x-y"


@dataclass
class Story:
    """The box between its starts: its disk, and what was pressed when."""

    sit_down: Callable[..., Seat]
    presses: list[tuple[int, int]] = field(default_factory=list)
    """Of each press that ended an act: the times just before and just after, in nanoseconds; anew with each start."""


@pytest.fixture(scope="module")
def story(kernel: Kernel, lgpio: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """A box whose plug can be pulled again and again."""
    folder = tmp_path_factory.mktemp("screen")
    disk = empty_disk(folder / "games.img")
    number = itertools.count(1)
    return Story(lambda **how: Seat(kernel, lgpio, folder / f"start-{next(number)}", disk, **how))


def press_big(seen: dict[str, Any], press: Callable[[str], Any]) -> Any:
    """Press the big button of the side whose act it is; returns when its contact closed."""
    owners = seen["owners"]
    time.sleep(2 * REACTION_MS / 1000)  # sooner after an act began, a press was meant for the one before
    return press(BUTTONS[owners[0]] if owners else "left")


def play(story: Story, box: Seat, last: str, press: Callable[[str], Any]) -> dict[str, Any]:
    """End act after act by the big buttons, each once its lamp could be seen, up to a step; return what is seen then.

    Where the box says that a press came too late to be used, it is pressed again, as a player would.
    """
    seen = box.look()
    while seen["step"] != last:
        step = seen["step"]
        before_ns, after_ns = press_big(seen, press)
        seen = box.until(lambda now, step=step: now["step"] != step or ignored(now), f"the end of {step}")
        if seen["step"] != step:
            story.presses.append((before_ns, after_ns))
        else:
            seen = box.until(lambda now: not ignored(now), "the end of the notice")
    return seen


def ignored(seen: dict[str, Any]) -> bool:
    """Say whether the screen names a press that came too late to be used."""
    return any(IGNORED in one[0] for one in seen["texts"])


def moved_on(now: dict[str, Any], before: dict[str, Any]) -> bool:
    """Say whether a press led somewhere: to another step, or to a question."""
    return bool(now["step"] != before["step"] or now["dialog"])


def agree(story: Story, seen: dict[str, Any]) -> None:
    """What the game counts from is when the contacts closed, and the clocks are the sums of that."""
    stamps = [entry[2] for entry in seen["entries"] if entry[1] == "EndAct"][-len(story.presses) :]
    assert len(stamps) == len(story.presses)
    for (before_ns, after_ns), at_ms in zip(story.presses, stamps, strict=True):
        assert before_ns / 1e6 - EXACT_MS <= at_ms <= after_ns / 1e6 + EXACT_MS
    for side, spent_ms in seen["clocks"]["spent"].items():
        if side != seen["clocks"]["running"]:
            assert spent_ms == sum(charged_ms for one, charged_ms in seen["charges"] if one == side)


def test_the_first_start_by_picture_and_touch(story: Story) -> None:
    """A touch panel that is switched on late, a finger on a language, a panel mounted upside down, the corners, two fingers."""
    with story.sit_down(has_panel=False) as box:
        box.start()
        box.until(lambda now: now.get("dialog") == "LanguageQuestion", "the language's question")
        box.plug_panel()
        box.tap("English")
        box.wait_for("Touch the marked corner: 1 of 4")
        assert box.picture("corners") > CONSOLE_COLOURS
        box.mount_touch(UPSIDE_DOWN)
        for corner in CORNERS:
            box.touch(corner)
        box.wait_for(
            "The touch panel was upside down. It has been corrected. Touch the marked corner: 1 of 4"
        )
        for corner in CORNERS:  # at once, before the picture follows: each is judged by where it is
            box.touch(corner)
        box.tap("Continue")
        box.tap("Skip the tour")
        seen = box.until(
            lambda now: all(one[0] != "Skip the tour" for one in now["texts"]), "the first screen"
        )
        count = len(seen["touches"])
        before_ns, after_ns = box.touch((200, 150), (600, 250))
        one, other = box.until(lambda now: len(now["touches"]) > count + 1, "two fingers")["touches"][count:]
        assert [round(place) for place in (*one[:2], *other[:2])] == [200, HEIGHT - 151, 600, HEIGHT - 251]
        assert before_ns - 1000 <= one[2] <= other[2] <= after_ns, "the kernel's own stamps, in microseconds"
        assert box.picture("home") > CONSOLE_COLOURS


def test_a_stage_is_played_by_the_devices_alone(story: Story) -> None:
    """A tournament's first stage, by pins, USB box and touch; the plug is pulled twice more while a clock runs."""
    with story.sit_down() as box:
        box.mount_touch(UPSIDE_DOWN)
        box.start()
        box.tap("New game")
        box.tap("Italy")
        box.tap("Tournament")
        box.wait_for("2 players · Tournament")
        box.tap("Start the game")
        box.until(lambda now: now.get("step") == "setup", "the game")
        seen = play(story, box, "s1.t2.axis.move", box.press)
        agree(story, seen)
        assert seen["clocks"]["running"] == "axis"
    before = seen["clocks"]["spent"]
    story.presses.clear()

    with story.sit_down(rotation=180) as box:
        box.mount_touch(UPSIDE_DOWN)
        box.start()
        seen = box.wait_for("Charge nobody")
        assert (seen["step"], seen["clocks"]["is_paused"]) == ("s1.t2.axis.move", True)
        assert seen["clocks"]["spent"]["allies"] == before["allies"]
        assert box.picture("gap-upside-down") > CONSOLE_COLOURS
        box.tap("Charge nobody")
        box.until(lambda now: not now["dialog"], "the table")
        box.plug_usb()
        box.press("pause")
        box.until(lambda now: not now["clocks"]["is_paused"], "running clocks")
        play(story, box, "s1.t3.allies.move", box.press_usb)
        box.pull_usb()
        play(story, box, "s1.t4.allies.move", box.press)
        box.plug_usb()
        seen = play(story, box, "s1.t5.axis.move", box.press_usb)
        agree(story, seen)
    before = seen["clocks"]["spent"]
    story.presses.clear()

    with story.sit_down() as box:
        box.mount_touch(UPSIDE_DOWN)
        box.start()
        seen = box.wait_for("Charge nobody")
        assert (seen["step"], seen["clocks"]["is_paused"]) == ("s1.t5.axis.move", True)
        assert seen["clocks"]["spent"]["allies"] == before["allies"]
        box.tap("Charge nobody")
        box.until(lambda now: not now["dialog"], "the table")
        box.press("pause")
        box.until(lambda now: not now["clocks"]["is_paused"], "running clocks")
        seen = play(story, box, "s1.r.allies.choose", box.press)
        agree(story, seen)
        for _act in range(40):  # nobody has entered who holds what: each side says that it stays open
            seen = box.look()
            if seen["step"].startswith("s2."):
                break
            open_words = [one[0] for one in seen["texts"] if one[0] in LEAVE_OPEN]
            if open_words:
                box.tap(open_words[-1])
                box.until(lambda now: not now["dialog"], "the question's end")
            else:
                press_big(seen, box.press)
                box.until(lambda now, seen=seen: moved_on(now, seen), "the next step, or a question")
        assert seen["step"].startswith("s2.")
        assert box.picture("second-stage") > CONSOLE_COLOURS
