"""The chain over the lines of a game: one digest says which entries there are, in which order, and what each holds.

``d(0) = SHA-256(game id)``, ``d(n) = SHA-256(d(n-1) + line n)``. The journal keeps it in its rows, the hall compares it.
"""

from __future__ import annotations

import hashlib

__all__ = ["digest_after", "first_digest"]


def first_digest(game: bytes) -> bytes:
    """Return the digest that stands before a game's first entry, of the game's id."""
    return hashlib.sha256(game).digest()


def digest_after(before: bytes, line: bytes) -> bytes:
    """Return the digest after a line, of the digest before it and of the line as the export writes it."""
    return hashlib.sha256(before + line).digest()
