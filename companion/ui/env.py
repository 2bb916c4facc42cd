"""The environment Kivy must find before its first import: quiet, without files, one window system.

Call `prepare` first thing in every process that opens a window. STACK facts behind it: without
``KIVY_WINDOW=sdl2`` a missing display ends the process in C; multisampling costs five times the frame.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["prepare"]


def prepare(width: int = 800, height: int = 480, *, offscreen: bool = False, touch: bool = False) -> None:
    """Set the environment for one window of the given size in pixels.

    `offscreen` draws real pixels without any display. `touch` makes the touch panel the only source (mtdev);
    otherwise the mouse is, as a developer has it. Raises RuntimeError when Kivy was imported before.
    """
    if "kivy" in sys.modules:
        raise RuntimeError(
            "kivy was imported before its environment was prepared; import companion.ui.env first"
        )
    os.environ.update(
        KIVY_NO_ARGS="1",
        KIVY_NO_CONFIG="1",
        KIVY_NO_FILELOG="1",
        KIVY_LOG_MODE="PYTHON",
        KIVY_WINDOW="sdl2",
        KIVY_IMAGE="sdl2",
        KIVY_DPI="96",
        KIVY_METRICS_DENSITY="1",
        KIVY_METRICS_FONTSCALE="1",
        KCFG_GRAPHICS_WIDTH=str(width),
        KCFG_GRAPHICS_HEIGHT=str(height),
        KCFG_GRAPHICS_MULTISAMPLES="0",
        KCFG_GRAPHICS_MAXFPS="30",
        KCFG_KIVY_EXIT_ON_ESCAPE="0",
        KCFG_KIVY_LOG_LEVEL="warning",
    )
    if offscreen:
        os.environ["SDL_VIDEODRIVER"] = "offscreen"
    from kivy.config import Config

    for name in list(Config.options("input")):
        Config.remove_option("input", name)
    if touch:
        Config.set("input", "touch", "probesysfs,provider=mtdev")
        Config.set("graphics", "show_cursor", "0")
    elif not offscreen:
        # Without a red dot for the second finger, and a right click is no touch.
        Config.set("input", "mouse", "mouse,disable_multitouch")
    for module in list(Config.options("modules")):
        Config.remove_option("modules", module)
    _read_own_style()


def _read_own_style() -> None:
    """Let Kivy's builder, which reads a style as it is imported, find the one beside this file instead of its own."""
    import kivy
    import kivy.resources  # keeps the library's folder, where fonts and shaders lie

    library = kivy.kivy_data_dir
    kivy.kivy_data_dir = str(Path(__file__).parent)
    try:
        import kivy.lang.builder
    finally:
        kivy.kivy_data_dir = library
