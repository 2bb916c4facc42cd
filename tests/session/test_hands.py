"""A player's own note lies beside the game, is read here alone, and goes where the game goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.session.device_key import DeviceKeyFile
from companion.session.hands import Hands, hands_path
from companion.session.shelf import Shelf

NOTES = {"p1.hand": '{"cards":["A02","X77"]}', "p2.hand": "{}"}


@pytest.fixture
def game(tmp_path: Path) -> Path:
    DeviceKeyFile(tmp_path / "keys").ensure()
    folder = tmp_path / "games"
    folder.mkdir()
    path = folder / "evening.game"
    path.write_bytes(b"x")
    return path


def test_a_note_is_read_again_and_nothing_of_it_stands_in_the_file(game: Path, tmp_path: Path) -> None:
    hands = Hands(tmp_path / "keys")
    assert hands.read(game, "g1") == {}
    hands.write(game, "g1", NOTES)
    first = hands_path(game).read_bytes()
    assert hands.read(game, "g1") == NOTES
    assert b"X77" not in first
    assert hands_path(game).stat().st_mode & 0o077 == 0
    hands.write(game, "g1", {})
    assert len(hands_path(game).read_bytes()) < len(first) + 1024
    hands.write(game, "g1", NOTES)
    assert hands_path(game).read_bytes() != first, "no nonce comes twice"


def test_elsewhere_for_another_game_or_damaged_there_is_no_note(game: Path, tmp_path: Path) -> None:
    hands = Hands(tmp_path / "keys")
    hands.write(game, "g1", NOTES)
    assert hands.read(game, "g2") == {}
    DeviceKeyFile(tmp_path / "other").ensure()
    assert Hands(tmp_path / "other").read(game, "g1") == {}
    whole = hands_path(game).read_bytes()
    for damaged in (b"", whole[:11], whole[:-1], whole[:20] + b"?" + whole[21:], b"[" * 200_000):
        hands_path(game).write_bytes(damaged)
        assert hands.read(game, "g1") == {}
    assert Hands(tmp_path / "none").read(game, "g1") == {}
    with pytest.raises(OSError, match="device key"):
        Hands(tmp_path / "none").write(game, "g1", NOTES)


def test_notes_of_another_box_are_kept_aside_before_new_ones_are_written(game: Path, tmp_path: Path) -> None:
    DeviceKeyFile(tmp_path / "other").ensure()
    Hands(tmp_path / "other").write(game, "g1", NOTES)
    before, hands = hands_path(game).read_bytes(), Hands(tmp_path / "keys")
    for notes in ({"p1.hand": "1"}, NOTES):
        hands.write(game, "g1", notes)
        assert hands.read(game, "g1") == notes
    (kept,) = [one for one in game.parent.iterdir() if "damaged" in one.name]
    assert kept.read_bytes() == before


def test_it_goes_into_the_bin_and_comes_out_with_its_game(game: Path, tmp_path: Path) -> None:
    hands = Hands(tmp_path / "keys")
    hands.write(game, "g1", NOTES)
    shelf = Shelf(game.parent, lambda _setup: None, "")  # type: ignore[arg-type,return-value]
    binned = shelf.delete(game)
    assert not hands_path(game).exists()
    assert hands.read(shelf.restore(binned, game), "g1") == NOTES
    shelf.delete(game)
    shelf.empty_bin()
    assert not list(game.parent.rglob("*-hands"))
