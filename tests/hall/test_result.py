"""Signed results: one however it came, a dispute where two differ, and refused in one line where it does not belong here."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import cv2
import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hall_table import tournament
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.cli import main
from companion.hall.desk.logs import Enrolled, Logs
from companion.hall.errors import HallError
from companion.hall.happenings import BoxKnown, BoxRetired, Paired, Pairing, ResultCorrected, decode, encode
from companion.hall.intake import reported, taken
from companion.hall.orders import legible
from companion.hall.outcome import Report, Result, agreed
from companion.hall.record import Tournament, code_of, happen
from companion.hall.result import (
    SignedResult,
    hall_mark,
    is_result,
    read_result,
    seat_of,
    written_result,
)
from companion.hall.store import Store
from companion.hall_take import two_eyes
from vision.codes import code_png

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
PUBLIC = KEY.public_key().public_bytes_raw()
BOX = legible(PUBLIC)


def hall() -> Tournament:
    """Return a hall of four with a round of two tables, whose box at table 1 is known."""
    now = happen(tournament(4), Paired(1, "swiss", (Pairing(1, 1, 2), Pairing(2, 3, 4))))
    return happen(now, BoxKnown(1, BOX))


def result(now: Tournament, table: int = 1, **other: object) -> SignedResult:
    """Return what the box at a table says: the Axis has won 12 to 8."""
    _round, at, seat = seat_of(f"{hall_mark(now.id)}.{code_of(now, 1, now.rounds[0].tables[table - 1])}")
    whole = SignedResult(
        1, seat, 1, at, b"g" * 16, b"", 311, "axis", "played", "decisive",
        {"allies": 8, "axis": 12}, {"allies": 0, "axis": 270}, ("allies",), b"d" * 32,
    )  # fmt: skip
    return replace(whole, **other)


def text(what: SignedResult, key: Ed25519PrivateKey = KEY) -> str:
    return written_result(what, key.public_key().public_bytes_raw(), key.sign)


def test_a_result_fits_a_code_and_is_taken_as_it_was_signed() -> None:
    now = hall()
    signed = text(result(now))
    assert len(signed) < 400
    what = taken(now, read_result(signed), "code")
    assert (what.round, what.table) == (1, 1)
    assert what.report.result == Result(1, "played", (12, 8), (270, 0))
    after = happen(now, what)
    assert after.rounds[0].results == {1: Result(1, "played", (12, 8), (270, 0))}
    line = encode(what, "2026-05-02T14:00:00+02:00")
    assert decode(line, 1) == (what, "2026-05-02T14:00:00+02:00")


@settings(max_examples=40)
@given(st.data())
def test_no_byte_can_be_changed(data: st.DataObject) -> None:
    """Of a text of a result no sign can be another, and none can be lacking, without being found out."""
    signed = text(result(hall()))
    at = data.draw(st.integers(0, len(signed) - 1))
    sign = data.draw(st.sampled_from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"))
    changed = signed[:at] + sign + signed[at + 1 :]
    if changed != signed:
        with pytest.raises(HallError, match=r"read its code again"):
            read_result(changed)
    with pytest.raises(HallError):
        read_result(signed[:at] + signed[at + 1 :])


@settings(max_examples=40)
@given(st.text(alphabet="0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:é\x00", max_size=300))
def test_noise_is_refused_in_a_line(noise: str) -> None:
    with pytest.raises(HallError) as fault:
        read_result(f"TCR1:{noise}/")
    assert "\n" not in str(fault.value)


def _reports(now: Tournament) -> list[object]:
    """Return one result by three ways, and a slip that says less."""
    signed = read_result(text(result(now)))
    return [
        taken(now, signed, "code"),
        taken(now, signed, "link"),
        reported(now, 1, 1, Result(1, "played", (12, 8)), ("Ann", "Bob")),
        reported(now, 1, 1, Result(1, "played", None, (271, 0)), ("Ann", "Bob")),
    ]


def test_three_ways_are_one_result_in_any_order() -> None:
    now = hall()
    ends = set()
    for order in itertools.permutations(_reports(now)):
        after = now
        for what in order:
            after = happen(after, what)  # type: ignore[arg-type]
        ends.add((after.rounds[0].results[1], after.rounds[0].disputed, after.rounds[0].missing))
        again = happen(after, order[0])  # type: ignore[arg-type]
        assert again is after, "nothing is counted twice"
    assert ends == {(Result(1, "played", (12, 8), (270, 0)), (), (2,))}


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from([1, 2, None]), st.sampled_from([None, (12, 8), (9, 9)]),
                          st.booleans()), min_size=1, max_size=5), st.randoms())  # fmt: skip
def test_the_order_of_arrival_does_not_matter(
    told: list[tuple[int | None, tuple[int, int] | None, bool]], chance
) -> None:  # type: ignore[no-untyped-def]
    reports = [
        Report("code" if is_signed else "paper", Result(winner, "played", vp), BOX if is_signed else "")
        for winner, vp, is_signed in told
    ]
    mixed = list(reports)
    chance.shuffle(mixed)
    assert agreed(mixed) == agreed(reports)
    differs = len({winner for winner, _vp, _s in told}) > 1 or len({vp for _w, vp, _s in told} - {None}) > 1
    assert (agreed(reports) is None) == differs


def test_a_different_result_is_a_dispute_that_the_director_ends() -> None:
    now = hall()
    first = taken(now, read_result(text(result(now))), "code")
    other = reported(now, 1, 1, Result(2, "played", (8, 12)), ("Ann", "Bob"))
    ends = []
    for order in ((first, other), (other, first)):
        after = happen(happen(now, order[0]), order[1])
        assert after.rounds[0].disputed == (1,)
        assert 1 in after.rounds[0].missing, "a disputed table has no result"
        decided = happen(after, ResultCorrected(1, 1, Result(1, "played", (12, 8)), "both saw the slip"))
        assert decided.rounds[0].disputed == ()
        late = happen(decided, reported(now, 1, 1, Result(None), ("Eve", "Bob")))
        assert late.rounds[0].results == decided.rounds[0].results, "the director's word stands"
        assert len(late.notes) == len(decided.notes) + 1
        ends.append(decided.rounds[0].results)
    assert ends[0] == ends[1]


def _refusals() -> dict[str, tuple[str, str]]:
    now = hall()
    good = result(now)
    return {
        "foreign box": (text(good, OTHER), "is unknown here"),
        "another table": (text(replace(good, table=2)), "belongs to table 1, and signs for table 2"),
        "another round": (text(replace(good, round=3)), "round 3 has not been paired"),
        "another hall": (text(replace(good, hall="00000000.K7QF")), "of another hall"),
        "another pairing": (text(replace(good, hall=".K7QF")), "another hall or pairing"),
        "other sides": (text(replace(good, winner="p3")), "side 'p3'"),
        "newer": (text(replace(good, v=2)), "version 2, this hall reads 1: update it"),
        "two winners": (text(replace(good, winner=None, how="conceded")), "has a winner"),
    }


@pytest.mark.parametrize("case", list(_refusals()))
def test_what_does_not_belong_here_is_refused_in_a_line(case: str) -> None:
    signed, why = _refusals()[case]
    with pytest.raises(HallError, match=why) as fault:
        happen(hall(), taken(hall(), read_result(signed), "code"))
    assert "\n" not in str(fault.value)


def test_a_retired_box_signs_nothing() -> None:
    now = happen(hall(), BoxRetired(BOX))
    with pytest.raises(HallError, match="is retired"):
        taken(now, read_result(text(result(now))), "code")


def test_two_eyes_are_two_people() -> None:
    with pytest.raises(HallError, match="two different names"):
        reported(hall(), 1, 1, Result(1), ("Ann", " ann "))
    assert two_eyes((), io.StringIO("Ann\nBob\n")) == ("Ann", "Bob")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament whose first round is paired; the box of table 1 is known."""
    cup = tmp_path / "cup"
    (tmp_path / "players.csv").write_text("name\nAnna\nBen\nCarl\nDora\n", encoding="utf-8")
    for call in (
        ("new", cup, "--name", "Cup", "--seed", "abc"),
        ("import", cup, tmp_path / "players.csv"),
        ("pair", cup),
        ("box", cup, "1", BOX.lower().replace("-", " ")),
    ):
        assert main(["hall", *map(str, call)]) == 0
    return cup


def _photo(signed: str, *, degrees: float, blur: float, side_px: int = 520) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(code_png(signed), np.uint8), cv2.IMREAD_COLOR)
    picture = cv2.resize(picture, (side_px, side_px), interpolation=cv2.INTER_AREA)
    scene = np.full((900, 1200, 3), 70, np.uint8)
    scene[150 : 150 + side_px, 300 : 300 + side_px] = np.clip(picture.astype(int), 25, 225)
    turn = cv2.getRotationMatrix2D((560, 410), degrees, 1.0)
    scene = cv2.warpAffine(scene, turn, (1200, 900), borderValue=(70, 70, 70))
    return cv2.GaussianBlur(scene, (0, 0), blur)


LONG = pytest.mark.long
PHOTOS = [(17, 1.5), *(pytest.param(*one, marks=LONG) for one in ((0, 0.5), (45, 1.2), (180, 1.5)))]


@pytest.mark.parametrize(("degrees", "blur"), PHOTOS)
def test_a_photo_of_the_code_is_taken_once(
    folder: Path, tmp_path: Path, degrees: float, blur: float, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("zxingcpp")
    now = Store(folder).tournament
    photo = tmp_path / "photo.jpg"
    cv2.imwrite(str(photo), _photo(text(result(now)), degrees=degrees, blur=blur))
    capsys.readouterr()
    assert main(["hall", "take", str(folder), str(photo)]) == 0
    assert "wins: taken\n" in capsys.readouterr().out
    kept = len(Store(folder).kept)
    assert main(["hall", "take", str(folder), str(photo)]) == 0
    assert "already" in capsys.readouterr().out
    assert len(Store(folder).kept) == kept, "the same twice adds nothing"


def test_what_is_no_result_leaves_the_record_as_it_was(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (folder / "tournament.jsonl").read_bytes()
    grey, other, words = tmp_path / "grey.png", tmp_path / "other.png", tmp_path / "words.txt"
    cv2.imwrite(str(grey), np.full((300, 400, 3), 120, np.uint8))
    other.write_bytes(code_png("HTTPS://EXAMPLE.ORG"))
    words.write_text("Anna won\n", encoding="utf-8")
    foreign = text(result(Store(folder).tournament), OTHER)
    for what, why in (
        (grey, "no QR code in the photo"),
        (other, "no result of a table"),
        (words, "no line begins with TCR1:"),
        (tmp_path / "gone.jpg", "is no file"),
        (foreign, "is unknown here"),
        (foreign[:-9] + "0" + foreign[-8:], "changed since"),
    ):
        capsys.readouterr()
        assert main(["hall", "take", str(folder), str(what)]) == 1
        told = capsys.readouterr().err
        assert why in told
        assert told.count("\n") == 1
    assert (folder / "tournament.jsonl").read_bytes() == before


def test_a_box_that_was_let_in_with_its_card_is_known(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the order of the cards nor a table that is no number matters; a retired box stays retired."""
    other = OTHER.public_key().public_bytes_raw()
    logs = Logs(folder / "desk")
    for table, key in (("1", other), ("bar", PUBLIC), ("2", b"")):
        logs.put_table(Enrolled(table, "in", "", key))
    logs.close()
    signed = text(result(Store(folder).tournament), OTHER)
    assert main(["hall", "take", str(folder), signed]) == 0
    assert "taken" in capsys.readouterr().out
    assert Store(folder).tournament.boxes == {BOX: 1, legible(other): 1}
    logs = Logs(folder / "desk")
    logs.put_table(Enrolled("1", "retired", "", other))
    logs.close()
    assert main(["hall", "take", str(folder), signed]) == 1
    assert "is retired" in capsys.readouterr().err


def test_a_slip_is_read_by_two(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signed = tmp_path / "results.txt"
    signed.write_text(text(result(Store(folder).tournament)) + "\n", encoding="utf-8")
    names = [p.name for p in Store(folder).tournament.players.values()]
    pairing = Store(folder).tournament.rounds[0].tables[0]
    first, second = names[pairing.first - 1], names[(pairing.second or 0) - 1]
    slip = ["hall", "result", str(folder), "1", first, "--vp", "12:8", "--paper"]
    assert main([*slip, "Ann"]) == 1, "one name is not two"
    assert main([*slip, "Ann", "Bob"]) == 0
    capsys.readouterr()
    assert main(["hall", "take", str(folder), str(signed)]) == 0
    assert "the same as reported before" in capsys.readouterr().out
    assert main(["hall", "result", str(folder), "1", second, "--paper", "Ann", "Bob"]) == 0
    assert "DISPUTE" in capsys.readouterr().out
    assert main(["hall", "pair", str(folder)]) == 1
    assert main(["hall", "correct", str(folder), "1", first, "--vp", "12:8", "--reason", "slip misread"]) == 0
    assert Store(folder).tournament.rounds[0].disputed == ()
    assert is_result(signed.read_text(encoding="utf-8"))
