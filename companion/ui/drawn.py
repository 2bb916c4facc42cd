"""Frames that are drawn before the next one begins, where the processor does the drawing.

Mesa's software renderer lets the program run up to 64 frames ahead of it and keeps what each of them needed to be
drawn: 40 MB once a clock has ticked 64 times. Waiting for each frame keeps one frame's worth. A graphics chip's driver
has its own few buffers and is left alone.

Kivy's own call waits without letting go of Python, and with it of every other thread: an act would be stored only after
the frame. The same call of the system's library lets them run.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kivy.clock import Clock
from kivy.graphics.opengl import GL_RENDERER, glFinish, glGetString

__all__ = ["is_software", "tell_when_shown", "wait_for_frames"]

_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "swiftshader")

_BLANK_FRAMES = 1


def is_software(renderer: str) -> bool:
    """Say whether this is the name of a renderer that draws with the processor."""
    return renderer.lower().startswith(_SOFTWARE)


def wait_for_frames(window: Any) -> bool:
    """Let each frame of the window be drawn before the next one begins, if the processor draws; say whether it does."""
    renderer = glGetString(GL_RENDERER)
    if not is_software(renderer.decode(errors="replace") if isinstance(renderer, bytes) else str(renderer)):
        return False
    finish = _finish()

    def wait(*_args: object) -> None:
        finish()

    window.bind(on_flip=wait)
    return True


def tell_when_shown(window: Any, then: Callable[[], object]) -> None:
    """Have the first picture drawn twice, and call `then` once it is on the screen.

    On a bare console SDL makes the window's surface anew as the first frame is handed over, and shows the new one, which
    is blank; on a screen where nothing moves it would stay black until somebody touches it.
    Source: SDL 2, src/video/kmsdrm/SDL_kmsdrmopengles.c, KMSDRM_GLES_SwapWindow (egl_surface_dirty).
    """
    left = [_BLANK_FRAMES]

    def drawn(*_args: object) -> None:
        if left[0]:
            left[0] -= 1
            window.canvas.ask_update()
            return
        window.unbind(on_flip=drawn)
        # Asked just before the frame is handed over: it is shown at the next tick.
        Clock.schedule_once(lambda _dt: then(), 0)

    window.bind(on_flip=drawn)


def _finish() -> Callable[[], object]:
    for name in ("libGLESv2.so.2", "libGL.so.1"):
        with suppress(OSError, AttributeError):
            found: Callable[[], object] = ctypes.CDLL(name).glFinish
            return found
    return glFinish
