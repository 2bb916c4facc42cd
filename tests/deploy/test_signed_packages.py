"""A package is copied, verified, unpacked, compared, built and tried, in this order, and none of it runs as root."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.deploy.conftest import KEY, contents, make_package, pack, public_half, sign

REFUSED = "is not signed by a key that this box trusts"
FOREIGN = Ed25519PrivateKey.generate()

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has rights to give away")


def update(box, package, *arguments, check=False, **env):
    return box.run("update", str(package), *arguments, check=check, **env)


def assert_refused(box, done, words):
    """Nothing was taken, nothing is left, and one line says why."""
    assert done.returncode == 1, done.stdout
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (box.opt / "current").exists()
    assert not list(box.opt.glob("versions/*"))
    assert not list(box.opt.glob("work.*"))
    assert not (box.root / "var/lib/table-companion-trust").exists()


def private_half(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


# -- who signed -----------------------------------------------------------------------------------------------


def test_an_unsigned_package_is_named_and_refused_before_anything_of_it_is_read(box, tmp_path):
    """It is not even a zip: whoever looked into it would say so."""
    package = tmp_path / "table-companion-6.6.zip"
    package.write_bytes(b"not a zip")
    assert_refused(
        box, update(box, package), f"table-companion-6.6.zip {REFUSED}: table-companion-6.6.zip.sig is"
    )
    package.with_name(package.name + ".sig").write_bytes(bytes(64))
    assert_refused(
        box, update(box, package), f"table-companion-6.6.zip {REFUSED}: it was signed with another key"
    )


def test_an_unsigned_package_on_a_stick_leaves_the_box_as_it_was(box, wheel, signed):
    box.install(wheel("1.0"))
    stick = box.root / "media/sda1"
    stick.mkdir(parents=True)
    shutil.copy(signed(wheel("2.0")), stick)
    seen = {path for path in box.tree() if not (box.root / path).is_dir()}
    done = box.run("update", "--usb", check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(f"table-companion: table-companion-2.0.zip {REFUSED}")
    assert {path for path in box.tree() if not (box.root / path).is_dir()} == seen
    assert box.running() == "1.0"


def test_a_foreign_key_is_refused_until_root_trusts_it(box, wheel, tmp_path):
    package = make_package(wheel("1.0"), key=FOREIGN)
    assert_refused(box, update(box, package), REFUSED)
    assert_refused(box, update(box, package.parent / "package-1.0"), REFUSED)
    (tmp_path / "workshop.pub.pem").write_bytes(public_half(FOREIGN))
    said = box.run("update", "--trust", str(tmp_path / "workshop.pub.pem")).stdout
    groups = re.search(r"trusted from now on: workshop \(((?:[0-9a-f]{4} ){7}[0-9a-f]{4})\)", said)
    assert groups is not None, said
    done = update(box, package, check=True)
    assert done.stdout.splitlines()[-1].endswith(f", signed by workshop ({groups[1]})")
    assert f"trusted: workshop ({groups[1]})" in box.run("update", "--status").stdout


@pytest.mark.parametrize("where", ["zip", "signature"])
def test_a_changed_byte_anywhere_is_refused(box, wheel, signed, where):
    package = signed(wheel("1.0"))
    path = package if where == "zip" else package.with_name(package.name + ".sig")
    whole = path.read_bytes()
    for at in (0, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert_refused(box, update(box, package), REFUSED)


def test_a_half_copied_package_is_refused(box, wheel, signed):
    package = signed(wheel("1.0"))
    package.write_bytes(package.read_bytes()[:-200])
    assert_refused(box, update(box, package), "or only half copied")


@pytest.mark.parametrize("form", ["zip", "folder"])
def test_the_list_inside_is_signed_by_itself(box, wheel, signed, form):
    """A zip signed from the outside whose list is not, and a folder whose list was changed."""
    folder = signed(wheel("1.0")).parent / "package-1.0"
    if form == "zip":
        sign(folder, FOREIGN)
        package = folder.with_name("table-companion-1.0.zip")
        contents.pack(str(folder), str(package))
        sign(package)
    else:
        package = folder
        text = (folder / "MANIFEST").read_text()
        (folder / "MANIFEST").write_text(text.replace('"serial":100', '"serial":900'))
    assert_refused(box, update(box, package), f"{REFUSED}: its list of contents was changed, or is another's")


def test_a_signature_of_something_else_with_the_same_key_is_none(box, wheel, signed):
    """The list is signed together with a word that says what it is."""
    folder = signed(wheel("1.0")).parent / "package-1.0"
    (folder / "MANIFEST.sig").write_bytes(KEY.sign((folder / "MANIFEST").read_bytes()))
    assert_refused(box, update(box, folder), REFUSED)


# -- what a signed package may hold ----------------------------------------------------------------------------


def repacked(package, change, list_too=False):
    """Change the unpacked folder of a package, then sign it again from the outside (and its list too)."""
    folder = package.parent / f"package-{package.name.removeprefix('table-companion-').removesuffix('.zip')}"
    change(folder)
    if list_too:
        sign(folder)
    contents.pack(str(folder), str(package))
    return sign(package)


def test_every_file_is_compared_with_the_signed_list(box, wheel, signed):
    more = {"deploy/lib.sh": "true\n"}

    def damage(folder):
        (folder / "deploy/lib.sh").write_text("false\n")

    assert_refused(
        box, update(box, repacked(signed(wheel("1.0"), more), damage)), "a checksum is wrong: 'deploy/lib.sh'"
    )

    def take_away(folder):
        (folder / "deploy/lib.sh").unlink()

    assert_refused(
        box, update(box, repacked(signed(wheel("1.0"), more), take_away)), "'deploy/lib.sh' is missing"
    )

    def add(folder):
        (folder / "wheels").mkdir()
        (folder / "wheels/other-1.0-py3-none-any.whl").write_bytes(b"x")

    assert_refused(
        box,
        update(box, repacked(signed(wheel("1.0"), more), add)),
        "'wheels/other-1.0-py3-none-any.whl' is not listed in MANIFEST; do not use this package",
    )


def test_of_a_folder_only_what_the_list_names_is_taken_along(box, wheel, signed, tmp_path):
    folder = signed(wheel("1.0"), {"deploy/note": "a\n"}).parent / "package-1.0"
    (folder / "System Volume Information").mkdir()
    (folder / "deploy/note").unlink()
    (tmp_path / "secret").write_text("a\n")
    (folder / "deploy/note").symlink_to(tmp_path / "secret")
    assert_refused(box, update(box, folder), "deploy/note: no such file, or a link to one")
    (folder / "deploy/note").unlink()
    os.mkfifo(folder / "deploy/note")
    assert_refused(box, update(box, folder), "deploy/note: no such file, or a link to one")
    (folder / "deploy/note").unlink()
    (folder / "deploy/note").write_text("a\n")
    update(box, folder, check=True)
    assert box.running() == "1.0"


def rezipped(package, members, **how):
    """Add members to a package's zip and sign it anew: what a careless or a bribed signer may sign."""
    with zipfile.ZipFile(package, "a", **how) as archive:
        for info, data in members:
            archive.writestr(info, data)
    return sign(package)


def a_link():
    info = zipfile.ZipInfo("deploy/passwords")
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (("../../evil", b"x"), "a path that leads out of the package"),
        (("/evil", b"x"), "a path that leads out of the package"),
        (("deploy\\evil", b"x"), "a path that leads out of the package"),
        (("two\nlines", b"x"), "a path that leads out of the package"),
        ((a_link(), b"/etc/shadow"), "'deploy/passwords': neither a file nor a folder"),
    ],
)
def test_a_zip_that_reaches_out_is_refused_though_it_is_signed(box, wheel, signed, member, words):
    assert_refused(box, update(box, rezipped(signed(wheel("1.0")), [member])), words)


def test_a_zip_that_swells_is_refused_before_it_is_unpacked(box, tmp_path):
    bomb = tmp_path / "table-companion-9.zip"
    how = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(bomb, "w", how, compresslevel=1) as archive, archive.open("zeros", "w") as member:
        for _ in range(1_100):
            member.write(bytes(1 << 20))
    assert bomb.stat().st_size < 8 << 20
    assert_refused(box, update(box, sign(bomb)), "it would take 1100 MB unpacked")


def test_a_file_larger_than_a_package_is_not_even_copied(box, tmp_path):
    package = tmp_path / "table-companion-9.zip"
    package.touch()
    os.truncate(package, 401 << 20)
    assert_refused(box, update(box, sign_without_reading(package)), "larger than a package can be (400M)")
    os.truncate(package, 1 << 20)
    os.truncate(package.with_name(package.name + ".sig"), 1 << 40)
    assert_refused(box, update(box, package), "larger than a package can be (4.0K)")


def sign_without_reading(package):
    package.with_name(package.name + ".sig").write_bytes(bytes(64))
    return package


def test_a_link_on_the_stick_is_not_followed(box, wheel, signed, tmp_path):
    package = signed(wheel("1.0"))
    link = tmp_path / "table-companion-1.0.zip"
    link.symlink_to(package)
    shutil.copy(package.with_name(package.name + ".sig"), tmp_path)
    assert_refused(box, update(box, link), "no such file, or a link to one")
    stick = box.root / "media/sda1"
    stick.mkdir(parents=True)
    (stick / link.name).symlink_to(package)
    for odd in ("\u202e", "\x1b[2J", "\n"):  # a screen would show another name
        (stick / f"table-companion-{odd}9.zip").write_bytes(b"not a zip")
    assert "no table-companion-*.zip on a USB stick" in box.run("update", "--usb", check=False).stderr


GOOD = {"sha256": "0" * 64, "size": 1}
LIST = {
    "product": "table-companion", "format": 1, "serial": 5, "channel": "release", "version": "1.0", "python": "any",
    "machine": "any", "files": {"a/b.whl": GOOD},
}  # fmt: skip


def canonical(said):
    return json.dumps(said, sort_keys=True, separators=(",", ":")) + "\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (canonical({**LIST, "product": "toaster"}), "expected table-companion, format 1, got 'toaster'"),
        (canonical({**LIST, "format": 2}), "format 2"),
        (canonical({**LIST, "more": 1}), "missing or unknown: 'more'"),
        (canonical({**LIST, "serial": 1.5}), "serial: expected a whole number"),
        (canonical({**LIST, "serial": True}), "serial: expected a whole number"),
        (canonical({**LIST, "serial": -1}), "serial: expected a whole number"),
        (canonical({**LIST, "serial": 10**30}), "serial: expected a whole number"),
        (canonical({**LIST, "serial": float("nan")}), "not JSON"),
        (canonical(LIST).replace('"serial":5', '"serial":4,"serial":5'), "not written by deploy/bundle"),
        (json.dumps(LIST), "not written by deploy/bundle"),
        (canonical({**LIST, "python": "3.13; rm"}), "python: got"),
        (canonical({**LIST, "machine": "$(reboot)"}), "machine: got"),
        (canonical({**LIST, "version": "1.0\n"}), "version: got"),
        (canonical({**LIST, "files": {"a\nb": GOOD}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": {"../b": GOOD}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": {"/b": GOOD}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": {"-b": GOOD}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": {"a": {**GOOD, "size": "1"}}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": {"MANIFEST": GOOD}}), "not a name with size and sha256"),
        (canonical({**LIST, "files": []}), "files: expected at most"),
        ("[" * 100_000, "not JSON"),
        ("\ufeff{}", "not written by deploy/bundle"),
        (" " * 2_000_000, "longer than a list of contents can be"),
        ("[]\n", "not written by deploy/bundle"),
    ],
)  # fmt: skip
def test_a_list_of_contents_is_read_strictly(tmp_path, text, words):
    (tmp_path / "MANIFEST").write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match=re.escape(words)):
        contents.read(tmp_path)


def test_a_strict_list_is_read(tmp_path):
    (tmp_path / "MANIFEST").write_text(canonical(LIST))
    assert contents.read(tmp_path) == LIST


@pytest.mark.parametrize(("python", "machine"), [("3.99", "x86_64"), ("3.11", "aarch64")])
def test_a_package_for_another_python_or_processor_is_named(box, wheel, python, machine):
    if machine == os.uname().machine:
        machine = "x86_64"
    done = update(box, make_package(wheel("1.0"), python=python, machine=machine))
    assert_refused(
        box, done, f"table-companion-1.0.zip is for Python {python} on {machine}; this box has Python 3."
    )


# -- older ones ------------------------------------------------------------------------------------------------


def test_an_older_package_is_refused_but_by_root_and_going_back_stays(box, wheel, signed):
    box.install(wheel("1.10"))
    older = signed(wheel("1.9"))
    done = update(box, older)
    assert done.returncode == 1
    assert "is older than what this box has had (serial 109 after 110)" in done.stderr
    assert box.running() == "1.10"
    done = update(box, older, "--allow-older", check=True)
    assert "is older than 1.10-" in done.stderr
    assert (box.running(), box.before()) == ("1.9", "1.10")
    # What was highest stays so.
    assert update(box, signed(wheel("1.8"))).returncode == 1
    assert "serial 109 after 110" in update(box, signed(wheel("1.9"))).stderr
    box.run("update", "--back")
    assert box.running() == "1.10"
    # The same number again is no step back.
    update(box, make_package(wheel("1.11"), serial=110), check=True)
    assert box.running() == "1.11"


def test_the_screen_cannot_ask_for_an_older_one(deploy):
    assert "--allow-older" not in (deploy / "request").read_text()
    assert "--trust" not in (deploy / "request").read_text()


@pytest.mark.long
def test_a_version_that_is_not_taken_does_not_count(box, wheel, signed):
    box.install(wheel("1.0"))
    assert update(box, signed(wheel("3.0", "raise SystemExit('no window')"))).returncode == 1
    update(box, signed(wheel("2.0")), check=True)
    assert (box.root / "var/lib/table-companion-trust/serial").read_text() == "200\n"


@pytest.mark.parametrize("left", [None, "", "7\n", "rubbish", "99999999999999999999999999\n"])
def test_power_that_goes_between_switch_and_note_opens_no_way_back(box, wheel, signed, left):
    """The running version says its number too."""
    box.install(wheel("1.10"))
    note = box.root / "var/lib/table-companion-trust/serial"
    note.unlink() if left is None else note.write_text(left)
    assert "serial 109 after 110" in update(box, signed(wheel("1.9"))).stderr


def test_an_older_package_leaves_the_boxes_own_scripts(box, wheel, deploy):
    files = {f"deploy/{path.name}": path.read_bytes() for path in deploy.iterdir() if path.is_file()}
    files |= {f"deploy/systemd/{path.name}": path.read_bytes() for path in (deploy / "systemd").iterdir()}
    files["deploy/start"] += b"# a later one\n"
    box.run("install", "--from", str(make_package(wheel("1.10"), files)))
    start = box.opt / "bin/companion-start"
    assert start.read_bytes() == files["deploy/start"], "what is installed comes from the verified package"
    files["deploy/start"] += b"# an older one\n"
    done = box.run("install", "--allow-older", "--from", str(make_package(wheel("1.9"), files)))
    assert "the box keeps its own scripts and units" in done.stdout
    assert start.read_bytes().endswith(b"# a later one\n")
    assert box.running() == "1.9"


# -- keys ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.pem", b"", "expected an Ed25519 public key"),
        ("a.pem", b"-----BEGIN PUBLIC KEY-----\nMCow\n", "expected an Ed25519 public key"),
        ("a.pem", private_half(FOREIGN), "expected an Ed25519 public key"),
        ("a.pem", public_half(FOREIGN) + b"x" * 5_000, "expected an Ed25519 public key"),
        ("a b.pem", public_half(FOREIGN), "a key's file is named like"),
        ("tests.pem", public_half(FOREIGN), "another key is trusted under the name tests"),
    ],
)
def test_a_key_that_is_none_is_not_taken(box, tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    done = box.run("update", "--trust", str(tmp_path / name), check=False)
    assert done.returncode == 1
    assert words in done.stderr
    assert [path.name for path in (box.root / "etc/table-companion/keys.d").iterdir()] == ["tests.pem"]


def test_a_key_is_never_taken_from_a_stick(box, tmp_path):
    stick = box.root / "media/sda1"
    stick.mkdir(parents=True)
    (stick / "evil.pem").write_bytes(public_half(FOREIGN))
    (tmp_path / "innocent.pem").symlink_to(stick / "evil.pem")
    for path in (stick / "evil.pem", tmp_path / "innocent.pem"):
        done = box.run("update", "--trust", str(path), check=False)
        assert done.returncode == 1
        assert "a key is never taken from a stick" in done.stderr


def test_a_key_that_everybody_may_write_is_neither_taken_nor_used(box, wheel, tmp_path):
    (tmp_path / "a.pem").write_bytes(public_half(FOREIGN))
    (tmp_path / "a.pem").chmod(0o666)
    assert (
        "everybody may write this file"
        in box.run("update", "--trust", str(tmp_path / "a.pem"), check=False).stderr
    )
    box.trust(FOREIGN, "loose")
    (box.root / "etc/table-companion/keys.d/loose.pem").chmod(0o666)
    done = update(box, make_package(wheel("1.0"), key=FOREIGN))
    assert (
        "/etc/table-companion/keys.d/loose.pem: not used: expected an Ed25519 public key that is root's"
        in done.stderr
    )
    assert_refused(box, done, REFUSED)


@needs_root
def test_a_key_that_is_not_roots_is_not_used(box, wheel):
    box.trust(FOREIGN, "someones")
    os.chown(box.root / "etc/table-companion/keys.d/someones.pem", 65534, 65534)
    assert_refused(box, update(box, make_package(wheel("1.0"), key=FOREIGN)), REFUSED)


def test_the_next_key_comes_with_a_package_of_the_present_one_once_that_runs(box, wheel, signed):
    bring = {"deploy/keys/next.pem": public_half(FOREIGN)}
    assert update(box, signed(wheel("1.0", "raise SystemExit('no window')"), bring)).returncode == 1
    assert_refused(box, update(box, make_package(wheel("1.1"), key=FOREIGN)), REFUSED)
    done = update(box, signed(wheel("1.2"), bring), check=True)
    assert "trusted from now on: next (" in done.stdout
    update(box, make_package(wheel("1.3"), key=FOREIGN), check=True)
    assert box.running() == "1.3"


def test_a_package_cannot_put_its_key_in_place_of_another(box, wheel, signed):
    update(box, signed(wheel("1.0"), {"deploy/keys/tests.pem": public_half(FOREIGN)}), check=True)
    assert (box.root / "etc/table-companion/keys.d/tests.pem").read_bytes() == public_half(KEY)


def test_the_keys_beside_the_installer_count_at_the_first_installation_only(box, wheel, deploy, tmp_path):
    """Root runs what lies there already; on a box with a key of its own, a stranger's folder adds none."""
    mine = box.root / "etc/table-companion/keys.d/tests.pem"
    installer = shutil.copytree(deploy, tmp_path / "stick/deploy")
    (installer / "keys").mkdir(exist_ok=True)
    (installer / "keys/theirs.pem").write_bytes(public_half(FOREIGN))
    package = make_package(wheel("1.0"), key=FOREIGN)
    command = ["bash", str(installer / "install"), "--from", str(package), "--root", str(box.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert_refused(box, done, REFUSED)
    mine.unlink()
    dry = subprocess.run([*command, "--dry-run"], capture_output=True, text=True, check=False)
    assert dry.returncode == 0, dry.stderr
    assert "would build version 1.0-" in dry.stdout
    assert not (box.root / "opt/table-companion/current").exists()
    subprocess.run(command, capture_output=True, text=True, check=True)
    assert box.running() == "1.0"


# -- the order -------------------------------------------------------------------------------------------------

ORDER = (
    "dd .*package.zip.sig", "dd .*package.zip ", "openssl .*/package.zip ", "timeout .* unpack ", "tar .*/package ",
    "openssl .*/message", "timeout .* check ", "timeout .* tell .* serial", "timeout .* venv ",
    "timeout .* install .*--no-index --no-deps --only-binary=:all: --require-hashes", "timeout .* compileall",
    "timeout .*/companion run --smoke", "timeout .* place ", "tar .*/versions/", "find .*/versions/.* -type l",
    "sync", "mv .*/current", "mv .*/table-companion-trust/serial",
)  # fmt: skip


@pytest.fixture
def traced():
    """Runs an update with each tool it calls noted in its order; the note is everybody's, for builder and root alike."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        tools, note = Path(folder, "tools"), Path(folder, "note")
        tools.mkdir()
        note.touch()
        note.chmod(0o666)
        for name in ("dd", "openssl", "timeout", "tar", "find", "sync", "mv"):
            real = shutil.which(name)
            (tools / name).write_text(
                f'#!/bin/sh\nprintf "%s\\n" "{name} $(echo $*) " >>"{note}"\nexec {real} "$@"\n'
            )
            (tools / name).chmod(0o755)
        Path(folder).chmod(0o755)

        def run(box, package):
            done = update(box, package, PATH=f"{tools}:{os.environ['PATH']}")
            return done, note.read_text().splitlines()

        yield run


def test_each_step_comes_after_the_one_before(box, wheel, signed, traced):
    """Moved, left out or done twice too late: any step in another place is found here."""
    done, said = traced(box, signed(wheel("1.0")))
    assert done.returncode == 0, done.stderr
    at = 0
    for step in ORDER:
        found = [n for n, line in enumerate(said[at:], at) if re.match(step, line)]
        assert found, (step, said[at:])
        assert found[0] == min(n for n, line in enumerate(said) if re.match(step, line)), (
            f"{step}: also before"
        )
        at = found[0] + 1


def test_nothing_of_a_package_is_touched_where_its_signature_is_wrong(box, wheel, signed, traced):
    package = signed(wheel("1.0"))
    package.write_bytes(package.read_bytes()[:-1])
    done, said = traced(box, package)
    assert_refused(box, done, REFUSED)
    assert not [line for line in said if re.match(r"timeout .* (unpack|venv|install|check) |tar|mv", line)], (
        said
    )


def test_what_is_built_is_the_copy_that_was_verified(box, wheel, signed):
    """The stick's file is exchanged while its copy is being verified, as a stick with a mind of its own could do."""
    package, other = signed(wheel("1.0")), make_package(wheel("6.6"), key=FOREIGN)
    with TemporaryDirectory(dir="/var/tmp") as tools:
        real = shutil.which("openssl")
        Path(tools, "openssl").write_text(
            f'#!/bin/sh\ncp "{other}" "{package}"\ncp "{other}.sig" "{package}.sig"\nexec {real} "$@"\n'
        )
        Path(tools, "openssl").chmod(0o755)
        update(box, package, check=True, PATH=f"{tools}:{os.environ['PATH']}")
    assert box.running() == "1.0"
    assert package.read_bytes() == other.read_bytes()


# -- who runs it -----------------------------------------------------------------------------------------------


@pytest.fixture
def told():
    """A file that everybody may write, where a package's code says who runs it."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, "told")
        path.touch()
        path.chmod(0o666)
        yield path


TELL = (
    "import os, socket; open({path!r}, 'a').write("
    "f'{{os.getuid()}} {{os.getgroups()}} {{sorted(name for _n, name in socket.if_nameindex())}}\\n')\n"
)


def with_code(path, name, text):
    """Put a file of code into a wheel."""
    with zipfile.ZipFile(path) as old:
        members = {info: old.read(info) for info in old.infolist()}
    with zipfile.ZipFile(path, "w") as new:
        for info, data in members.items():
            new.writestr(info, data)
        new.writestr(zipfile.ZipInfo(name), text)
    return path


@needs_root
def test_no_code_of_a_package_runs_as_root(box, wheel, signed, told):
    """A .pth file runs with every start of the version's Python: to compile, to ask for help, to draw."""
    code = TELL.format(path=str(told))
    update(box, signed(with_code(wheel("1.0"), "zz.pth", code)), check=True)
    update(box, signed(with_code(wheel("1.1"), "zz.pth", code)), check=True)
    said = told.read_text().splitlines()
    assert len(said) >= 4
    for line in said:
        assert not line.startswith("0 ")
        assert line.split(" ", 1)[1].startswith("[]")


@needs_root
@pytest.mark.skipif(
    subprocess.run(
        ["unshare", "--net", "--pid", "--fork", "true"], capture_output=True, check=False
    ).returncode
    != 0,
    reason="this machine lets nobody make a space without a network",
)
def test_no_code_of_a_package_has_a_network_or_lives_on(box, wheel, signed, told):
    later = "os.fork() or (__import__('time').sleep(2), open({path!r}, 'a').write('lived on'), os._exit(0))"
    smoke = TELL.format(path=str(told)).replace("import os, ", "import ").replace("\n", "; ") + later.format(
        path=str(told)
    )
    update(box, signed(wheel("1.0", smoke)), check=True)
    time.sleep(2.5)
    assert told.read_text().splitlines() == [f"{65534 if not has_builder() else builder()} [] ['lo']"]


def has_builder():
    return subprocess.run(["id", "companion-build"], capture_output=True, check=False).returncode == 0


def builder():
    return int(
        subprocess.run(["id", "-u", "companion-build"], capture_output=True, text=True, check=True).stdout
    )


SITE = "os.path.dirname(os.path.dirname(os.path.abspath(__file__)))"


@pytest.mark.parametrize(
    ("smoke", "words"),
    [
        (f"os.symlink('/etc/shadow', {SITE} + '/shadow')", "shadow: a link that leads out of the version"),
        (f"os.symlink('../' * 40 + 'etc/shadow', {SITE} + '/x')", "x: a link that leads out of the version"),
        (
            f"p = {SITE} + '/../../../bin/python'; os.unlink(p); os.symlink('/bin/sh', p)",
            "bin/python: a link that",
        ),
        (f"os.mkfifo({SITE} + '/pipe')", "pipe: neither a file nor a folder"),
    ],
)
def test_what_a_version_would_leave_for_root_is_refused(box, wheel, signed, smoke, words):
    assert_refused(box, update(box, signed(wheel("1.0", smoke))), words)


def test_rights_that_a_version_gives_itself_are_taken_away(box, wheel, signed):
    smoke = f"p = {SITE} + '/tool'; open(p, 'w').close(); os.chmod(p, 0o6777)"
    update(box, signed(wheel("1.0", smoke)), check=True)
    (tool,) = (box.opt / "current/venv/lib").glob("python3*/site-packages/tool")
    assert tool.stat().st_mode & 0o7777 == 0o755
    assert tool.stat().st_uid == os.geteuid()
    for path in (box.opt / "versions").rglob("*"):
        assert path.is_symlink() or path.stat().st_mode & 0o022 == 0, path


def test_what_a_package_says_is_written_where_it_cannot_reach(box, wheel, signed, told):
    """It lays a link in every folder that it may write, under every name that a log could have."""
    told.write_text("kept")
    told.chmod(0o600)
    smoke = (
        f"[os.symlink({str(told)!r}, os.path.join(top, name)) for top in (os.environ['HOME'], os.environ['TMPDIR'], os.getcwd()) "
        "for name in ('log', 'out', 'smoke.log') if not os.path.lexists(os.path.join(top, name))]; raise SystemExit('no window')"
    )
    done = update(box, signed(wheel("1.0", smoke)))
    assert "no window" in done.stderr
    assert told.read_text() == "kept"


def test_nothing_is_fetched_and_nothing_is_built_on_the_box(box, wheel, signed):
    """A source package beside the wheel is no library, and what no list names is not looked for anywhere."""
    more = {"requirements.lock": "other==1.0\n", "wheels/other-1.0.tar.gz": b"x"}
    update(box, signed(wheel("1.0"), more), check=True)
    assert box.running() == "1.0"
    sdist = signed(wheel("1.1"))
    folder = sdist.parent / "package-1.1"
    (wheel_file,) = folder.glob("*.whl")
    wheel_file.rename(folder / "table_companion-1.1.tar.gz")
    contents.write(str(folder), "101", "test", "1.1", "any", "any")
    assert "no table_companion-*.whl in the package" in update(box, pack(folder)).stderr
    assert box.running() == "1.0"


def test_a_wheel_that_is_cut_off_is_refused(box, wheel, signed):
    """Also where the list was made of what is left of it: then nothing can be installed from it."""
    path = wheel("1.0")
    path.write_bytes(path.read_bytes()[:-400])
    assert_refused(box, update(box, signed(path)), "the application could not be installed from")
