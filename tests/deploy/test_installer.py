"""Install, run again, update, fail, go back, remove: the real scripts on a folder that stands for /."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_install_twice_update_fail_and_go_back(box, wheel, signed):
    """One long evening with the box; each step builds on the one before, as on the real thing."""
    out = box.install(wheel("1.0"), "--rotation", "180", "--language", "de")
    assert "switched to version 1.0-" in out
    assert box.running() == "1.0"
    assert (
        os.readlink(box.root / "usr/local/bin/companion") == "/opt/table-companion/current/venv/bin/companion"
    )
    assert (
        os.readlink(box.root / "usr/local/bin/companion-update")
        == "/opt/table-companion/bin/companion-update"
    )
    environment = (box.root / "etc/table-companion/environment").read_text()
    assert "COMPANION_ROTATION=180\n" in environment
    assert "COMPANION_LANGUAGE=de\n" in environment
    assert (box.root / "var/lib/table-companion").is_dir()
    units = sorted((box.root / "etc/systemd/system").iterdir())
    assert {unit.name for unit in units} == {unit.name for unit in DEPLOY.glob("systemd/table-companion*")}
    for unit in units:
        for program in re.findall(r"/opt/table-companion/bin/[\w.-]+", unit.read_text()):
            assert (box.root / program.lstrip("/")).is_file(), (unit.name, program)
    done = subprocess.run(
        [str(box.opt / "current/venv/bin/companion")], capture_output=True, text=True, check=True
    )
    assert done.stdout == "companion 1.0\n"

    # Again: nothing to do, and nothing that the box's owner wrote is forgotten.
    pins = box.root / "etc/table-companion/pinmap.toml"
    pins.write_text("version = 1\n")
    edited = box.root / "etc/table-companion/environment"
    edited.write_text(
        environment.replace("ROTATION=180", "ROTATION=90").replace("DISPLAY=auto", "DISPLAY=kms")
    )
    # A folder to work in comes and goes.
    seen = box.tree() - {"opt/table-companion"}
    before = {path: (box.root / path).lstat().st_mtime_ns for path in seen}
    again = box.install(wheel("1.0"))
    assert again.splitlines()[-1] == "everything is as it should be; nothing was changed"
    seen = box.tree() - {"opt/table-companion"}
    assert {path: (box.root / path).lstat().st_mtime_ns for path in seen} == before

    assert "COMPANION_ROTATION=90\n" in edited.read_text()
    assert "COMPANION_DISPLAY=kms\n" in edited.read_text()

    # What is said again counts: back to a picture that is not turned.
    assert "would write /etc/table-companion/environment" in box.install(
        wheel("1.0"), "--rotation", "0", "--dry-run"
    )

    # An update beside the running one.
    game = box.root / "var/lib/table-companion/game.sqlite"
    game.write_bytes(b"an evening")
    out = box.run("update", str(signed(wheel("1.1")))).stdout
    assert "beside 1.0-" in out
    assert (box.running(), box.before()) == ("1.1", "1.0")

    # The same once more is no update.
    assert "is installed and running" in box.run("update", str(signed(wheel("1.1")))).stdout

    # One that does not start is not taken.
    broken = signed(wheel("1.2", "raise SystemExit('no window')"))
    failed = box.run("update", str(broken), check=False)
    assert failed.returncode == 1
    assert "no window" in failed.stderr
    assert "was not taken; 1.1-" in failed.stderr
    assert (box.running(), box.before()) == ("1.1", "1.0")
    assert len(list((box.opt / "versions").iterdir())) == 2

    # A build that was cut off (power) is begun anew and never switched to.
    third = signed(wheel("1.3"))
    box.run("update", str(third))
    assert (box.running(), box.before()) == ("1.3", "1.1")
    assert sorted(path.name.split("-")[0] for path in (box.opt / "versions").iterdir()) == ["1.1", "1.3"]
    assert "went back from 1.3-" in box.run("update", "--back").stdout
    assert (box.running(), box.before()) == ("1.1", "1.3")
    (box.opt / "previous" / ".complete").unlink()
    refused = box.run("update", "--back", check=False)
    assert "is not whole any more; install it again" in refused.stderr
    box.run("update", str(third))
    assert box.running() == "1.3"
    assert box.run("update", "--status").stdout.startswith("running: 1.3-")

    assert game.read_bytes() == b"an evening"
    # Removal keeps the games; purge does not.
    out = box.run("uninstall").stdout
    assert "the games stay in /var/lib/table-companion" in out
    files = {path for path in box.tree() if not (box.root / path).is_dir()}
    assert files == {"var/lib/table-companion/game.sqlite"}
    box.run("uninstall", "--purge")
    assert not (box.root / "var/lib/table-companion").exists()
    assert box.run("uninstall").stdout == "nothing was installed\n"


@pytest.mark.parametrize(
    "arguments", [("--back", "new.zip"), ("old.zip", "new.zip"), ("--trust", "key.pem", "--usb")]
)
def test_an_update_does_one_thing_or_none(box, arguments):
    before = box.tree()
    done = box.run("update", *arguments, check=False)
    assert done.returncode == 1
    assert "expected one thing to do, got " in done.stderr
    assert box.tree() == before


def test_a_dry_run_changes_nothing(box, wheel, signed):
    before = box.tree()
    out = box.run("install", "--from", str(signed(wheel("1.0"))), "--dry-run").stdout
    assert "would build version 1.0-" in out
    assert "would write /etc/systemd/system/table-companion.service" in out
    assert out.splitlines()[-1] == "dry run: nothing was changed"
    assert box.tree() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rotation", "45"], "--rotation: expected 0, 90, 180 or 270, got 45"),
        (["--display", "x11"], "--display: expected auto, kms or cage, got x11"),
        (["--language", "xx"], "--language: got xx, expected one of en de"),
        (["--frobnicate"], "unknown option --frobnicate"),
        (["--from", "/nowhere.zip"], "/nowhere.zip: no such file"),
        (["--from", "/nowhere"], "/nowhere: expected a .zip or a folder"),
        (["--trust", "/nowhere.pem", "--from", "/nowhere"], "/nowhere.pem: expected an Ed25519 public key"),
    ],
)
def test_wrong_options_are_named(box, arguments, words):
    done = box.run("install", *arguments, check=False)
    assert done.returncode == 1
    assert words in done.stderr


def test_back_without_a_version_before(box):
    (box.opt / "versions/1.0-00000000").mkdir(parents=True)
    (box.opt / "current").symlink_to("versions/1.0-00000000")
    done = box.run("update", "--back", check=False)
    assert done.returncode == 1
    assert "there is no version before 1.0-00000000" in done.stderr


def test_the_newest_package_on_a_stick_is_taken(box, wheel, signed):
    stick = box.root / "media/sda1/updates"
    stick.mkdir(parents=True)
    for version, when in (("2.1", 1_000), ("2.0", 2_000)):
        made = signed(wheel(version))
        for path in (made, made.with_name(made.name + ".sig")):
            os.utime(shutil.copy(path, stick), (when, when))
    assert "found table-companion-2.0.zip" in box.run("update", "--usb", "--dry-run").stdout


def test_a_newer_package_that_cannot_be_taken_hides_no_older_good_one(box, wheel, signed):
    stick = box.root / "media/sda1/updates"
    stick.mkdir(parents=True)
    for version, when in (("2.0", 1_000), ("2.1", 2_000), ("2.2", 3_000), ("2.3", 4_000)):
        made = signed(wheel(version))
        for path in (made, made.with_name(made.name + ".sig")):
            os.utime(shutil.copy(path, stick), (when, when))
    (stick / "table-companion-2.3.zip.sig").unlink()
    (stick / "table-companion-2.2.zip").write_bytes(b"not what was signed")
    os.utime(stick / "table-companion-2.2.zip", (3_000, 3_000))
    last = box.run("update", "--usb", "--dry-run").stdout.splitlines()
    told = next(line for line in last if "would build" in line)
    assert "would build version 2.1-" in told
    assert "passed over: table-companion-2.3.zip is not signed by a key that this box trusts" in told
    assert "table-companion-2.2.zip is not signed" in told
    for version in ("2.0", "2.1"):
        (stick / f"table-companion-{version}.zip").unlink()
    done = box.run("update", "--usb", "--dry-run", check=False)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "table-companion-2.3.zip is not signed" in last
    assert "table-companion-2.2.zip is not signed" in last


def test_no_package_on_a_stick(box):
    done = box.run("update", "--usb", check=False)
    assert "no table-companion-*.zip on a USB stick" in done.stderr


@pytest.mark.long
def test_libraries_of_the_running_version_are_reused(box, wheel, signed, tmp_path):
    """With the same lock an update needs no libraries in its package: they come from the version beside it."""
    lock = "# nothing but the application\n"
    first = {"requirements.lock": lock, "wheels/nothing.txt": "no library\n"}
    box.run("update", str(signed(wheel("1.0"), first)))
    site = next((box.opt / "current/venv/lib").glob("python3*")) / "site-packages"
    (site / "a_library.py").write_text("here = True\n")
    (site / "lgpio.py").unlink(missing_ok=True)
    (site / "lgpio.py").symlink_to("/usr/lib/python3/dist-packages/lgpio.py")
    box.run("update", str(signed(wheel("1.1"), {"requirements.lock": lock})))
    assert box.running() == "1.1"
    done = subprocess.run(
        [str(box.opt / "current/venv/bin/python"), "-c", "import a_library, companion.cli as c; print(c.VERSION)"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout == "1.1\n"
    other = signed(wheel("1.2"), {"requirements.lock": lock + "# another library\n"})
    done = box.run("update", str(other), check=False)
    assert "this package holds no libraries, and wants others than the running version has" in done.stderr
    assert box.running() == "1.1"


# -- things that go wrong on the way --------------------------------------------------------------------------


def test_what_the_owner_wrote_into_the_environment_is_kept(box, wheel):
    box.install(wheel("1.0"))
    path = box.root / "etc/table-companion/environment"
    text = path.read_text()
    text = text.replace("COMPANION_TOUCH=1", "COMPANION_TOUCH=0")
    text = text.replace(
        "COMPANION_PINMAP=/etc/table-companion/pinmap.toml", "COMPANION_PINMAP=/boot/pins.toml"
    )
    path.write_text(text)
    again = box.install(wheel("1.0"))
    assert again.splitlines()[-1] == "everything is as it should be; nothing was changed"
    assert path.read_text() == text


def test_a_stick_that_is_pulled_out_while_it_is_read(box, wheel, signed, tmp_path):
    box.install(wheel("1.0"))
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "dd").write_text("#!/bin/sh\necho 'dd: error reading: Input/output error' >&2\nexit 1\n")
    (tools / "dd").chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    package = signed(wheel("1.1"))
    for source in (package, package.parent / "package-1.1"):
        done = box.run("update", str(source), check=False, PATH=path)
        assert done.returncode == 1
        assert "could not be read to its end (stick pulled out? disk full?); copy it again" in done.stderr
    assert box.running() == "1.0"


def test_without_room_nothing_is_begun_and_without_luck_nothing_is_left(box, wheel, signed):
    box.install(wheel("1.0"))
    update = signed(wheel("1.1"))
    done = box.run("update", str(update), check=False, COMPANION_SPARE=str(1 << 60))
    assert done.returncode == 1
    assert "not enough room: " in done.stderr
    assert "remove something first" in done.stderr
    assert [path.name.split("-")[0] for path in (box.opt / "versions").iterdir()] == ["1.0"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_a_disk_that_fills_up_half_way_leaves_the_running_version_and_no_rubbish(box, wheel, signed):
    box.opt.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(box.opt)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        box.install(wheel("1.0"))
        filler = box.opt / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        os.truncate(filler, filler.stat().st_size - 40_000)
        done = box.run("update", str(signed(wheel("1.1"))), check=False, COMPANION_SPARE=str(-(1 << 40)))
        assert done.returncode == 1, done.stdout
        assert "Traceback" not in done.stderr.splitlines()[-1]
        assert box.running() == "1.0"
        assert [path.name.split("-")[0] for path in (box.opt / "versions").iterdir()] == ["1.0"]
    finally:
        subprocess.run(["umount", "--lazy", str(box.opt)], check=True)


def test_what_a_link_is_about_to_name_is_on_the_disk_before(box, wheel, signed, tmp_path):
    box.install(wheel("1.0"))
    tools = tmp_path / "tools"
    tools.mkdir()
    seen = tmp_path / "seen"
    (tools / "sync").write_text(f'#!/bin/sh\nreadlink "{box.opt}/current" >>"{seen}"\n')
    (tools / "sync").chmod(0o755)
    box.run("update", str(signed(wheel("1.1"))), PATH=f"{tools}:{os.environ['PATH']}")
    assert [line.split("/")[1].split("-")[0] for line in seen.read_text().splitlines()] == [
        "1.0",
        "1.1",
        "1.1",
    ]


@pytest.mark.parametrize(
    "how", ["update", *(pytest.param(how, marks=pytest.mark.long) for how in ("back", "install"))]
)
def test_two_at_a_time_never_meet(box, wheel, signed, how):
    box.install(wheel("1.0"))
    box.install(wheel("1.1"))
    newer = str(signed(wheel("1.2")))
    arguments = {
        "update": ["update", newer],
        "back": ["update", "--back"],
        "install": ["install", "--from", newer],
    }
    with (box.opt / "lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = box.run(*arguments[how], check=False)
    assert done.returncode == 1
    assert "another installation or update is running; wait until it has ended" in done.stderr
    assert box.running() == "1.1"
    box.run("update", "--back")
    assert box.running() == "1.0"


def test_a_power_cut_between_the_two_links_leaves_nothing_to_go_back_to(box, wheel):
    box.install(wheel("1.0"))
    (box.opt / "previous").symlink_to(os.readlink(box.opt / "current"))
    done = box.run("update", "--back", check=False)
    assert done.returncode == 1
    assert "there is no version before 1.0-" in done.stderr


@pytest.mark.parametrize("script", ["install", "update --back", "uninstall", "power-safe off"])
def test_without_the_rights_it_says_so(deploy, script):
    name, *arguments = script.split()
    with TemporaryDirectory(dir="/var/tmp") as folder:
        # Nobody may not be allowed to look into the checkout, so the scripts are run from a copy.
        copy = shutil.copytree(deploy, Path(folder, "deploy"))
        Path(folder).chmod(0o755)
        command = [str(copy / name), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "run this as root (sudo " in done.stderr


def test_without_a_python_it_says_which_is_needed(box, wheel, signed):
    few = "bash env dirname readlink id mktemp mkdir flock rm basename sed tail cat chmod chown sh setpriv unshare timeout true grep"
    with TemporaryDirectory(dir="/var/tmp") as tools:
        for name in few.split():
            Path(tools, name).symlink_to(shutil.which(name))
        Path(tools, "python3").symlink_to(shutil.which("false"))
        Path(tools).chmod(0o755)
        done = box.run("update", str(signed(wheel("2.0"))), check=False, PATH=tools, COMPANION_PYTHON="")
    assert done.returncode == 1
    assert "Python 3.11, 3.12 or 3.13 is needed; this system has" in done.stderr


@pytest.mark.long
def test_an_update_that_does_not_stay_up_gives_both_versions_before_back(box, wheel, deploy, signed):
    """The start of the service is pretended: what matters is where the two links point afterwards."""
    box.install(wheel("1.0"))
    box.install(wheel("1.1"))
    path = signed(wheel("1.2"))
    script = f'here="{deploy}"; . "{deploy}/lib.sh"; restart_and_wait() {{ return 1; }}; start_work; open_package "{path}"; install_package'
    env = {
        **os.environ,
        "COMPANION_ROOT": str(box.root),
        "PIP_NO_INDEX": "1",
        "COMPANION_PYTHON": sys.executable,
    }
    done = subprocess.run(["bash", "-euc", script], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "went back to version 1.1-" in done.stderr
    assert (box.running(), box.before()) == ("1.1", "1.0")
    assert len(list((box.opt / "versions").iterdir())) == 2


# -- USB sticks ---------------------------------------------------------------------------------------------


@pytest.fixture
def stick(deploy, tmp_path):
    """Runs the stick script with pretended mounts; returns what was called and how it ended."""
    tools, root = tmp_path / "tools", tmp_path / "root"
    tools.mkdir()
    root.mkdir()
    calls = tmp_path / "calls"

    def run(*arguments, kind="vfat", is_mounted=False, takes=""):
        calls.write_text("")
        said = {"findmnt": f"exit {int(not is_mounted)}", "umount": "", "blkid": f"echo {kind}"}
        said["mount"] = f'case " $*" in *"{takes}"*) exit 0 ;; esac; exit 32'
        for name, then in said.items():
            (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >>"{calls}"\n{then}\n')
            (tools / name).chmod(0o755)
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COMPANION_ROOT": str(root)}
        done = subprocess.run(
            [str(deploy / "stick"), *arguments], env=env, capture_output=True, text=True, check=False
        )
        mounts = [line for line in calls.read_text().splitlines() if line.startswith(("mount", "umount"))]
        return done, mounts, root / "media"

    return run


def test_a_stick_is_mounted_for_the_services_user_without_programs(stick):
    done, mounts, media = stick("add", "sda1")
    assert done.returncode == 0, done.stderr
    assert mounts == [
        "mount -o nosuid,nodev,noexec,nosymfollow,noatime,flush,uid=companion,gid=companion,umask=027 "
        f"/dev/sda1 {media}/sda1"
    ]
    _, mounts, _ = stick("add", "sdb1", kind="ext4")
    assert mounts == [f"mount -o nosuid,nodev,noexec,nosymfollow,noatime /dev/sdb1 {media}/sdb1"]
    _, mounts, _ = stick("remove", "sda1")
    assert mounts == [f"umount --lazy {media}/sda1"]
    assert not (media / "sda1").exists()


def test_a_stick_that_has_its_place_is_left_there(stick):
    done, mounts, media = stick("add", "sda1", is_mounted=True)
    assert (done.returncode, mounts) == (0, [])
    assert not media.exists()


@pytest.mark.parametrize(
    ("takes", "tries"), [(" -t ntfs3 -o", 1), (" -t ntfs -o", 2), (" -t ntfs3 -r", 3), (" -t ntfs -r", 4)]
)
def test_a_stick_with_ntfs_is_mounted_by_the_driver_there_is_and_read_only_if_it_was_not_let_go_of(
    stick, takes, tries
):
    done, mounts, _ = stick("add", "sda1", kind="ntfs", takes=takes)
    assert done.returncode == 0, done.stderr
    assert len(mounts) == tries
    assert all(
        "nosuid,nodev,noexec,nosymfollow,noatime,uid=companion,gid=companion,umask=027" in line
        for line in mounts
    )


@pytest.mark.parametrize("kind", ["vfat", "exfat", "ntfs", "ext4", ""])
def test_a_stick_that_cannot_be_mounted_is_told(stick, kind):
    done, _, media = stick("add", "sda1", kind=kind, takes="no such way")
    assert done.returncode == 1
    assert "/dev/sda1 cannot be mounted; is it formatted?" in done.stderr
    assert not (media / "sda1").exists()


@pytest.mark.parametrize(
    "arguments", [[], ["add"], ["add", "../etc"], ["add", "sda1; reboot"], ["eject", "sda1"]]
)
def test_the_stick_script_takes_device_names_only(stick, arguments):
    done, mounts, _ = stick(*arguments)
    assert done.returncode == 1
    assert "usage: companion-stick add|remove NAME" in done.stderr
    assert mounts == []


# -- what the screen may ask for ----------------------------------------------------------------------------


@pytest.fixture
def ask(deploy, tmp_path):
    """Puts a request into the runtime folder and runs the service's script; returns what it did."""
    state, tools = tmp_path / "run", tmp_path / "tools"
    state.mkdir()
    tools.mkdir()
    for name in ("systemctl", "companion-update"):
        tool = tools / name
        tool.write_text(f'#!/bin/sh\necho "{name} $*" >>"{tmp_path}/calls"\necho "said of $1"\n')
        tool.chmod(0o755)
    (tools / "request").write_bytes((deploy / "request").read_bytes())
    (tools / "request").chmod(0o755)

    def run(content=None, link=None):
        (tmp_path / "calls").write_text("")
        if content is not None:
            (state / "request").write_bytes(content)
        if link is not None:
            (state / "request").symlink_to(link)
        env = {**os.environ, "COMPANION_STATE": str(state), "COMPANION_SYSTEMCTL": str(tools / "systemctl")}
        subprocess.run([str(tools / "request")], env=env, check=True, capture_output=True)
        assert not os.path.lexists(state / "request")
        answer = (state / "answer").read_text() if (state / "answer").exists() else ""
        return (tmp_path / "calls").read_text(), answer

    return run


def test_requests(ask, tmp_path):
    assert ask(b"poweroff\n") == ("systemctl poweroff\n", "")
    assert ask(b"reboot") == ("systemctl reboot\n", "")
    assert ask(b"update\n") == ("companion-update --usb\n", "0 said of --usb\n")
    assert ask(b"back\n") == ("companion-update --back\n", "0 said of --back\n")
    both = "table-companion-phones.socket table-companion-phones.service"
    assert ask(b"phoneson\n") == (f"systemctl --no-block start {both}\n", "")
    assert ask(b"phonesoff\n")[0].startswith("systemctl --no-block stop table-companion-phones")
    assert ask(b"addresses\n") == ("systemctl --no-block start table-companion-addresses.service\n", "")
    assert ask(b"rm -rf /; poweroff") == ("", "")
    assert ask(b"\x00" * 100_000) == ("", "")
    assert ask() == ("", "")
    secret = tmp_path / "secret"
    secret.write_text("poweroff")
    assert ask(link=secret) == ("", "")
    assert secret.exists()


@pytest.mark.parametrize("name", ["answer", "answer.new"])
def test_no_link_in_the_services_folder_leads_root_anywhere(ask, tmp_path, name):
    """The folder belongs to the service's user; the answer is written by root."""
    secret, elsewhere = tmp_path / "secret", tmp_path / "elsewhere"
    secret.write_text("kept")
    secret.chmod(0o600)
    elsewhere.mkdir()
    for target in (secret, elsewhere):
        (tmp_path / "run" / name).unlink(missing_ok=True)
        (tmp_path / "run" / name).symlink_to(target)
        assert ask(b"back") == ("companion-update --back\n", "0 said of --back\n")
        assert not (tmp_path / "run" / "answer").is_symlink()
    assert (secret.read_text(), secret.stat().st_mode & 0o777) == ("kept", 0o600)
    assert list(elsewhere.iterdir()) == []


def test_a_folder_in_place_of_a_request_is_taken_away(ask, tmp_path):
    """Left there, it would wake the path unit without end."""
    (tmp_path / "run" / "request").mkdir()
    assert ask() == ("", "")


# -- the start ----------------------------------------------------------------------------------------------


@pytest.fixture
def start(deploy, tmp_path):
    """Runs the start script with a pretended screen, cage and application; returns what was started."""
    state, tools, sys = tmp_path / "run", tmp_path / "bin", tmp_path / "sys"
    state.mkdir()
    tools.mkdir()
    (sys / "class/drm/card0-DSI-1").mkdir(parents=True)

    def put(name, text):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)

    put("app", '#!/bin/sh\necho "app $* driver=$SDL_VIDEODRIVER watchdog=${WATCHDOG_PID:-none}"\n')

    def run(display="auto", screen=True, cage=False, pinmap="/nowhere"):
        (sys / "class/drm/card0-DSI-1/status").write_text("connected\n" if screen else "disconnected\n")
        if cage:
            put("cage", '#!/bin/sh\nshift 2\necho "cage"\nexec "$@"\n')
        env = {
            "PATH": f"{tools}:/usr/bin:/bin", "COMPANION_APPLICATION": str(tools / "app"), "COMPANION_SYS": str(sys),
            "RUNTIME_DIRECTORY": str(state), "COMPANION_DISPLAY": display, "WATCHDOG_PID": "5",
            "COMPANION_PINMAP": str(pinmap),
        }  # fmt: skip
        return subprocess.run(
            ["bash", str(deploy / "start")], env=env, capture_output=True, text=True, check=False
        )

    return run


def test_the_start_takes_the_console_and_after_two_failures_cage(start, tmp_path):
    kms = "app run --fullscreen --rotation 0 --touch driver=KMSDRM watchdog=5\n"
    assert start().stdout == kms
    assert start(screen=False).stdout == kms
    assert start(cage=True, display="cage").stdout == (
        "cage\napp run --fullscreen --rotation 0 --touch driver=x11 watchdog=none\n"
    )
    assert start(cage=True).stdout.startswith("cage\n")  # the third start within a minute
    assert start(cage=True, display="kms").stdout == kms
    for _ in range(5):
        start(cage=True, display="kms")
    assert len((tmp_path / "run/console-starts").read_text().splitlines()) == 2, "it never grows"


def test_the_application_takes_the_options_of_the_start(start, tmp_path):
    from companion.start_checks import call_parser

    pins = tmp_path / "pinmap.toml"
    pins.write_text("version = 1\n")
    words = start(pinmap=pins).stdout.split()
    options = call_parser().parse_args(words[2 : words.index("driver=KMSDRM")])
    assert (options.fullscreen, options.touch, options.rotation, options.pinmap) == (True, True, 0, pins)


def test_without_a_screen_cage_is_tried(start):
    assert start(screen=False, cage=True).stdout.startswith("cage\n")


def test_the_start_says_what_is_wrong(start):
    done = start(display="cage")
    assert done.returncode == 1
    assert "cage is not installed: run deploy/install --display cage" in done.stderr
    assert "expected auto, kms or cage, got wayland" in start(display="wayland").stderr
