"""The Pi's own camera: a helper process hands over JPEGs; it may crash alone. The port is ``vision.frames.FrameSource``."""

from __future__ import annotations

__all__ = ["PiCamera", "split_jpegs"]

import contextlib
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO

from companion.core.text import Say, Typed
from vision.errors import CameraError, PhotoError
from vision.frames import Image
from vision.load import decode_photo


def split_jpegs(buffer: bytes) -> tuple[list[bytes], bytes]:
    """Cut whole JPEGs out of a stream; returns them and what is left over."""
    out: list[bytes] = []
    while True:
        begin = buffer.find(b"\xff\xd8\xff")
        if begin < 0:
            return out, buffer[-2:]
        end = buffer.find(b"\xff\xd9", begin + 2)
        if end < 0:
            return out, buffer[begin:]
        out.append(buffer[begin : end + 2])
        buffer = buffer[end + 2 :]


_BUSY = (b"in use by another process", b"failed to acquire camera", b"Device or resource busy")
_NO_CAMERA = (b"no cameras available", b"No cameras available")
_KEPT_BYTES = 4096


def _why(name: str, said: bytes) -> CameraError | None:
    """Return the error of what the camera's tools say when they cannot have the camera; None where they say something else."""
    if any(words in said for words in _BUSY):
        return CameraError(
            Say(
                "{name}: another program is using it; close that program, or type in the dice",
                name=Typed(name),
            )
        )
    if any(words in said for words in _NO_CAMERA):
        return CameraError(
            Say("{name}: no camera was found; check its cable, or type in the dice", name=Typed(name))
        )
    return None


class PiCamera:
    """The Pi's own camera through its system tools, as a helper process that hands over JPEGs.

    The helper crashes alone: a new one is started with the next ``open``. Never run on a real Pi by its makers.
    """

    is_live = True

    def __init__(
        self,
        preview_command: Sequence[str] = (
            "rpicam-vid",
            "-n",
            "-t",
            "0",
            "--codec",
            "mjpeg",
            "--width",
            "640",
            "--height",
            "480",
            "--framerate",
            "10",
            "-o",
            "-",
        ),
        still_command: Sequence[str] = (
            "rpicam-still",
            "-n",
            "--immediate",
            "--autofocus-on-capture",
            "-q",
            "90",
            "-o",
            "-",
        ),
        still_timeout_s: float = 20.0,
        silent_s: float = 8.0,
        name: str = "Pi camera",
    ) -> None:
        self.preview_command, self.still_command = tuple(preview_command), tuple(still_command)
        self.still_timeout_s, self.silent_s = still_timeout_s, silent_s
        self.name = name
        self._process: subprocess.Popen[bytes] | None = None
        self._taking: subprocess.Popen[bytes] | None = None
        """The helper that takes a still."""
        self._is_interrupted = False
        self._newest: bytes | None = None
        self._heard_at_s = 0.0
        self._said = b""
        """The end of what the preview's helper has said; it says something with every frame."""
        self._hearing: threading.Thread | None = None
        self._lock = threading.Lock()

    def open(self) -> None:
        """Start the preview helper; CameraError where a tool is missing or the camera does not start."""
        if self._process is not None:
            return
        self._is_interrupted = False
        for command in (self.preview_command, self.still_command):
            if shutil.which(command[0]) is None:
                raise CameraError(
                    Say(
                        "{name}: {tool} is not installed; install rpicam-apps, or enter the dice by hand",
                        name=Typed(self.name),
                        tool=Typed(command[0]),
                    )
                )
        self._start()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self.preview_command,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise CameraError(
                Say(
                    "{name}: the helper program cannot be started ({why}); enter the dice by hand",
                    name=Typed(self.name),
                    why=Typed(str(error.strerror or error)),
                )
            ) from error
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._said, self._heard_at_s = b"", time.monotonic()
        threading.Thread(
            target=self._listen, args=(self._process.stdout,), name="pi-camera", daemon=True
        ).start()
        self._hearing = threading.Thread(
            target=self._hear, args=(self._process.stderr,), name="pi-camera-says", daemon=True
        )
        self._hearing.start()

    def _hear(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 12):
                self._said = (self._said + chunk)[-_KEPT_BYTES:]

    def _listen(self, stream: IO[bytes]) -> None:
        left = b""
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._heard_at_s = time.monotonic()
                whole, left = split_jpegs(left + chunk)
                if len(left) > 8 << 20:  # never a frame: do not grow without end
                    left = b""
                if whole:
                    with self._lock:
                        self._newest = whole[-1]

    def preview(self) -> Image | None:
        """Return the newest small frame, None while there is no new one; CameraError once the helper has ended."""
        if self._process is None:
            raise CameraError(Say("{name}: not open", name=Typed(self.name)))
        if self._process.poll() is not None:
            code = self._process.returncode
            if self._hearing is not None:
                self._hearing.join(1)
            self.close()
            raise _why(self.name, self._said) or CameraError(
                Say(
                    "{name}: the helper program stopped (code {code}); is the camera's cable plugged in? "
                    "Or enter the dice by hand",
                    name=Typed(self.name),
                    code=code,
                )
            )
        if time.monotonic() - self._heard_at_s > self.silent_s:
            self.close()
            raise CameraError(
                Say(
                    "{name}: the helper program stands still; try again, or enter the dice by hand",
                    name=Typed(self.name),
                )
            )
        with self._lock:
            data, self._newest = self._newest, None
        if data is None:
            return None
        try:
            return decode_photo(data, self.name)
        except PhotoError:
            return None  # a torn frame; the next one follows

    def still(self) -> Image:
        """Stop the preview, take one full still, start the preview again; CameraError where none could be taken."""
        was_open = self._process is not None
        self.close()
        try:
            code, taken, told = self._take()
        except FileNotFoundError as error:
            raise CameraError(
                Say(
                    "{name}: {tool} is not installed; enter the dice by hand",
                    name=Typed(self.name),
                    tool=Typed(self.still_command[0]),
                )
            ) from error
        except subprocess.TimeoutExpired as error:
            raise CameraError(
                Say(
                    "{name}: no photo within {seconds} s; check the cable, or enter the dice by hand",
                    name=Typed(self.name),
                    seconds=round(self.still_timeout_s),
                )
            ) from error
        if self._is_interrupted:
            raise CameraError(Say("{name}: stopped", name=Typed(self.name)))
        if code != 0:
            said = told.decode(errors="replace").strip().splitlines()
            raise _why(self.name, told) or CameraError(
                Say(
                    "{name}: no photo ({why}); enter the dice by hand",
                    name=Typed(self.name),
                    why=Typed(said[-1]) if said else Say("code {code}", code=code),
                )
            )
        try:
            image = decode_photo(taken, self.name)
        except PhotoError as error:
            raise CameraError(error.say) from error
        if was_open:
            self._start()
        return image

    def _take(self) -> tuple[int, bytes, bytes]:
        """Run the helper that takes a still; return its exit code, what it gave and what it said."""
        with subprocess.Popen(
            self.still_command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as helper:
            self._taking = helper
            if self._is_interrupted:  # it may have come before the helper could be seen
                helper.kill()
            try:
                given, said = helper.communicate(timeout=self.still_timeout_s)
            except subprocess.TimeoutExpired:
                helper.kill()
                raise
            finally:
                self._taking = None
            return helper.returncode, given, said

    def interrupt(self) -> None:
        """End a still that is being taken."""
        self._is_interrupted = True
        helper = self._taking
        if helper is not None:
            helper.kill()

    def close(self) -> None:
        """Stop the helper."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            with contextlib.suppress(OSError):
                process.send_signal(signal.SIGCONT)  # one that was stopped takes no other signal
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(2)
