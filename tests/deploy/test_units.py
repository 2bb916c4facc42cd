"""Scripts and units as shellcheck and systemd itself judge them."""

from __future__ import annotations

import configparser
import os
import pty
import re
import shutil
import subprocess
import termios
from pathlib import Path

import pytest

SCRIPTS = (
    "install",
    "start",
    "update",
    "request",
    "splash",
    "power-safe",
    "uninstall",
    "bundle",
    "lgpio",
    "sign",
    "stick",
    "addresses",
    "lib.sh",
    "verify.sh",
)


def test_every_script_explains_itself_and_can_be_run(deploy):
    for name in SCRIPTS:
        if name.endswith(".sh"):
            continue
        path = deploy / name
        assert path.stat().st_mode & 0o111, name
        lines = path.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "#!/usr/bin/env bash"
        assert lines[1].startswith("# ")
        assert "set -euo pipefail" in lines
    for name in ("install", "update", "bundle", "lgpio", "sign", "uninstall"):
        done = subprocess.run([str(deploy / name), "--help"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith("usage: ")


@pytest.fixture
def service(deploy):
    """The service's settings, later lines of one name joined."""
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(deploy / "systemd/table-companion.service")
    return parser


def test_the_service_is_watched_restarted_and_waits_for_no_network(deploy, service):
    section = dict(service["Service"])
    assert section["Type"] == "notify"
    assert section["WatchdogSec"] == "20"
    assert section["Restart"] == "always"
    assert section["User"] == "companion"
    assert section["PrivateNetwork"] == "yes"
    text = (deploy / "systemd/table-companion.service").read_text()
    assert not re.search(r"network(-online)?\.target", text)
    assert service["Unit"]["Conflicts"] == "getty@tty1.service"
    assert service["Unit"]["StartLimitIntervalSec"] == "0"


def test_what_may_be_plugged_in_later_is_known_to_the_kernel_before(deploy):
    """systemd looks device kinds up when the service starts; one whose module comes later stays forbidden."""
    modules = (deploy / "systemd/modules.conf").read_text().split()
    text = (deploy / "systemd/table-companion.service").read_text()
    for kind, module in (
        ("char-ttyACM", "cdc_acm"),
        ("char-ttyUSB", "usbserial"),
        ("char-video4linux", "videodev"),
    ):
        assert f"DeviceAllow={kind} rw" in text
        assert module in modules


def test_what_is_said_of_missing_games_stays_on_the_console_while_they_are_awaited(deploy):
    """systemd clears the console before each command of a unit that writes there."""
    text = (deploy / "systemd/table-companion-no-games.service").read_text().replace("\\\n", "")
    (saying,) = (line for line in text.splitlines() if line.startswith("ExecStart=") and "is missing" in line)
    assert "until mount" in saying


def test_the_log_is_bounded(deploy):
    parser = configparser.ConfigParser()
    parser.optionxform = str
    text = (deploy / "systemd/journald.conf").read_text()
    parser.read_string(text)
    assert parser["Journal"]["SystemMaxUse"] == "64M"
    assert parser["Journal"]["RuntimeMaxUse"] == "16M"


@pytest.fixture
def verified(deploy, tmp_path):
    """A root folder with the units in place and what they start, for systemd-analyze."""
    root = tmp_path / "root"
    units = root / "etc/systemd/system"
    units.mkdir(parents=True)
    programs = root / "opt/table-companion/bin"
    programs.mkdir(parents=True)
    (root / "opt/table-companion/current/venv/bin").mkdir(parents=True)
    gateway = "../current/venv/bin/companion"
    for name in (
        "companion-start",
        "companion-request",
        "companion-splash",
        "companion-stick",
        "companion-addresses",
        gateway,
    ):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    (root / "bin").mkdir()
    for name in ("bash", "echo", "sh", "systemctl"):
        shutil.copy(f"/bin/{name}", root / "bin")
    for path in (*(deploy / "systemd").glob("table-companion*"), deploy / "card/companion-first.service"):
        shutil.copy(path, units)
    names = "sysinit.target basic.target multi-user.target shutdown.target getty@.service paths.target system.slice"
    for name in names.split():
        found = Path("/lib/systemd/system") / name
        if found.exists():
            target = root / "lib/systemd/system"
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(found, target)
    return root


needs_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


@needs_analyze
@pytest.mark.parametrize(
    "unit",
    [
        "table-companion.service",
        "table-companion-request.path",
        "table-companion-request.service",
        "table-companion-splash.service",
        "table-companion-stick@sda1.service",
        "table-companion-no-games.service",
        "table-companion-phones.socket",
        "table-companion-phones.service",
        "table-companion-addresses.service",
        "companion-first.service",
    ],
)
def test_systemd_finds_nothing_wrong(verified, unit):
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", f"--root={verified}", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    about_us = [
        line
        for line in (done.stdout + done.stderr).splitlines()
        if re.search("table-companion|companion-first", line)
    ]
    assert about_us == [], done.stderr


def test_root_obeys_the_screen_behind_the_same_fences(deploy):
    """What the two units differ in is what the one is for: the program draws and listens, root writes versions."""
    fences = {}
    for name in ("table-companion", "table-companion-request"):
        lines = (deploy / f"systemd/{name}.service").read_text().splitlines()
        fences[name] = {
            line
            for line in lines
            if re.match(r"(Protect|Restrict|Private|Lock|NoNew|Keyring|SystemCall|IPAddress|Device)", line)
        }
    differ = {line.split("=")[0] for line in fences["table-companion"] - fences["table-companion-request"]}
    assert differ == {"DeviceAllow", "RestrictAddressFamilies", "SystemCallFilter"}
    text = (deploy / "systemd/table-companion-request.service").read_text()
    assert "RestrictAddressFamilies=AF_UNIX\n" in text
    assert "User=" not in text


@pytest.mark.parametrize("unit", ["stick@", "no-games"])
def test_what_mounts_for_the_whole_box_has_one_right_and_no_view_of_the_files_of_its_own(deploy, unit):
    lines = (deploy / f"systemd/table-companion-{unit}.service").read_text().splitlines()
    own_view = (
        r"(Protect|Private|Read|Inaccessible|Bind(Paths|Read)|Temporary|Root|Mount|State|Dynamic|ProcSubset)"
    )
    assert [line for line in lines if re.match(own_view, line)] == []
    assert "NoNewPrivileges=yes" in lines
    (rights,) = [line for line in lines if line.startswith("CapabilityBoundingSet=")]
    assert "CAP_SYS_ADMIN" in rights
    assert not re.search("DAC|CHOWN|MODULE|RAWIO|PTRACE|SETUID|NET", rights)


def test_the_port_for_phones_is_opened_by_wish_alone_and_handed_into_an_empty_network(deploy):
    units = {}
    for name in ("phones.socket", "phones.service", "addresses.service"):
        parser = configparser.RawConfigParser(strict=False)
        parser.optionxform = str
        parser.read(deploy / f"systemd/table-companion-{name}")
        assert not parser.has_section("Install"), "nothing listens until the screen wants it"
        units[name] = parser
    socket, service = units["phones.socket"], units["phones.service"]
    assert socket["Socket"]["ListenStream"] == "0.0.0.0:8765"
    assert socket["Unit"]["BindsTo"] == service["Unit"]["BindsTo"] == "table-companion.service"
    assert service["Service"]["ExecStart"].endswith(
        "gateway --socket /run/table-companion/phones.sock --fd 3"
    )
    assert service["Service"]["PrivateNetwork"] == "yes"
    assert service["Service"]["User"] == "companion-phones"
    assert "-/var/lib/table-companion" in service["Service"]["InaccessiblePaths"]
    text = (deploy / "systemd/table-companion.service").read_text()
    assert "RestrictAddressFamilies=AF_UNIX AF_NETLINK\n" in text, "the program itself has no network"
    assert "companion-phones" not in text


def test_the_box_writes_down_its_own_private_addresses_and_follows_no_link(deploy, tmp_path):
    state, ip = tmp_path / "state", tmp_path / "ip"
    state.mkdir()
    ip.write_text(
        "#!/bin/sh\n"
        "echo '2: eth0    inet 192.168.1.20/24 brd 192.168.1.255 scope global eth0'\n"
        "echo '3: wlan0    inet 10.42.0.1/24 scope global wlan0'\n"
        "echo '4: wwan0    inet 8.8.8.8/24 scope global wwan0'\n"
    )
    ip.chmod(0o755)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("kept")
    (state / "addresses").symlink_to(elsewhere)
    (state / "addresses.new").symlink_to(elsewhere)
    env = {"PATH": os.environ["PATH"], "COMPANION_STATE": str(state), "COMPANION_IP": str(ip)}
    subprocess.run([str(deploy / "addresses")], env=env, check=True)
    assert (state / "addresses").read_text().split() == ["192.168.1.20", "10.42.0.1"]
    assert elsewhere.read_text() == "kept"
    ip.write_text("#!/bin/sh\n")
    subprocess.run([str(deploy / "addresses")], env=env, check=True)
    assert (state / "addresses").read_text() == ""


@needs_analyze
@pytest.mark.parametrize(
    ("unit", "most"),
    [
        ("table-companion", 2.0),
        ("table-companion-request", 3.0),
        ("table-companion-phones", 1.0),
        ("table-companion-addresses", 2.5),
        ("table-companion-splash", 3.0),
        ("table-companion-stick@sda1", 4.0),
        ("table-companion-no-games", 4.5),
    ],
)
def test_systemd_rates_the_service_as_well_protected(deploy, unit, most):
    command = [
        "systemd-analyze",
        "security",
        "--offline=true",
        "--no-pager",
        f"systemd/{unit}.service",
    ]
    done = subprocess.run(command, cwd=deploy, capture_output=True, text=True, check=False)
    match = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert match is not None, done.stdout + done.stderr
    assert float(match[1]) <= most, done.stdout


@pytest.mark.parametrize("size", [(24, 80), (9, 40)])
def test_the_name_stands_in_the_middle_of_the_console(deploy, size):
    terminal, console = pty.openpty()
    try:
        termios.tcsetwinsize(console, size)
        subprocess.run([str(deploy / "splash"), os.ttyname(console)], check=True)
        written = os.read(terminal, 1000).decode()
    finally:
        os.close(terminal)
        os.close(console)
    (row, column), words = (map(int, re.search(r"\[(\d+);(\d+)H", written).groups()), "Table Companion")
    assert words in written
    assert row == size[0] // 2
    assert abs(column - 1 - (size[1] - len(words)) / 2) < 1
