"""A table's card, from the director's laptop to the box, by the commands a person types, with a real broker."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hall_net import needs_mosquitto

from companion import hall_command
from companion.adapters.hall import membership
from companion.hall.desk.broker import free_port
from companion.hall.desk.enrol import card_in
from companion.hall.errors import HallError

TOP = Path(__file__).parents[2]


def _hall(*args: object) -> int:
    return hall_command.main([str(one) for one in args])


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    assert _hall("new", tmp_path / "cup", "--name", "Cup") == 0
    return tmp_path / "cup"


def _start(*args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "companion", "hall", *map(str, args)],
        cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


@pytest.fixture
def running(cup: Path) -> Iterator[subprocess.Popen[str]]:
    made = _start("run", cup, "--headless", "--port", "0", "--tables", f"127.0.0.1:{free_port()}")
    assert made.stdout is not None
    assert "tables call at 127.0.0.1:" in made.stdout.readline()
    yield made
    made.terminate()
    made.wait(20)
    made.stdout.close()


def test_a_card_is_made_once_and_names_what_is_wrong_with_another(
    cup: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("aiomqtt")
    assert _hall("table", "add", cup, "17") == 1
    assert "nobody has said where this hall is: --address IP" in capsys.readouterr().err
    for out in (cup, cup / "nowhere" / "cards.html"):
        assert _hall("table", "add", cup, "1..3", "--address", "192.168.1.20", "--out", out) == 1
        assert "cannot be written; nothing was changed" in capsys.readouterr().err
    assert _hall("table", "add", cup, "3..1", "--address", "192.168.1.20") == 1
    assert _hall("table", "add", cup, "17") == 1
    assert "nobody has said where this hall is" in capsys.readouterr().err, "not even its address was kept"
    assert _hall("table", "add", cup, "1..3", "--address", "192.168.1.20") == 0
    cards = [card_in(line) for line in capsys.readouterr().out.splitlines()]
    assert [card.table for card in cards] == ["1", "2", "3"]
    assert len({card.secret for card in cards}) == 3
    assert (cards[0].host, cards[0].port) == ("192.168.1.20", 8883)
    assert _hall("table", "add", cup, "3", "4") == 1
    assert "table 3 has a card already" in capsys.readouterr().err
    assert _hall("table", "add", cup, "Table 9") == 1
    assert "one to twelve small letters and digits, such as 17, got 'Table 9'" in capsys.readouterr().err
    assert _hall("table", "retire", cup, "3") == 0
    assert _hall("table", "add", cup, "3", "--out", cup / "cards.html") == 0
    page = (cup / "cards.html").read_text()
    assert "Table 3" in page
    assert "<svg" in page
    for text in ("TCHALL1 somewhere", cards[0].text[:-1], ""):
        with pytest.raises(HallError, match="expected an enrolment card of a hall"):
            card_in(text)
    assert not (cup / "desk" / "ca.key").exists()
    assert all((one.stat().st_mode & 0o077) == 0 for one in (cup / "desk").rglob("*.key"))


@pytest.mark.long
@needs_mosquitto
def test_a_box_is_let_in_once_with_its_card_and_a_used_card_and_another_hall_are_refused(
    cup: Path, running: subprocess.Popen[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert running.stdout is not None
    assert _hall("table", "add", cup, "17") == 0
    card = capsys.readouterr().out.strip()
    box = _start("enrol", card, "--data", tmp_path / "box", "--wait", "30")
    told = ""
    while "asks to be let in" not in told:
        told = running.stdout.readline()
        assert told, "the director is told"
    assert box.stdout is not None
    print_ = re.search(r"[A-Z2-7]{4}(-[A-Z2-7]{4}){3}", box.stdout.readline())
    assert print_ is not None
    assert print_[0] in told, "both read the same print"
    assert _hall("table", "confirm", cup, "17") == 0
    assert box.wait(40) == 0
    assert "this box is table 17" in box.stdout.read()
    box.stdout.close()
    found = membership(tmp_path / "box" / "keys")
    assert found is not None
    assert card_in(card).secret not in (tmp_path / "box" / "keys" / "hall.json").read_text()
    assert _hall("enrol", card, "--data", tmp_path / "box") == 1
    assert "companion hall leave takes it out first" in capsys.readouterr().err
    assert _hall("enrol", card, "--data", tmp_path / "thief", "--wait", "10") == 1
    assert "was used, or the table was retired" in capsys.readouterr().err
    other = card_in(card)
    foreign = other.text.replace(other.ca, "0" * 64)
    assert _hall("enrol", foreign, "--data", tmp_path / "third", "--wait", "10") == 1
    assert "its certificate has another print; nothing was sent" in capsys.readouterr().err
    assert _hall("leave", "--data", tmp_path / "box") == 0
    assert membership(tmp_path / "box" / "keys") is None
    assert _hall("leave", "--data", tmp_path / "box") == 1


def test_a_photo_of_a_card_is_read_and_one_without_a_code_is_refused(
    cup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("zxingcpp")
    import segno

    from companion.hall_link_command import _card_text

    assert _hall("table", "add", cup, "17", "--address", "10.0.0.5") == 0
    card = capsys.readouterr().out.strip()
    segno.make(card, error="m", micro=False).save(str(tmp_path / "card.png"), scale=6)
    assert _card_text(str(tmp_path / "card.png")) == card
    segno.make("something else entirely", micro=False).save(str(tmp_path / "other.png"), scale=12)
    with pytest.raises(HallError, match="expected a photo of an enrolment card, got another code"):
        _card_text(str(tmp_path / "other.png"))
