"""Whether a game file is all that it was: what was read, held against what is known of it.

What is known are claims: the heartbeat in the file, the one that the file itself held before its log was taken in,
and the witness outside both. Judges values only; opens and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from companion.session.beats import Beat
from companion.session.chain import Claim, best_course, digest_after, digest_of
from companion.session.reading import Read
from companion.session.recovery import Why
from companion.session.rows import Row
from companion.session.salvage import Found

__all__ = ["Known", "Saved", "doubt_of", "saved_from"]

_WALL_SLACK_MS = 2_000
"""By how much the clock of the day may have been set back between two looks without a doubt."""


class Known(NamedTuple):
    """What is known of a game from outside of what SQLite read."""

    in_file: Beat | None
    """Heartbeat in the file itself, its log left out; None when it has no log, or none whole stands there."""
    witness: Claim | None
    has_log: bool
    is_log_suspect: bool
    """The log breaks off before its end."""


class Saved(NamedTuple):
    """What is left of a file of which something is wrong."""

    rows: list[Row]
    tip: bytes
    """Digest of the last of them; empty for a file of before the chain."""
    lost: int
    """Entries after them that are known to have been there; of another game, all that it is known to have had."""
    beat: Beat | None
    """The newest heartbeat that fits them; None when a newer one was lost."""
    number: int
    """Heartbeats written so far, as far as is known."""
    why: Why
    is_empty: bool = False
    """It is a sound file of ours without a single entry."""


def doubt_of(read: Read, known: Known) -> Why | None:
    """Return what is the matter with a file that was read; None when it is all that it was."""
    if not read.is_sound or known.is_log_suspect or not read.rows:
        return "damaged"
    if read.is_old:
        if read.beat is not None and read.beat.seq > len(read.rows):
            return "older"
        return "damaged" if read.beat is not None and _is_odd(read.beat, read.rows[-1]) else None
    game, beat, witness = read.rows[0].game, read.beat, known.witness
    if beat is None or beat.game != game:
        return "damaged"
    for claim in _claims(read, known):
        if claim.game != game:
            return "other_game"
        if claim.seq > len(read.rows) or claim.number > beat.number:
            return "older"
        if digest_after(read.rows, claim.seq, read.tip) != claim.digest:
            return "other_course"
    if beat.is_whole_file and beat.seq != len(read.rows):
        return (
            "damaged"  # a heartbeat of an earlier state: the newest one of a whole file names its last entry
        )
    if not beat.is_whole_file and not known.has_log:
        whole = Claim(game, len(read.rows), read.tip, beat.number)
        return None if witness == whole else "no_log"  # another program may have folded the log into the file
    return None


def saved_from(read: Read, known: Known, found: Found, doubt: Why) -> Saved:
    """Return the best that can be put together of what was read and what the pages hold; no rows: nothing can."""
    claims = [*_claims(read, known), *(beat.claim for beat in found.beats)]
    owner = known.in_file or read.beat
    game = owner.game if owner is not None else known.witness.game if known.witness is not None else b""
    rows = best_course([*read.rows, *found.rows], claims, game)
    if not rows:
        return Saved([], b"", 0, None, 0, doubt, is_empty=read.is_sound)
    last, game = rows[-1], rows[0].game
    tip = digest_of(last) if game else b""
    ours = [claim for claim in claims if claim.game == game]
    reached = max(
        (read.reached, last.seq, *(claim.seq for claim in ours if game), *_seqs(found.rows, game)),
    )
    if not game:
        reached = max(reached, _old_reach(found, last.wall_ms))
    number = max((claim.number for claim in ours), default=0)
    beat = _fitting_beat((read.beat, known.in_file, *found.beats), rows, tip, number)
    is_known = any(claim.seq == last.seq and claim.digest == tip for claim in ours)
    lost = reached - last.seq
    if is_known and not lost and (doubt == "damaged" or len(rows) > len(read.rows)):
        needs_log = not known.has_log and (beat is None or not beat.is_whole_file)
        is_all = not needs_log or (known.witness is not None and known.witness.seq == last.seq)
        doubt = "restored" if is_all else "no_log"
    if doubt == "other_game" and known.witness is not None:
        lost = known.witness.seq
    return Saved(rows, tip, lost, beat, number, doubt)


def _is_odd(beat: Beat, last: Row) -> bool:
    """Whether a heartbeat of before the check sum cannot be what was written behind this last entry.

    It names that entry's boot, once the entry was there, and between the two no more time can have been measured than passed.
    """
    ms, wall_ms = beat.at_ms - last.at_ms, beat.wall_ms - last.wall_ms
    if beat.is_closed not in (0, 1) or not min(beat.at_ms, beat.wall_ms, beat.seq) >= 0:
        return True
    if beat.boot_id != last.boot_id:
        return beat.seq == last.seq or bool(beat.is_closed)
    if beat.seq < last.seq:
        return bool(beat.is_closed)
    return not 0 <= ms <= wall_ms + _WALL_SLACK_MS


def _claims(read: Read, known: Known) -> list[Claim]:
    beats = [beat.claim for beat in (read.beat, known.in_file) if beat is not None and beat.game]
    return beats if known.witness is None else [*beats, known.witness]


def _seqs(rows: Iterable[Row], game: bytes) -> list[int]:
    return [row.seq for row in rows if row.game == game]


def _old_reach(found: Found, since_wall_ms: int) -> int:
    """Return the newest entry at the last heartbeat of before the chain: one older than the last entry tells nothing."""
    seqs = (
        beat.seq for beat in found.old_beats if beat.wall_ms >= since_wall_ms and beat.is_closed in (0, 1)
    )
    return next((seq for seq in seqs if seq > 0), 0)


def _fitting_beat(beats: Iterable[Beat | None], rows: Sequence[Row], tip: bytes, number: int) -> Beat | None:
    """Return the newest heartbeat if it speaks of these rows."""
    game = rows[0].game
    for beat in beats:
        if not game and beat is not None and _is_odd(beat, rows[-1]):
            continue
        if beat is None or beat.game != game or (game and beat.number < number) or beat.seq > len(rows):
            continue
        if game and beat.is_whole_file and beat.seq != len(rows):
            continue
        if not game or digest_after(rows, beat.seq, tip) == beat.digest:
            return beat
    return None
