"""A film is whole or not there: on a full stick nothing is left, of a damaged game what can be read is shown, and told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from companion.cli import main
from companion.pages.i18n import use_language

CORPUS = Path(__file__).parents[1] / "golden" / "journals"


@pytest.fixture(autouse=True)
def _english() -> None:
    use_language("en")


def test_a_full_stick_is_left_as_it_was(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from small_disk import fill_up

    fill_up(small_disk)
    before = sorted(path.name for path in small_disk.iterdir())
    game = CORPUS / "2026-11-italy.tcgame"
    assert main(["film", str(game), str(small_disk), "--texts"]) == 1
    assert "the disk is full" in capsys.readouterr().err
    assert sorted(path.name for path in small_disk.iterdir()) == before


def test_a_film_never_writes_over_another(tmp_path: Path) -> None:
    game = CORPUS / "2026-11-italy.tcgame"
    (tmp_path / "2026-11-italy.html").write_text("mine", encoding="utf-8")
    assert main(["film", str(game), str(tmp_path), "--texts"]) == 0
    assert (tmp_path / "2026-11-italy.html").read_text(encoding="utf-8") == "mine"
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"2026-11-italy{end}" for end in ("-2.html", ".csv", ".html", ".md", ".txt")]
    assert (tmp_path / "2026-11-italy-2.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_film_of_a_damaged_game_shows_what_can_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = tmp_path / "game.tcgame"
    shutil.copyfile(CORPUS / "2026-11-italy.tcgame", game)
    data = bytearray(game.read_bytes())
    middle = len(data) // 2
    for at in range(middle, len(data), 4096):
        data[at : at + 2048] = bytes(2048)
    game.write_bytes(data)
    before = game.read_bytes()
    assert main(["film", str(game), str(tmp_path)]) == 3
    told = capsys.readouterr()
    assert "only what could be read" in told.err
    page = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "This game is damaged" in page
    assert 'class="act' in page
    assert game.read_bytes() == before


def test_what_is_no_folder_and_no_game_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = str(CORPUS / "2026-11-italy.tcgame")
    assert main(["film", game, str(tmp_path / "nowhere")]) == 1
    assert "there is no folder" in capsys.readouterr().err
    (tmp_path / "not.tcgame").write_text("no game", encoding="utf-8")
    assert main(["film", str(tmp_path / "not.tcgame"), str(tmp_path)]) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["not.tcgame"]


def test_a_full_disk_keeps_no_half_copy(small_disk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from small_disk import fill_up

    games = small_disk / "games"
    games.mkdir()
    shutil.copyfile(CORPUS / "2026-11-italy.tcgame", games / "italy.tcgame")
    fill_up(small_disk)
    before = (games / "italy.tcgame").read_bytes()
    assert main(["what-if", "italy", "40", "--home", str(small_disk)]) == 1
    assert capsys.readouterr().err
    assert [path.name for path in games.iterdir()] == ["italy.tcgame"]
    assert (games / "italy.tcgame").read_bytes() == before
