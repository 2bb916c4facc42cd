"""The sheet of printed values in the window: one tap a figure, on to the next by itself, the same by keyboard."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.scanner import VisionScanner
from companion.core.commands import EndAct
from companion.pages.page import Code, Item, Photo, Rows, Sides, all_blocks
from companion.session.printed_code import read_code
from companion.testing.harness import Laid, lay
from companion.testing.memory_desk import MemoryDesk
from companion.ui.render.photo import PhotoBlock
from vision.codes import read_qr

TILES = {
    "alexandria": 8, "algiers": 8, "gibraltar": 6, "malta": 4, "bizerte": 2, "tripoli": 4.5, "benghazi": 1, "tobruk": 3,
    "bone": 1, "derna": 0.5, "tunis": 4, "messina": 4, "naples": 4, "athens": 7, "thessaloniki": 3, "rome": 9,
    "cagliari": 1, "taranto": 4, "larissa": 0.5, "maleme": 0.5, "heraklion": 1, "catania": 1.5, "ajaccio": 0.5,
}  # fmt: skip
"""Made up, in halves, so that they fit every sum that the rulebook states."""
LARGE = {"tripoli.land": 16, "tripoli.sea": 12, "alexandria.land": 14, "rome.land": 12}


def _value(key: str) -> float:
    subject = key.split(".", 2)[-1]
    if key.startswith("vp."):
        return TILES[subject]
    return LARGE.get(subject, 3 + sum(map(ord, key)) % 8)


def _desk(game: str, scenario: str) -> MemoryDesk:
    catalogue = GameCatalogue(Path("none"))
    return MemoryDesk(catalogue.make_setup(game, scenario, {}), catalogue.rules_of(game))


def _cells(laid: Laid) -> list[Item]:
    found = []
    for block in all_blocks(laid.root.screen.page.blocks):
        if isinstance(block, Rows):
            for row in block.rows:
                found += getattr(row.facet, "keys", (row,))
    return found


def _at(laid: Laid) -> str:
    (cell,) = (cell for cell in _cells(laid) if cell.state == "chosen")
    return cell.key


def _keys_for(value: float, *, is_whole: bool) -> list[str]:
    whole, part = divmod(value, 1)
    half = ["half"] if part else []
    if whole <= (11 if is_whole else 10):
        return [*half, f"{whole:g}"]
    return [*half, "more", *f"{whole:g}"]


@pytest.mark.parametrize(
    ("game", "scenario", "figures", "most"),
    [
        ("sfw96", "apr43", 84, 100),
        ("sfw96", "nafrica", 54, 54),
        ("sfw96", "italy", 18, 18),
        ("sfw96", "tobruk41", 4, 4),
        ("sfw96", "cassino44", 8, 8),
        ("sfw1", "first_apr43", 97, 105),
        ("aana", "rommel", 130, 130),
        ("tsu", "campaign", 1, 1),
    ],
)
def test_every_figure_of_a_scenario_takes_about_a_tap(
    game: str, scenario: str, figures: int, most: int
) -> None:
    desk = _desk(game, scenario)
    laid = lay(desk, screen="printed")
    start, taps, seen = dict(desk.change.state.printed), 0, []
    while (key := _at(laid)) not in desk.change.state.printed:
        is_plain = game == "sfw96" and scenario != "apr43" and key.startswith("vp.")
        is_whole = not key.startswith("vp.")
        value = 1 if is_plain or key.startswith(("bridges.", "fort.")) else _value(key)
        for name in _keys_for(value, is_whole=is_whole):
            laid.root.screen.press(f"key.{name}", None)
            taps += 1
        assert desk.change.state.printed.get(key) == value, f"{key}: one entry, and it is the one meant"
        seen.append(key)
    assert len(seen) == len(set(seen)) == figures
    assert len(desk.change.state.printed) == len(start) + figures
    assert taps <= most


@pytest.mark.parametrize(
    ("game", "scenario"),
    [(info.game, info.scenario) for info in GameCatalogue(Path("none")).scenarios() if info.game != "med"],
)
def test_no_figure_is_asked_for_before_the_first_battle(game: str, scenario: str) -> None:
    desk = _desk(game, scenario)
    start = dict(desk.change.state.printed)
    while (
        desk.change.state.step.act not in ("declare", "resolve") and desk.change.state.step.phase != "attack"
    ):
        desk.advance(700)
        desk.send(EndAct(desk.change.state.step.id, desk.now_ms(), True))
        assert desk.change.rejected is None
    assert dict(desk.change.state.printed) == start


def test_the_order_is_that_of_the_player_aid_and_of_the_board() -> None:
    laid = lay(_desk("sfw1", "first_apr43"), screen="printed")
    assert [cell.key.rpartition(".")[2] for cell in _cells(laid)[:3]] == ["air", "sea", "land"]
    laid.root.go("table")
    laid = lay(_desk("aana", "rommel"), screen="printed")
    assert [cell.key.rpartition(".")[2] for cell in _cells(laid)[:4]] == ["cost", "attack", "defence", "move"]


def test_a_keyboard_enters_the_same() -> None:
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    for sign in ",0" + "8" + "+12" + "-":
        laid.key(ord(sign))
    printed = desk.change.state.printed
    assert printed == {
        "vp.theater.ajaccio": 0.5,
        "vp.theater.alexandria": 8,
        "vp.theater.algiers": 12,
    }
    assert _at(laid) == "vp.theater.benghazi", "the minus sign skips Athens"


def test_a_figure_is_mended_and_taken_back() -> None:
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    for key in ("half", "2", "at.vp.theater.ajaccio"):
        laid.root.screen.press(key if key.startswith("at.") else f"key.{key}", None)
        laid.settle()
    assert desk.change.state.printed == {"vp.theater.ajaccio": 2.5}
    laid.tap(laid.find(text="Remove"))
    assert desk.change.state.printed == {}
    assert _at(laid) == "vp.theater.ajaccio", "what is taken back is at hand again"


@pytest.mark.parametrize(("taps", "value"), [(1, 1.25), (2, 1.5), (3, 1.75), (4, 1)])
def test_quarters_are_behind_the_larger_numbers(taps: int, value: float) -> None:
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    laid.tap(laid.find(text="More than 10"))
    for _tap in range(taps):
        laid.tap(laid.find(text="¼½¾"))
    assert not laid.faults()
    laid.tap(laid.find(text="Small numbers"))
    laid.tap(laid.find(text="1"))
    assert desk.change.state.printed == {"vp.theater.ajaccio": value}


def test_a_stated_sum_is_told_and_checked_at_once() -> None:
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    laid.root.screen.press("at.vp.theater.algiers", None)
    laid.settle()
    assert laid.has("(Allied start, November 1942) add up to 26: 26 left.")
    for site, key in (("algiers", "8"), ("alexandria", "10"), ("malta", "9")):
        laid.root.screen.press(f"at.vp.theater.{site}", None)
        laid.settle()
        laid.root.screen.press(f"key.{key}", None)
        laid.settle()
    assert "vp.theater.malta" not in desk.change.state.printed
    assert laid.has("must add up to 26; the values entered so far make 27.")


def test_pad_and_sheet_stand_side_by_side() -> None:
    laid = lay(_desk("sfw96", "apr43"), screen="printed")
    (sides,) = (block for block in laid.root.screen.page.blocks if isinstance(block, Sides))
    assert [side.key for side in sides.sides] == ["rows", "pad"]
    assert not laid.faults()


def _with_scanner(laid: Laid, photos: Path, kept: Path) -> VisionScanner:
    scanner = VisionScanner(photos, kept, cameras=lambda: ())
    laid.root.scanner = scanner
    laid.root.refresh()
    laid.settle()
    return scanner


def test_the_code_on_the_screen_is_that_of_the_values(tmp_path: Path) -> None:
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    _with_scanner(laid, tmp_path, tmp_path / "aids")
    for key in ("8", "3"):
        laid.root.screen.press(f"key.{key}", None)
    laid.tap(laid.find(text="Share"))
    laid.tap(laid.find(text="Show as a QR code"))
    laid.settle()
    (shown,) = (block for block in laid.root.screen.page.blocks if isinstance(block, Code))
    dark = np.pad(np.array([[sign == "1" for sign in row] for row in shown.square]), 4)
    light = np.kron(np.where(dark, 0, 255).astype(np.uint8), np.ones((6, 6), np.uint8))
    code = read_code(read_qr(cv2.cvtColor(light, cv2.COLOR_GRAY2BGR)))
    assert (code.game, code.scenario, code.values) == ("sfw96", "apr43", dict(desk.change.state.printed))
    assert not laid.faults()
    laid.tap(laid.find(text="Sheet"))
    assert laid.has("Alexandria")


def test_a_photo_of_the_player_aid_stands_beside_the_pad_and_leaves_with_no_game(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    photos.mkdir()
    aid = np.full((3000, 4000, 3), 200, np.uint8)
    aid[::40] = 30
    cv2.imwrite(str(photos / "aid.jpg"), aid)
    desk = _desk("sfw96", "apr43")
    laid = lay(desk, screen="printed")
    scanner = _with_scanner(laid, photos, tmp_path / "aids")
    sent = len(desk.entries())
    laid.tap(laid.find(text="Photo"))
    laid.settle()
    laid.tap(laid.find(text="Aid.jpg"))
    laid.settle()
    assert isinstance(laid.root.screen.page.blocks[0].sides[0].blocks[0], Photo)
    laid.tap(laid.find(text="8"))
    assert desk.change.state.printed == {"vp.theater.ajaccio": 8}, "it is typed from the photo"
    assert len(desk.entries()) == sent + 1, "the photo is no entry of the game"
    (file,) = (tmp_path / "aids").iterdir()
    assert file.name == "sfw96.jpg"
    assert file.stat().st_size < 1_000_000
    kept = scanner.kept("sfw96")
    assert kept is not None
    assert max(kept.width_px, kept.height_px) == 1600
    photo = next(one for one in laid.root.screen.sheet.stack.walk_blocks() if isinstance(one, PhotoBlock))
    laid.tap(photo)
    assert photo.zoom > 1
    laid.tap(photo)
    assert photo.zoom == 1


@pytest.mark.parametrize("content", [b"", b"no photo", b"\xff\xd8\xff\xe0" + b"\0" * 40])
def test_a_bad_photo_is_refused_in_one_line_and_the_kept_one_stays(tmp_path: Path, content: bytes) -> None:
    good, bad = tmp_path / "good.jpg", tmp_path / "bad.jpg"
    cv2.imwrite(str(good), np.full((300, 400, 3), 90, np.uint8))
    bad.write_bytes(content)
    scanner = VisionScanner(tmp_path, tmp_path / "aids", cameras=lambda: ())
    assert scanner.keep(f"file:{good}", "sfw96") is None
    fault = scanner.keep(f"file:{bad}", "sfw96")
    assert fault is not None
    assert "\n" not in str(fault)
    assert len(str(fault)) < 200
    assert scanner.kept("sfw96") is not None
    scanner.drop("sfw96")
    assert scanner.kept("sfw96") is None


def test_without_camera_and_photo_it_is_said_where_one_belongs(tmp_path: Path) -> None:
    laid = lay(_desk("sfw96", "apr43"), screen="printed")
    _with_scanner(laid, tmp_path / "photos", tmp_path / "aids")
    laid.tap(laid.find(text="Photo"))
    laid.settle()
    assert laid.has("There is no camera, no USB stick with a photo, and no photo in")
