"""The shipped fake: a panel without a device that tests and demonstrations drive, record and ask.

It judges edges with the same filter as the real panels and keeps a clock that is moved by hand, so a test
says exactly when a finger came down and never waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from companion.core.text import Say
from hardware import edges
from hardware.base import PanelBase
from hardware.patterns import cells, level_at, tone_at
from hardware.ports import (
    Button,
    BuzzerPattern,
    Display,
    DisplayText,
    Lamp,
    LampPattern,
    Listener,
    NoticeKind,
    PanelEvent,
    PanelState,
    PanelStatus,
    Part,
    part_of,
)

__all__ = ["FakePanel"]

_MS = 1_000_000
ALL_PARTS = frozenset(Part)


class FakePanel(PanelBase):
    """A panel in memory. Everything happens in the caller's thread.

    Drive it with `press`, `release`, `tap`, `raw`, `lose`, `regain`, `advance_ms`; read what it delivered in
    `events`, what it was told in `commands`; ask `lamp_level`, `display_row`, `tray_level`, `tone_hz`.

    Example:
        >>> panel = FakePanel()
        >>> seen = []
        >>> panel.start(seen.append)
        >>> panel.tap(Button.LEFT)
        >>> [(edge.button.value, edge.pressed) for edge in seen]
        [('left', True), ('left', False)]
    """

    def __init__(
        self,
        parts: Iterable[Part] = ALL_PARTS,
        at_ns: int = 1_000_000_000,
        down: Iterable[Button] = (),
        settings: edges.FilterSettings | None = None,
        digits_per_side: int = 4,
        *,
        guest: str = "",
    ) -> None:
        """Make a panel with some parts, its clock at `at_ns`, some buttons already down; `guest`: as one on USB."""
        self.guest = guest
        """What `PanelStatus.guest` says; set it to stand for another box."""
        self.at_ns = at_ns
        """The fake's clock, nanoseconds; set it directly to follow another one."""
        super().__init__(lambda: self.at_ns)
        self.parts = frozenset(parts)
        self.digits_per_side = digits_per_side
        self.events: list[PanelEvent] = []
        """Every event delivered, in order."""
        self.commands: list[tuple[str, object]] = []
        """Every command taken, in order: (method name, its arguments)."""
        self.is_lost = False
        self._levels = {button: button in set(down) for button in Button if self._has(button)}
        self._settings = settings or edges.FilterSettings()
        self._filter: edges.FilterState | None = None

    def _has(self, thing: Button | Lamp | Display) -> bool:
        return part_of(thing) in self.parts

    def __repr__(self) -> str:
        return f"FakePanel(parts={len(self.parts)}, at_ns={self.at_ns})"

    # -- the port -----------------------------------------------------------------------------------------

    def start(self, listener: Listener) -> None:
        """Begin to report; the quiet time after the start has passed when this returns."""
        self.begin(listener)
        self._filter = edges.start_filter(self._levels, self.at_ns, self._settings)
        self.advance_ms(self._settings.quiet_ms)

    def close(self) -> None:
        """Turn everything off; calling it again is safe."""
        if self.end():
            self.wanted.lamps.clear()
            self.wanted.displays.clear()
            self.wanted.tray_level = 0.0
            self.wanted.buzzer = None

    def set_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Record and show a pattern."""
        self.commands.append(("set_lamp", (lamp, pattern)))
        super().set_lamp(lamp, pattern)

    def set_display(self, display: Display, text: DisplayText) -> None:
        """Record and show a text."""
        self.commands.append(("set_display", (display, text)))
        super().set_display(display, text)

    def buzz(self, pattern: BuzzerPattern) -> None:
        """Record and play tones."""
        self.commands.append(("buzz", pattern))
        super().buzz(pattern)

    def set_tray_light(self, level: float) -> None:
        """Record and set the tray light; ValueError outside 0.0 to 1.0."""
        super().set_tray_light(level)
        self.commands.append(("set_tray_light", level))

    def status(self) -> PanelStatus:
        """Say how the fake is."""
        down = edges.down(self._filter) if self._filter else frozenset()
        if not self.is_open:
            return PanelStatus("fake", PanelState.CLOSED, Say("The simulated panel is not open."))
        if self.is_lost:
            line = Say("The simulated panel is unplugged; still looking for it.")
            return PanelStatus(
                "fake", PanelState.LOST, line, frozenset(), down, self.counters(), missing=self.parts
            )
        line = Say("A simulated panel, for tests and demonstrations.")
        return PanelStatus(
            "fake", PanelState.WORKING, line, self.parts, down, self.counters(), guest=self.guest
        )

    # -- driving ------------------------------------------------------------------------------------------

    def deliver(self, event: PanelEvent) -> None:
        """Record an event, then hand it on."""
        if self.is_open:
            self.events.append(event)
        super().deliver(event)

    def advance_ms(self, ms: float) -> None:
        """Let time pass, telling what becomes certain on the way."""
        until = self.at_ns + round(ms * _MS)
        while self._filter is not None and not self.is_lost:
            due = edges.next_due_ns(self._filter)
            if due is None or due > until:
                break
            self.at_ns = max(self.at_ns, due)
            before = self._filter
            self._take(edges.advance(self._filter, self.at_ns))
            if self._filter == before:
                break
        self.at_ns = until

    def raw(self, button: Button, closed: bool) -> None:
        """Move a contact now, unfiltered; a part that is absent has no contact."""
        if button not in self._levels:
            return
        self._levels[button] = closed
        if self._filter is not None and not self.is_lost:
            self._take(edges.feed(self._filter, edges.RawEdge(button, closed, self.at_ns)))

    def press(self, button: Button) -> None:
        """Push a button down and hold it; the press has been told when this returns."""
        self.raw(button, True)
        self.advance_ms(self._settings.press_ms)

    def release(self, button: Button) -> None:
        """Let a button go; the release has been told when this returns."""
        self.raw(button, False)
        self.advance_ms(self._settings.release_ms)

    def tap(self, button: Button, hold_ms: float = 80) -> None:
        """Press and release."""
        self.press(button)
        self.advance_ms(hold_ms)
        self.release(button)

    def bounce(self, button: Button, closed: bool, times: int = 4, gap_ms: float = 0.7) -> None:
        """Move a contact to `closed` the way cheap switches do, with `times` bounces on the way."""
        for _ in range(times):
            self.raw(button, closed)
            self.advance_ms(gap_ms)
            self.raw(button, not closed)
            self.advance_ms(gap_ms)
        self.raw(button, closed)
        self.advance_ms(self._settings.release_ms)

    def lose(self) -> None:
        """Unplug everything."""
        if not self.is_lost:
            self.is_lost = True
            self.notice(NoticeKind.LOST, Say("The simulated panel was unplugged; the game goes on."))

    def regain(self) -> None:
        """Plug it in again, buttons as they are by now."""
        if self.is_lost:
            self.is_lost = False
            if self._filter is not None:
                for button, closed in self._levels.items():
                    self._take(edges.resync(self._filter, button, closed, self.at_ns))
            self.notice(NoticeKind.REGAINED, Say("The simulated panel works again."))

    def _take(self, step: tuple[edges.FilterState, tuple[PanelEvent, ...]]) -> None:
        self._filter = step[0]
        for event in step[1]:
            self.deliver(event)

    # -- asking -------------------------------------------------------------------------------------------

    def lamp_level(self, lamp: Lamp) -> float:
        """Brightness of a lamp now, 0.0 to 1.0; 0.0 where it is absent or unplugged."""
        if self.is_lost or not self._has(lamp) or lamp not in self.wanted.lamps:
            return 0.0
        pattern, since_ns = self.wanted.lamps[lamp]
        return level_at(pattern, (self.at_ns - since_ns) // _MS)

    def display_row(self, display: Display) -> str:
        """What a display shows, points included; empty where it is absent or unplugged."""
        if self.is_lost or not self._has(display):
            return ""
        row = cells(self.wanted.displays.get(display, DisplayText()), self.digits_per_side)
        return "".join(character + ("." if point else "") for character, point in row)

    def tone_hz(self) -> int:
        """Frequency that sounds now, 0 for silence."""
        if self.is_lost or Part.BUZZER not in self.parts or self.wanted.buzzer is None:
            return 0
        pattern, since_ns = self.wanted.buzzer
        return tone_at(pattern, (self.at_ns - since_ns) // _MS)[0]

    def tray_level(self) -> float:
        """Brightness of the tray light now, 0.0 to 1.0."""
        return 0.0 if self.is_lost or Part.TRAY_LIGHT not in self.parts else self.wanted.tray_level

    def assert_lamp(self, lamp: Lamp, pattern: LampPattern) -> None:
        """Raise AssertionError unless `lamp` shows `pattern`."""
        shown = self.wanted.lamps.get(lamp)
        assert shown is not None, f"{lamp} was never set; expected {pattern}"
        assert shown[0] == pattern, f"{lamp} shows {shown[0]}, expected {pattern}"

    def assert_buzzed(self, pattern: BuzzerPattern) -> None:
        """Raise AssertionError unless `pattern` was asked for at least once."""
        played = [argument for name, argument in self.commands if name == "buzz"]
        assert pattern in played, f"never played {pattern}; played {played}"
