"""In the machine: a camera that the kernel pretends (vivid), opened, shared, pulled out from under a picture and put back."""

from __future__ import annotations

import time
from pathlib import Path

from companion.adapters.cameras import probe, take_picture
from tests.box.guest import main, say, until
from vision.errors import CameraError
from vision.frames import UsbCamera

DRIVER = Path("/sys/bus/platform/drivers/vivid")
LISTED = Path("/sys/class/video4linux")


def camera_file() -> str:
    """Return the device file that gives pictures, waiting until it is there."""

    def found() -> str:
        names = [entry for entry in LISTED.glob("video*") if "vid-cap" in (entry / "name").read_text()]
        return f"/dev/{names[0].name}" if names else ""

    return str(until(found))


def told_by(camera: UsbCamera) -> str:
    """Look at pictures until the camera says why there are none; empty where it goes on for ten seconds."""
    latest = time.monotonic() + 10
    try:
        while time.monotonic() < latest:
            camera.preview()
    except CameraError as error:
        return str(error.say)
    return ""


def refusal(device: str) -> str:
    """Try to open a camera and return in which words it is refused."""
    camera = UsbCamera(device, name="eye")
    try:
        camera.open()
    except CameraError as error:
        return str(error.say)
    camera.close()
    return ""


def act() -> None:
    device = camera_file()
    say("free", [probe(device), take_picture(device, "eye")])
    camera = UsbCamera(device, size=(640, 360), name="eye")
    camera.open()
    first, second = camera.still(), camera.still()
    say("pictures", [list(first.shape), float(first.std()), bool((first != second).any())])
    say("busy", [probe(device), refusal(device)])
    (DRIVER / "unbind").write_text("vivid.0")
    pulled_ns = time.monotonic_ns()
    words = told_by(camera)
    say("pulled", [words, (time.monotonic_ns() - pulled_ns) // 1_000_000, probe(device), refusal(device)])
    camera.close()
    (DRIVER / "bind").write_text("vivid.0")
    device = camera_file()
    until(lambda: probe(device) == "working")
    say("back", list(take_picture(device, "eye")))


if __name__ == "__main__":
    main(act)
