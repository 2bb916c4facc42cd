"""The installer for real, in Debian roots: amd64 with systemd running, arm64 under emulation, a machine that loses power.

Long: minutes each. Needs root, debootstrap and systemd-nspawn; for arm64 qemu-user-static with binfmt, for the power cut
qemu-system-x86; each missing one is said by name.
COMPANION_TEST_ROOT_AMD64_BOOKWORM, _AMD64_TRIXIE and so on name roots made before by the same debootstrap call, to copy
instead of making one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("roots")]

TOP = Path(__file__).parents[2]
PACKAGES = "python3,python3-venv,ca-certificates,unzip"
SUITES = {"bookworm": "3.11", "trixie": "3.13"}
"""Debian release to its Python: what Raspberry Pi OS is made of."""
KIT = "srv/test"
"""Where the test's own files lie inside a root, seen from its top: Debian makes /srv, and nothing that is tested uses it."""


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
        self.kit = path / KIT
        self.kit.mkdir(parents=True, exist_ok=True)
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

    def bring(self, name: str, script: str) -> None:
        """Put a Python script with its tools into the kit; one that is no Python is told here, not by its silence."""
        compile(script, name, "exec")
        (self.kit / name).write_text(TOOLS + script)

    def boot(self, script: str, seconds: int = 180) -> str:
        """Start systemd inside, run a Python script there, and return what it wrote."""
        self.bring("selftest.py", script)
        unit = self.path / "etc/systemd/system/selftest.service"
        unit.write_text(
            "[Unit]\nAfter=multi-user.target\n[Service]\n"
            f"ExecStart=/usr/bin/python3 /{KIT}/selftest.py /{KIT}/result.txt\n"
            "ExecStopPost=/usr/bin/systemctl poweroff\n"
        )
        wants = self.path / "etc/systemd/system/multi-user.target.wants/selftest.service"
        wants.unlink(missing_ok=True)
        wants.symlink_to("../selftest.service")
        result = self.kit / "result.txt"
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


def make_root(folder: Path, arch: str, suite: str) -> Root:
    path = folder / f"root-{arch}-{suite}"
    ready = os.environ.get(f"COMPANION_TEST_ROOT_{arch.upper()}_{suite.upper()}")
    if ready:
        subprocess.run(["cp", "-a", ready, str(path)], check=True)
    else:
        command = [
            "debootstrap",
            f"--arch={arch}",
            "--variant=minbase",
            f"--include={PACKAGES}",
            suite,
            str(path),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=3_000)
    return Root(path)


class Bundles:
    """Packages of this checkout, each made when it is first asked for.

    ``later`` is a later version, ``broken`` one that does not start; ``trixie-x86_64`` and so on hold this version with
    every library for that Debian release and processor.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, Path] = {}
        self._key = folder / "maker.pem"
        subprocess.run(
            [str(TOP / "deploy/sign"), "make-key", str(self._key)], check=True, capture_output=True
        )

    def __getitem__(self, name: str) -> Path:
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> Path:
        version = {"later": "0.1.1", "broken": "0.1.2"}.get(name, "0.1.0")
        source = self._source(version)
        more: list[str] = []
        if name == "broken":
            (source / "companion/app.py").write_text(
                "raise SystemExit('this version is broken on purpose')\n"
            )
        elif name != "later":
            suite, _, machine = name.partition("-")
            more = ["--with-libraries", SUITES[suite], "--machine", machine]
        more += ["--key", str(self._key), "--serial", version.replace(".", "")]
        done = subprocess.run(
            [str(source / "deploy/bundle"), "--out", str(self.folder / name), *more],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return Path(done.stdout.strip().splitlines()[-1])

    def _source(self, version: str) -> Path:
        source = self.folder / f"source-{version}"
        if source.exists():
            return source
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
        return source


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Bundles:
    """Packages of this checkout."""
    return Bundles(tmp_path_factory.mktemp("bundles"))


TOOLS = """
import glob, os, signal, subprocess, sys, time
def sh(*a):
    done = subprocess.run(a, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()
def state(): return sh("systemctl", "is-active", "table-companion")
def shown(name): return sh("systemctl", "show", "-p", name, "--value", "table-companion")
def until(f, s=60):
    t = time.monotonic()
    while time.monotonic() - t < s:
        if f(): return round(time.monotonic() - t, 1)
        time.sleep(0.2)
    return "never"
"""
"""What the scripts that run inside share; each waits for a condition, with a deadline."""

SERVICE_TEST = """
out = open(sys.argv[1], "w", buffering=1)
def pid(): return shown("MainPID")
def back(old): return lambda: pid() not in ("0", old) and state() == "active"
print("started:", until(lambda: state() == "active"), file=out)
def ask(word, seconds=120):
    open("/run/table-companion/request.new", "w").write(word + "\\n")
    os.rename("/run/table-companion/request.new", "/run/table-companion/request")
    print("asked:", until(lambda: os.path.exists("/run/table-companion/answer"), seconds), file=out)
    print("answer:", open("/run/table-companion/answer").read().strip(), file=out)
    os.unlink("/run/table-companion/answer")
for name in ("KILL", "STOP"):
    old = pid()
    if old != "0":
        os.kill(int(old), getattr(signal, "SIG" + name))
        print(name, "back after:", until(back(old)), file=out)
for whole in glob.glob("/opt/table-companion/versions/0.1.1-*/.complete"):
    os.unlink(whole)  # so that it is built anew, by units of its own
ask("update", 600)
ask("back")
os.unlink("/media/stick/table-companion-0.1.1.zip.sig")
ask("update")
fence = "id -un; cut -d: -s -f1 /proc/net/dev; touch /opt/evil /var/lib/table-companion/evil 2>/dev/null || echo fenced"
build = "here=/opt/table-companion/bin; . $here/lib.sh; open_work; as_builder sh -c '%s'; rm -rf $WORK" % fence
print("builder:", sh("bash", "-euc", build).split(), file=out)
print(open("/run/table-companion/seen").read(), file=out)
print("log bound:", sh("systemd-analyze", "cat-config", "systemd/journald.conf").count("SystemMaxUse=64M"), file=out)
open("/run/table-companion/request.new", "w").write("poweroff\\n")
os.rename("/run/table-companion/request.new", "/run/table-companion/request")
signal.pause()  # only the request ends the machine
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
until(lambda: state() != "activating", 100)
FED_US = 25_000_000  # longer than the watchdog waits
def is_fed(): return int(shown("WatchdogTimestampMonotonic")) > int(shown("ActiveEnterTimestampMonotonic")) + FED_US
until(lambda: state() != "active" or is_fed(), 90)
said = [state(), "fed " + str(is_fed()), shown("StatusText"), sh("journalctl", "-b", "--no-pager", "-u", "table-companion")]
open(sys.argv[1], "w").write("\\n".join(said))
"""

NO_GAMES = """
out = open(sys.argv[1], "w", buffering=1)
def waits(): return sh("systemctl", "is-active", "table-companion-no-games") == "activating"
pauses = set()  # between two looks for the partition: it looks in vain more than twice
def looked_again():
    for name in glob.glob("/proc/[0-9]*/comm"):
        try:
            if open(name).read().strip() == "sleep":
                pauses.add(name)
        except OSError:
            pass
    return len(pauses) > 2
print("told:", until(waits), "looked again:", until(looked_again), "the program is", state(), file=out)
print("still", sh("systemctl", "is-active", "table-companion-no-games"), file=out)
said = sh("journalctl", "-b", "--no-pager", "-o", "cat", "-u", "table-companion-no-games")
print("said", said.count("The stick or partition with the games is missing."), "times", file=out)
open("/etc/fstab", "w").write("games /var/lib/table-companion tmpfs nofail 0 0\\n")  # as good as plugging it in
print("mounted:", until(lambda: os.path.ismount("/var/lib/table-companion")), file=out)
print("goes on:", until(lambda: state() in ("activating", "active")), file=out)
"""

NO_CONSOLE = "StandardInput=null\nTTYPath=\nTTYReset=no\nTTYVHangup=no\nTTYVTDisallocate=no\n"


@pytest.fixture(scope="module", params=SUITES)
def amd64(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, bundles: Bundles
) -> Iterator[Root]:
    """A Debian root with systemd and the packages in its kit."""
    need("debootstrap", "chroot", "unshare", "systemd-nspawn")
    root = make_root(tmp_path_factory.mktemp("amd64"), "amd64", request.param)
    root.run(
        "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; "
        "apt-get -qq install --no-install-recommends -y systemd systemd-sysv udev dbus unzip >/dev/null 2>&1"
    )
    for name in ("later", "broken"):
        for end in ("", ".sig"):
            shutil.copy(f"{bundles[name]}{end}", root.kit / f"{name}.zip{end}")
    shutil.copy(bundles[f"{request.param}-x86_64"], root.kit / "now.zip")
    yield root
    shutil.rmtree(root.path, ignore_errors=True)


def test_install_run_update_and_go_back_on_debian(amd64: Root):
    unpack = f"cd /{KIT}; rm -rf stick; mkdir stick; unzip -q now.zip -d stick; "
    dry = amd64.run(
        unpack + "bash stick/deploy/install --from stick --dry-run; test ! -e /opt/table-companion"
    )
    assert "dry run: nothing was changed" in dry
    # The Debian packages come from an archive; the application and its libraries from the stick alone.
    wanted = next(line for line in dry.splitlines() if line.startswith("would install packages: "))
    amd64.run(
        "DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y "
        f"{wanted.split(': ')[1]} >/dev/null 2>&1"
    )
    out = amd64.run(f"bash /{KIT}/stick/deploy/install --from /{KIT}/stick --rotation 180", network=False)
    assert "create the user companion" in out
    assert "start version 0.1.0-" in out
    assert "enable table-companion.service" in out
    again = amd64.run(f"bash /{KIT}/stick/deploy/install --from /{KIT}/stick", network=False)
    assert again.splitlines()[-1] == "everything is as it should be; nothing was changed"
    groups = amd64.run("id -nG companion").split()
    assert {"companion", "video", "render", "input", "dialout", "audio"} <= set(groups)

    # The update needs no network: the libraries are those of the running version.
    updated = amd64.run(f"companion-update /{KIT}/later.zip", network=False)
    assert "switched to version 0.1.1-" in updated
    assert amd64.run("companion --version").strip() == "companion 0.1.1"
    broken = amd64.run(f"companion-update /{KIT}/broken.zip || true", network=False)
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
    stick = amd64.path / "media/stick"
    stick.mkdir()
    for end in ("", ".sig"):
        shutil.copy(amd64.kit / f"later.zip{end}", stick / f"table-companion-0.1.1.zip{end}")
    said = amd64.boot(SERVICE_TEST, 900)
    shutil.rmtree(stick)
    assert "started: never" not in said
    assert "KILL back after: never" not in said
    assert "STOP back after: never" not in said
    assert "answer: 0 switched to version 0.1.1-" in said, said
    assert "answer: 0 went back from 0.1.1-" in said, said
    assert (
        "answer: 1 table-companion: table-companion-0.1.1.zip is not signed by a key that this box trusts"
        in said
    )
    assert "builder: ['companion-build', 'lo', 'fenced']" in said, said
    for line in (
        "options run --fullscreen --rotation 180 --touch", "watchdog 20.0", "requests True", "driver KMSDRM",
        "network refused", "system read-only", "log bound: 1",
    ):  # fmt: skip
        assert line in said, said


def test_the_window_runs_off_screen_inside_the_units_fences_and_asks_the_language(amd64: Root):
    """The real program under the real unit: notify, watchdog and all fences; only the picture goes nowhere."""
    drop_in = amd64.path / "etc/systemd/system/table-companion.service.d/test.conf"
    if not drop_in.parent.exists():
        pytest.skip("nothing is installed in the root")
    start = "ExecStart=\nExecStart=/opt/table-companion/current/venv/bin/companion run\n"
    drop_in.write_text("[Service]\nRestart=no\nEnvironment=SDL_VIDEODRIVER=offscreen\n" + start + NO_CONSOLE)
    said = amd64.boot(LOOK)
    assert said.startswith("active\nfed True\n"), said
    assert "began with: the first start (LanguageQuestion)" in said, said
    assert "Traceback" not in said


def test_a_box_without_its_games_says_so_and_goes_on_when_they_come(amd64: Root):
    """Power-safe mode's own settings, but for the kind of partition: a container has none to miss."""
    units = amd64.path / "etc/systemd/system"
    if not (units / "table-companion-no-games.service").exists():
        pytest.skip("nothing is installed in the root")
    fstab = amd64.path / "etc/fstab"
    fstab.write_text(f"/{KIT}/absent /var/lib/table-companion ext4 nofail 0 0\n")
    games = units / "table-companion.service.d/games.conf"
    games.parent.mkdir(exist_ok=True)
    games.write_text(
        "[Unit]\nRequiresMountsFor=/var/lib/table-companion\nOnFailure=table-companion-no-games.service\n"
    )
    quiet = units / "table-companion-no-games.service.d/test.conf"
    quiet.parent.mkdir()
    quiet.write_text("[Service]\n" + NO_CONSOLE.replace("StandardInput=null", "StandardOutput=journal"))
    said = amd64.boot(NO_GAMES)
    shutil.rmtree(quiet.parent)
    games.unlink()
    fstab.write_text("")
    assert "the program is inactive\nstill activating\nsaid 1 times\n" in said, said
    assert "never" not in said, said


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


@pytest.mark.parametrize("suite", SUITES)
def test_install_and_smoke_start_on_arm64_under_emulation(tmp_path: Path, bundles: Bundles, suite: str):
    """What a Pi would import, on its own kind of processor, from a stick; says nothing about speed or its graphics."""
    need("debootstrap", "chroot", "qemu-aarch64-static")
    if not Path("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists():
        pytest.skip("binfmt_misc does not know arm64 (update-binfmts --enable qemu-aarch64)")
    root = make_root(tmp_path, "arm64", suite)
    shutil.copy(bundles[f"{suite}-aarch64"], root.kit / "now.zip")
    out = root.run(
        f"cd /{KIT}; mkdir stick; unzip -q now.zip -d stick; uname -m; "
        "bash stick/deploy/install --from stick --no-start"
    )
    assert out.splitlines()[0] == "aarch64"
    assert "switched to version 0.1.0-" in out
    check = "import kivy, cv2, numpy, serial, gpiozero, lgpio, msgspec, cryptography; print('all there')"
    said = root.run(f'cd /; LG_WD=/tmp /opt/table-companion/current/venv/bin/python -c "{check}" 2>/dev/null')
    assert said.splitlines()[-1] == "all there"


EVENING = """
tty = open("/dev/ttyS0", "w", buffering=1)
def tell(*words): tty.write("@@ " + " ".join(map(str, words)) + "\\n")
tell("root", sh("stat", "-f", "-c", "%T", "/"))
tell("games", sh("findmnt", "-no", "FSTYPE,SOURCE", "/var/lib/table-companion"))
tell("power-safe", sh("companion-power-safe", "status"))
tell("left over", os.path.exists("/etc/written-before-the-cut"))
open("/etc/written-before-the-cut", "w").write("x")
os.sync()
tell("update", sh("companion-update", "--usb"))
until(lambda: state() == "active", 300)
tell("service", state())
sh("systemctl", "stop", "table-companion")
if os.path.exists("/var/lib/table-companion/off"):
    tell("off", sh("companion-power-safe", "off").splitlines()[-1])
    os.sync()
    sh("systemctl", "poweroff")
    signal.pause()
play = '''
from pathlib import Path
from companion.adapters.catalogue import GameCatalogue
from companion.core import commands as cm
from companion.adapters.shell import ShellDesk
desk = ShellDesk(Path("/var/lib/table-companion/table-companion"), GameCatalogue(), post=lambda call: call())
for saved in desk.saved_games():
    desk.open(saved.path)
    print("kept", desk.change.seq, saved.fault or "whole", flush=True)
    desk.close()
desk.start(desk.make_setup("sfw96", "italy", {"tournament": True}))
while True:
    is_paused = desk.change.state.clocks.is_paused
    desk.send(cm.Resume(at_ms=desk.now_ms()) if is_paused else cm.Pause(at_ms=desk.now_ms()))
    desk.session.sync()
    print("stored", desk.change.seq, flush=True)
'''
python = "/opt/table-companion/current/venv/bin/python"
command = ["setpriv", "--reuid=companion", "--regid=companion", "--init-groups", "--reset-env", python, "-u", "-c", play]
for line in subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd="/").stdout:
    tell("game", line.strip())
"""


class Machine:
    """A whole machine under emulation: system disk, games' disk, start partition; its plug can be pulled."""

    def __init__(self, folder: Path, root: Root) -> None:
        self.folder, self.root = folder, root
        for name, megabytes in (("games", 128), ("start", 32)):
            image = folder / f"{name}.img"
            image.write_bytes(b"")
            os.truncate(image, megabytes << 20)
            subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)

    def looped(self, name: str, act: Callable[[str], None]) -> None:
        """Do something with an image as a block device."""
        image = str(self.folder / f"{name}.img")
        device = subprocess.run(
            ["losetup", "-f", "--show", image], check=True, capture_output=True, text=True
        ).stdout.strip()
        try:
            act(device)
        finally:
            subprocess.run(["losetup", "-d", device], check=True)

    def on_disk(self, name: str, script: str) -> str:
        """Run a shell script in the mounted file system of an image."""
        said: list[str] = []

        def act(device: str) -> None:
            command = f'mkdir -p "$1"; mount {device} "$1"; cd "$1"; {script}; cd /; umount "$1"'
            done = subprocess.run(
                ["sh", "-ec", command, "sh", str(self.folder / "mnt")],
                check=True,
                capture_output=True,
                text=True,
            )
            said.append(done.stdout)

        self.looped(name, act)
        return said[0]

    def build(self) -> None:
        """Make the system disk of the root, and take its kernel and start image as they are by now."""
        for name in ("vmlinuz", "initrd.img"):
            (found,) = (self.root.path / "boot").glob(f"{name}-*")
            shutil.copy(found, self.folder / name)
        subprocess.run(
            ["mkfs.ext4", "-q", "-d", str(self.root.path), str(self.folder / "system.img"), "3500M"],
            check=True,
        )

    def run(self, moves: int) -> list[str]:
        """Start it, and pull the plug after so many stored moves, or wait until it goes off by itself."""
        drives = []
        for name in ("system", "games", "start"):
            drives += ["-drive", f"file={self.folder / name}.img,if=virtio,format=raw"]
        line = self.on_disk("start", "cat cmdline.txt").strip()
        command = [
            "qemu-system-x86_64", "-machine", "q35", "-cpu", "max", "-m", "2048", "-smp", "2", "-nographic",
            "-no-reboot", "-nic", "none", "-monitor", "none", "-serial", "stdio", "-append", line,
            "-kernel", str(self.folder / "vmlinuz"), "-initrd", str(self.folder / "initrd.img"), *drives,
        ]  # fmt: skip
        heard: list[str] = []
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as machine:
            late = threading.Timer(900, machine.kill)
            late.start()
            assert machine.stdout is not None
            for raw in machine.stdout:
                words = raw.decode(errors="replace").strip()
                if "@@ " in words:
                    heard.append(words.split("@@ ", 1)[1])
                if moves and sum(one.startswith("game stored") for one in heard) >= moves:
                    machine.kill()
                    break
            late.cancel()
        return heard


def test_the_plug_is_pulled_in_power_safe_mode(
    tmp_path_factory: pytest.TempPathFactory, bundles: Bundles
) -> None:
    """The real overlay of the real Debian package, in a machine of its own that loses its power twice."""
    need("debootstrap", "chroot", "unshare", "qemu-system-x86_64", "losetup", "mkfs.ext4")
    root = make_root(tmp_path_factory.mktemp("power"), "amd64", "trixie")
    shutil.copy(bundles["trixie-x86_64"], root.kit / "now.zip")
    root.run(
        "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; apt-get -qq install --no-install-recommends -y "
        "systemd systemd-sysv udev dbus unzip e2fsprogs linux-image-cloud-amd64 initramfs-tools >/dev/null 2>&1"
    )
    root.run(
        f"cd /{KIT}; mkdir stick; unzip -q now.zip -d stick; bash stick/deploy/install --from stick --language en"
    )
    root.bring("evening.py", EVENING)
    units = root.path / "etc/systemd/system"
    (units / "evening.service").write_text(
        f"[Unit]\nAfter=multi-user.target\n[Service]\nExecStart=/usr/bin/python3 /{KIT}/evening.py\n"
    )
    (units / "multi-user.target.wants/evening.service").symlink_to("../evening.service")
    slow = "TimeoutStartSec=900\nWatchdogSec=600\nEnvironment=SDL_VIDEODRIVER=offscreen\n"
    start = (
        "ExecStart=\nExecStart=/opt/table-companion/current/venv/bin/companion run --fullscreen --silent\n"
    )
    drop_in = units / "table-companion.service.d/test.conf"
    drop_in.parent.mkdir()
    drop_in.write_text("[Service]\n" + start + slow + NO_CONSOLE)
    (root.path / "etc/fstab").write_text(
        "/dev/vda / ext4 defaults 0 1\n/dev/vdc /boot/firmware ext4 defaults 0 2\n"
    )

    machine = Machine(tmp_path_factory.mktemp("disks"), root)
    firmware = root.path / "boot/firmware"
    firmware.mkdir()
    (firmware / "cmdline.txt").write_text("console=ttyS0 root=/dev/vda rootwait quiet\n")
    (root.path / "var/lib/table-companion/an-old-evening").write_text("kept")
    machine.looped("games", lambda device: print(root.run(f"companion-power-safe on {device}")))
    # It brings what the start image needs, and a kernel that comes later gets it too; where it does not, that is said at once.
    made = "update-initramfs -u -k all 2>&1"
    assert "would not be safe" not in root.run(made)
    spoiled = root.run(f"dpkg --purge --force-depends busybox >/dev/null 2>&1; {made}")
    assert "the next start would not be safe: /boot/initrd.img-" in spoiled
    assert ": lacks busybox" in spoiled
    machine.looped("games", lambda device: print(root.run(f"companion-power-safe on {device}")))
    assert "would not be safe" not in root.run("companion-power-safe status || true")
    line = (firmware / "cmdline.txt").read_text()
    assert line.strip().endswith(" overlayroot=tmpfs:recurse=0")
    machine.on_disk("start", f"echo '{line.strip()}' >cmdline.txt")
    (firmware / "cmdline.txt").unlink()
    machine.build()

    first = machine.run(moves=60)
    assert first[0] == "root overlayfs"
    assert first[1].split() == ["games", "ext4", "/dev/vdb"]
    assert first[2] == "power-safe on"
    assert any(one.startswith("update table-companion: power-safe mode is on") for one in first)
    assert "service active" in first
    stored = int(first[-1].split()[-1])
    second = machine.run(moves=20)
    assert "left over False" in second, "what was written to the system is gone"
    kept = [one.split() for one in second if one.startswith("game kept")]
    assert len(kept) == 1
    assert int(kept[0][2]) >= stored
    assert kept[0][3] == "whole"
    assert machine.on_disk("games", "cat an-old-evening") == "kept"

    machine.on_disk("games", "touch off")
    last = machine.run(moves=0)
    assert any(one.startswith("off power-safe mode is off from the next restart") for one in last), last
    assert machine.on_disk("start", "cat cmdline.txt").strip() == "console=ttyS0 root=/dev/vda rootwait quiet"
