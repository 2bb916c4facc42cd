"""The installer for real, in Debian roots: amd64 with systemd running, arm64 under emulation. Long: minutes each.

Needs root, debootstrap, systemd-nspawn and, for arm64, qemu-user-static with binfmt; each missing one is said by name.
COMPANION_TEST_ROOT_AMD64 and _ARM64 name roots made before by the same debootstrap call, to copy instead of making one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("roots")]

TOP = Path(__file__).parents[2]
PACKAGES = "python3,python3-venv,ca-certificates,unzip"


def need(*programs: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("a Debian root is made by root only")
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


class Root:
    """A Debian root that commands are run in."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("resolv.conf", "hosts", "ssl/certs/ca-certificates.crt"):
            if Path("/etc", name).exists():
                shutil.copy(Path("/etc", name), path / "etc" / name)

    def run(self, script: str, check: bool = True, network: bool = True) -> str:
        """Run a shell script inside, in a mount namespace that goes with it; without a network in one for that too."""
        enter = (
            'mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"; mount --rbind /dev "$0/dev"; '
            'exec chroot "$0" /bin/bash -ec "$1"'
        )
        spaces = ["unshare", "--mount", "--propagation=private", *([] if network else ["--net"])]
        kept = ("PATH", "PIP_CERT", "PIP_DEFAULT_TIMEOUT", "HOME")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        done = subprocess.run(
            [*spaces, "/bin/sh", "-ec", enter, str(self.path), script],
            capture_output=True, text=True, check=False, env={**env, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def boot(self, script: str, seconds: int = 180) -> str:
        """Start systemd inside, run a Python script there, and return what it wrote."""
        (self.path / "root/selftest.py").write_text(script)
        unit = self.path / "etc/systemd/system/selftest.service"
        unit.write_text(
            "[Unit]\nAfter=multi-user.target\n[Service]\nExecStart=/usr/bin/python3 /root/selftest.py\n"
            "ExecStopPost=/usr/bin/systemctl poweroff\n"
        )
        wants = self.path / "etc/systemd/system/multi-user.target.wants/selftest.service"
        wants.unlink(missing_ok=True)
        wants.symlink_to("../selftest.service")
        result = self.path / "root/result.txt"
        result.unlink(missing_ok=True)
        command = [
            "systemd-nspawn",
            "-q",
            "-D",
            str(self.path),
            "--boot",
            "--register=no",
            "--keep-unit",
            "--console=pipe",
        ]
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
        return result.read_text() if result.exists() else "nothing was written"


def make_root(folder: Path, arch: str) -> Root:
    path = folder / f"root-{arch}"
    ready = os.environ.get(f"COMPANION_TEST_ROOT_{arch.upper()}")
    if ready:
        subprocess.run(["cp", "-a", ready, str(path)], check=True)
    else:
        command = [
            "debootstrap",
            f"--arch={arch}",
            "--variant=minbase",
            f"--include={PACKAGES}",
            "bookworm",
            str(path),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=3_000)
    return Root(path)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Packages of this checkout: as it is, a later version of it, and one that does not start."""
    folder = tmp_path_factory.mktemp("bundles")
    made = {}
    for name, version in (("now", "0.1.0"), ("later", "0.1.1"), ("broken", "0.1.2")):
        source = folder / f"source-{name}"
        source.mkdir()
        for part in ("companion", "hardware", "vision", "scenarios", "deploy"):
            shutil.copytree(TOP / part, source / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("README.md", "LICENSE"):
            shutil.copy(TOP / part, source)
        text = (TOP / "pyproject.toml").read_text(encoding="utf-8")
        lines = [
            f'version = "{version}"' if line.startswith("version = ") else line for line in text.splitlines()
        ]
        (source / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        if name == "broken":
            (source / "companion/app.py").write_text(
                "raise SystemExit('this version is broken on purpose')\n"
            )
        done = subprocess.run(
            [str(source / "deploy/bundle"), "--out", str(folder / name)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        made[name] = Path(done.stdout.strip().splitlines()[-1])
    return made


SERVICE_TEST = """
import os, signal, subprocess, time
out = open("/root/result.txt", "w", buffering=1)
def sh(*a): return subprocess.run(a, capture_output=True, text=True).stdout.strip()
def state(): return sh("systemctl", "is-active", "table-companion")
def pid(): return sh("systemctl", "show", "-p", "MainPID", "--value", "table-companion")
def until(f, s=60):
    t = time.monotonic()
    while time.monotonic() - t < s:
        if f(): return round(time.monotonic() - t, 1)
        time.sleep(0.2)
    return "never"
def back(old): return lambda: pid() not in ("0", old) and state() == "active"
print("started:", until(lambda: state() == "active"), file=out)
for name in ("KILL", "STOP"):
    old = pid()
    if old != "0":
        os.kill(int(old), getattr(signal, "SIG" + name))
        print(name, "back after:", until(back(old)), file=out)
open("/run/table-companion/request.new", "w").write("back\\n")
os.rename("/run/table-companion/request.new", "/run/table-companion/request")
print("asked:", until(lambda: os.path.exists("/run/table-companion/answer"), 120), file=out)
print("answer:", open("/run/table-companion/answer").read().strip(), file=out)
print(open("/run/table-companion/seen").read(), file=out)
print("log bound:", sh("systemd-analyze", "cat-config", "systemd/journald.conf").count("SystemMaxUse=64M"), file=out)
open("/run/table-companion/request.new", "w").write("poweroff\\n")
os.rename("/run/table-companion/request.new", "/run/table-companion/request")
time.sleep(30)
"""

STAND_IN = """#!/opt/table-companion/current/venv/bin/python
import os, socket, sys, time
from hardware.notify import Notifier
from hardware.requests import SystemRequests
notifier = Notifier.from_environment()
said = ["options " + " ".join(sys.argv[1:]), "watchdog %s" % notifier.watchdog_interval_s, "user %d" % os.getuid(),
        "requests %s" % SystemRequests.from_environment().is_available, "driver " + os.environ["SDL_VIDEODRIVER"]]
try:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    said.append("network possible")
except OSError:
    said.append("network refused")
try:
    open("/etc/evil", "w")
    said.append("system writable")
except OSError:
    said.append("system read-only")
open("/var/lib/table-companion/written", "w").close()
open("/run/table-companion/seen", "w").write("\\n".join(said))
notifier.ready("stand-in")
while True:
    notifier.watchdog()
    time.sleep(1)
"""

LOOK = """
import subprocess, time
time.sleep(25)
def sh(*a): return subprocess.run(a, capture_output=True, text=True).stdout
said = sh("systemctl", "is-active", "table-companion") + sh("journalctl", "-b", "--no-pager", "-u", "table-companion")
open("/root/result.txt", "w").write(said)
"""

NO_CONSOLE = "StandardInput=null\nTTYPath=\nTTYReset=no\nTTYVHangup=no\nTTYVTDisallocate=no\n"


@pytest.fixture(scope="module")
def amd64(tmp_path_factory: pytest.TempPathFactory, bundles: dict[str, Path]) -> Iterator[Root]:
    """A Debian root with systemd and the packages in /root."""
    need("debootstrap", "chroot", "unshare", "systemd-nspawn")
    root = make_root(tmp_path_factory.mktemp("amd64"), "amd64")
    root.run(
        "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; "
        "apt-get -qq install --no-install-recommends -y systemd systemd-sysv udev dbus unzip >/dev/null 2>&1"
    )
    for name, path in bundles.items():
        shutil.copy(path, root.path / "root" / f"{name}.zip")
    yield root
    shutil.rmtree(root.path, ignore_errors=True)


def test_install_run_update_and_go_back_on_debian(amd64: Root):
    unpack = "cd /root; rm -rf stick; mkdir stick; unzip -q now.zip -d stick; "
    dry = amd64.run(
        unpack + "bash stick/deploy/install --from stick --dry-run; test ! -e /opt/table-companion"
    )
    assert "dry run: nothing was changed" in dry
    out = amd64.run("bash /root/stick/deploy/install --from /root/stick --rotation 180")
    assert "create the user companion" in out
    assert "start version 0.1.0-" in out
    assert "enable table-companion.service" in out
    again = amd64.run("bash /root/stick/deploy/install --from /root/stick")
    assert again.splitlines()[-1] == "everything is as it should be; nothing was changed"
    groups = amd64.run("id -nG companion").split()
    assert {"companion", "video", "render", "input", "dialout", "audio"} <= set(groups)

    # The update needs no network: the libraries are those of the running version.
    updated = amd64.run("companion-update /root/later.zip", network=False)
    assert "switched to version 0.1.1-" in updated
    assert amd64.run("companion --version").strip() == "companion 0.1.1"
    broken = amd64.run("companion-update /root/broken.zip || true", network=False)
    assert "this version is broken on purpose" in broken
    assert "was not taken; 0.1.1-" in broken
    assert amd64.run("companion --version").strip() == "companion 0.1.1"
    assert "went back from 0.1.1-" in amd64.run("companion-update --back")
    assert amd64.run("companion --version").strip() == "companion 0.1.0"
    verify = amd64.run(
        "systemd-analyze verify --man=no /etc/systemd/system/table-companion*.service 2>&1 || true"
    )
    assert "table-companion" not in verify


def test_the_service_under_a_running_systemd(amd64: Root):
    """A stand-in for the window (there is no console in a container), the real unit with all its fences."""
    if not (amd64.path / "opt/table-companion/current").exists():
        pytest.skip("nothing is installed in the root")
    (amd64.path / "opt/stand-in").write_text(STAND_IN)
    (amd64.path / "opt/stand-in").chmod(0o755)
    drop_in = amd64.path / "etc/systemd/system/table-companion.service.d/test.conf"
    drop_in.parent.mkdir(exist_ok=True)
    drop_in.write_text("[Service]\nEnvironment=COMPANION_APPLICATION=/opt/stand-in\n" + NO_CONSOLE)
    said = amd64.boot(SERVICE_TEST)
    assert "started: never" not in said
    assert "KILL back after: never" not in said
    assert "STOP back after: never" not in said
    assert "answer: 0 went back from 0.1.0-" in said, said
    for line in (
        "options run --fullscreen --rotation 180 --touch", "watchdog 20.0", "requests True", "driver KMSDRM",
        "network refused", "system read-only", "log bound: 1",
    ):  # fmt: skip
        assert line in said, said


def test_the_window_runs_off_screen_inside_the_units_fences(amd64: Root):
    drop_in = amd64.path / "etc/systemd/system/table-companion.service.d/test.conf"
    if not drop_in.parent.exists():
        pytest.skip("nothing is installed in the root")
    start = "ExecStart=\nExecStart=/opt/table-companion/current/venv/bin/companion run\n"
    drop_in.write_text(
        "[Service]\nType=simple\nWatchdogSec=0\nRestart=no\nEnvironment=SDL_VIDEODRIVER=offscreen\n"
        + start
        + NO_CONSOLE
    )
    said = amd64.boot(LOOK)
    assert said.startswith("active\n"), said
    assert "Traceback" not in said


def test_removal_on_debian_leaves_the_games(amd64: Root):
    game = amd64.path / "var/lib/table-companion/evening.companion"
    game.parent.mkdir(parents=True, exist_ok=True)
    game.write_text("an evening")
    out = amd64.run("/opt/table-companion/bin/companion-uninstall")
    assert "the games stay in /var/lib/table-companion" in out
    assert game.read_text() == "an evening"
    assert not (amd64.path / "opt/table-companion").exists()
    left = amd64.run("find /etc /usr/local -name '*companion*' -not -path '*selftest*'")
    assert left.strip() == ""
    amd64.run("systemctl is-enabled getty@tty1.service")


def test_install_and_smoke_start_on_arm64_under_emulation(tmp_path: Path, bundles: dict[str, Path]):
    """What a Pi would fetch and import, on its own kind of processor; says nothing about speed or its graphics."""
    need("debootstrap", "chroot", "qemu-aarch64-static")
    if not Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
        pytest.skip("binfmt_misc does not know arm64 (update-binfmts --enable qemu-aarch64)")
    root = make_root(tmp_path, "arm64")
    shutil.copy(bundles["now"], root.path / "root/now.zip")
    out = root.run(
        "cd /root; mkdir stick; unzip -q now.zip -d stick; uname -m; "
        "bash stick/deploy/install --from stick --no-start"
    )
    assert out.splitlines()[0] == "aarch64"
    assert "switched to version 0.1.0-" in out
    check = "import kivy, cv2, numpy, serial, gpiozero, lgpio, msgspec, cryptography; print('all there')"
    said = root.run(f'cd /; LG_WD=/tmp /opt/table-companion/current/venv/bin/python -c "{check}" 2>/dev/null')
    assert said.splitlines()[-1] == "all there"
