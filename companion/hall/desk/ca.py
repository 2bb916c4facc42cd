"""The hall's own certificates and keys, made once in a private folder. Validity is wide: a box has no right wall time."""

from __future__ import annotations

import fcntl
import hashlib
import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from companion.hall.errors import HallError
from companion.hall.private import read_plain, write_private

__all__ = ["CA", "CERT", "KEY", "alone_in", "ensure_certificates", "print_of", "write_private"]

CA, CERT, KEY = "ca.pem", "server.pem", "server.key"
_FROM, _TO = datetime(2000, 1, 1, tzinfo=UTC), datetime(2099, 12, 31, tzinfo=UTC)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Make a private folder and hold it against another program that makes keys there too."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (folder / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def print_of(ca_pem: bytes) -> str:
    """Return the fingerprint of a certificate: SHA-256 in hex. ValueError where it is none."""
    certificate = x509.load_pem_x509_certificate(ca_pem)
    return hashlib.sha256(certificate.public_bytes(serialization.Encoding.DER)).hexdigest()


def ensure_certificates(folder: Path, names: Sequence[str], authority: Path | None = None) -> None:
    """Make authority and server certificate where they are missing, or were made for other names.

    The authority's own key signs the server once more when names change; it lies in the private folder `authority`, or
    in the same one.
    """
    with alone_in(authority or folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _ensure(folder, names, authority or folder)


def _ensure(folder: Path, names: Sequence[str], authority: Path) -> None:
    wanted = "\n".join(names)
    noted = folder / "names.txt"
    is_whole = noted.exists() and all((folder / name).exists() for name in (CERT, KEY))
    if is_whole and (authority / CA).exists() and noted.read_text(encoding="utf-8") == wanted:
        return
    ca_key, ca = _authority(authority)
    key = ec.generate_private_key(ec.SECP256R1())
    alternatives: list[x509.GeneralName] = []
    for name in names:
        try:
            alternatives.append(x509.IPAddress(ipaddress.ip_address(name)))
        except ValueError:
            alternatives.append(x509.DNSName(name))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_name("Table Companion hall"))
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_TO)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False
        )
        .sign(ca_key, hashes.SHA256())
    )
    write_private(folder / KEY, _private(key))
    write_private(folder / CERT, certificate.public_bytes(serialization.Encoding.PEM))
    write_private(noted, wanted.encode())


def _authority(folder: Path) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    kept = folder / "ca.key"
    if kept.exists() and (folder / CA).exists():
        found = serialization.load_pem_private_key(read_plain(kept), None)
        if not isinstance(found, ec.EllipticCurvePrivateKey):
            raise HallError(f"{kept}: expected the hall's own key, got another kind")
        return found, x509.load_pem_x509_certificate(read_plain(folder / CA))
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("Table Companion hall authority")
    ca = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FROM)
        .not_valid_after(_TO)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    write_private(kept, _private(key))
    write_private(folder / CA, ca.public_bytes(serialization.Encoding.PEM))
    return key, ca


def _usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        crl_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
