"""One list of the places of a board: one spelling each, however a name was typed, and names that fit what is being typed.

A text never names every space of a board, so a list may be open: a name that it lacks is free, and the first spelling that is
used for it is the one that all later uses get. Names are compared without case, and blanks
at the ends or doubled within do not count.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

import msgspec

__all__ = ["Place", "Places", "folded", "same_place"]


def folded(name: str) -> str:
    """Return a name as it is compared: trimmed, single blanks, one form of every letter, no case."""
    return unicodedata.normalize("NFKC", " ".join(name.split())).casefold()


def same_place(one: str, other: str) -> bool:
    """Say whether two names are spelled alike but for case and blanks; an id and its name are told alike by `Places` alone."""
    return folded(one) == folded(other)


class Place(msgspec.Struct, frozen=True):
    """A place by its name, which is its one spelling."""

    name: str
    id: str = ""
    """Its id in the game's data; empty for a free name."""
    kind: str = ""
    """What it is, as the game says: ``objective``, ``sea`` ..."""


class Places:
    """The places known in a game. Immutable; where two have one name, the first holds."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._all: list[Place] = []
        self._known: dict[str, Place] = {}
        for place in places:
            keys = [folded(key) for key in (place.name, place.id) if key.strip()]
            if not keys or keys[0] in self._known:
                continue
            self._all.append(place)
            for key in keys:
                self._known.setdefault(key, place)

    def __iter__(self) -> Iterator[Place]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def find(self, name: str) -> Place | None:
        """Return the place of a name or id, however it is spelled; None for a free name."""
        return self._known.get(folded(name))

    def spelled(self, name: str) -> str:
        """Return the one spelling of a name: that of the list, or the name itself without needless blanks."""
        found = self.find(name)
        return " ".join(name.split()) if found is None else found.name

    def same(self, one: str, other: str) -> bool:
        """Say whether two names or ids mean one place."""
        return folded(self.spelled(one)) == folded(self.spelled(other))

    def fitting(self, typed: str, most: int = 0) -> tuple[Place, ...]:
        """Return the places whose name fits what is being typed: those that begin so, then those with a word that does.

        `most`: how many at most; 0: all.
        """
        start = folded(typed)
        first = [place for place in self._all if folded(place.name).startswith(start)]
        later = [
            place
            for place in self._all
            if place not in first and any(word.startswith(start) for word in folded(place.name).split())
        ]
        return tuple((first + later)[: most or None])
