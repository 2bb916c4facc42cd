"""Photos lie beside the game, shrunk and without where and when; film and report show them, and say how many they left out."""

from __future__ import annotations

import base64
import os
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from evenings import change_of, sfw96
from pages import Page

from companion.adapters.catalogue import GameCatalogue
from companion.cli import main
from companion.pages.report import MOST_BYTES, report_html
from companion.session.pictures import (
    MOST_PICTURE_BYTES,
    picture_folder,
    picture_names,
    pictures_of,
    put_picture,
)
from companion.session.shelf import Shelf

CORPUS = Path(__file__).parents[1] / "golden" / "journals"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder with one saved game, and photos beside it as a phone takes them."""
    (tmp_path / "games").mkdir()
    shutil.copyfile(CORPUS / "2026-11-italy.tcgame", tmp_path / "games" / "italy.tcgame")
    board = np.random.default_rng(4).integers(0, 255, (1800, 2400, 3)).astype(np.uint8)
    cv2.imwrite(str(tmp_path / "board.jpg"), cv2.GaussianBlur(board, (0, 0), 9))
    return tmp_path


def test_a_photo_is_shrunk_and_kept_beside_the_game(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = home / "games" / "italy.tcgame"
    before = game.read_bytes()
    for _n in range(2):
        assert main(["photo", "italy", "12", str(home / "board.jpg"), "--home", str(home)]) == 0
    folder = home / "games" / "italy.photos"
    assert capsys.readouterr().out.split() == [str(folder / "12-1.jpg"), str(folder / "12-2.jpg")]
    assert game.read_bytes() == before, "never in the journal"
    kept = (folder / "12-1.jpg").read_bytes()
    assert b"Exif" not in kept
    assert cv2.imdecode(np.frombuffer(kept, np.uint8), cv2.IMREAD_COLOR).shape == (960, 1280, 3)
    assert main(["film", "italy", str(home), "--home", str(home)]) == 0
    text = (home / "italy.html").read_text(encoding="utf-8")
    page = Page(text)
    assert [given["src"] for given in page.having("img")] == [
        f"data:image/jpeg;base64,{base64.b64encode(kept).decode()}"
    ] * 2
    act = text.index('id="a12"')
    assert act < text.index("<img") < text.index('id="a13"')


def test_a_photo_beside_a_damaged_game_is_kept_and_the_loss_is_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = home / "games" / "italy.tcgame"
    game.write_bytes(game.read_bytes()[: game.stat().st_size // 2])
    assert main(["photo", "italy", "12", str(home / "board.jpg"), "--home", str(home)]) == 3
    told = capsys.readouterr()
    assert told.out.strip() == str(home / "games" / "italy.photos" / "12-1.jpg")
    assert "companion photo: the saved game is damaged: " in told.err


def test_a_link_beside_a_game_leads_no_photo_elsewhere_and_none_in(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game, elsewhere = home / "games" / "italy.tcgame", home / "elsewhere"
    elsewhere.mkdir()
    private = elsewhere / "12-1.jpg"
    private.write_bytes(put_picture(game, 12, b"\xff\xd8\xffa private photo").read_bytes())
    folder = picture_folder(game)
    for name in ("13-1.jpg", "0-1.jpg", "013-1.jpg", "\u0661\u0662-1.jpg"):
        (folder / name).symlink_to(private)
    assert picture_names(game) == ((12, 1),)
    assert set(pictures_of(game)) == {12}
    shutil.rmtree(folder)
    folder.symlink_to(elsewhere)
    assert pictures_of(game) == {}
    assert main(["photo", "italy", "12", str(home / "board.jpg"), "--home", str(home)]) == 1
    assert "italy.photos: something else has the name of a folder" in capsys.readouterr().err
    assert list(elsewhere.iterdir()) == [private]


def test_what_is_no_photo_is_refused_and_nothing_is_kept(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "text.jpg").write_text("no photo", encoding="utf-8")
    assert main(["photo", "italy", "12", str(home / "text.jpg"), "--home", str(home)]) == 1
    assert main(["photo", "italy", "0", str(home / "board.jpg"), "--home", str(home)]) == 1
    assert main(["photo", "italy", "5000", str(home / "board.jpg"), "--home", str(home)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert "text.jpg" in told[0]
    assert "italy has no entry 5000; its entries are 1 to 307" in told[2]
    assert not picture_folder(home / "games" / "italy.tcgame").exists()


def test_strange_files_in_the_folder_are_left_alone(home: Path) -> None:
    game = home / "games" / "italy.tcgame"
    put_picture(game, 3, b"\xff\xd8\xff small")
    folder = picture_folder(game)
    (folder / "4-1.jpg").write_bytes(b"<svg onload=alert(1)>")
    (folder / "5-1.jpg").write_bytes(b"\xff\xd8\xff" + bytes(MOST_PICTURE_BYTES))
    (folder / "6-1.jpg").mkdir()
    (folder / "7-1.jpg.exe").write_bytes(b"\xff\xd8\xff")
    os.mkfifo(folder / "8-1.jpg")
    assert pictures_of(game) == {3: (b"\xff\xd8\xff small",)}
    assert pictures_of(home / "games" / "none.tcgame") == {}


def test_photos_go_to_the_bin_with_their_game(home: Path) -> None:
    game = home / "games" / "italy.tcgame"
    put_picture(game, 3, b"\xff\xd8\xff one")
    gone = Shelf(home / "games", GameCatalogue().rules_of).delete(game)
    assert not picture_folder(game).exists()
    assert pictures_of(gone) == {3: (b"\xff\xd8\xff one",)}


def test_more_photos_than_a_page_holds_are_counted_as_left_out() -> None:
    desk = sfw96()
    photos = {entry.seq: (b"\xff\xd8\xff" + bytes(600_000),) for entry in desk.entries()[:20]}
    text = report_html(change_of(desk), desk.entries(), desk.counts, 0, pictures=photos)
    shown = len(Page(text).having("img"))
    assert 3 <= shown < 20
    assert len(text.encode()) <= MOST_BYTES
    assert f"{20 - shown} photos" in Page(text).text
    whole = report_html(
        change_of(desk), desk.entries(), desk.counts, 0, pictures=dict(list(photos.items())[:2])
    )
    assert len(Page(whole).having("img")) == 2
    assert "Left out" not in Page(whole).text


def test_the_photo_of_a_corrected_reading_stands_with_its_roll(tmp_path: Path) -> None:
    import hashlib

    from msgspec.structs import replace

    from companion.adapters.game_pictures import corrected_photos
    from companion.core.dice import DiceOrigin, DiceSource

    folder = tmp_path / "photos"
    folder.mkdir()
    tray = np.random.default_rng(5).integers(0, 255, (400, 600, 3)).astype(np.uint8)
    for name in ("one.jpg", "two.jpg", "other.jpg"):
        cv2.imwrite(str(folder / name), np.roll(tray, len(name), axis=0) if name != "two.jpg" else tray)
    (folder / "torn.jpg").write_bytes((folder / "one.jpg").read_bytes()[:300])
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    rolls = [entry for entry in sfw96().entries() if hasattr(entry.command, "roll")][:3]
    origins = (
        DiceOrigin(
            DiceSource.CAMERA, photo_sha256=sums["one.jpg"], corrected=1, more_photos=(sums["torn.jpg"],)
        ),
        DiceOrigin(DiceSource.CAMERA, photo_sha256=sums["two.jpg"]),
        DiceOrigin(DiceSource.CAMERA, photo_sha256="0" * 64, corrected=2),
    )
    entries = [
        replace(entry, command=replace(entry.command, roll=replace(entry.command.roll, origin=origin)))
        for entry, origin in zip(rolls, origins, strict=True)
    ]
    found = corrected_photos(folder, entries)
    assert list(found) == [rolls[0].seq], "a reading that was right needs no photo, and a lost one has none"
    assert all(jpeg.startswith(b"\xff\xd8\xff") for jpeg in found[rolls[0].seq])
    assert len(found[rolls[0].seq]) == 1
    assert corrected_photos(tmp_path / "none", entries) == {}
