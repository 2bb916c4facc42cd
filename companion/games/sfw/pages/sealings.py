"""Every sealing of a secret, those taken back too: what tells the table that an owner had more than one content to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from companion.core.events import Undone
from companion.core.history import Entry
from companion.core.ids import Nation
from companion.core.text import Say, Typed, Value, several
from companion.games.sfw.rules.seal_messages import Secret, SecretSealed
from companion.pages.times import wall

__all__ = ["Sealing", "commitments", "sealed_by", "sealings", "sealings_say"]


class Sealing(NamedTuple):
    """One sealing of a secret."""

    at_wall_ms: int
    undone_wall_ms: int | None
    """When it was taken back; None while it counts."""


def sealings(
    entries: Iterable[Entry], counts: Callable[[int], bool], secret: Secret, known: Iterable[str] = ()
) -> tuple[Sealing, ...]:
    """Return every sealing of a secret, in order.

    Args:
        known: Ids of all secrets that count. A sealing that was taken back under an id of its own belongs to each secret of
            its nation and kind that was sealed after it.
    """
    known = frozenset((*known, secret.id))
    undone: dict[int, int] = {}
    found: list[tuple[int, int]] = []
    for entry in entries:
        for event in entry.events:
            if isinstance(event, Undone):
                undone |= dict.fromkeys(event.seqs, entry.wall_ms)
            elif isinstance(event, SecretSealed) and _is_of(event, secret, known):
                found.append((entry.seq, entry.wall_ms))
    return tuple(Sealing(at, None if counts(seq) else undone.get(seq, 0)) for seq, at in found)


def _is_of(event: SecretSealed, secret: Secret, known: frozenset[str]) -> bool:
    same = (event.nation, event.secret_kind) == (secret.nation, secret.kind)
    return event.secret == secret.id or (same and event.secret not in known)


def sealings_say(found: tuple[Sealing, ...], now_wall_ms: int) -> Say | None:
    """Return all sealings of a secret in words; None for a secret that was sealed once."""
    if len(found) < 2:
        return None

    def one(sealing: Sealing) -> Value:
        at = Typed(wall(sealing.at_wall_ms, now_wall_ms))
        if sealing.undone_wall_ms is None:
            return at
        return Say("{at} (taken back {when})", at=at, when=Typed(wall(sealing.undone_wall_ms, now_wall_ms)))

    return Say.counted(
        "Sealed {n} time: {times}",
        "Sealed {n} times: {times}",
        len(found),
        times=several(map(one, found), "comma"),
    )


def commitments(entries: Iterable[Entry], secret: Secret) -> frozenset[str]:
    """Return the commitments of all notes of a secret's nation and kind that stand in a log, those taken back too."""
    return frozenset(
        event.envelope.commitment
        for entry in entries
        for event in entry.events
        if isinstance(event, SecretSealed)
        and (event.nation, event.secret_kind) == (secret.nation, secret.kind)
    )


def sealed_by(game_id: str, nation: Nation, kind: str) -> str:
    """Return the name under which a box remembers what it sealed for a nation in a game."""
    return f"{game_id}|{nation}|{kind}"
