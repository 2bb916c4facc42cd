"""The test harness of the screens: a real window without a display, any size, fingers, keys, pixels, faults.

    from companion.testing import harness
    table = harness.lay(MemoryDesk(sample_setup()), size=(800, 480), screen="table")
    table.tap(table.find(text="Moves done"))
    assert table.desk.sent
    assert table.faults() == []

One window serves a whole process; every `lay` empties it. Time stands still: `table.pass_ms` moves the desk's clock and
the finger's clock together. Set the environment with `companion.ui.env.prepare(..., offscreen=True)` before anything
imports kivy (importing this module first does it, with room for all three sizes).
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from companion.ui import env

if "kivy" not in sys.modules:
    env.prepare(1280, 1280, offscreen=True)

from kivy.base import EventLoop, runTouchApp
from kivy.clock import Clock
from kivy.core.window import Window
from kivy.input.motionevent import MotionEvent
from kivy.uix.floatlayout import FloatLayout

from companion.pages import i18n
from companion.testing.memory_desk import MemoryDesk
from companion.ui.drawn import wait_for_frames
from companion.ui.inputs import is_sign
from companion.ui.root import Root
from companion.ui.sound import NullSounds
from companion.ui.theme import contrast, theme
from companion.ui.warm import settle_memory
from companion.ui.widgets import Digits, Tap, Text

__all__ = ["SIZES", "Finger", "Laid", "clear", "lay"]

SIZES: tuple[tuple[int, int], ...] = ((800, 480), (1280, 720), (720, 1280))
"""The three windows that every screen must fit."""

_host: Any = None
_draw: Any = None
"""Draws the window; frames that nobody looks at are laid out and not drawn."""
_MOST_WINDOWS = 40
"""How many windows are emptied before their widgets are collected: all at once is cheaper than after each."""
_emptied = 0


class Finger(MotionEvent):
    """A synthetic touch in window pixels."""

    def __init__(self, uid: int, x: float, y: float) -> None:
        super().__init__(
            "harness", uid, {"x": x / Window.width, "y": y / Window.height}, is_touch=True, type_id="touch"
        )

    def depack(self, args: Any) -> None:
        """Take the position."""
        self.sx, self.sy = args["x"], args["y"]
        self.profile = ("pos",)
        super().depack(args)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that a person would see or miss: what, where, how much."""

    kind: str
    what: str
    detail: str


def _start() -> Any:
    global _host, _draw  # noqa: PLW0603 - one window a process, as Kivy has it
    if _host is None:
        if Window is None:
            raise RuntimeError("no window: install libgl1 and libegl1")
        _host = FloatLayout()
        runTouchApp(_host, embedded=True)
        wait_for_frames(Window)
        Clock._max_fps = 0
        for _n in range(3):
            EventLoop.idle()
        _draw, Window.on_draw = Window.on_draw, lambda *_args: None
        settle_memory()
        gc.set_threshold(100_000, 20, 20)
    return _host


def clear() -> None:
    """Empty the window."""
    global _emptied  # noqa: PLW0603 - one window a process, as Kivy has it
    host = _start()
    for child in list(host.children):
        if isinstance(child, Root):
            child.close()
        host.remove_widget(child)
        _emptied += 1
    if _emptied >= _MOST_WINDOWS:
        _emptied = 0
        gc.collect()


def lay(
    desk: Any = None,
    *,
    size: tuple[int, int] = (800, 480),
    screen: str = "table",
    look: str = "night",
    text_step: int = 0,
    language: str = "en",
    **args: Any,
) -> Laid:
    """Lay a desk in a window of a size and show a screen."""
    clear()
    desk = desk if desk is not None else MemoryDesk()
    for name, value in (
        ("theme", look),
        ("text_step", text_step),
        ("language", language),
        ("tour_done", True),
    ):
        desk.change_setting(name, value)
    theme.use(name=look, text_step=text_step, size_px=size)
    i18n.use_language(language)
    clock = _Now()
    sounds = NullSounds()
    root = Root(
        desk,
        sounds=sounds,
        now_ns=clock,
        wall_ms=lambda: 1_795_000_000_000,
        size_hint=(None, None),
        size=size,
    )
    root.pos = (0, 0)
    _start().add_widget(root)
    root.go(screen, **args)
    laid = Laid(root, desk, clock, sounds, size)
    laid.settle()
    return laid


class _Now:
    """The finger's monotonic clock, moved by hand."""

    def __init__(self) -> None:
        self.ns = 1_000_000_000

    def __call__(self) -> int:
        return self.ns


class Laid:
    """A window with a screen in it, to be tapped and looked at."""

    def __init__(self, root: Any, desk: Any, clock: _Now, sounds: NullSounds, size: tuple[int, int]) -> None:
        self.root, self.desk, self.clock, self.sounds, self.size = root, desk, clock, sounds, size
        self._uid = 0

    # Time

    def frames(self, count: int = 1) -> None:
        """Let some frames go by, one right after the other: nobody waits here for a screen's pace."""
        pace = Clock._max_fps
        for _n in range(count):
            Clock._max_fps = 0
            EventLoop.idle()
            pace = Clock._max_fps or pace
        Clock._max_fps = pace

    def pass_ms(self, ms: int) -> None:
        """Let time pass at the table and for the fingers; nothing sleeps."""
        self.clock.ns += ms * 1_000_000
        if hasattr(self.desk, "advance"):
            self.desk.advance(ms)
        self.root._tick()

    # Finding

    def walk(self) -> Iterator[Any]:
        """Yield every widget that can be seen, from the bottom to the top layer."""
        yield from _visible(self.root)

    def find(
        self, *, text: str | None = None, icon: str | None = None, cls: type | None = None, nth: int = 0
    ) -> Any:
        """Return the nth visible widget with a text, icon or class, those of the topmost layer first.

        Of a text and the button around it, the button. LookupError names what is there.
        """
        top = {id(w) for w in _layer(self)}
        found = [w for w in self.walk() if _is_match(w, text, icon, cls)]
        found.sort(key=lambda w: id(w) not in top)
        if text is not None:
            found = [w for w in found if isinstance(w, Tap)] or found
        if nth >= len(found):
            texts = [getattr(w, "text", "") for w in self.walk() if getattr(w, "text", "")]
            raise LookupError(f"nothing with text={text!r} icon={icon!r} cls={cls}; there is {texts}")
        return found[nth]

    def has(self, text: str) -> bool:
        """Say whether a visible text contains this."""
        return any(text in getattr(w, "text", "") for w in self.walk())

    # Fingers and keys

    def press(self, where: Any, *, with_last: bool = False) -> Finger:
        """Put a finger down on a widget's middle or at a point, and leave it there.

        Args:
            with_last: The frame that handed over the press before hands this one over too.
        """
        if not with_last:
            self.root.press.next_frame()
        x, y = _middle(where) if hasattr(where, "to_window") else map(float, where)
        self._uid += 1
        finger = Finger(self._uid, x, y)
        EventLoop.post_dispatch_input("begin", finger)
        return finger

    def move(self, finger: Finger, x: float, y: float) -> None:
        """Drag a finger to a point."""
        finger.move({"x": x / Window.width, "y": y / Window.height})
        EventLoop.post_dispatch_input("update", finger)

    def lift(self, finger: Finger) -> None:
        """Take a finger up."""
        EventLoop.post_dispatch_input("end", finger)

    def tap(self, where: Any, *, settle: bool = True) -> None:
        """Tap once, let the slow work that it asked for be done, and let the screen settle after it."""
        self.lift(self.press(where))
        self._finish_work()
        if settle:
            self.settle()

    def settle(self) -> None:
        """Let slow work, layout and the moment of swallowed presses go by; the game's time stands still."""
        self._finish_work()
        self.frames(1)  # the main button rests from the first frame of a new act on
        self.clock.ns += 400 * 1_000_000
        self.frames(4)
        self.clock.ns += (
            100 * 1_000_000
        )  # what slow work brought in the frame before the last was drawn with that
        self.root.still.rest()

    def _finish_work(self) -> None:
        while self.root.work.wait():
            self.frames(1)

    def key(self, code: int, *, repeats: int = 0) -> None:
        """Press a key, with repeats while it is held, and let it go; a key with a sign types it, as a window tells."""
        for _n in range(1 + repeats):
            self.root.key_down(code)
            if is_sign(code):
                self.root.text_typed(chr(code - 208 if 256 <= code <= 265 else code))
        self.root.key_up(code)
        self.settle()

    # Looking

    def pixels(self) -> Any:
        """Return what is on screen, uint8 of shape (height, width, 3), row 0 on top."""
        import numpy as np
        from kivy.graphics.opengl import GL_RGBA, GL_UNSIGNED_BYTE, glReadPixels

        self.frames(2)
        _draw()
        width, height = self.size
        raw = glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE)
        return np.frombuffer(raw, np.uint8).reshape(height, width, 4)[::-1, :, :3].copy()

    def save(self, path: Path) -> None:
        """Write what is on screen as a PNG file."""
        from companion.ui.picture import write_png

        path.parent.mkdir(parents=True, exist_ok=True)
        write_png(path, self.pixels())

    @property
    def instructions(self) -> int:
        """How many colours and shapes the screen draws, the frame and what Kivy adds to each aside."""
        kinds = (type(one).__name__ for one in _drawn(self.root.screen.canvas))
        return sum(kind not in ("BindTexture", "AntiAliasingLine") for kind in kinds)

    def faults(self) -> list[Fault]:
        """Return what is wrong with the look: cut, broken or overlapping text, small targets, low contrast, off the window."""
        return [
            *_cut_texts(self),
            *_broken_words(self),
            *_wide_digits(self),
            *_overlaps(self),
            *_small_targets(self),
            *_dead_keys(self),
            *_outside(self),
            *_low_contrast(self),
        ]


def _drawn(group: Any) -> Iterator[Any]:
    for one in group.children:
        if hasattr(one, "children"):
            yield from _drawn(one)
        else:
            yield one


def _is_match(widget: Any, text: str | None, icon: str | None, cls: type | None) -> bool:
    if cls is not None and not isinstance(widget, cls):
        return False
    if text is not None and getattr(widget, "text", None) != text:
        return False
    if icon is not None and not (getattr(widget, "icon", None) == icon and isinstance(widget, Tap)):
        return False
    return not (text is None and icon is None and cls is None)


def _visible(widget: Any) -> Iterator[Any]:
    if widget.opacity < 0.05 or widget.width < 1 or widget.height < 1:
        return
    yield widget
    for child in reversed(widget.children):
        yield from _visible(child)


def _middle(widget: Any) -> tuple[float, float]:
    return tuple(map(float, widget.to_window(*widget.center)))  # type: ignore[return-value]


def _top_layer(laid: Laid) -> Any:
    root = laid.root
    if root.tour is not None:
        return root.tour
    return root.dialogs[-1] if root.dialogs else root.frame


def _layer(laid: Laid) -> list[Any]:
    return list(_visible(_top_layer(laid)))


def _rect(widget: Any) -> tuple[float, float, float, float]:
    x, y = widget.to_window(widget.x, widget.y)
    return x, y, x + widget.width, y + widget.height


def _ink_rect(label: Any) -> tuple[float, float, float, float]:
    """Return where a text's glyphs lie, by its texture and alignment."""
    x, y, right, top = _rect(label)
    texture_width, texture_height = label.texture_size
    from companion.ui.widgets.basic import measure

    width = min(texture_width, measure(label.text, label.font_size, label.bold, label.text_size[0])[0])
    if label.text_size[0]:
        lines = measure(label.text, label.font_size, label.bold)[0]
        width = min(width, lines)
    left = {"left": x, "center": (x + right - width) / 2, "right": right - width}[label.halign]
    middle = (y + top) / 2
    return left, middle - texture_height / 2, left + width, middle + texture_height / 2


def _texts(laid: Laid) -> list[Any]:
    return [
        w for w in _layer(laid) if isinstance(w, Text) and w.text.strip() and not _is_under_toast(laid, w)
    ]


def _is_under_toast(laid: Laid, widget: Any) -> bool:
    """Say whether a notice lies over a widget for its few seconds."""
    toast = laid.root.toast
    if toast is None or laid.root.dialogs:
        return False
    a, b = _rect(widget), _rect(toast)
    return min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1])


_NAME_LENGTH = 10
"""So many characters are read whole everywhere, as ``Player 1`` is; longer texts may end in an ellipsis if they say so."""


def _cut_texts(laid: Laid) -> Iterable[Fault]:
    from companion.ui.widgets.basic import measure

    for label in _texts(laid):
        if label.may_shorten and len(label.text.strip()) > _NAME_LENGTH:
            continue
        width, height = label.width + 1, label.height + theme.px(3)
        if label.wraps:
            got = measure(label.text, label.font_size, label.bold, label.width)
            word = max(measure(w, label.font_size, label.bold)[0] for w in label.text.split())
            is_cut = got[1] > height or word > width
        else:
            got = measure(label.text, label.font_size, label.bold)
            is_cut = got[0] > width or got[1] > height
        if label.width < theme.px(8):
            yield Fault("cut", label.text, f"has no room: {label.width:.0f}x{label.height:.0f}")
        elif is_cut:
            yield Fault(
                "cut",
                label.text,
                f"needs {got[0]:.0f}x{got[1]:.0f}, has {label.width:.0f}x{label.height:.0f}",
            )


def _broken_words(laid: Laid) -> Iterable[Fault]:
    """Yield the texts in which a line ends inside a word, as the renderer does with a word wider than its box."""
    from companion.ui.widgets.basic import drawn_lines

    for label in _texts(laid):
        if not label.wraps or label.text_size[0] is None:
            continue
        lines = drawn_lines(label._words, label.font_size, label.bold, label.text_size[0])
        # Letters before each end: spaces are no measure, for those at the end of a line are not drawn.
        words = set(accumulate(len(_letters(word)) for word in label._words.split()))
        for line, end in zip(lines, accumulate(len(_letters(line)) for line in lines), strict=True):
            if end and end not in words:
                yield Fault("broken", label.text, f"inside a word, after {line!r}")
                break


def _letters(text: str) -> str:
    return "".join(text.split())


def _wide_digits(laid: Laid) -> Iterable[Fault]:
    for digits in _layer(laid):
        if isinstance(digits, Digits) and digits.text and digits.text_px > digits.width + 1:
            yield Fault("cut", digits.text, f"needs {digits.text_px:.0f}, has {digits.width:.0f}")


def _overlaps(laid: Laid) -> Iterable[Fault]:
    labels = [(w, _ink_rect(w)) for w in _texts(laid)]
    for i, (one, a) in enumerate(labels):
        for other, b in labels[i + 1 :]:
            wide = min(a[2], b[2]) - max(a[0], b[0])
            high = min(a[3], b[3]) - max(a[1], b[1])
            if wide > 2 and high > theme.px(5):
                yield Fault("overlap", one.text, f"with {other.text!r} by {wide:.0f}x{high:.0f}")
    taps = [(w, _rect(w)) for w in _layer(laid) if isinstance(w, Tap) and w.is_enabled]
    for i, (one, a) in enumerate(taps):
        for other, b in taps[i + 1 :]:
            wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
            if wide > 1 and high > 1:
                yield Fault("overlap", _name(one), f"touch area with {_name(other)} by {wide:.0f}x{high:.0f}")


def _name(widget: Any) -> str:
    return getattr(widget, "text", "") or getattr(widget, "icon", "") or type(widget).__name__


def _small_targets(laid: Laid) -> Iterable[Fault]:
    least = 48 * theme.scale
    for tap in _layer(laid):
        if isinstance(tap, Tap) and tap.is_enabled and min(tap.width, tap.height) < least - 0.5:
            yield Fault("small", _name(tap), f"{tap.width:.0f}x{tap.height:.0f}, least {least:.0f}")


def _dead_keys(laid: Laid) -> Iterable[Fault]:
    """Yield the keys of the foot that cannot be pressed and do not say why."""
    screen, page = laid.root.screen, getattr(laid.root.screen, "page", None)
    if screen.main_text and not screen.main_enabled and not screen.why_not:
        yield Fault("dead", screen.main_text, "the main button does not say why")
    if (
        page is not None
        and page.second is not None
        and not screen.second_enabled
        and page.second.why_not is None
    ):
        yield Fault("dead", screen.second_text, "the second button does not say why")


def _outside(laid: Laid) -> Iterable[Fault]:
    width, height = laid.size
    for widget in _layer(laid):
        if not isinstance(widget, Text | Tap | Digits):
            continue
        x, y, right, top = _rect(widget)
        if isinstance(widget, Text) and not widget.text:
            continue
        if x < -1 or y < -1 or right > width + 1 or top > height + 1:
            yield Fault("outside", _name(widget), f"{x:.0f},{y:.0f} to {right:.0f},{top:.0f}")


def _low_contrast(laid: Laid) -> Iterable[Fault]:
    import numpy as np

    picture = laid.pixels()
    height = laid.size[1]
    for label in [*_texts(laid), *(w for w in _layer(laid) if isinstance(w, Digits) and w.text)]:
        x, y, right, top = (round(v) for v in _rect(label))
        patch = picture[max(0, height - top) : height - y, max(0, x) : right].reshape(-1, 3)
        if len(patch) == 0:
            continue
        packed = patch.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
        values, counts = np.unique(packed, return_counts=True)
        ground = int(values[counts.argmax()])
        back = ((ground >> 16) / 255, (ground >> 8 & 255) / 255, (ground & 255) / 255)
        own = getattr(label, "ink", None)
        ink = theme.color(label.tone) if own is None else own
        ratio = contrast(ink, back)
        least = 7.0 if isinstance(label, Digits) else 4.5
        if isinstance(label, Digits) and label.tone == "muted":
            least = 4.5
        if ratio < least:
            yield Fault("contrast", label.text, f"{ratio:.1f}, least {least}")
