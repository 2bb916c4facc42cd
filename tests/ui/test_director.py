"""The director's window: every page fits, every act of the browser's pages can be done, and what it shows is what the desk holds."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.director.look import NEED_MARKS, DirectorDraft
from companion.director.pages import TABS, director_page
from companion.director.program import DeskDirector, Serving
from companion.hall.desk.web import lives
from companion.hall.desk.web.desk import _ACTS, Desk
from companion.hall.desk.web.port import NoLink
from companion.hall.happenings import Paired, Pairing, ResultCorrected, ResultTaken, Withdrawn
from companion.hall.outcome import Result
from companion.hall.record import happen
from companion.hall.wall import NEEDS
from companion.pages.page import TABLE_VIEWER, Act, Ask, Do, Draft, Field, Refuse, Shown, Sight, Tell
from companion.testing.scenes_director import DRAFTS, SceneDirector, cup, lay_director, look_of


def _shown(director: Any, draft: DirectorDraft) -> Shown:
    return director_page(director, Sight(TABLE_VIEWER, None, None, draft))


@pytest.mark.parametrize("page", DRAFTS)
@pytest.mark.parametrize("size", [(800, 480), (1280, 720)])
@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.long
def test_every_page_fits_in_every_language(page: str, size: tuple[int, int], language: str) -> None:
    laid, _director = lay_director(page, size=size, language=language)
    assert [f"{one.kind}: {one.what}: {one.detail}" for one in laid.faults()] == []


@pytest.mark.parametrize("page", ["wall", "dispute"])
def test_the_wall_and_a_table_fit_on_the_box(page: str) -> None:
    laid, _director = lay_director(page, 12)
    assert [f"{one.kind}: {one.what}: {one.detail}" for one in laid.faults()] == []


def _answers(field: Field) -> list[str]:
    if field.kind == "choose":
        keys = [one.key for one in field.options]
        return keys if len(keys) < 12 else keys[:2]  # of players two will do
    return ["1"]


def _do(act: Act | None, deep: int = 4) -> None:
    """Answer whatever an act asks, in every way that leads elsewhere, and do what comes of it."""
    if isinstance(act, Do):
        _do(act.run(), deep - 1)
    elif isinstance(act, Ask) and deep:
        first, *rest = act.form.fields
        for answer in _answers(first):
            _do(act.answered({first.key: answer, **{one.key: _answers(one)[0] for one in rest}}), deep - 1)


def test_whatever_a_browser_can_have_done_the_window_can() -> None:
    done: list[Any] = []
    played = cup(10)
    complete = played
    for table in played.rounds[-1].missing:
        first = played.rounds[-1].tables[table - 1].first
        won = Result(first, "played", (9, 3))
        is_disputed = table in played.rounds[-1].disputed
        complete = happen(
            complete, ResultCorrected(2, table, won, "seen") if is_disputed else ResultTaken(2, table, won)
        )
    paired = happen(cup(10, rounds=0), Paired(1, "swiss", (Pairing(1, 1, 2), Pairing(2, 3, 4))))
    for now in (happen(played, Withdrawn(3)), complete, paired, cup(10, rounds=0)):
        director = SceneDirector(lambda table, now=now: look_of(now, table=table))  # type: ignore[misc]
        for draft in (*DRAFTS.values(), DirectorDraft(table=6)):
            for act in _shown(director, draft).acts.values():
                _do(act)
        done += director.asked
    assert {one["act"] for one in done} == set(_ACTS)
    assert {one["kind"] for one in done if one["act"] == "order"} == set(lives._MAKERS)
    for one in done:
        assert all(isinstance(value, str) for value in one.values())


def test_what_a_table_needs_is_told_apart_without_colour_and_words() -> None:
    assert set(NEED_MARKS) == set(NEEDS)
    assert len({(one.emblem, one.tone) for one in NEED_MARKS.values()}) == len(NEEDS)


def test_a_table_of_a_round_that_is_over_shows_the_wall() -> None:
    now = cup(2)
    director = SceneDirector(lambda table: look_of(now, table=table))
    assert _shown(director, DirectorDraft(table=99)).page.key == "director.wall"
    assert _shown(director, DirectorDraft("standings", player=999)).page.key == "director.standings"
    assert set(TABS) >= {"wall", "round", "orders", "standings", "players"}


class _Window:
    """The window's thread: takes calls in their order."""

    def __init__(self) -> None:
        self.calls: queue.Queue[Callable[[], None]] = queue.Queue()

    def until(self, what: Callable[[], object]) -> None:
        while not what():
            self.calls.get(timeout=20)()


def test_the_window_shows_and_does_what_the_desk_does(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    (tmp_path / "p.csv").write_text("name\nAnna\nBen\nCarl\nDora\n", encoding="utf-8")
    assert main(["hall", "new", str(folder), "--name", "Cup"]) == 0
    assert main(["hall", "import", str(folder), str(tmp_path / "p.csv")]) == 0
    window = _Window()

    async def serve(ready: Callable[[Desk], None], ends: asyncio.Event) -> None:
        desk = Desk(folder, NoLink(), now_ms=lambda: 0, wall=lambda: datetime.now(UTC))
        ready(desk)
        await ends.wait()
        desk.close()

    serving = Serving(serve)
    desk = serving.wait()
    assert serving.loop is not None
    director = DeskDirector(desk, serving.loop, window.calls.put, lambda: 7)
    told: list[int] = []
    director.subscribe(lambda: told.append(1))
    assert _shown(director, DirectorDraft()).page.key == "director.none"
    director.ask()
    window.until(lambda: director.look)
    assert director.look is not None
    assert director.look.at_ms == 7
    main_ = _shown(director, DirectorDraft()).page.main
    assert main_ is not None
    ask = _shown(director, DirectorDraft()).act(str(main_.act))
    assert isinstance(ask, Ask)
    pair = ask.answered({"one": "swiss"})
    assert isinstance(pair, Do)
    assert str(getattr(pair.run(), "what", None)) == "Round 1 is paired: 2 tables."
    window.until(lambda: director.look is not None and director.look.view.now.rounds)
    assert told
    again = director.act({"act": "pair"})
    assert isinstance(again, Refuse)
    assert "table 1" in str(again.why), "a refusal is told, and nothing has changed"
    assert _shown(director, DirectorDraft(table=1)).page.key == "director.table"
    assert director.look.table == 0, "a page asks for nothing while it is made"
    opens = _shown(director, DirectorDraft()).act("table.1")
    assert isinstance(opens, Do)
    turned = opens.run()
    assert isinstance(turned, Draft)
    assert turned.change(DirectorDraft("round")) == DirectorDraft(table=1)
    window.until(lambda: director.look is not None and director.look.table == 1)
    serving.stop()
    assert serving.fault is None


def test_why_a_desk_does_not_begin_reaches_the_window() -> None:
    async def serve(_ready: object, _ends: object) -> None:
        raise RuntimeError("no port")

    serving = Serving(serve)
    with pytest.raises(RuntimeError, match="no port"):
        serving.wait()


def test_what_came_of_an_act_is_told() -> None:
    director = SceneDirector(lambda table: look_of(cup(2), table=table))
    act = _shown(director, DirectorDraft(table=1)).act("paper")
    assert isinstance(act, Ask)
    more = act.answered({"one": "draw"})
    assert isinstance(more, Ask)
    done = more.answered({"vp1": "", "vp2": "", "eye1": "Ida", "eye2": "Kim"})
    assert isinstance(done, Do)
    assert isinstance(done.run(), Tell)
    assert director.asked == [
        {"act": "paper", "round": "2", "table": "1", "winner": "draw", "vp1": "", "vp2": "", "eye1": "Ida", "eye2": "Kim"}
    ]  # fmt: skip


@pytest.mark.long
def test_the_command_opens_a_window_and_ends_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    assert main(["hall", "new", str(folder), "--name", "Cup"]) == 0
    environment = {**os.environ, "SDL_VIDEODRIVER": "offscreen"}
    call = [sys.executable, "-m", "companion", "hall", "run", str(folder), "--window", "--port", "0"]
    with subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "director's code" in running.stdout.readline()
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) in (0, -signal.SIGTERM)
    assert main(["hall", "check", str(folder)]) == 0
