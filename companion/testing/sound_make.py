"""Make the sounds of the box: ``python -m companion.testing.sound_make`` writes ``sounds/*.wav``.

Soft sine tones with rounded ends, 22,050 Hz, mono. The program only plays the files; a test makes them again.
"""

from __future__ import annotations

import math
import struct
import wave
from io import BytesIO
from pathlib import Path

from companion.ui import sound

__all__ = ["TONES", "main", "wav_bytes"]

RATE_HZ = 22_050

TONES: dict[str, tuple[tuple[float, int, float], ...]] = {
    "press": ((1_400.0, 18, 0.5),),
    "low": ((660.0, 140, 0.6), (0.0, 60, 0.0), (660.0, 140, 0.6)),
    "last": ((880.0, 110, 0.7), (0.0, 50, 0.0), (880.0, 110, 0.7), (0.0, 50, 0.0), (880.0, 180, 0.7)),
    "fallen": ((784.0, 220, 0.8), (587.0, 220, 0.8), (392.0, 520, 0.8)),
    "error": ((220.0, 160, 0.6), (0.0, 40, 0.0), (196.0, 240, 0.6)),
}
"""Sound name to its tones: frequency in Hz, length in milliseconds, loudness 0 to 1."""


def wav_bytes(name: str) -> bytes:
    """Return a sound as the bytes of a WAV file."""
    samples: list[int] = []
    for frequency, length_ms, loudness in TONES[name]:
        count = RATE_HZ * length_ms // 1000
        edge = max(1, min(count // 2, RATE_HZ * 6 // 1000))
        for i in range(count):
            fade = min(1.0, i / edge, (count - 1 - i) / edge)
            samples.append(round(32_000 * loudness * fade * math.sin(2 * math.pi * frequency * i / RATE_HZ)))
    out = BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return out.getvalue()


def main() -> None:
    """Write every sound."""
    folder = Path(sound.__file__).parent / "sounds"
    folder.mkdir(exist_ok=True)
    for name in TONES:
        (folder / f"{name}.wav").write_bytes(wav_bytes(name))


if __name__ == "__main__":
    main()
