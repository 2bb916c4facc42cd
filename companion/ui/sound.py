"""Sounds of the box behind a port: short WAV files made by `companion.ui.sound_make`.

Names: ``press``, ``low``, ``last``, ``fallen``, ``error``. A machine without a sound card stays silent.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Protocol

__all__ = ["NAMES", "KivySounds", "NullSounds", "Sounds"]

NAMES = ("press", "low", "last", "fallen", "error")
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
    """Sounds through SDL. Files are loaded at first use; a failure is logged once and means silence."""

    def __init__(self) -> None:
        """Load nothing yet."""
        self._sounds: dict[str, Any] = {}
        self._volume = 1.0

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
        if not path.is_file():
            return None
        # Whatever SDL finds wrong, the game goes on in silence.
        try:
            from kivy.core.audio import SoundLoader

            return SoundLoader.load(str(path))
        except Exception:
            _log.warning("no sound on this machine", exc_info=True)
            return None
