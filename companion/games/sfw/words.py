"""The words of Song for War: what its ids are called, in one table."""

from __future__ import annotations

from companion.core.text import N_, Noun
from companion.pages.words import GameWords

__all__ = ["WORDS"]

WORDS = GameWords(
    stage=N_("Stage"),
    stages=Noun("{n} stage", "{n} stages"),
    names={},
)
