"""Sounds of the box behind a port: short WAV files made by `companion.testing.sound_make`.

Names: ``press``, ``low``, ``last``, ``fallen``, ``error``. A machine without a sound card stays silent.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

__all__ = ["NAMES", "KivySounds", "NullSounds", "Sounds"]

NAMES = ("press", "low", "last", "fallen", "error")
_NOISE = (b"ALSA lib", b"Cannot connect to server", b"jack server", b"JackShm")
_log = logging.getLogger(__name__)


class Sounds(Protocol):
    """Something that plays a named sound."""

    def play(self, name: str) -> None:
        """Play a sound from its start; an unknown name is silence."""
        ...

    def set_volume(self, volume: float) -> None:
        """Set the volume, 0 to 1."""
        ...


class NullSounds:
    """Silence that remembers: the shipped fake."""

    def __init__(self) -> None:
        """Start with nothing played."""
        self.played: list[str] = []
        self.volume = 1.0

    def play(self, name: str) -> None:
        """Remember a sound."""
        self.played.append(name)

    def set_volume(self, volume: float) -> None:
        """Remember the volume."""
        self.volume = volume


class KivySounds:
    """Sounds through SDL. Files are loaded at first use; a failure is told once, in one line, and means silence."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._sounds: dict[str, Any] = {}
        self._volume = 1.0
        self._is_mute = False

    def play(self, name: str) -> None:
        """Play a sound from its start."""
        if self._volume <= 0:
            return
        if name not in self._sounds:
            self._sounds[name] = self._load(name)
        sound = self._sounds[name]
        if sound is not None:
            sound.stop()
            sound.volume = self._volume
            sound.play()

    def set_volume(self, volume: float) -> None:
        """Set the volume of what is played from now on."""
        self._volume = min(1.0, max(0.0, volume))

    def _load(self, name: str) -> Any:
        path = Path(__file__).parent / "sounds" / f"{name}.wav"
        if self._is_mute or not path.is_file():
            return None
        # Whatever SDL finds wrong, the game goes on in silence.
        try:
            with _overheard() as heard:
                from kivy.core.audio import SoundLoader

                sound = SoundLoader.load(str(path))
        except Exception as fault:
            heard = [str(fault)]
            sound = None
        if heard:
            self._is_mute, sound = True, None
            _log.warning("no sound: %s; the game goes on in silence", _reason(heard[0]))
        return sound


@contextlib.contextmanager
def _overheard() -> Iterator[list[str]]:
    """Collect what the audio library complains of to the log; what it writes past the log is dropped.

    The sound system below SDL writes straight to the error stream, a dozen lines for one missing sound card. Lines
    of others that fall into the same moment are passed on.
    """
    heard: list[str] = []
    listener = logging.Handler(logging.WARNING)
    listener.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(listener)
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with tempfile.TemporaryFile() as aside:
            os.dup2(aside.fileno(), 2)
            try:
                yield heard
            finally:
                sys.stderr.flush()
                os.dup2(kept, 2)
                aside.seek(0)
                for line in aside.read().splitlines(keepends=True):
                    if not line.startswith(_NOISE):
                        os.write(2, line)
    finally:
        os.close(kept)
        logging.getLogger().removeHandler(listener)


def _reason(text: str) -> str:
    """Return why there is no sound from the library's line, such as ``AudioSDL2: Unable to open mixer: b"ALSA: ..."``."""
    return text.partition("mixer: ")[2].removeprefix("b").strip("'\"") or text
