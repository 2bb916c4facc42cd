"""One owner helps another: printed values entered at one box, carried by a file, checked and used at the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from companion.adapters.catalogue import GameCatalogue
from companion.adapters.shell import ShellDesk
from companion.cli import main
from companion.core.commands import EnterPrintedValue
from companion.games.sfw.rules.control import holder
from companion.games.sfw.rules.ledger_values import tables
from companion.pages.desk import Notice
from companion.session.printed import PrintedValues
from companion.session.printed_code import PrintedCode, written_code
from companion.session.timesource import ManualTime

ENTERED = {
    "site.nafrica.fort_x": {"name": "Fort X", "kind": "airfield"},
    "holder.nafrica.fort_x": "germany",
    "vp.nafrica.fort_x": 0.75,
    "link.benghazi.gazala": True,
    "resupply.nafrica.tobruk.land": 8,
}


class Box:
    """A desk whose interface thread is the test."""

    def __init__(self, folder: Path) -> None:
        self.posted: deque[Callable[[], None]] = deque()
        self.desk = ShellDesk(
            folder, GameCatalogue(folder / "data"), post=self.posted.append, time=ManualTime(1_000)
        )
        self.notices: list[Notice] = []
        self.desk.subscribe_notices(self.notices.append)

    def hear(self) -> None:
        if self.desk.path is not None:
            self.desk.session.sync()
        while self.posted:
            self.posted.popleft()()


@pytest.fixture
def boxes(tmp_path: Path) -> Iterator[tuple[Box, Box]]:
    one, two = Box(tmp_path / "one"), Box(tmp_path / "two")
    yield one, two
    one.desk.close()
    two.desk.close()


def test_values_travel_in_one_file_and_are_used(boxes: tuple[Box, Box], tmp_path: Path) -> None:
    one, two = boxes
    one.desk.start(one.desk.make_setup("sfw96", "nafrica", {}))
    for key, value in ENTERED.items():
        one.desk.send(EnterPrintedValue(key, value))
    one.hear()
    stick = tmp_path / "stick"
    stick.mkdir()
    one.desk.export_printed("sfw96", stick)
    one.hear()
    assert str(one.notices[-1].text).endswith("was written and checked")
    (file,) = stick.iterdir()
    assert file.stat().st_size < 1_000
    two.desk.import_printed(file)
    two.hear()
    assert str(two.notices[-1].text) == "5 printed values of sfw96 were imported"
    two.desk.start(two.desk.make_setup("sfw96", "nafrica", {}))
    two.hear()
    assert two.desk.change is not None
    state = two.desk.change.state
    assert holder(state, "fort_x").nation == "germany"
    assert tables(state).sites["fort_x"].vp == 3
    assert tables(state).links["benghazi.gazala"]
    assert not any("skipped" in str(notice.text) for notice in two.notices)
    for other in ("apr43", "italy", "tobruk41", "crete41"):
        two.desk.make_setup("sfw96", other, {})
    two.hear()
    assert not any("skipped" in str(notice.text) for notice in two.notices)


def test_an_open_game_takes_what_it_has_not_been_told(boxes: tuple[Box, Box], tmp_path: Path) -> None:
    one, two = boxes
    one.desk.start(one.desk.make_setup("sfw96", "nafrica", {}))
    for key, value in ENTERED.items():
        one.desk.send(EnterPrintedValue(key, value))
    one.hear()
    one.desk.export_printed("sfw96", tmp_path)
    two.desk.start(two.desk.make_setup("sfw96", "nafrica", {}))
    own, other = next(iter(ENTERED)), list(ENTERED)[1:]
    two.desk.send(EnterPrintedValue(own, ENTERED[own]))
    two.hear()
    two.desk.import_printed(tmp_path / "sfw96.json")
    two.hear()
    assert two.desk.change is not None
    assert {key: two.desk.change.state.printed[key] for key in (own, *other)} == ENTERED


def test_a_value_that_breaks_a_stated_sum_is_left_out_by_name(boxes: tuple[Box, Box], tmp_path: Path) -> None:
    _one, two = boxes
    file = tmp_path / "sfw96.json"
    file.write_text(
        '{"format": "table-companion-printed-values", "version": 1, "game": "sfw96",'
        ' "values": {"vp.theater.algiers": 8, "vp.theater.malta": 40}}'
    )
    two.desk.import_printed(file)
    setup = two.desk.make_setup("sfw96", "apr43", {})
    two.hear()
    assert setup.printed == {"vp.theater.algiers": 8}
    assert "do not fit this game were skipped: vp.theater.malta" in str(two.notices[-1].text)


@pytest.mark.parametrize(
    "content", ["", "{}", '{"format": "other", "version": 1, "game": "sfw96", "values": {}}']
)
def test_a_file_that_is_none_is_said_to_be_none(boxes: tuple[Box, Box], tmp_path: Path, content: str) -> None:
    _one, two = boxes
    file = tmp_path / "x.json"
    file.write_text(content)
    two.desk.import_printed(file)
    two.hear()
    assert two.notices[-1].level in ("warning", "error")
    assert "x.json" in str(two.notices[-1].text)


def _code(game: str = "sfw96", scenario: str = "nafrica", values: dict[str, object] | None = None) -> str:
    return written_code(PrintedCode(game, scenario, ENTERED if values is None else dict(values)))


def test_values_travel_as_a_code_and_are_used(boxes: tuple[Box, Box]) -> None:
    one, two = boxes
    one.desk.start(one.desk.make_setup("sfw96", "nafrica", {}))
    two.desk.start(two.desk.make_setup("sfw96", "nafrica", {}))
    for key, value in ENTERED.items():
        one.desk.send(EnterPrintedValue(key, value))
    one.hear()
    assert one.desk.change is not None
    two.desk.import_printed_code(_code(values=dict(one.desk.change.state.printed)))
    two.hear()
    assert "5 printed values of sfw96 were imported" in [str(notice.text) for notice in two.notices]
    assert two.desk.change is not None
    assert two.desk.change.state.printed == one.desk.change.state.printed
    assert two.desk.printed.of("sfw96") == ENTERED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("https://example.org", "holds no printed values: https://example.org"),
        (_code()[:-9], "incomplete or damaged"),
        (_code("aana", "rommel", {"base.us": 10}), "belong to Axis & Allies: North Africa"),
        (_code("sfw2", "nafrica", {"x": 1}), "has no game sfw2"),
        (
            _code("sfw96", "apr43", {"vp.theater.rome": 9}),
            "were entered for April 1943; none of them is used in North Africa",
        ),
        ("TCPV9:ABC", "has form 9; this program reads form 1"),
    ],
)
def test_a_code_of_something_else_is_refused_by_name_and_nothing_is_lost(
    boxes: tuple[Box, Box], text: str, words: str
) -> None:
    one, _two = boxes
    one.desk.start(one.desk.make_setup("sfw96", "nafrica", {}))
    for key, value in ENTERED.items():
        one.desk.send(EnterPrintedValue(key, value))
    one.hear()
    one.desk.import_printed_code(text)
    one.hear()
    assert words in str(one.notices[-1].text)
    assert one.desk.change is not None
    assert one.desk.change.state.printed == ENTERED
    assert one.desk.printed.of("sfw96") == ENTERED
    assert one.desk.printed.of("aana") == {}


def test_a_value_of_a_code_that_breaks_a_stated_sum_is_not_taken_into_the_game(
    boxes: tuple[Box, Box],
) -> None:
    one, _two = boxes
    one.desk.start(one.desk.make_setup("sfw96", "apr43", {}))
    one.desk.import_printed_code(
        _code("sfw96", "apr43", {"vp.theater.algiers": 20, "vp.theater.malta": 9, "vp.theater.rome": 9})
    )
    one.hear()
    assert one.desk.change is not None
    assert one.desk.change.state.printed == {"vp.theater.algiers": 20, "vp.theater.rome": 9}


def test_the_command_line_carries_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, to in enumerate((tmp_path / "set.json", tmp_path / "code.png")):
        own, other = tmp_path / f"own{number}", tmp_path / f"other{number}"
        PrintedValues(own / "printed").take("sfw96", ENTERED)
        assert main(["printed", "export", "sfw96", str(to), "--home", str(own)]) == 0
        assert main(["printed", "export", "sfw96", str(to), "--home", str(own)]) == 1, (
            "no file is overwritten"
        )
        assert main(["printed", "import", str(to), "--home", str(other)]) == 0
        assert PrintedValues(other / "printed").of("sfw96") == ENTERED
    told = capsys.readouterr()
    assert "5 printed values of sfw96 were imported" in told.out
    assert "already exists" in told.err


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("photo.jpg", b"no photo", "photo"),
        ("IMG_1.HEIC", b"no photo", "IMG_1.HEIC: not a picture of a known type"),
        ("page.tiff", b"no photo", "page.tiff: not a picture of a known type"),
        ("set.json", b"[]", "set.json"),
        ("gone.json", None, "gone.json"),
        ("gone.png", None, "gone.png"),
    ],
)
def test_the_command_line_refuses_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["printed", "import", str(tmp_path / name), "--home", str(tmp_path)]) == 1
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
    assert not (tmp_path / "printed").exists()
