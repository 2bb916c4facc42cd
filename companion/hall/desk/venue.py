"""The venue's own broker: its address, its authority, and the one user that director and tables share there.

Nobody but the venue can say there who may do what, so what our own broker enforces is proved in the messages instead where it can
be, and told where it cannot.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from companion.hall.desk.broker import hashed, table_rights
from companion.hall.errors import HallError

__all__ = ["TableUsers", "Venue", "bytes_of", "certificate_in", "files_for", "users_for", "venue_of"]

TableUsers = Mapping[str, tuple[str, str]]
"""By table the user and the password that its box has at a venue's broker, where each has its own."""

_USER = re.compile(r"\S{1,60}")
_MOST_PASSWORD = 120
_MOST_BYTES = 1 << 16
"""No certificate and no password takes more; a device that never ends is not read to its end."""


class Venue(NamedTuple):
    """What a venue tells its director."""

    user: str
    password: str
    ca: str
    """Its authority's certificate, PEM."""

    def told(self, hall: str, users: TableUsers) -> str:
        """Return the line that says what is not enforced there."""
        if users:
            return (
                f"the venue's broker, as {self.user}, each table as itself: rights there are as the venue has set them; "
                "a retired box stays connected, and one box can end another's connection, not speak for it"
            )
        return (
            f"the venue's broker, as {self.user}: every box can read all logs there and send logs and clocks as another table "
            f"(results and answers are signed), and a retired one stays connected; ask the venue to let {self.user} at tc/1/{hall}/# alone"
        )


def venue_of(ca: Path, user: str, password: Path, read: Callable[[Path, int], bytes]) -> Venue:
    """Read what a venue has given, `read` being what takes so many bytes of a file. HallError names what is none of it."""
    if not _USER.fullmatch(user):
        raise HallError(
            f"--user: expected the name that the venue has given, without spaces, got {user[:60]!r}"
        )
    try:
        lines = read(password, _MOST_BYTES).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise HallError(f"--password-file: {password} cannot be read: {fault}") from None
    word = lines[0] if len(lines) == 1 else ""
    if not 0 < len(word) <= _MOST_PASSWORD:
        raise HallError(
            f"--password-file: {password}: expected one line of 1 to {_MOST_PASSWORD} characters, got {len(lines)} lines"
            if len(word) <= _MOST_PASSWORD
            else f"--password-file: {password}: expected one line of 1 to {_MOST_PASSWORD} characters, got more"
        )
    try:
        data = read(ca, _MOST_BYTES)
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


def users_for(hall: str, tables: Iterable[str], known: TableUsers) -> dict[str, tuple[str, str]]:
    """Return a user of its own for each table; those that are known stay as they are."""
    fresh = {table: (f"{hall}-{table}", secrets.token_urlsafe(24)) for table in tables if table not in known}
    return {**known, **fresh}


def files_for(hall: str, director: str, users: TableUsers) -> dict[str, str]:
    """Return what a venue adds to its mosquitto: by the name of a file the lines of its rights and of its passwords."""
    lines = [f"user {director}", f"topic readwrite tc/1/{hall}/#"]
    for table, (user, _word) in users.items():
        lines += [f"user {user}", *table_rights(hall, table)]
    words = [f"{user}:{hashed(word)}" for user, word in users.values()]
    return {"acl": "\n".join((*lines, "")), "passwords": "\n".join((*words, ""))}
