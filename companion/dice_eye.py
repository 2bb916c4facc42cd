"""The reader of photographed dice behind the Dice screen: sources, threads and the translation of values.

The only place, with `companion.app`, that knows both `vision` and the screens' port. Models are loaded at the first
look. A look runs in a thread of its own and can be cancelled; its answer comes through `post`.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from companion.presenters.dice import Asked, Photo, SeenDie, colour_name
from companion.presenters.i18n import N_, _

__all__ = ["VisionEye"]

_log = logging.getLogger(__name__)

_ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp")
_MOST_PHOTOS = 12
_SHOWN_PX = 1024
"""Longer side of the picture that is shown."""

_FLAGS = {
    "cocked": N_("cocked"),
    "cut": N_("cut by the photo's edge"),
    "stacked": N_("lies on another die"),
    "glare": N_("the top face shines"),
    "blurred": N_("blurred"),
    "too small": N_("too small in the photo"),
}


class VisionEye:
    """Photos of a folder, a USB camera or the Pi's camera, read by `vision`."""

    def __init__(
        self, folder: Path, post: Callable[[Callable[[], None]], None], sets_folder: Path | None = None
    ) -> None:
        """Read photos that arrive in `folder`; a calibrated set named ``table`` in `sets_folder` is used when it is there."""
        self.folder, self._post, self._sets = folder, post, sets_folder
        self._models: Any = None
        self._lock = threading.Lock()

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return the cameras of this machine."""
        keys = [f"usb:{device}" for device in sorted(Path("/dev").glob("video[0-9]"))]
        if shutil.which("rpicam-still") is not None:
            keys.append("pi")
        return tuple((key, _name(key)) for key in keys)

    def photos(self) -> tuple[tuple[str, str], ...]:
        """Return the newest photos of the folder."""
        try:
            files = [
                (entry.stat().st_mtime, entry)
                for entry in self.folder.iterdir()
                if entry.suffix.lower() in _ENDINGS and entry.is_file()
            ]
        except OSError:
            return ()
        newest = sorted(files, key=lambda pair: pair[0], reverse=True)[:_MOST_PHOTOS]
        return tuple((f"file:{path}", path.name) for _mtime, path in newest)

    def place(self) -> str:
        """Return the folder, below the home folder with a tilde."""
        folder = self.folder.absolute()
        home = Path.home()
        return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)

    def look(
        self,
        key: str,
        kind: str,
        asked: Asked,
        *,
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> _Running:
        """Take or open a photo and read it in a thread."""
        running = _Running()

        def answer(call: Callable[[], None]) -> None:
            self._post(lambda: None if running.is_cancelled() else call())

        def work() -> None:
            from vision.errors import VisionError

            try:
                photo = self._read(key, kind, asked, running, lambda share: answer(lambda: progress(share)))
            except VisionError as fault:
                text = fault.translated(_)
                answer(lambda: failed(text))
            except Exception:
                _log.exception("reading %s", key)
                answer(lambda: failed(_("The photo could not be read; type the dice.")))
            else:
                answer(lambda: done(photo))

        running.thread = threading.Thread(target=work, name="dice-reader", daemon=True)
        running.thread.start()
        return running

    def _read(
        self, key: str, kind: str, asked: Asked, running: _Running, progress: Callable[[float], None]
    ) -> Photo:
        from vision.frames import FrameSource, PhotoFile, PiCamera, UsbCamera
        from vision.live import photo_hash
        from vision.models import load_models
        from vision.reader import read
        from vision.types import Request

        sort, _colon, place = key.partition(":")
        source: FrameSource
        if sort == "file":
            source = PhotoFile(place)
        elif sort == "usb":
            source = UsbCamera(place, name=_name(key))
        else:
            source = PiCamera(name=_name(key))
        source.open()
        try:
            image = source.still()
        finally:
            source.close()
        with self._lock:
            if self._models is None:
                self._models = load_models()
        known = tuple((colour, count) for colour, count in asked if colour)
        request = Request(kinds=(kind,), colours=tuple(colour for colour, _n in known), counts=known)
        readings = read(
            image,
            request,
            models=self._models,
            dice_set=self._own_set(),
            progress=lambda share, _words: progress(share),
            cancelled=running.is_cancelled,
        )
        return _photo(image, readings, _file_hash(place) if sort == "file" else photo_hash(image))

    def _own_set(self) -> Any:
        from vision.errors import VisionError
        from vision.sets import list_sets, load_set

        if self._sets is None or "table" not in list_sets(self._sets):
            return None
        try:
            return load_set("table", self._sets)
        except VisionError as fault:
            _log.warning("%s", fault)
            return None


def _name(key: str) -> str:
    """Return what a camera is called on the screen."""
    sort, _colon, device = key.partition(":")
    return _("USB camera {device}").format(device=Path(device).name) if sort == "usb" else _("Pi camera")


class _Running:
    """A look in its thread."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self.thread: threading.Thread | None = None

    def cancel(self) -> None:
        """Stop it; its answer no longer comes."""
        self._stop.set()

    def is_cancelled(self) -> bool:
        """Say whether it was stopped."""
        return self._stop.is_set()


def _file_hash(path: str) -> str:
    """Return the SHA-256 of a file's bytes, as hex: what ``sha256sum`` says of it."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _photo(image: Any, readings: Any, sha256: str) -> Photo:
    """Translate readings; the picture is shrunk to what a screen can show."""
    import cv2

    height, width = image.shape[:2]
    scale = min(1.0, _SHOWN_PX / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if scale < 1 else image
    rgb = cv2.cvtColor(small, cv2.COLOR_BGR2RGB)
    dice = tuple(
        SeenDie(
            die.value if die.value is not None else None,
            die.colour or "",
            die.confidence,
            die.x / width,
            die.y / height,
            die.radius / width,
            tuple(
                dict.fromkeys(([die.guess] if die.guess else []) + [value for value, _share in die.others])
            )[:3],
            _flag_words([flag.value for flag in die.flags]),
            die.kind,
        )
        for die in readings.dice
    )
    mismatches = tuple(note.translated(_word) for note in readings.mismatches)
    advice = tuple(note.translated(_word) for note in readings.advice)
    return Photo(size[0], size[1], rgb.tobytes(), sha256, dice, mismatches, advice)


def _flag_words(flags: Sequence[str]) -> str:
    """Say what is the matter with a die and what to do about it; empty when nothing is."""
    faults = ", ".join(_(_FLAGS[flag]) for flag in flags)
    return _("{faults}: roll it again or say what it shows").format(faults=faults) if faults else ""


def _word(text: str) -> str:
    """Translate a text of a note; colours are named as everywhere on the screens."""
    from vision.types import COLOURS

    if text == "unknown":
        return _("of unknown colour")
    return colour_name(text) if text in COLOURS else _(text)
