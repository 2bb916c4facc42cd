"""The director's key behind a PIN: without it nothing is signed, and a wrong one changes nothing."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from companion import hall_command
from companion.hall.desk.key import DirectorKey
from companion.hall.errors import HallError
from companion.hall.orders import public_of

PIN = "seven old ships"


def test_a_locked_key_opens_with_its_pin_alone_and_stays_the_same_key(tmp_path: Path) -> None:
    key = DirectorKey(tmp_path)
    public = public_of(key.open())
    plain = key.path.read_text()
    key.lock(PIN)
    assert (key.is_locked, plain in key.path.read_text()) == (True, False)
    assert key.path.stat().st_mode & 0o077 == 0
    assert public_of(DirectorKey(tmp_path).open(PIN)) == public
    before = key.path.read_bytes()
    for wrong in ("", "seven old ship", PIN + " "):
        with pytest.raises(HallError, match="PIN"):
            key.open(wrong)
        with pytest.raises(HallError, match="PIN"):
            key.lock("another one", wrong)
    for none in ("12345", "x" * 65, "seven\nold"):
        with pytest.raises(HallError, match="nothing was changed"):
            key.lock(none, PIN)
    assert key.path.read_bytes() == before
    key.lock("", PIN)
    assert (key.is_locked, public_of(key.open()), key.path.read_text()) == (False, public, plain)


@pytest.mark.parametrize(
    "text", ["PIN1", "PIN1 zz x", "PIN1 00 x y", "PIN1 " + "0" * 32 + " gAAAA", "\u00e9", "abc", ""]
)
def test_a_damaged_key_is_named_and_left_alone(tmp_path: Path, text: str) -> None:
    key = DirectorKey(tmp_path)
    key.path.write_text(text, encoding="latin-1")
    with pytest.raises(HallError):
        DirectorKey(tmp_path).open(PIN)
    assert key.path.read_text(encoding="latin-1") == text


def test_the_pin_is_asked_for_twice_when_it_is_set_and_once_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cup = tmp_path / "cup"

    def hall(typed: str, *args: object) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return hall_command.main([str(one) for one in args])

    assert hall("", "new", cup, "--name", "Cup") == 0
    assert hall(f"{PIN}\nother words\n", "pin", cup) == 1
    assert "the same new PIN twice" in capsys.readouterr().err
    assert hall(f"{PIN}\n{PIN}\n", "pin", cup) == 0
    assert hall("wrong words\n", "run", cup, "--headless", "--port", 0) == 1
    assert "that is not the PIN" in capsys.readouterr().err
    assert hall(f"wrong words\n{PIN}\n{PIN}\n", "pin", cup) == 1
    assert hall(f"{PIN}\n", "pin", cup, "--remove") == 0
    assert not DirectorKey(cup / "desk").is_locked
