"""Photos of the evening by the box's own camera: taken, looked at, kept beside the game, shown in film and report, deleted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("kivy")

from companion.adapters.cameras import FoundCamera
from companion.adapters.game_pictures import GamePhotos
from companion.adapters.scanner import VisionScanner
from companion.core.text import Say
from companion.pages.film.draft import FilmDraft
from companion.pages.page import Photo
from companion.pages.report import report_html
from companion.testing.harness import Laid, lay
from companion.testing.sfw_evenings import SfwGame
from tests.durability.small_disk import fill_up, mount, unmount
from vision.errors import CameraError

FACES = np.random.default_rng(3).integers(0, 255, (1944, 2592, 3)).astype(np.uint8)


class Lens:
    """A camera that shows the same picture always, or has failed."""

    name, is_live = "Lens", True

    def __init__(self, fault: CameraError | None = None) -> None:
        self.fault = fault

    def open(self) -> None:
        if self.fault is not None:
            raise self.fault

    def preview(self) -> None:
        return None

    def still(self) -> np.ndarray:
        return FACES

    def interrupt(self) -> None:
        pass

    def close(self) -> None:
        pass


def table(folder: Path, *, cameras: int = 1, fault: CameraError | None = None, screen: str = "more") -> Laid:
    """Return the window of a game whose files lie in a folder, with so many cameras."""
    game = SfwGame("apr43", {"seats": ["Anna", "Ben"]})
    game.go("s3.t4.allies.declare")
    game.desk.photos = GamePhotos(folder / "photos", lambda: folder / "evening.tcgame")  # type: ignore[assignment]
    laid = lay(game.desk, screen=screen)
    found = tuple(FoundCamera(f"/dev/none{n}", f"Lens {n}") for n in range(cameras))
    laid.root.scanner = VisionScanner(
        folder, folder / "aids", cameras=lambda: found, source=lambda _key, _name: Lens(fault)
    )
    laid.root.refresh()
    laid.settle()
    return laid


def settle(laid: Laid) -> None:
    """Wait for what is done beside: the evening that is read, then its photo."""
    for _round in range(3):
        laid.settle()
        worker = laid.root.screen.later.worker
        if worker is not None:
            worker.join(timeout=20)
    laid.settle()


def tap(laid: Laid, text: str) -> None:
    laid.tap(laid.find(text=text))
    settle(laid)


def test_a_photo_is_looked_at_kept_with_its_act_shown_and_deleted(tmp_path: Path) -> None:
    laid = table(tmp_path, screen="log")
    desk = laid.root.desk
    sent = len(desk.entries())
    tap(laid, "Step 4, Allies: Move units")
    tap(laid, "Take a photo")
    tap(laid, "Take the photo")
    assert isinstance(laid.root.screen.page.blocks[0], Photo), "it is looked at before it is kept"
    assert not (tmp_path / "evening.photos").exists()
    tap(laid, "Take another")
    tap(laid, "Keep the photo")
    (file,) = (tmp_path / "evening.photos").iterdir()
    assert laid.has("The photo is kept with the evening.")
    assert len(desk.entries()) == sent, "it is no entry of the game"
    assert file.stat().st_size < 1_000_000
    seq = int(file.name.partition("-")[0])
    text = report_html(
        desk.change, desk.entries(), desk.counts, 0, pictures=desk.photos.of(None, desk.entries())
    )
    assert "<img" in text[text.index(f'id="a{seq}"') :]
    laid.root.go("film", draft=FilmDraft(at=10_000))
    settle(laid)
    tap(laid, "Photos")
    assert any(isinstance(block, Photo) for block in laid.root.screen.page.blocks)
    tap(laid, "Delete this photo")
    tap(laid, "Delete")
    assert not list((tmp_path / "evening.photos").iterdir())
    assert laid.root.screen.page.tab == "act", "there is no tab for photos any more"


def test_with_no_camera_no_photo_is_offered(tmp_path: Path) -> None:
    for screen in ("more", "log"):
        laid = table(tmp_path, cameras=0, screen=screen)
        assert not laid.has("Photo")
        if screen == "log":
            tap(laid, "Step 4, Allies: Move units")
            assert not laid.has("Take a photo")


def test_of_two_cameras_it_is_asked_which(tmp_path: Path) -> None:
    laid = table(tmp_path, cameras=2)
    tap(laid, "Photo")
    tap(laid, "Take the photo")
    tap(laid, "USB camera Lens 1")
    assert isinstance(laid.root.screen.page.blocks[0], Photo)


def test_a_camera_that_fails_is_told_in_words_of_a_camera(tmp_path: Path) -> None:
    laid = table(tmp_path, fault=CameraError(Say("{name}: broken; or enter the dice by hand", name=Say("x"))))
    tap(laid, "Photo")
    tap(laid, "Take the photo")
    assert laid.has("USB camera Lens 0 is unplugged. Plug it in, then try again.")
    assert not (tmp_path / "evening.photos").exists()


def test_a_full_disk_keeps_no_half_photo_and_the_taken_one_can_be_kept_later(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount(disk, "size=1500k")
    try:
        (disk / "filler").write_bytes(bytes(1_000_000))
        fill_up(disk)
        laid = table(disk)
        tap(laid, "Photo")
        tap(laid, "Take the photo")
        tap(laid, "Keep the photo")
        assert laid.has("The photo could not be kept: the disk is full")
        assert not list(disk.glob("*.photos/*"))
        (disk / "filler").unlink()
        tap(laid, "Keep the photo")
        assert laid.has("The photo is kept with the evening.")
        assert len(list(disk.glob("*.photos/*.jpg"))) == 1
    finally:
        unmount(disk)
