"""What is wrong with a call of ``companion run`` is told in one line before any window is opened."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from companion.app import main
from companion.start_checks import folder_fault, photo_folder, screen_fault, window_size
from tests.plain_user import as_a_plain_user


def refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Call ``companion run`` and return its exit code and its one line."""
    code = main(argv)
    (line,) = capsys.readouterr().err.splitlines()
    return code, line.removeprefix("companion run: ")


def test_pictures_without_the_demo_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(["--pictures", str(tmp_path)], capsys) == (
        2,
        "--pictures: expected together with --demo, got it alone; add --demo, or leave --pictures out",
    )


@pytest.mark.parametrize("below", ["", "under/it"])
def test_a_data_folder_that_is_a_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], below: str
) -> None:
    (tmp_path / "file").write_text("mine")
    home = tmp_path / "file" / below
    assert refused(["--home", str(home)], capsys) == (
        1,
        f"--home: {home}: expected a folder, got a file in its place; name a folder",
    )
    assert (tmp_path / "file").read_text() == "mine"


def test_a_data_folder_that_cannot_be_made_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, line = refused(["--home", "/proc/companion"], capsys)
    assert code == 1
    assert line.startswith("--home: /proc/companion: expected a folder that can be written, got: ")
    assert line.endswith("; name another folder, or change its rights")


def test_a_folder_without_the_right_to_write_is_refused_and_left_empty() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="start-checks-") as top:  # everybody may look into it
        Path(top).chmod(0o755)
        locked = Path(top) / "locked"
        locked.mkdir(mode=0o555)
        try:
            fault = fault_of(locked)
            assert fault == (
                f"--home: {locked}: expected a folder that can be written, "
                "got: this user may not write there; name another folder, or change its rights"
            )
            assert list(locked.iterdir()) == []
            locked.chmod(0o777)
            assert fault_of(locked) == "", "the same user may write there once it has the right"
        finally:
            locked.chmod(0o755)


def fault_of(folder: Path) -> str:
    """Return what `folder_fault` says of a folder to a user without rights."""
    imports = "from pathlib import Path\nfrom companion.start_checks import folder_fault"
    return as_a_plain_user(imports, 'print(folder_fault("--home", Path(sys.argv[1])), end="")', str(folder))


def test_a_pin_map_that_is_named_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, got in ((tmp_path / "nosuch.toml", "no such file"), (tmp_path, "a folder")):
        assert refused(["--pinmap", str(path)], capsys) == (
            1,
            f"--pinmap: {path}: expected a pin map file, got {got}; "
            "check the name, or leave --pinmap out to use the one that came with the app",
        )


def test_a_writable_folder_is_made_and_left_empty(tmp_path: Path) -> None:
    assert folder_fault("--home", tmp_path / "a" / "b") == ""
    assert list((tmp_path / "a" / "b").iterdir()) == []


@pytest.mark.parametrize(
    ("environ", "cards", "platform", "is_refused"),
    [
        ({}, [], "linux", True),
        ({"DISPLAY": ""}, [], "linux", True),
        ({"DISPLAY": ":0"}, [], "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, [], "linux", False),
        ({"SDL_VIDEODRIVER": "offscreen"}, [], "linux", False),
        ({}, ["card0"], "linux", False),
        ({}, ["renderD128"], "linux", True),
        ({}, [], "darwin", False),
    ],
)
def test_a_machine_without_a_screen_is_told_so(
    tmp_path: Path, environ: dict[str, str], cards: list[str], platform: str, is_refused: bool
) -> None:
    for card in cards:
        (tmp_path / card).touch()
    assert bool(screen_fault(environ, tmp_path, platform)) is is_refused


@pytest.mark.skipif(any(Path("/dev/dri").glob("card*")), reason="this machine may draw without a display")
@pytest.mark.parametrize(
    ("display", "words"),
    [(None, "no screen here: expected DISPLAY or WAYLAND_DISPLAY"), (":4711", "no window could be opened: ")],
)
def test_a_window_that_nobody_could_see_is_not_opened(
    tmp_path: Path, display: str | None, words: str
) -> None:
    away = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    environ = {name: value for name, value in os.environ.items() if name not in away}
    if display is not None:
        environ["DISPLAY"] = display
    done = subprocess.run(
        [sys.executable, "-m", "companion", "run", "--home", str(tmp_path)],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"companion run: {words}")
    assert len(done.stderr.splitlines()) == 1


def test_the_folder_that_photos_are_copied_into_is_there_from_the_start(tmp_path: Path) -> None:
    assert photo_folder(tmp_path / "home") == tmp_path / "home" / "photos"
    assert photo_folder(tmp_path / "home").is_dir()
    (tmp_path / "file").write_text("mine")
    assert not photo_folder(tmp_path / "file").exists()


@pytest.mark.parametrize(
    "text", ["", "xx", "0x0", "-800x480", "800x", "99999999x1", "800x199", "8_00x480", "٨٠٠x480"]
)
def test_a_size_that_no_window_has_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected WIDTHxHEIGHT such as 800x480"):
        window_size(text)
    assert window_size("800x480") == (800, 480)
