"""The table's own Wi-Fi: one profile that is made and taken away again, told before it is done, and shown to be scanned."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

from companion.adapters.phone_evening import OwnWifi, read_wifi, wifi_text
from companion.adapters.phones import PhoneLink
from companion.cli import main
from companion.core.text import Typed
from companion.pages.page import Code, Sight, Viewer
from companion.pages.phones import PhonesState, phones_page
from companion.testing.waiting import until

NMCLI = """#!/bin/sh
printf '%s\\n' "$*" >>"$CALLS"
case "$*" in
  "-t -f DEVICE,TYPE device") printf 'eth0:ethernet\\nwlan9:wifi\\n' ;;
  "-g WIFI-PROPERTIES.AP device show wlan9") echo "$CAN_AP" ;;
  "-g NAME connection show"*) [ -e "$CALLS.there" ] && echo table-companion-phones ;;
  "connection add"*) : >"$CALLS.there" ;;
  "connection edit"*) cat >"$CALLS.typed" ;;
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
    typed = network.calls.with_name("calls.typed").read_text().splitlines()
    assert typed == [f"set wifi-sec.psk {kept.password}", "save persistent", "quit"]
    assert len(kept.password) == 14
    assert kept.password in capsys.readouterr().out
    assert (network.home / "keys" / "wifi.json").stat().st_mode & 0o077 == 0
    assert kept.password not in str(network.told()), "whoever may list processes reads a command line"
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
        ("--name", "\udcff"),
        ("--password", "short"),
        ("--password", " leading space"),
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


def test_a_password_can_be_typed_instead_of_standing_on_the_command_line(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("typed by hand 8\n"))
    assert network.run("on", "--password", "-") == 0
    kept = read_wifi(network.home)
    assert kept is not None
    assert kept.password == "typed by hand 8"


needs_manager = pytest.mark.skipif(
    not (shutil.which("NetworkManager") and shutil.which("dbus-daemon")),
    reason="NetworkManager is not installed",
)
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={bus}</listen><auth>EXTERNAL</auth><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
<allow send_type="method_call"/></policy></busconfig>"""


@pytest.mark.long
@needs_manager
def test_the_real_nmcli_keeps_the_profile_as_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """A NetworkManager of its own, without a network: it keeps the profile, and has nothing to bring it up on."""
    if (
        os.geteuid() != 0
        or subprocess.run(["pgrep", "-x", "NetworkManager"], check=False, capture_output=True).returncode == 0
    ):
        pytest.skip("needs root and a machine that runs no NetworkManager")
    with tempfile.TemporaryDirectory(prefix="companion-nm-") as name:
        folder = Path(name)
        bus = folder / "bus"
        (folder / "bus.conf").write_text(BUS.format(bus=bus))
        (folder / "nm.conf").write_text(
            "[main]\nplugins=keyfile\nauth-polkit=false\n[keyfile]\nunmanaged-devices=*\npath=" + str(folder)
        )
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={bus}")
        made = [
            subprocess.Popen(
                ["dbus-daemon", f"--config-file={folder / 'bus.conf'}", "--nofork", "--nopidfile"]
            )
        ]
        try:
            until(bus.exists)
            made.append(
                subprocess.Popen(
                    [
                        "NetworkManager",
                        "--config",
                        folder / "nm.conf",
                        "--debug",
                        "--log-level=OFF",
                        "--pid-file",
                        folder / "pid",
                    ],
                    stderr=subprocess.DEVNULL,
                )
            )
            state = ["nmcli", "-g", "RUNNING", "general"]
            until(
                lambda: (
                    subprocess.run(state, capture_output=True, text=True, check=False).stdout.strip()
                    == "running"
                )
            )
            home = str(tmp_path / "home")
            assert main(["phones-wifi", "on", "--device", "wlan9", "--home", home]) == 1
            assert "NetworkManager says" in capsys.readouterr().err
            asked = ["nmcli", "-g", "NAME", "connection", "show"]
            assert "companion" not in subprocess.run(asked, capture_output=True, text=True, check=True).stdout
            monkeypatch.setattr(
                "companion.phones_wifi_command._quietly", lambda *_command: None
            )  # leave what was made
            assert (
                main(
                    [
                        "phones-wifi",
                        "on",
                        "--device",
                        "wlan9",
                        "--password",
                        "a b\"c\\d'e,:;#",
                        "--home",
                        home,
                    ]
                )
                == 1
            )
            kept = (folder / "table-companion-phones.nmconnection").read_text()
            for line in (
                "psk=a b\"c\\\\d'e,:;#",
                "key-mgmt=wpa-psk",
                "mode=ap",
                "ssid=Table Companion",
                "method=shared",
                "autoconnect=false",
            ):
                assert line in kept, kept
        finally:
            for process in reversed(made):
                process.terminate()
                process.wait()
