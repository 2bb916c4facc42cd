"""Cues as small WAV files, made from the same tones as the buzzer's.

Rendered once into a folder and played by whoever has a loudspeaker; nothing here plays anything.
"""

from __future__ import annotations

import io
import math
import os
import wave
from array import array
from pathlib import Path

from hardware.language import CUE_PATTERNS, Cue
from hardware.ports import BuzzerPattern

__all__ = ["SAMPLE_RATE_HZ", "render_cues", "render_wav"]

SAMPLE_RATE_HZ = 22_050
_FADE_MS = 4  # a tone that starts or ends at full swing clicks


def render_wav(pattern: BuzzerPattern, volume: float = 0.6) -> bytes:
    """Render tones to a mono 16-bit WAV file in memory.

    Each tone is a sine with a quarter of its octave above, so that a small speaker carries it, faded over
    4 ms at both ends. Rests are exact silence. The peak never exceeds `volume`.

    Args:
        pattern: The tones; an empty pattern gives a valid file without samples.
        volume: 0.0 to 1.0 of full scale. Raises ValueError outside it.
    """
    if not 0.0 <= volume <= 1.0:
        raise ValueError(f"volume must be 0.0 to 1.0, got {volume!r}")
    samples = array("h")
    fade = SAMPLE_RATE_HZ * _FADE_MS // 1000
    for tone in pattern.tones:
        count = SAMPLE_RATE_HZ * tone.ms // 1000
        if tone.hz == 0:
            samples.extend([0] * count)
            continue
        turn = 2 * math.pi * tone.hz / SAMPLE_RATE_HZ
        for index in range(count):
            edge = min(index, count - 1 - index, fade)
            gain = 0.5 - 0.5 * math.cos(math.pi * edge / fade)
            swing = 0.8 * math.sin(turn * index) + 0.2 * math.sin(2 * turn * index)
            samples.append(int(32767 * volume * gain * swing))
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE_HZ)
        file.writeframes(samples.tobytes())
    return out.getvalue()


def render_cues(folder: Path, volume: float = 0.6) -> dict[Cue, Path]:
    """Write every cue as ``<cue>.wav`` into `folder`, made where missing, and say where each one is.

    `volume` is 0.0 to 1.0 of full scale; ValueError outside it.

    A file that already holds the same bytes is left alone. Raises OSError where the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for cue, pattern in CUE_PATTERNS.items():
        path = folder / f"{cue.value}.wav"
        data = render_wav(pattern, volume)
        if not path.exists() or path.read_bytes() != data:
            part = path.with_suffix(".wav.part")
            part.write_bytes(data)
            os.replace(part, path)
        paths[cue] = path
    return paths
