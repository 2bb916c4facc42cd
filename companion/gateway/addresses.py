"""Which addresses this machine has in its networks."""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import socket
import struct
from contextlib import suppress

__all__ = ["elsewhere", "is_elsewhere", "own_addresses"]

_SIOCGIFADDR = 0x8915


def own_addresses() -> tuple[ipaddress.IPv4Address, ...]:
    """Return the address of each network that this machine is in, its own loopback too."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _index, name in socket.if_nameindex():
            with suppress(OSError):
                told = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
                found.append(ipaddress.IPv4Address(told[20:24]))
    return tuple(found)


def is_elsewhere(host: str) -> bool:
    """Say whether an address, or a name of one, is surely another machine's: no program of this one can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as asking:
        try:
            asking.bind((host, 0))
        except OSError as fault:
            return fault.errno == errno.EADDRNOTAVAIL
    return False


def elsewhere(host: str) -> str:
    """Return that an address is another machine's, with those that this one has."""
    return f"{host} is no address of this machine, which has {', '.join(map(str, own_addresses()))}"
