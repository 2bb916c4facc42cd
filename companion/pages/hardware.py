"""The Hardware page: every part of the panel and every device as it is now, and the ports through which it is tested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from companion.core.text import N_, Say, several
from companion.pages.box import Box
from companion.pages.desk import Notice, Silent, Subscription
from companion.pages.page import (
    TABLE_VIEWER,
    Act,
    Acts,
    Block,
    Draft,
    Item,
    OnBox,
    Page,
    Rows,
    Shown,
    Sight,
    Tiles,
    Tone,
    Words,
)
from companion.pages.page import State as Drawn
from companion.pages.parts import way_back

__all__ = [
    "NO_CAMERA", "PARTS", "Bench", "Cameras", "DeviceState", "HardwareDraft", "NoBench",
    "NoCameras", "PartState", "counted", "follow", "hardware_page", "has_camera",
]  # fmt: skip


class PartState(msgspec.Struct, frozen=True):
    """One part of the panel as the bench reports it."""

    key: str
    """``button_left`` ... ``tray_light``; see `PARTS`."""
    is_present: bool
    is_down: bool = False
    """A button that is pressed now."""
    presses: int = 0
    """How often a button was pressed since the start."""
    is_missing: bool = False
    """It should be there and does not answer."""


State = Literal["working", "partly", "waiting", "lost", "absent", "busy", "denied", "trying", "failed"]

_STATES: dict[State, tuple[Say, Drawn]] = {
    "working": (Say("works"), "ok"),
    "partly": (Say("works partly"), "danger"),
    "waiting": (Say("not plugged in"), "muted"),
    "lost": (Say("unplugged"), "danger"),
    "absent": (Say("not found"), "muted"),
    "busy": (Say("busy"), "danger"),
    "denied": (Say("not allowed"), "danger"),
    "trying": (Say("being tested"), "chosen"),
    "failed": (Say("does not work"), "danger"),
}
"""State of a device to its word and how it is drawn."""


class DeviceState(msgspec.Struct, frozen=True):
    """Something that is plugged in, or should be: the pins, the box on USB, a camera."""

    key: str
    name: Words
    state: State
    line: Words
    """One sentence on how it is and what to do."""
    facts: Words | None = None
    """What was counted or measured."""
    can_test: bool = False
    can_pair: bool = False
    """Its arbiter's key counts only once the arbiter paired it."""
    is_paired: bool = False


class Bench(Protocol):
    """What the screen may ask of the panel. Every method returns at once and never raises for a missing device."""

    def parts(self) -> tuple[PartState, ...]:
        """Return every part."""
        ...

    def devices(self) -> tuple[DeviceState, ...]:
        """Return the panels that there are or could be: pins and box."""
        ...

    def notices(self) -> tuple[Notice, ...]:
        """Return the newest notices, newest first."""
        ...

    def test(self, key: str) -> None:
        """Let an output show itself for a moment: a lamp, digits, buzzer or the tray light."""
        ...

    def pair(self, key: str, *, is_on: bool = True) -> None:
        """Let the arbiter's key of a plugged-in panel count, or no more. Whoever calls it has asked for the PIN."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever something changed."""
        ...


class Cameras(Protocol):
    """What the screen may ask of the cameras. Every method returns at once; answers come through the listeners."""

    def devices(self) -> tuple[DeviceState, ...]:
        """Return every camera, or one line that there is none."""
        ...

    def look(self) -> None:
        """Look again which cameras are there, and whether another program uses them."""
        ...

    def test(self, key: str) -> None:
        """Take a picture with a camera and say how that went."""
        ...

    def subscribe(self, listener: Callable[[], None]) -> Subscription:
        """Call a listener on the interface thread whenever something changed."""
        ...


def has_camera(sight: Sight) -> bool:
    """Say whether whoever looks can take a photo now: on the box by a camera that works, on a phone always."""
    if sight.viewer.seat != TABLE_VIEWER.seat:
        return True
    cameras = () if sight.box is None else sight.box.cameras.devices()
    return any(one.state in ("working", "trying") for one in cameras)


NO_CAMERA = Say("No camera is plugged in; enter the dice by hand.")


class NoBench(Silent):
    """A machine without a panel: the on-screen buttons are all there is."""

    def parts(self) -> tuple[PartState, ...]:
        """Return every part as absent."""
        return tuple(PartState(key, False) for key, _name, _is_output in PARTS)

    def devices(self) -> tuple[DeviceState, ...]:
        """Say so in one line."""
        line = Say("No button panel; the on-screen buttons do everything.")
        return (DeviceState("panel", Say("Panel"), "absent", line),)

    def notices(self) -> tuple[Notice, ...]:
        """Return nothing."""
        return ()

    def test(self, key: str) -> None:
        """There is nothing to test."""

    def pair(self, key: str, *, is_on: bool = True) -> None:
        """There is nothing to pair."""


class NoCameras(Silent):
    """A program that looks for no camera: dice are typed."""

    def devices(self) -> tuple[DeviceState, ...]:
        """Say so in one line."""
        return (DeviceState("camera", Say("Camera"), "absent", NO_CAMERA),)

    def look(self) -> None:
        """There is nowhere to look."""

    def test(self, key: str) -> None:
        """There is nothing to test."""


PARTS: tuple[tuple[str, str, bool], ...] = (
    ("button_left", N_("Left button"), False),
    ("button_right", N_("Right button"), False),
    ("button_pause", N_("Pause button"), False),
    ("button_arbiter", N_("Arbiter's key"), False),
    ("lamp_left", N_("Left lamp"), True),
    ("lamp_right", N_("Right lamp"), True),
    ("lamp_arbiter", N_("Arbiter's lamp"), True),
    ("display_left", N_("Left display"), True),
    ("display_right", N_("Right display"), True),
    ("buzzer", N_("Buzzer"), True),
    ("tray_light", N_("Tray light"), True),
)
"""Key, name and whether it is an output that can be tested."""

_COUNTED: tuple[tuple[str, str], ...] = (
    ("presses", N_("presses {n}")),
    ("bounces", N_("bounces filtered {n}")),
    ("glitches", N_("spikes ignored {n}")),
    ("chatters", N_("flickers {n}")),
    ("damaged", N_("damaged lines {n}")),
    ("resent", N_("resent {n}")),
)


def counted(counters: dict[str, int]) -> Words | None:
    """Return what was counted; what never happened is left out, and where nothing did there is nothing to tell.

    ``bad_...`` counters are damaged lines of the serial box; ``clock_uncertainty_us`` is how well its clock is known.
    """
    sums = dict(counters)
    sums["damaged"] = sum(count for name, count in counters.items() if name.startswith("bad_"))
    told = [Say(words, n=sums[name]) for name, words in _COUNTED if sums.get(name)]
    if "clock_uncertainty_us" in counters:
        told.append(Say("clock ±{n} ms", n=counters["clock_uncertainty_us"] / 1000))
    return several(told, "dots") if told else None


# The page


class HardwareDraft(msgspec.Struct, frozen=True):
    """Which tab is looked at."""

    tab: str = "panel"


_TROUBLE: tuple[State, ...] = ("lost", "partly", "busy", "denied", "failed")
_MOST_NOTICES = 6
_LEVELS: dict[str, Drawn] = {"info": "muted", "warning": "plain", "error": "danger"}


def hardware_page(sight: Sight) -> Shown:
    """Return every button live and every output to be tried, or pins, box and cameras with one line each."""
    assert sight.box is not None, "the hardware is the box's"
    acts, tab = Acts(), sight.entered(HardwareDraft()).tab
    tabs = tuple(
        Item(key, title, act=acts.put(f"tab.{key}", _show(key)))
        for key, title in (("panel", Say("Panel")), ("devices", Say("Devices")))
    )
    bench, cameras = sight.box.bench, sight.box.cameras
    is_panel = tab == "panel"
    told, tone = _told(bench, cameras)
    page = Page(
        f"hardware.{tab}",
        Say("Hardware"),
        told if is_panel else None,
        tone,
        tabs=tabs,
        tab=tab,
        blocks=_panel(bench, acts) if is_panel else (_devices(bench, cameras, acts),),
        main=way_back(acts),
    )
    return Shown(page, acts)


def follow(box: Box, moved: Callable[[], None]) -> tuple[Subscription, ...]:
    """Hear whatever panel and cameras have to tell."""
    return (box.bench.subscribe(moved), box.cameras.subscribe(moved))


def _show(tab: str) -> Act:
    return Draft(lambda _draft: HardwareDraft(tab), HardwareDraft())


def _panel(bench: Bench, acts: Acts) -> tuple[Block, ...]:
    states = {part.key: part for part in bench.parts()}
    inputs: list[Item] = []
    outputs: list[Item] = []
    for key, name, is_output in PARTS:
        part = states.get(key, PartState(key, False))
        (outputs if is_output else inputs).append(_part(part, Say(name), acts, is_output=is_output))
    corners = acts.put("corners", OnBox("corners"))
    outputs.append(Item("corners", Say("Touch test"), Say("Test"), act=corners))
    return (Tiles("inputs", tuple(inputs)), Tiles("outputs", tuple(outputs)))


def _told(bench: Bench, cameras: Cameras) -> tuple[Words, Tone]:
    """Return what should work and does not, why there is no panel here, or how to try it."""
    panels = bench.devices()
    bad = next((one for one in (*panels, *cameras.devices()) if one.state in _TROUBLE), None)
    if bad is not None:
        return bad.line, "danger"
    if any(part.is_present or part.is_missing for part in bench.parts()):
        return Say("Press the buttons: each shows at once. Tap an output to try it."), "muted"
    return panels[-1].line, "muted"


def _part(part: PartState, name: Words, acts: Acts, *, is_output: bool) -> Item:
    if part.is_missing or not part.is_present:
        why = Say("does not answer") if part.is_missing else Say("not found")
        if is_output:
            return Item(part.key, name, why_not=why)
        return Item(part.key, name, why, state="danger" if part.is_missing else "muted")
    if is_output:
        return Item(
            part.key, name, Say("Test"), act=acts.put(part.key, OnBox("test_part", {"key": part.key}))
        )
    if part.is_down:
        return Item(part.key, name, Say("pressed"), state="chosen")
    return Item(part.key, name, Say("pressed {n}×", n=part.presses) if part.presses else Say("ready"))


def _devices(bench: Bench, cameras: Cameras, acts: Acts) -> Rows:
    """Return pins, box and cameras, then the newest notices."""
    rows = []
    for one in (*bench.devices(), *cameras.devices()):
        word, drawn = _STATES[one.state]
        line = one.line if one.facts is None else Say("{line} ({facts})", line=one.line, facts=one.facts)
        act, what = None, None
        if one.can_test:
            act, what = acts.put(f"test.{one.key}", OnBox("test_camera", {"key": one.key})), Say("Test")
        elif one.can_pair:
            pair = OnBox("pair_panel", {"key": one.key, "is_on": not one.is_paired})
            act = acts.put(f"pair.{one.key}", pair)
            what = Say("Key: counts") if one.is_paired else Say("Key: pair")
        title = Say("{name}: {state}", name=one.name, state=word)
        rows.append(Item(one.key, title, line, what, state=drawn, act=act))
    for n, notice in enumerate(bench.notices()[:_MOST_NOTICES]):
        rows.append(Item(f"notice_{n}", notice.text, state=_LEVELS.get(notice.level, "muted")))
    return Rows("devices", tuple(rows))
