"""One picture of phones as they are at a table, for `deploy/pictures/phones.png`: real pages of real games in a real browser.

python -m companion.testing.phone_pictures deploy/pictures/phones.png
"""

from __future__ import annotations

import base64
import json
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.phones import PhoneLink
from companion.adapters.shell import ShellDesk
from companion.core.commands import EnterPrintedValue
from companion.games.med.rules.cards import printed_key
from companion.pages.table import main_command
from companion.testing.chromium import Browser, Tab
from companion.testing.scenes_med import CARDS
from companion.testing.waiting import until

__all__ = ["main"]

_SIZE, _GAP_PX, _GROUND = (390, 760), 24, "#ECE8E2"

_LIVE = "document.getElementById('line').className === 'live'"


class _Evening:
    """A table with phones on."""

    def __init__(self, home: Path, game: str, scenario: str, **options: Any) -> None:
        self.desk = ShellDesk(home / "data", GameCatalogue(), post=lambda call: call())
        with socket.socket() as asking:
            asking.bind(("127.0.0.1", 0))
            port = int(asking.getsockname()[1])
        self.link = PhoneLink(
            self.desk,
            home / "keys",
            post=lambda call: call(),
            wall_ms=self.desk.time.wall_ms,
            folder=lambda: home,
            port=port,
        )
        self.desk.start(self.desk.make_setup(game, scenario, options))
        until(lambda: self.desk.change is not None)

    @property
    def change(self) -> Any:
        return self.desk.change

    def do(self, command: Any) -> None:
        seq = self.change.seq
        self.desk.send(command)
        until(lambda: self.change.seq > seq)

    def press(self) -> None:
        self.do(main_command(self.change.state, self.desk.now_ms()))

    def turn_on(self) -> None:
        self.link.turn_on("127.0.0.1")
        until(lambda: self.link.state.is_connected)

    def sit(self, browser: Browser, side: str) -> Tab:
        """Let a side's own phone take its seat."""
        serving = self.link._serving
        assert serving is not None, "phones are on"
        self.link.seat("own", side)
        until(lambda: serving.seats.offer is not None and serving.seats.offer.seat == side)
        offer = serving.seats.offer
        assert offer is not None, "it was just made"
        key = base64.urlsafe_b64encode(offer.key).decode().rstrip("=")
        tab = browser.open(f"http://{self.link.state.address}/s/{offer.ticket}#{key}", size=_SIZE)
        tab.press("button.main")
        tab.wait(
            "location.pathname === '/seat' && !!document.querySelector('main:not([data-sealed]) .acts button')"
        )
        tab.wait(_LIVE)
        return tab

    def close(self) -> None:
        self.link.close()
        self.desk.close()


def _tap(tab: Tab, words: str) -> None:
    was = tab.eval("document.getElementById('page').innerHTML")
    all_, told = "[...document.querySelectorAll('#page button:not([disabled])')]", json.dumps(words)
    found = (
        f"({all_}.find(b => b.innerText.trim() === {told}) || {all_}.find(b => b.innerText.includes({told})))"
    )
    tab.wait(f"!!{found}")
    tab.eval(f"{found}.click()")
    tab.wait(f"document.getElementById('page').innerHTML !== {json.dumps(was)}")


def _shot(tab: Tab, folder: Path, name: str) -> bytes:
    tab.wait(_LIVE)
    tab.eval("scrollTo(0, 0)")
    return tab.picture(folder / f"{name}.png").read_bytes()


def _war(home: Path, folder: Path) -> list[bytes]:
    evening = _Evening(home, "sfw96", "italy", players=2)
    try:
        evening.turn_on()
        with Browser() as one:
            axis = evening.sit(one, "axis")
            _tap(axis, "Sealed")
            _tap(axis, "Seal a Hidden Fleet")
            for key in ("F", "7"):
                _tap(axis, key)
            sealed = _shot(axis, folder, "sealed")
            evening.press()
            evening.press()
            _tap(axis, "Clock")
            time.sleep(0.3)  # a picture without a page that is just changing
            return [_shot(axis, folder, "clock"), sealed]
    finally:
        evening.close()


def _cards(home: Path, folder: Path) -> list[bytes]:
    names = ["Anna", "Ben"]
    evening = _Evening(
        home, "med", "match", players=2, names=names, operations=15, series="single", clock="count_up"
    )
    try:
        for card in CARDS:
            evening.do(EnterPrintedValue(printed_key(card.number), msgspec.to_builtins(card)))
        evening.press()
        evening.turn_on()
        with Browser() as one:
            side = str(evening.change.state.step.owners[0])
            anna = evening.sit(one, side)
            _tap(anna, "Engagement")
            for key in ("1", "1", "Surface", "Open the engagement"):
                _tap(anna, key)
            _tap(anna, "Hand")
            _tap(anna, "Add cards")
            typed = "document.querySelector('.question input[type=text]')"
            anna.wait(f"!!{typed}")
            anna.eval(f"{typed}.value = 'A02 A20 A01 A03'")
            _tap(anna, "Done")
            anna.hold(".hold")
            _tap(anna, "A02")
            _tap(anna, "A20")
            hand = _shot(anna, folder, "hand")
            anna.lift()
            _tap(anna, "Lay down")
            return [hand, _shot(anna, folder, "engagement")]
    finally:
        evening.close()


def _together(pictures: Sequence[bytes], path: Path) -> None:
    """Keep pictures side by side, at half the size they were taken in."""
    width, height = _SIZE
    shown = "".join(
        f'<img width="{width}" height="{height}" src="data:image/png;base64,{base64.b64encode(one).decode()}">'
        for one in pictures
    )
    style = f"margin:0;padding:{_GAP_PX}px;display:flex;gap:{_GAP_PX}px;background:{_GROUND}"
    size = (len(pictures) * (width + _GAP_PX) + _GAP_PX, height + 2 * _GAP_PX)
    with Browser() as browser:
        tab = browser.open("data:text/html,<p>", size=size)
        tab.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=False,
        )
        tab.eval(f"document.body.style.cssText = {json.dumps(style)}")
        tab.eval(f"document.body.innerHTML = {json.dumps(shown)}")
        tab.wait("[...document.images].every(one => one.complete)")
        tab.picture(path)


def main(argv: Sequence[str]) -> int:
    """Make the picture; return the exit code."""
    if len(argv) != 1:
        print("usage: python -m companion.testing.phone_pictures FILE.png", file=sys.stderr)
        return 2
    pictures: list[bytes] = []
    make: tuple[Callable[[Path, Path], list[bytes]], ...] = (_war, _cards)
    for one in make:
        with tempfile.TemporaryDirectory(prefix="companion-phones-") as home:
            pictures += one(Path(home), Path(home) / "shots")
    _together(pictures, Path(argv[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
