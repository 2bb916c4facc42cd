"""The venue's own broker: its address, its authority, and the one user that director and tables share there.

Nobody but the venue can say there who may do what, so what our own broker enforces is proved in the messages instead where it can
be, and told where it cannot.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from companion.hall.errors import HallError

__all__ = ["Venue", "bytes_of", "certificate_in", "venue_of"]

_USER = re.compile(r"\S{1,60}")
_MOST_PASSWORD = 120


class Venue(NamedTuple):
    """What a venue tells its director."""

    user: str
    password: str
    ca: str
    """Its authority's certificate, PEM."""

    def told(self, hall: str) -> str:
        """Return the line that says what is not enforced there."""
        return (
            f"the venue's broker, as {self.user}: every box can read all logs there and send logs and clocks as another table "
            f"(results and answers are signed), and a retired one stays connected; ask the venue to let {self.user} at tc/1/{hall}/# alone"
        )


def venue_of(ca: Path, user: str, password: Path) -> Venue:
    """Read what a venue has given. HallError names what is none of it."""
    if not _USER.fullmatch(user):
        raise HallError(
            f"--user: expected the name that the venue has given, without spaces, got {user[:60]!r}"
        )
    try:
        lines = password.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise HallError(f"--password-file: {password} cannot be read: {fault}") from None
    word = lines[0] if len(lines) == 1 else ""
    if not 0 < len(word) <= _MOST_PASSWORD:
        raise HallError(
            f"--password-file: {password}: expected one line of 1 to {_MOST_PASSWORD} characters, got {len(lines)} lines"
        )
    try:
        data = ca.read_bytes()
        found = x509.load_pem_x509_certificates(data)
    except (OSError, ValueError) as fault:
        raise HallError(
            f"--ca: {ca}: expected the certificate of the venue's authority (PEM): {fault}"
        ) from None
    if len(found) != 1:
        raise HallError(f"--ca: {ca}: expected one certificate, the authority's own, got {len(found)}")
    return Venue(user, word, found[0].public_bytes(serialization.Encoding.PEM).decode("ascii"))


def certificate_in(der: bytes) -> str:
    """Return a certificate as PEM. ValueError for bytes that are none."""
    return x509.load_der_x509_certificate(der).public_bytes(serialization.Encoding.PEM).decode("ascii")


def bytes_of(pem: str) -> bytes:
    """Return a certificate's own bytes, the shortest that a card can carry."""
    return x509.load_pem_x509_certificate(pem.encode("ascii")).public_bytes(serialization.Encoding.DER)
