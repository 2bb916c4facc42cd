"""A side's own phone in a real browser."""

from __future__ import annotations

import base64
from typing import Any

from companion.testing.chromium import Browser, Tab
from companion.testing.waiting import until

LIVE = "document.getElementById('line').className === 'live'"
SEATED = "!!document.querySelector('main:not([data-sealed]) .acts button')"


def offered(table: Any, side: str) -> tuple[str, bytes]:
    """Have a side's own code shown and return its ticket and key, as the square says them."""
    table.link.seat("own", side)
    until(lambda: table.link.state.own is not None and table.link.state.own.seat == side)
    offer = table.link._serving.seats.offer
    return offer.ticket, offer.key


def sit(browser: Browser, table: Any, side: str) -> Tab:
    """Scan a side's own code and take the seat."""
    ticket, key = offered(table, side)
    fragment = base64.urlsafe_b64encode(key).decode().rstrip("=")
    tab = browser.open(f"{table.url}/s/{ticket}#{fragment}")
    tab.wait("document.readyState === 'complete' && location.hash === ''")
    assert fragment not in tab.eval("location.href + document.documentElement.outerHTML + history.length")
    tab.press("button.main")
    tab.wait(f"location.pathname === '/seat' && {LIVE}")
    tab.wait(SEATED)
    return tab


def gateway_memory(pid: int) -> bytes:
    """Return all that a process has in its memory."""
    found = []
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            where, rights, *rest = line.split()
            if rights.startswith("rw") and not (rest[-1].startswith("[v") if len(rest) > 3 else False):
                start, end = (int(one, 16) for one in where.split("-"))
                try:
                    memory.seek(start)
                    found.append(memory.read(end - start))
                except OSError:
                    continue
    return b"".join(found)
