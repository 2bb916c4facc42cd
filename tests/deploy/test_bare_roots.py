"""The README's two commands as they stand there, in bare Debian roots: nothing is installed but what Debian calls required.

Long: the demo twice and every default test twice for each release. Needs root and debootstrap. COMPANION_TEST_BARE_ROOT_BOOKWORM and
_TRIXIE name bare roots made before, to copy instead of making one; COMPANION_TEST_BARE_PART names tests to run there
instead of all of them, as pytest takes them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("roots")]

TOP = Path(__file__).parents[2]
HOMES = {"root": "root", "an ordinary user": "home/player"}
"""Who types the commands, and the home folder that nobody else may look into."""
USER = 1000
AUTHORITIES = "srv/authorities.crt"
"""Where the roots find whom this machine's pip trusts: their own ca-certificates is no place, Debian writes that anew."""


class BareRoot:
    """A Debian root with a checkout in two closed home folders."""

    def __init__(self, path: Path) -> None:
        self.path = path
        for name in ("resolv.conf", "hosts"):
            shutil.copy(Path("/etc", name), path / "etc" / name)
        trusted = Path(os.environ.get("PIP_CERT", "/etc/ssl/certs/ca-certificates.crt"))
        if trusted.exists():
            shutil.copy(trusted, path / AUTHORITIES)
        self.run("root", f"useradd --uid {USER} --create-home player")
        names = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=TOP, check=True, capture_output=True, text=True,
        ).stdout.split("\0")  # fmt: skip
        for home in HOMES.values():
            for name in filter(None, names):
                target = path / home / "table-companion" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                if (TOP / name).exists():
                    shutil.copy(TOP / name, target, follow_symlinks=False)
            (path / home).chmod(0o700)
        self.run("root", f"chown -R {USER}:{USER} /{HOMES['an ordinary user']}")

    def run(self, who: str, script: str, network: bool = True) -> subprocess.CompletedProcess[str]:
        """Type a script in the home folder of `who`; pip is configured by environment, as this machine's is."""
        enter = (
            'mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"; mount --rbind /dev "$0/dev"; '
            'mount -t tmpfs tmpfs "$0/tmp"; root=$0; exec chroot "$root" "$@"'
        )
        user = [] if who == "root" else ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups"]
        env = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": f"/{HOMES[who]}",
            "PIP_CERT": f"/{AUTHORITIES}",
            **{
                name: os.environ[name]
                for name in ("PIP_DEFAULT_TIMEOUT", "PIP_INDEX_URL")
                if name in os.environ
            },
        }
        return subprocess.run(
            ["unshare", "--mount", "--propagation=private", *([] if network else ["--net"]),
             "sh", "-ec", enter, str(self.path), *user, "bash", "-ec", f'cd "$HOME"; {script}'],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def bare(request: pytest.FixtureRequest) -> Iterator[BareRoot]:
    """A root of a Debian release, with nothing in it but what Debian requires."""
    if os.geteuid() != 0:
        pytest.skip("a Debian root is made by root only")
    for program in ("debootstrap", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    # Under /var/tmp: the folders of pytest are closed to every other user, and so would be the root.
    path = Path("/var/tmp") / f"companion-bare-{request.param}-{os.getpid()}"
    ready = os.environ.get(f"COMPANION_TEST_BARE_ROOT_{request.param.upper()}")
    making = ["cp", "-a", ready] if ready else ["debootstrap", "--variant=minbase", request.param]
    subprocess.run([*making, str(path)], check=True, capture_output=True, timeout=3_000)
    try:
        yield BareRoot(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


def test_without_a_network_it_says_so_in_a_line(bare: BareRoot):
    done = bare.run("root", "table-companion/deploy/run", network=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    asked, could_not, _, stopped = done.stderr.splitlines()
    assert asked.startswith("companion: installing system packages: python3 python3-venv ")
    assert could_not.startswith("companion: could not install python3 ")
    assert stopped == "companion: Python 3.11, 3.12 or 3.13 is needed; this system has none"


def test_what_an_ordinary_user_is_told_to_ask_for_is_enough(bare: BareRoot):
    """Who may not install packages gets one command for an administrator; after it, the demo plays."""
    wanted: list[str] = []
    for command in ("run", "test"):
        first = bare.run("an ordinary user", f"table-companion/deploy/{command}")
        assert first.returncode == 1
        assert first.stdout == ""
        wanted += re.findall(r"only an administrator may install them: (apt-get install .*)", first.stderr)
        assert first.stderr.splitlines()[-1].endswith("is needed; this system has none")
    assert len(wanted) == 2, "asked for once by each command"
    for asked in wanted:
        quick = "--no-install-recommends -y -o Dpkg::Options::=--force-unsafe-io"
        done = bare.run("root", f"{{ apt-get update && {asked} {quick}; }} 2>&1")
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("who", HOMES)
def test_run_plays_the_demo_once_and_then_starts_at_once(bare: BareRoot, who: str):
    done = bare.run(who, "table-companion/deploy/run")
    assert done.returncode == 0, done.stdout + done.stderr
    pictures = bare.path / HOMES[who] / "table-companion/demo-pictures"
    listed = (pictures / "pictures.txt").read_text().splitlines()
    assert len(listed) == len(list(pictures.glob("*.png"))) >= 10
    again = bare.run(who, "table-companion/deploy/run")
    assert again.returncode == 0
    assert again.stdout.splitlines() == listed
    (said,) = again.stderr.splitlines()
    assert said.startswith("companion: no screen here; the pictures of the demo are in ")
    assert "deploy/run --browser" in said


@pytest.mark.parametrize("who", HOMES)
def test_every_test_passes(bare: BareRoot, who: str):
    done = bare.run(who, f"table-companion/deploy/test {os.environ.get('COMPANION_TEST_BARE_PART', '')}")
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr
    assert re.search(r"\b\d+ passed\b", done.stdout), done.stdout[-2_000:]


@pytest.mark.parametrize("who", HOMES)
def test_no_package_index_is_said_once(bare: BareRoot, who: str):
    """Everything of Debian is there by now, the libraries are not, and there is no network."""
    script = "COMPANION_VENV=$HOME/another table-companion/deploy/run"
    done = bare.run(who, f"PIP_RETRIES=0 {script}", network=False)
    assert done.returncode == 1
    assert done.stdout == ""
    begun, why = done.stderr.splitlines()
    assert begun.startswith("companion: setting up the run environment")
    assert why == (
        "companion: could not install the locked packages: the package index cannot be reached, or does not have them; "
        "run again when there is a network and room"
    )
