"""The `Scanner` port over `vision`: QR codes of printed values, and photos of player aids, shrunk and kept on this box alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.adapters.cameras import PI_CAMERA, FoundCamera, find_cameras, probe
from companion.adapters.dice_eye import photo_place
from companion.adapters.game_pictures import shrunk
from companion.core.text import N_, Say, Typed
from companion.pages.hardware import State
from companion.pages.i18n import _
from companion.pages.page import Photo
from companion.pages.scanner import Shot
from companion.session.errors import SessionError
from companion.session.files import explain, write_whole
from companion.session.printed_code import PrintedCode, written_code
from vision.folder import PHOTO_ENDINGS

if TYPE_CHECKING:
    from vision.frames import FrameSource, Image

__all__ = ["VisionScanner"]

_log = logging.getLogger(__name__)
_MOST_PHOTOS = 12
_SHOWN_PX = 1024
_LONGEST_PX = 1600
_QUALITY = 80
_NO_PICTURE: dict[State, str] = {
    "working": N_("{name} takes no photo. Check its cable, then try again."),
    "busy": N_("{name} is used by another program. Close it, then try again."),
    "denied": N_("{name} may not be used by this user (add the user to the group video)."),
    "lost": N_("{name} is unplugged. Plug it in, then try again."),
}


class VisionScanner:
    """Pictures of cameras, of a folder and of plugged-in sticks."""

    def __init__(
        self,
        photos: Path,
        kept: Path,
        *,
        sticks: Callable[[], list[Path]] = list,
        cameras: Callable[[], tuple[FoundCamera, ...]] = find_cameras,
        source: Callable[[str, str], FrameSource] | None = None,
    ) -> None:
        """Offer the photos in the folder `photos` and on sticks; keep player aids in the folder `kept`."""
        self._photos, self._kept, self._sticks, self._cameras = photos, kept, sticks, cameras
        self._source = _camera if source is None else source

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return the cameras, then the newest photos of the folder and of sticks."""
        files = [file for folder in (self._photos, *self._sticks()) for file in _images(folder)]
        return (*self.cameras(), *((f"file:{file}", file.name) for file in files))

    def cameras(self) -> tuple[tuple[str, str], ...]:
        """Return the cameras."""
        return tuple(
            (one.key, _("Pi camera") if one.key == PI_CAMERA else _("USB camera {device}").format(device=one.name))
            for one in self._cameras()
        )  # fmt: skip

    def take(self, key: str) -> Shot | Say:
        """Take a photo of an evening, shrunk, without where and when."""
        from vision.crops import small_rgb

        def shot(image: Image) -> Shot:
            return Shot(Photo("shot", *small_rgb(image, _SHOWN_PX)), shrunk(image))

        found: Shot | Say = self._with(key, shot)
        return found

    def shown(self, jpeg: bytes) -> Photo | Say:
        """Return a kept photo as it is shown; one that is damaged says so."""
        from vision.crops import small_rgb
        from vision.errors import PhotoError
        from vision.load import decode_photo

        try:
            return Photo("photo", *small_rgb(decode_photo(jpeg), _SHOWN_PX))
        except PhotoError as fault:
            return fault.say

    def place(self) -> str:
        """Return the folder, below the home folder with a tilde."""
        return photo_place(self._photos)

    def code(self, game: str, scenario: str, values: Mapping[str, Any]) -> tuple[str, ...] | Say:
        """Return the values as the rows of a QR code."""
        from vision.codes import code_modules

        try:
            dark = code_modules(written_code(PrintedCode(game, scenario, dict(values))))
        except SessionError as fault:
            return fault.say
        except ValueError:
            return Say("These values do not fit one QR code; export them as a file.")
        return tuple("".join("1" if module else "0" for module in row) for row in dark)

    def read(self, key: str) -> str | Say:
        """Return the text of the QR code in a picture."""
        from vision.codes import read_qr

        text: str | Say = self._with(key, read_qr)
        return text

    def keep(self, key: str, game: str) -> Say | None:
        """Keep a picture as a small JPEG file; one that is there is replaced when the new one is whole."""
        from vision.crops import small_jpeg

        data = self._with(key, lambda image: small_jpeg(image, _LONGEST_PX, _QUALITY))
        if isinstance(data, Say):
            return data
        try:
            self._kept.mkdir(parents=True, exist_ok=True)
            write_whole(self._aid(game), data)
        except (OSError, SessionError) as fault:
            why = fault.text if isinstance(fault, SessionError) else explain(fault)[0]
            return Say("The photo could not be kept: {why}", why=why)
        return None

    def kept(self, game: str) -> Photo | None:
        """Return the player aid of a game; one that cannot be read any more is none."""
        file = self._aid(game)
        if not file.is_file():
            return None
        from vision.crops import small_rgb

        found = self._with(f"file:{file}", lambda image: small_rgb(image, _LONGEST_PX))
        return None if isinstance(found, Say) else Photo("aid", *found)

    def drop(self, game: str) -> None:
        """Delete the player aid of a game."""
        self._aid(game).unlink(missing_ok=True)

    def _aid(self, game: str) -> Path:
        return self._kept / f"{game}.jpg"

    def _with(self, key: str, make: Callable[[Image], Any]) -> Any:
        """Return what is made of a picture, or in a sentence why there is none."""
        from vision.errors import CameraError, VisionError

        try:
            return make(self._picture(key))
        except CameraError:
            why = _NO_PICTURE.get(probe(key), _NO_PICTURE["working"])
            return Say(why, name=Typed(dict(self.cameras()).get(key, key)))
        except VisionError as fault:
            return fault.say
        except Exception:
            _log.exception("a picture of %s", key)
            return Say("The photo could not be read.")

    def _picture(self, key: str) -> Image:
        from vision.frames import PhotoFile

        kind, _colon, path = key.partition(":")
        if kind == "file":
            return PhotoFile(path).still()
        source = self._source(key, next((one.name for one in self._cameras() if one.key == key), key))
        source.open()
        try:
            return source.still()
        finally:
            source.close()


def _camera(key: str, name: str) -> FrameSource:
    from vision.frames import UsbCamera
    from vision.picamera import PiCamera

    return PiCamera(name=name) if key == PI_CAMERA else UsbCamera(key, name=name)


def _images(folder: Path) -> list[Path]:
    """Return the newest pictures that lie in a folder itself; none where it cannot be read."""
    try:
        files = [file for file in folder.iterdir() if file.suffix.lower() in PHOTO_ENDINGS and file.is_file()]
        return sorted(files, key=lambda file: -file.stat().st_mtime)[:_MOST_PHOTOS]
    except OSError:
        return []
