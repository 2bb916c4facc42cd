"""The reader of photographed dice behind the Dice screen: sources, threads and the translation of values.

The only place, with `companion.app`, that knows both `vision` and the screens' port. Models are loaded at the first
look. A look runs in a thread of its own and can be cancelled; its answer comes through `post`.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from companion.adapters.cameras import PI_CAMERA, FoundCamera, find_cameras, probe
from companion.adapters.dice_watch import Tray, Watching, watch_tray
from companion.core.text import Say, several
from companion.pages.dice import OTHER, Asked, Photo, SeenDie
from companion.pages.dice_live import FOLDER, LiveView
from companion.pages.hardware import State
from companion.pages.i18n import N_, _
from companion.pages.speak import speak

if TYPE_CHECKING:
    from vision.folder import CompletePhotos
    from vision.frames import FrameSource
    from vision.sets import DiceSet
    from vision.types import Readings

__all__ = ["VisionEye", "photo_place"]

_log = logging.getLogger(__name__)

_Offers: TypeAlias = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""Cameras and photos, each as key and name."""
_MOST_PHOTOS = 12
_LONGEST_PLACE = 36
"""Letters of a folder's name that a key takes in one line at any size."""
_SHOWN_PX = 1024
"""Longer side of the picture that is shown."""

_FLAGS = {
    "cocked": N_("cocked"),
    "cut": N_("cut off by the edge of the photo"),
    "stacked": N_("lies on another die"),
    "glare": N_("glare on the top face"),
    "blurred": N_("blurred"),
    "too small": N_("too small in the photo"),
}
_EITHER = (6, 9)
"""What the one other flag, 6 or 9, doubts between."""
_LEAST_SHOWN = 0.05
"""Value confidence under which a find is not shown: hardly any of them is a die."""


class VisionEye:
    """Photos of a folder, a USB camera or the Pi's camera, read by `vision`."""

    def __init__(
        self,
        folder: Path,
        post: Callable[[Callable[[], None]], None],
        *,
        light: Callable[[bool], None] | None = None,
        cameras: Callable[[], tuple[FoundCamera, ...]] = find_cameras,
        probe: Callable[[str], State] = probe,
        source: Callable[[str, str], FrameSource] | None = None,
        pause: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        """Read photos that arrive in `folder`.

        Args:
            light: Lights the dice tray, or leaves it as it was.
            source: Makes of a key and a name what gives the pictures.
            pause: Waits for an event, or so many seconds; tests let no time pass.
        """
        self.folder, self._post = folder, post
        self.own_set: Callable[[], DiceSet | None] = lambda: None
        """Returns the set of own dice that helps to read, in the reading thread; the program sets it."""
        self.settle: Callable[[Readings], Readings] = lambda readings: readings
        """Returns readings as sure as this table's corrections have shown, in the reading thread; the program sets it."""
        self._light, self._cameras, self._probe, self._pause = light, cameras, probe, pause
        self._open_source = self._source if source is None else source
        self._models: Any = None
        self._lock = threading.Lock()
        self._trays: dict[str, Tray] = {}
        self._names: dict[str, str] = {}
        """What each camera is called on the screen."""
        self._offers: _Offers | None = None
        """What was found when last looked for."""
        self._whole: CompletePhotos | None = None
        self._is_searching = False

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return the cameras of this machine and the folder, if it is there, as they were when last looked for."""
        return self._found()[0]

    def photos(self) -> tuple[tuple[str, str], ...]:
        """Return the newest photos of the folder that have wholly arrived, as they were when last looked for."""
        return self._found()[1]

    def _found(self) -> _Offers:
        if self._offers is None:  # nobody has looked yet: the lists of files alone, which takes no time
            self._offers = self._find(lambda _key: "working")
        return self._offers

    def search(self, found: Callable[[], None]) -> None:
        """Look in a thread for cameras and photos that came or went; `found` is called when there are any."""
        with self._lock:
            if self._is_searching:
                return
            self._is_searching = True

        def work() -> None:
            try:  # a fault of the program's own leaves a report, and the lists as they were
                offers = self._find(self._probe)
            finally:
                self._is_searching = False
            if offers != self._offers:
                self._offers = offers
                self._post(found)

        threading.Thread(target=work, name="dice-search", daemon=True).start()

    def _find(self, probe: Callable[[str], State]) -> _Offers:
        cameras = self._cameras()
        names = [one.name for one in cameras]
        sources = []
        for one in cameras:
            if one.key == PI_CAMERA:
                name = _("Pi camera")
            else:
                twin = f" ({Path(one.key).name})" if names.count(one.name) > 1 else ""
                name = _("USB camera {device}").format(device=one.name + twin)
            self._names[one.key] = name
            state = probe(one.key)
            if state != "lost":
                why = {
                    "busy": _("another program uses it"),
                    "denied": _("this user has no access to it"),
                }.get(state)
                sources.append((one.key, name if why is None else f"{name}: {why}"))
        if self.folder.is_dir():
            sources.append((FOLDER, _("Wait for a new photo in {folder}").format(folder=self._short_place())))
        return tuple(sources), self._photos()

    def _photos(self) -> tuple[tuple[str, str], ...]:
        from vision.errors import CameraError
        from vision.folder import CompletePhotos

        if self._whole is None:
            self._whole = CompletePhotos(self.folder)
        try:
            files = self._whole.look()
        except CameraError:
            return ()
        newest = sorted(files, key=lambda name: files[name][1], reverse=True)[:_MOST_PHOTOS]
        return tuple((f"file:{self.folder / name}", name) for name in newest)

    def place(self) -> str:
        """Return the folder, below the home folder with a tilde."""
        return photo_place(self.folder)

    def _short_place(self) -> str:
        """Return the folder as a key has room for it: of a long one the end."""
        place = self.place()
        if len(place) > _LONGEST_PLACE:
            place = f"…/{self.folder.name}"
        return place if len(place) <= _LONGEST_PLACE else f"{place[: _LONGEST_PLACE - 1]}…"

    def can_watch(self, key: str) -> bool:
        """Say whether a source is watched until a roll was made, rather than read at once."""
        return not key.startswith("file:")

    def look(
        self,
        key: str,
        kind: str,
        asked: Asked,
        *,
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
    ) -> Watching:
        """Open a photo and read it in a thread."""

        def work(running: Watching) -> Photo | None:
            from vision.frames import PhotoFile

            source = PhotoFile(key.partition(":")[2])
            image = source.still()
            if running.is_cancelled():
                return None
            readings = self._reader(kind, asked, running, progress)(image)
            return _photo(image, readings, _file_hash(str(source.path)))

        return self._run(key, work, done, failed)

    def watch(
        self,
        key: str,
        kind: str,
        asked: Asked,
        *,
        shown: Callable[[LiveView], None],
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        now: bool = False,
    ) -> Watching:
        """Watch a camera, or the folder, in a thread until a roll was made and read; `now` reads without waiting."""

        def work(running: Watching) -> Photo | None:
            running.wants_now = now

            def tell(view: LiveView) -> None:
                def show() -> None:
                    running.is_showing = False
                    shown(view)

                running.is_showing = running.is_showing or bool(view.rgb)
                self._answer(running, show)

            reader = self._reader(kind, asked, running, progress)
            news = watch_tray(self._tray(key), running, reader, tell, self._pause)
            if news is None:
                return None
            sha256 = str(news.photo_hash) if news.path is None else _file_hash(str(news.path))
            return _photo(news.photo, news.readings, sha256, news.advice)

        return self._run(key, work, done, failed)

    def take(
        self,
        key: str,
        reader: Callable[[Any, Callable[[], bool]], Any],
        *,
        shown: Callable[[LiveView], None],
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> Watching:
        """Take one picture in a thread, (h, w, 3) uint8 BGR, and hand it to `reader`, then to `done` as it is.

        A camera takes it at once; the folder is watched for the next photo. `reader` returns readings and is asked
        to stop through its second argument.
        """

        def work(running: Watching) -> Any:
            def read_dice(image: Any) -> Any:
                return reader(image, running.is_cancelled)

            if not self.can_watch(key):
                from vision.frames import PhotoFile

                image = PhotoFile(key.partition(":")[2]).still()
                if not running.is_cancelled():
                    read_dice(image)
                return image
            running.wants_now = key != FOLDER
            news = watch_tray(
                self._tray(key),
                running,
                read_dice,
                lambda view: self._answer(running, lambda: shown(view)),
                self._pause,
            )
            return None if news is None else news.photo

        return self._run(key, work, done, failed)

    def nets(self) -> Any:
        """Return the nets; they are loaded when they are first asked for."""
        from vision.models import load_models

        with self._lock:
            if self._models is None:
                self._models = load_models()
            return self._models

    def photo(self, image: Any, readings: Any) -> Photo:
        """Return what a screen shows of a picture and its readings."""
        return _photo(image, readings, "")

    def _run(
        self,
        key: str,
        work: Callable[[Watching], Photo | None],
        done: Callable[[Photo], None],
        failed: Callable[[str], None],
    ) -> Watching:
        running = Watching()

        def run() -> None:
            from vision.errors import VisionError  # here, because OpenCV takes a second to load

            try:
                photo = work(running)
            except VisionError as fault:
                text = speak(fault.say)
                self._answer(running, lambda: failed(text))
            except Exception:
                _log.exception("reading %s", key)
                self._answer(
                    running, lambda: failed(_("The photo could not be read; enter the dice by hand."))
                )
            else:
                if photo is not None:
                    self._answer(running, lambda: done(photo))

        running.thread = threading.Thread(target=run, name="dice-reader", daemon=True)
        running.thread.start()
        return running

    def _answer(self, running: Watching, call: Callable[[], None]) -> None:
        """Make a call on the interface thread, unless the look was cancelled until then."""
        self._post(lambda: None if running.is_cancelled() else call())

    def _tray(self, key: str) -> Tray:
        with self._lock:
            if key not in self._trays:
                self._trays[key] = Tray(self._open_source(key, self._names.get(key, key)), self._light)
            return self._trays[key]

    def _source(self, key: str, name: str) -> FrameSource:
        from vision.frames import UsbCamera, WatchedFolder
        from vision.picamera import PiCamera

        if key == FOLDER:
            return WatchedFolder(self.folder, name=self.place())
        return PiCamera(name=name) if key == PI_CAMERA else UsbCamera(key, name=name)

    def _reader(
        self, kind: str, asked: Asked, running: Watching, progress: Callable[[float], None]
    ) -> Callable[[Any], Any]:
        """Return what reads a photo of a roll; the models are loaded at the first one."""
        from vision.reader import read
        from vision.types import Request

        dice_set = self.own_set()
        known = tuple((colour, count) for colour, count in asked if colour)
        request = Request(
            kinds=(kind,) if kind else (), colours=tuple(colour for colour, _n in known), counts=known
        )

        def read_dice(image: Any) -> Any:
            return self.settle(
                read(
                    image,
                    request,
                    models=self.nets(),
                    dice_set=dice_set,
                    progress=lambda share, _words: self._answer(running, lambda: progress(share)),
                    cancelled=running.is_cancelled,
                )
            )

        return read_dice


def photo_place(folder: Path) -> str:
    """Return a folder as a person would write it, below the home folder with a tilde."""
    folder, home = folder.absolute(), Path.home()
    return f"~/{folder.relative_to(home)}" if folder.is_relative_to(home) else str(folder)


def _file_hash(path: str) -> str:
    """Return the SHA-256 of a file's bytes, as hex: what ``sha256sum`` says of it."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _photo(image: Any, readings: Any, sha256: str, camera: Sequence[Say] = ()) -> Photo:
    """Translate readings and what is said of the camera; the picture is shrunk to what a screen can show."""
    from vision.crops import small_rgb

    height, width = image.shape[:2]
    dice = tuple(
        SeenDie(
            die.value if die.value is not None else None,
            die.colour or "",
            die.confidence if die.value_confidence is None else die.value_confidence,
            die.x / width,
            die.y / height,
            die.radius / width,
            tuple(
                dict.fromkeys(([die.guess] if die.guess else []) + [value for value, _share in die.others])
            )[:3],
            _flag_words([flag.value for flag in die.flags]),
            die.kind,
            die.colour_confidence,
        )
        for die in readings.dice
        if die.kind == OTHER or (die.value_confidence or die.confidence) >= _LEAST_SHOWN
    )
    mismatches = tuple(speak(note) for note in readings.mismatches)
    advice = tuple(speak(note) for note in (*camera, *readings.advice))
    return Photo(*small_rgb(image, _SHOWN_PX), sha256, dice, mismatches, advice)


def _flag_words(flags: Sequence[str]) -> str:
    """Say what is the matter with a die and what to do about it; empty when nothing is."""
    faults = ", ".join(_(_FLAGS[flag]) if flag in _FLAGS else speak(several(_EITHER, "or")) for flag in flags)
    return _("{faults}: roll it again or enter what it shows").format(faults=faults) if faults else ""
