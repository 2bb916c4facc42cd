"""``companion phones-wifi``: the table's own Wi-Fi for phones, as one profile of NetworkManager that is made and taken away again."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from getpass import getpass
from pathlib import Path

from companion.adapters.phone_evening import OwnWifi, new_code, read_wifi, wifi_file, wifi_text
from companion.places import default_data_folder
from companion.session.files import write_whole

__all__ = ["main"]

PROFILE, ADDRESS = "table-companion-phones", "10.42.0.1/24"
_PASSWORD = re.compile(r"[\x21-\x7e][\x20-\x7e]{6,61}[\x21-\x7e]")
_WAIT_S = 60

_MORE = """
What is changed: one NetworkManager profile, table-companion-phones, is added and brought up; off takes it down and deletes it. Nothing
else is touched: no other profile, no file of the system. It never starts by itself. While it is up its Wi-Fi adapter cannot be in another
Wi-Fi. With --dry-run the very commands are printed, and nothing is done.

Phones: a Wi-Fi without internet makes some ask whether to stay; say yes. Some use mobile data all the same; then turn mobile data off for
the evening, or open the address that the Phones page shows by hand.

exit codes: 0 done; 1 it could not be done, and why; 2 the command line was wrong"""


def main(argv: Sequence[str]) -> int:
    """Turn the table's own Wi-Fi on or off, or show it; return the exit code."""
    parser = _parser()
    args = parser.parse_args(list(argv))
    if args.password == "-":
        args.password = getpass("Password: ") if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
    fault = _fault(args)
    if fault:
        print(f"companion phones-wifi: {fault}", file=sys.stderr)
        return 2
    nmcli = shutil.which("nmcli")
    if nmcli is None and not args.dry_run:
        return _told("nmcli is missing; the own Wi-Fi needs NetworkManager")
    args.home = args.home or default_data_folder()
    turn = {"on": _on, "off": _off, "show": _show}[args.what]
    return turn(nmcli or "nmcli", args)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion phones-wifi",
        description="Make the table's own Wi-Fi for phones, take it away again, or show how to join it.",
        epilog=_MORE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("on", "off", "show"))
    parser.add_argument("--dry-run", action="store_true", help="print the commands and do nothing")
    parser.add_argument(
        "--name", default="Table Companion", help="its name, up to 32 letters (Table Companion)"
    )
    parser.add_argument(
        "--password",
        default="",
        help="8 to 63 signs, or - to type it (other users see what stands on a command line); without it a new one is made",
    )
    parser.add_argument(
        "--device", default="", help="the Wi-Fi adapter, such as wlan0; without it the first one"
    )
    parser.add_argument("--wpa3", action="store_true", help="WPA3, where the adapter and all phones can")
    parser.add_argument(
        "--home",
        type=Path,
        metavar="FOLDER",
        help="where the program keeps its games, so that it shows the square",
    )
    return parser


def _fault(args: argparse.Namespace) -> str:
    if not args.name.isprintable() or not 1 <= len(args.name.encode()) <= 32:
        return f"--name: expected 1 to 32 letters, got {args.name!r}"
    if args.password and not _PASSWORD.fullmatch(args.password):
        return "--password: expected 8 to 63 letters, digits and signs without accents"
    if args.device and not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,14}", args.device):
        return f"--device: expected a name such as wlan0, got {args.device!r}"
    return ""


def _on(nmcli: str, args: argparse.Namespace) -> int:
    device = args.device or ("wlan0" if args.dry_run else _first_device(nmcli))
    if not device:
        return _told("there is no Wi-Fi adapter; plug one in, or put the phones on another network")
    if not args.dry_run and _asked(nmcli, "-g", "WIFI-PROPERTIES.AP", "device", "show", device) == "no":
        return _told(f"the adapter {device} cannot be a Wi-Fi of its own; use another one with --device")
    code = new_code(12)
    password = args.password or "-".join(code[at : at + 4] for at in range(0, 12, 4))
    add = [
        nmcli,
        "connection",
        "add",
        "type",
        "wifi",
        "ifname",
        device,
        "con-name",
        PROFILE,
        "autoconnect",
        "no",
    ]
    add += ["ssid", args.name, "802-11-wireless.mode", "ap", "802-11-wireless.band", "bg"]
    add += ["ipv4.method", "shared", "ipv4.addresses", ADDRESS, "ipv6.method", "disabled"]
    add += ["wifi-sec.key-mgmt", "sae" if args.wpa3 else "wpa-psk"]
    # The password goes in by the editor's input: every user of this machine sees what stands on a command line.
    edit, typed = (
        [nmcli, "connection", "edit", PROFILE],
        f"set wifi-sec.psk {password}\nsave persistent\nquit\n",
    )
    steps = [add, edit, [nmcli, "connection", "up", PROFILE]]
    if args.dry_run:
        return _printed([[nmcli, "connection", "delete", PROFILE], *steps], {2: typed})
    _quietly(nmcli, "connection", "delete", PROFILE)
    for step in steps:
        given = typed if step is edit else ""
        done = subprocess.run(
            step,
            capture_output=True,
            text=True,
            timeout=_WAIT_S,
            check=False,
            input=given,
            encoding="ascii",
            errors="replace",
        )
        if done.returncode:
            _quietly(nmcli, "connection", "delete", PROFILE)
            return _told(f"NetworkManager says: {(done.stderr or done.stdout).strip()}")
    wifi = OwnWifi(args.name, password, "sae" if args.wpa3 else "wpa")
    _keep(args.home, wifi)
    return _shown(wifi)


def _off(nmcli: str, args: argparse.Namespace) -> int:
    steps = [[nmcli, "connection", "down", PROFILE], [nmcli, "connection", "delete", PROFILE]]
    if args.dry_run:
        return _printed(steps)
    was_there = PROFILE in _asked(nmcli, "-g", "NAME", "connection", "show").splitlines()
    for step in steps if was_there else ():
        _quietly(*step)
    _keep(args.home, None)
    if PROFILE in _asked(nmcli, "-g", "NAME", "connection", "show").splitlines():
        return _told("NetworkManager keeps the profile; ask as a user who may change networks")
    print("The own Wi-Fi is off, and its profile is gone." if was_there else "There was no own Wi-Fi.")
    return 0


def _show(nmcli: str, args: argparse.Namespace) -> int:
    if args.dry_run:
        return _printed(
            [
                [
                    nmcli,
                    "-s",
                    "-g",
                    "802-11-wireless.ssid,802-11-wireless-security.psk",
                    "connection",
                    "show",
                    PROFILE,
                ]
            ]
        )
    if PROFILE not in _asked(nmcli, "-g", "NAME", "connection", "show", "--active").splitlines():
        return _told("the own Wi-Fi is off; companion phones-wifi on")
    told = _asked(
        nmcli, "-s", "-g", "802-11-wireless.ssid,802-11-wireless-security.psk", "connection", "show", PROFILE
    )
    name, _line, password = told.partition("\n")
    kept = read_wifi(args.home)
    return _shown(kept or OwnWifi(name, password.strip(), "wpa"))


def _shown(wifi: OwnWifi) -> int:
    print(
        f"Wi-Fi:     {wifi.name}\nPassword:  {wifi.password}\nAddress:   http://{ADDRESS.partition('/')[0]}:8765 once Phones are on"
    )
    with suppress(ImportError):
        import segno

        segno.make(wifi_text(wifi), error="m", micro=False).terminal(compact=True)
    return 0


def _keep(home: Path, wifi: OwnWifi | None) -> None:
    """Let the program's Phones page show how to join, and nobody else."""
    path = wifi_file(home)
    if wifi is None:
        path.unlink(missing_ok=True)
        return
    import msgspec

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, msgspec.json.encode(wifi), mode=0o600, is_folders=True)


def _first_device(nmcli: str) -> str:
    for line in _asked(nmcli, "-t", "-f", "DEVICE,TYPE", "device").splitlines():
        name, _colon, kind = line.partition(":")
        if kind == "wifi":
            return name
    return ""


def _asked(*command: str) -> str:
    """Return what a command says; nothing where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=_WAIT_S, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _quietly(*command: str) -> None:
    subprocess.run(command, capture_output=True, timeout=_WAIT_S, check=False)


def _printed(steps: Sequence[Sequence[str]], typed: Mapping[int, str] = {}) -> int:
    for n, step in enumerate(steps):
        print(shlex.join(step))
        for line in typed.get(n, "").splitlines():
            print(f"  nmcli> {line}")
    return 0


def _told(text: str) -> int:
    print(f"companion phones-wifi: {text}", file=sys.stderr)
    return 1
