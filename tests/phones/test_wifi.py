"""The table's own Wi-Fi: one profile that is made and taken away again, told before it is done, and shown to be scanned."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.phones import OwnWifi, PhoneLink, read_wifi, wifi_text
from companion.cli import main
from companion.core.text import Typed
from companion.pages.page import Code, Sight, Viewer
from companion.pages.phones import PhonesState, phones_page

NMCLI = """#!/bin/sh
printf '%s\\n' "$*" >>"$CALLS"
case "$*" in
  "-t -f DEVICE,TYPE device") printf 'eth0:ethernet\\nwlan9:wifi\\n' ;;
  "-g WIFI-PROPERTIES.AP device show wlan9") echo "$CAN_AP" ;;
  "-g NAME connection show"*) [ -e "$CALLS.there" ] && echo table-companion-phones ;;
  "connection add"*) : >"$CALLS.there" ;;
  "connection up"*) [ -z "$REFUSES" ] || { echo "Error: no secrets" >&2; exit 4; } ;;
  "connection delete"*) rm -f "$CALLS.there" ;;
  "-s -g"*) printf 'Table Companion\\nhunter22\\n' ;;
esac
exit 0
"""


class Network:
    """A NetworkManager that only listens."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        tool = folder / "nmcli"
        tool.write_text(NMCLI)
        tool.chmod(0o755)
        self.calls, self.home = folder / "calls", folder / "home"
        patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        patch.setenv("CALLS", str(self.calls))
        patch.setenv("CAN_AP", "yes")
        patch.setenv("REFUSES", "")

    def run(self, *args: str) -> int:
        return main(["phones-wifi", *args, "--home", str(self.home)])

    def told(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Network:
    return Network(tmp_path, monkeypatch)


def test_a_dry_run_says_every_command_and_does_none(network: Network, capsys: Any) -> None:
    assert network.run("on", "--dry-run") == 0
    told = capsys.readouterr().out
    assert "connection add type wifi ifname wlan0 con-name table-companion-phones autoconnect no" in told
    assert "ipv4.method shared ipv4.addresses 10.42.0.1/24" in told
    assert network.run("off", "--dry-run") == 0
    assert network.told() == []
    assert not network.home.exists()


def test_on_makes_one_profile_and_off_leaves_nothing(network: Network, capsys: Any) -> None:
    assert network.run("on") == 0
    made = next(line for line in network.told() if line.startswith("connection add"))
    assert "ifname wlan9" in made
    kept = read_wifi(network.home)
    assert kept is not None
    assert kept.password in made
    assert len(kept.password) == 14
    assert kept.password in capsys.readouterr().out
    assert (network.home / "keys" / "wifi.json").stat().st_mode & 0o077 == 0
    assert network.run("show") == 0
    assert network.run("off") == 0
    assert read_wifi(network.home) is None
    assert "connection delete table-companion-phones" in network.told()
    assert network.run("show") == 1
    assert network.run("off") == 0


def test_what_goes_wrong_is_told_and_nothing_is_left(
    network: Network, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("CAN_AP", "no")
    assert network.run("on") == 1
    assert "cannot be a Wi-Fi of its own" in capsys.readouterr().err
    monkeypatch.setenv("CAN_AP", "yes")
    monkeypatch.setenv("REFUSES", "1")
    assert network.run("on") == 1
    assert "no secrets" in capsys.readouterr().err
    assert network.told()[-1] == "connection delete table-companion-phones"
    assert read_wifi(network.home) is None
    for bad in (
        ("--name", ""),
        ("--name", "x" * 33),
        ("--password", "short"),
        ("--device", "a b"),
        ("--device=-x",),
    ):
        assert network.run("on", *bad) == 2, bad
    monkeypatch.setenv("PATH", "/nonexistent")
    assert network.run("on") == 1
    assert "NetworkManager" in capsys.readouterr().err


def test_the_square_is_what_cameras_take_for_a_wifi_and_the_page_shows_it_first(tmp_path: Path) -> None:
    wifi = OwnWifi('A;b"c', "p:a,s\\s12")
    assert wifi_text(wifi) == r"WIFI:T:WPA;S:A\;b\"c;P:p\:a\,s\\s12;;"
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "wifi.json").write_text('{"name":"T","password":"12345678"}')
    link = PhoneLink(None, tmp_path / "keys", post=lambda call: call(), wall_ms=lambda: 0)
    assert link._wifi("192.168.1.2:8765") is None
    code = link._wifi("10.42.0.1:8765")
    assert code is not None
    link._state = PhonesState(True, True, "10.42.0.1:8765", "ABCDEFGH", wifi=code)

    class Box:
        phones = link

    blocks = phones_page(Sight(Viewer(), None, None, box=Box())).page.blocks  # type: ignore[arg-type]
    first, second = (block for block in blocks if isinstance(block, Code))
    assert first.square == code.square
    assert first.value == Typed("12345678")
    assert second.key == "join"
