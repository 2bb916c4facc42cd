"""The Pi's camera behind pretended helpers: what they hand over, how they fail, and that they can be stopped."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.errors import CameraError
from vision.picamera import PiCamera, split_jpegs


def _helper(tmp_path: Path, name: str, code: str) -> str:
    script = tmp_path / name
    script.write_text(f"#!{sys.executable}\n{code}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_a_pi_camera_that_is_interrupted_ends_its_helper_at_once(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    still = _helper(tmp_path, "still", f"open({str(begun)!r}, 'w').close()\nimport signal\nsignal.pause()\n")
    camera = PiCamera(preview_command=(still,), still_command=(still,), still_timeout_s=300)
    told: list[CameraError] = []

    def take() -> None:
        try:
            camera.still()
        except CameraError as error:
            told.append(error)

    thread = threading.Thread(target=take)
    thread.start()
    while not begun.exists() and thread.is_alive():
        thread.join(0.01)
    camera.interrupt()
    thread.join(30)
    assert [str(one) for one in told] == ["Pi camera: stopped"]


def test_pi_camera_without_its_tools_says_what_to_install() -> None:
    camera = PiCamera(preview_command=("no-such-tool-here",))
    with pytest.raises(CameraError, match="no-such-tool-here is not installed"):
        camera.open()


def test_pi_camera_helper_hands_over_jpegs_and_its_end_is_told(tmp_path: Path) -> None:
    jpeg = tmp_path / "p.jpg"
    assert cv2.imwrite(str(jpeg), np.full((64, 80, 3), 120, np.uint8))
    video = _helper(
        tmp_path, "video",
        f"import sys\nd = open({str(jpeg)!r}, 'rb').read()\nsys.stdout.buffer.write(d + d)\nsys.stdout.flush()\n",
    )  # fmt: skip
    still = _helper(
        tmp_path, "still", f"import sys\nsys.stdout.buffer.write(open({str(jpeg)!r}, 'rb').read())\n"
    )
    camera = PiCamera(preview_command=(video,), still_command=(still,))
    assert camera.still().shape == (64, 80, 3)
    camera.open()
    process = camera._process
    assert process is not None
    process.wait(10)
    with pytest.raises(CameraError, match=r"the helper program stopped \(code 0\)"):
        camera.preview()
    camera.close()


def test_a_pi_camera_whose_helper_stands_still_is_told_and_starts_anew(tmp_path: Path) -> None:
    video = _helper(tmp_path, "video", "import time\ntime.sleep(300)\n")
    camera = PiCamera(preview_command=(video,), still_command=(video,), silent_s=0.3)
    camera.open()
    process = camera._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    assert camera.preview() is None
    process_is_quiet = threading.Event()
    process_is_quiet.wait(0.4)
    with pytest.raises(CameraError, match="the helper program stands still; try again"):
        camera.preview()
    assert process.poll() is not None
    camera.open()
    assert camera.preview() is None
    camera.close()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "INFO Camera camera.cpp:1 Pipeline handler in use by another process",
            "another program is using it; close",
        ),
        ("ERROR: *** failed to acquire camera ***", "another program is using it; close"),
        ("ERROR: *** no cameras available ***", "no camera was found; check its cable"),
    ],
)
def test_a_pi_camera_that_cannot_be_had_says_why_in_live_view_and_photo_alike(
    said: str, told: str, tmp_path: Path
) -> None:
    frames = "import sys\nfor n in range(2000): print('frame', n, file=sys.stderr)\n"
    end = f"print({said!r}, file=sys.stderr)\nraise SystemExit(255)\n"
    helper = _helper(tmp_path, "helper", frames + end)
    camera = PiCamera(preview_command=(helper,), still_command=(helper,))
    with pytest.raises(CameraError, match=f"Pi camera: {told}"):
        camera.still()
    camera.open()
    process = camera._process
    assert process is not None
    process.wait(10)
    with pytest.raises(CameraError, match=f"Pi camera: {told}"):
        camera.preview()


def test_pi_camera_that_fails_to_take_a_photo_repeats_what_it_said(tmp_path: Path) -> None:
    still = _helper(
        tmp_path, "still", "import sys\nprint('lens is missing', file=sys.stderr)\nraise SystemExit(255)\n"
    )
    camera = PiCamera(preview_command=(still,), still_command=(still,))
    with pytest.raises(CameraError, match="lens is missing"):
        camera.still()


def test_jpegs_are_cut_out_of_a_stream_wherever_it_breaks() -> None:
    one = b"\xff\xd8\xff\xe0abc\xff\xd9"
    stream = b"junk" + one + one + b"tail"
    for cut in range(len(stream)):
        first, left = split_jpegs(stream[:cut])
        second, _ = split_jpegs(left + stream[cut:])
        assert first + second == [one, one]
