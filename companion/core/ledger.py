"""Shared pieces of bookkeeping: victory points in quarters, budgets, counters with limits, sealed envelopes.

Every amount is a whole number: victory points are counted in quarters, so that a quarter step never drifts.
Nothing here knows a game, a PIN or a cipher; a sealed envelope is only carried and compared.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping

import msgspec

from companion.core.text import Say

__all__ = [
    "Budget",
    "Counter",
    "SealedEnvelope",
    "Sum",
    "WrappedKey",
    "commitment",
    "is_commitment_kept",
    "points",
    "quarters",
    "quarters_text",
    "reseal_lock",
    "reseal_proof",
    "sum_faults",
]

_QUARTER = 4


def quarters(value: object) -> int:
    """Return victory points as whole quarters.

    Takes an int, a float or a text such as ``48.5``, ``48,5`` or ``48 1/2``. ValueError when it is no number
    or no multiple of a quarter.
    """
    if isinstance(value, bool):
        raise ValueError(f"expected victory points in quarter steps, got {value!r}")
    if isinstance(value, str):
        value = _number(value)
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected victory points in quarter steps, got {value!r}")
    scaled = value * _QUARTER
    if scaled != int(scaled):
        raise ValueError(f"expected a multiple of 0.25, got {value!r}")
    return int(scaled)


def _number(text: str) -> float:
    parts = text.strip().replace(",", ".").split()
    try:
        whole = [part for part in parts if "/" not in part]
        halves = [part.split("/") for part in parts if "/" in part]
        if not parts or len(whole) > 1 or len(halves) > 1:
            raise ValueError
        return sum(float(part) for part in whole) + sum(int(a) / int(b) for a, b in halves)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"expected victory points in quarter steps, got {text!r}") from None


def quarters_text(amount: int) -> str:
    """Return quarters of a victory point as a decimal without needless zeros: ``48.5``, ``0.25``, ``26``."""
    whole, rest = divmod(abs(amount), _QUARTER)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}{('', '.25', '.5', '.75')[rest]}"


def points(amount: int) -> int | float:
    """Return an amount in quarters of a victory point as victory points, for a sentence: 50, 48.5."""
    return amount // _QUARTER if amount % _QUARTER == 0 else amount / _QUARTER


class Sum(msgspec.Struct, frozen=True):
    """A sum that the rulebook states over some values: whatever is entered must fit it."""

    keys: tuple[str, ...]
    total: int
    text: Say
    """What is summed, as the beginning of a sentence about more than one thing."""


def sum_faults(sums: Iterable[Sum], values: Mapping[str, int]) -> tuple[Say, ...]:
    """Say which stated sums the known values break, whether complete or already over.

    A complete sum must be equal; an incomplete one must leave at least zero for the rest. Amounts are quarters.
    """
    faults = []
    for item in sums:
        known = [values[key] for key in item.keys if key in values]
        so_far = sum(known)
        if len(known) == len(item.keys) and so_far != item.total:
            faults.append(
                Say(
                    "{tiles} must add up to {total}, not {sum}.",
                    tiles=item.text, total=points(item.total), sum=points(so_far),
                )
            )  # fmt: skip
        elif so_far > item.total:
            faults.append(
                Say(
                    "{tiles} must add up to {total}; the values entered so far make {sum}.",
                    tiles=item.text, total=points(item.total), sum=points(so_far),
                )
            )  # fmt: skip
    return tuple(faults)


class Budget(msgspec.Struct, frozen=True):
    """What may be spent and what is spent."""

    limit: int
    spent: int = 0

    @property
    def left(self) -> int:
        """What may still be spent, in the unit of the limit; never checked to be 0 or more."""
        return self.limit - self.spent

    def takes(self, cost: int) -> bool:
        """Say whether a cost (negative: something put back) keeps 0 <= spent <= limit."""
        return 0 <= self.spent + cost <= self.limit


class Counter(msgspec.Struct, frozen=True):
    """Pieces of one kind in the box: how many there are and how many are on the board."""

    limit: int | None
    """None: the box's number is unknown."""
    used: int = 0

    @property
    def left(self) -> int | None:
        """Pieces still in reserve; None when the limit is unknown."""
        return None if self.limit is None else self.limit - self.used

    def takes(self, count: int) -> bool:
        """Say whether this many more (negative: coming back) can be used."""
        used = self.used + count
        return used >= 0 and (self.limit is None or used <= self.limit)


class WrappedKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """The note key as one holder can unwrap it. Texts are base64."""

    holder: str
    """A side's id, ``arbiter`` or ``recovery``."""
    salt: str
    nonce: str
    wrapped: str
    needs_device: bool = True
    """Whether the device key is needed beside the holder's secret."""


class SealedEnvelope(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sealed note as it may be stored anywhere: ciphertext, key parameters and a commitment, nothing else."""

    cipher: str
    """Name and version of the scheme, such as ``aes256gcm-scrypt-2``."""
    nonce: str
    text: str
    """Ciphertext, padded so that its length says nothing; base64."""
    keys: tuple[WrappedKey, ...]
    kdf: dict[str, int]
    """Cost parameters of the key derivation."""
    commitment: str
    """SHA-256, hexadecimal, over place, opening and plain text; binds the sealer without telling anything."""
    bound: str = ""
    """The one place that it was sealed for: game, secret, version. Empty: sealed before places were bound."""
    lock: str = ""
    """What the proof of whoever seals it again must fit; empty: sealed before a proof was asked."""
    device: str = ""
    """Id of the device key that its holders' keys need; empty: sealed before keys had one."""
    mac: str = ""
    """Authentication code over all the rest under that device key; base64."""


def commitment(opening: str, plain_text: str, bound: str = "") -> str:
    """Return the commitment to a text; `opening` is a random hexadecimal text of at least 128 bits.

    `bound`, where it is given, ties it to one place; neither it nor the opening may have a line feed.
    """
    head = f"{bound}\n" if bound else ""
    return hashlib.sha256(f"{head}{opening}\n{plain_text}".encode()).hexdigest()


_OPENING = re.compile(r"[0-9a-f]{32,128}")


def is_commitment_kept(envelope: SealedEnvelope, opening: str, plain_text: str) -> bool:
    """Say whether a revealed text is the one that was sealed.

    The opening must be one: with any text in its place, one commitment would fit more than one plain text.
    """
    if _OPENING.fullmatch(opening) is None or "\n" in envelope.bound:
        return False
    return commitment(opening, plain_text, envelope.bound) == envelope.commitment


def reseal_proof(opening: str) -> str:
    """Return what proves that somebody could open a note, without telling its opening or its text."""
    return hashlib.sha256(f"seal again\n{opening}".encode()).hexdigest()


def reseal_lock(proof: str) -> str:
    """Return what a note keeps to know the proof by."""
    return hashlib.sha256(f"lock\n{proof}".encode()).hexdigest()
