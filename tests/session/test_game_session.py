"""The writer: order, durability before publication, refusals, time, failing disks, crashes."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest
from session_helpers import GAME, RULES, VERSION, Room, do, press, rules_of, stored, timeline_of

from companion.core import clock as ck
from companion.core import commands as cm
from companion.core import events as ev
from companion.core.change import Change, Envelope
from companion.core.history import Timeline
from companion.core.ids import ARBITER, SYSTEM, Side, StepId
from companion.core.rules import Code, Context, GameRules
from companion.core.setup import Setup
from companion.core.text import Say, Typed
from companion.session import journal
from companion.session.errors import JournalLockedError, JournalUnreadableError, NotStoredError, SessionError
from companion.session.game_session import BUG, NOT_STORED, GameSession, Told
from companion.session.journal import Journal, log_path
from companion.session.salvage import find_rows
from companion.session.timesource import ManualTime
from companion.testing.sample import sample_setup

MINUTES_22 = 22 * 60_000


def test_a_game_starts_with_its_setup_and_plays_on(room: Room) -> None:
    session = room.new()
    assert session.change.seq == 1
    assert session.change.state.step.id == "s1.t1.allies.move"
    room.time.advance(1_500)
    change = press(session)
    assert change.state.step.id == "s1.t1.allies.declare"
    assert change.rejected is None
    assert change.envelope is not None
    assert change.envelope.source == "touch"
    assert change.undo is not None
    assert change.undo.seq == 2
    session.close()
    entries = stored(room.folder / "game.tcgame")
    assert [type(entry.command).__name__ for entry in entries] == ["StartGame", "EndAct"]
    newest = entries[-1]
    assert (newest.at_ms, newest.boot_id, newest.app_version) == (2_500, "boot-1", VERSION)
    assert (newest.actor, newest.source) == ("table", "touch")


def test_an_entry_is_on_disk_before_anyone_hears_of_it(room: Room) -> None:
    session = room.new()
    on_disk: list[int] = []

    def listen(change: Change) -> None:
        rows = find_rows((session.path, log_path(session.path)))
        on_disk.append(max(rows) - change.seq)

    session.subscribe(listen)
    for _ in range(5):
        press(session)
    assert on_disk == [0] * 5


def copies_in(path: Path) -> int:
    """Return how many copies stand in a game's files as they are."""
    aside = path.parent / "aside"
    aside.mkdir(exist_ok=True)
    for file in (path, log_path(path)):
        shutil.copyfile(file, aside / file.name)
    with contextlib.closing(sqlite3.connect(aside / path.name)) as connection:
        return int(connection.execute("SELECT count(*) FROM copies").fetchone()[0])


@pytest.mark.parametrize("at_most", [2, 1])
def test_the_journal_is_tidied_while_nobody_waits_and_never_too_late(
    room: Room, monkeypatch: pytest.MonkeyPatch, at_most: int
) -> None:
    monkeypatch.setattr(journal, "_FAR_TOO_MANY", at_most)
    session = room.new()
    for _ in range(135):
        do(session, cm.AddNote("one after the other"))
    assert (copies_in(session.path) < 10) == (at_most == 1)
    room.time.advance(200)
    session.sync()
    assert copies_in(session.path) < 10
    session.close()
    assert len(stored(session.path)) == 136


def test_two_sources_within_a_millisecond_end_one_step_at_every_step_of_a_game(room: Room) -> None:
    """Issue 2: a second finger, a bounce or a touch at the same moment aims at a step that has gone."""
    session = room.new()
    steps = session.change.state.itinerary.steps
    for index, step in enumerate(steps):
        assert session.change.state.step.id == step.id
        room.time.advance(1_000)
        now = room.time.now_ms()
        answers: list[Any] = []
        gate = threading.Barrier(2)

        def press_from(source: str, gate=gate, answers=answers, step=step, now=now) -> None:
            gate.wait(10)
            answers.append(session.ask(Envelope(cm.EndAct(step=step.id, at_ms=now), source=source)))

        threads = [threading.Thread(target=press_from, args=(source,)) for source in ("gpio", "touch")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        codes = sorted(str(r.code) if (r := answer.result(10).rejected) else "" for answer in answers)
        assert codes == ["", Code.GAME_OVER if index == len(steps) - 1 else Code.STALE_STEP]
    assert session.change.state.ending is not None
    session.close()
    commands = [entry.command for entry in stored(session.path)]
    assert len([c for c in commands if isinstance(c, cm.EndAct)]) == len(steps)


def test_a_refused_command_is_published_and_stores_nothing(room: Room) -> None:
    session = room.new()
    heard: list[Change] = []
    session.subscribe(heard.append)
    change = do(session, cm.EndAct(step=StepId("s3.victory"), at_ms=1_000))
    assert change.rejected is not None
    assert change.rejected.code == Code.STALE_STEP
    assert heard == [change]
    assert (change.seq, change.entries) == (1, ())
    session.close()
    assert len(stored(session.path)) == 1


def test_a_press_from_after_the_deadline_is_refused_and_the_flag_falls_after_the_grace(room: Room) -> None:
    session = room.new()
    room.time.advance(MINUTES_22 + 100)  # past the deadline, within the grace
    change = press(session)
    assert change.rejected is not None
    assert change.rejected.code == Code.FLAG_DUE
    assert change.entries == ()
    room.time.advance(ck.GRACE_MS)
    change = session.sync()
    assert [entry.actor for entry in change.entries] == [SYSTEM]
    assert isinstance(change.entries[0].command, cm.SettleClock)
    assert change.state.flag_prompt == "allies"
    refused = press(session)
    assert refused.rejected is not None
    assert refused.rejected.code == Code.FLAG_PENDING


def test_a_flag_falls_by_itself_at_its_exact_deadline_after_the_grace(room: Room) -> None:
    session = room.new()
    started = room.time.now_ms()
    heard: list[Change] = []
    session.subscribe(heard.append)
    room.time.advance(MINUTES_22 + ck.GRACE_MS - 1)
    session.sync()
    assert session.change.state.flag_prompt is None
    room.time.advance(1)
    session.sync()
    assert session.change.state.flag_prompt == "allies"
    fell = [e for c in heard for entry in c.entries for e in entry.events if isinstance(e, ev.FlagFell)]
    assert [flag.at_ms for flag in fell] == [started + MINUTES_22]


def test_a_press_stamped_before_the_deadline_counts_when_it_arrives_within_the_grace(room: Room) -> None:
    session = room.new()
    step = session.change.state.step.id
    stamp = room.time.now_ms() + MINUTES_22 - 1
    room.time.advance(MINUTES_22 + ck.GRACE_MS - 1)
    change = do(session, cm.EndAct(step=step, at_ms=stamp))
    assert change.rejected is None
    assert change.state.clocks.falls == ()
    assert ck.spent(change.state.clocks, Side("allies"), stamp) == MINUTES_22 - 1


def test_a_stamp_from_the_future_is_moved_back_to_now_and_fells_no_flag(room: Room) -> None:
    session = room.new()
    change = do(session, cm.EndAct(step=session.change.state.step.id, at_ms=10 * MINUTES_22))
    assert change.rejected is None
    assert change.state.clocks.falls == ()
    assert change.entries[0].command == cm.EndAct(step=StepId("s1.t1.allies.move"), at_ms=1_000)


def test_the_machine_sleeping_stops_the_clocks_at_the_last_known_time(room: Room) -> None:
    session = room.new()
    room.time.advance(700)
    session.sync()
    room.time.sleep_machine(90_000)
    room.time.advance(300)
    session.sync()
    change = session.change
    assert change.state.clocks.running is None
    assert change.state.clocks.is_paused
    assert change.state.gap is not None
    assert (change.state.gap.cause, change.state.gap.gap_ms) == ("sleep", 90_300)
    assert ck.spent(change.state.clocks, Side("allies"), room.time.now_ms()) == 700
    assert isinstance(change.entries[-1].command, cm.StopForSleep)


def test_a_press_right_after_waking_does_not_run_ahead_of_the_gap(room: Room) -> None:
    session = room.new()
    room.time.sleep_machine(5_000)
    change = press(session)
    assert change.rejected is not None
    assert change.rejected.code == Code.PAUSED


def test_sleep_of_a_second_at_most_or_without_a_running_clock_changes_nothing(room: Room) -> None:
    session = room.new()
    room.time.sleep_machine(999)
    session.sync()
    assert session.change.state.gap is None
    do(session, cm.Pause(at_ms=room.time.now_ms()))
    room.time.sleep_machine(3_600_000)
    session.sync()
    do(session, cm.Resume(at_ms=room.time.now_ms()))
    assert session.change.state.gap is None
    assert session.change.state.clocks.running == "allies"


def test_wall_clock_jumps_change_nothing(room: Room) -> None:
    session = room.new()
    room.time.advance(10_000)
    before = session.sync().state
    for jump in (3_600_000, -7_200_000, 86_400_000_000):
        room.time.jump_wall(jump)
        assert session.sync().state == before
    assert ck.remaining(before.clocks, Side("allies"), room.time.now_ms()) == MINUTES_22 - 10_000


@pytest.mark.parametrize(
    ("boot", "away_ms", "cause", "gap_ms"),
    [
        ("boot-1", 0, "crash", 4_000),
        ("boot-2", 60_000, "power", 64_000),
        ("boot-2", -100_000, "power", None),
    ],
)
def test_after_a_cut_the_clocks_stand_at_the_heartbeat_and_the_gap_is_named(
    room: Room, boot: str, away_ms: int, cause: str, gap_ms: int | None
) -> None:
    session = room.new()
    room.time.advance(2_000)
    press(session)
    room.time.advance(5_000)
    session.sync()  # a heartbeat at 8,000
    room.time.advance(4_000)
    session.sync()
    session.cut_power()
    now = room.time.now_ms() if boot == "boot-1" else 30_000
    if boot != "boot-1":
        room.time.reboot(boot, now, away_ms=away_ms)
    again = room.open()
    state = again.change.state
    assert state.step.id == "s1.t1.allies.declare"
    assert state.clocks.is_paused
    assert state.gap is not None
    assert (state.gap.cause, state.gap.last_ms, state.gap.gap_ms) == (cause, 8_000, gap_ms)
    assert ck.spent(state.clocks, Side("allies"), room.time.now_ms()) == 7_000
    do(again, cm.Resume(at_ms=room.time.now_ms()))
    room.time.advance(500)
    assert ck.spent(again.change.state.clocks, Side("allies"), room.time.now_ms()) == 7_500


def test_a_wall_clock_that_shows_less_than_the_uptime_gives_no_length(room: Room) -> None:
    session = room.new()
    session.cut_power()
    room.time.reboot("boot-2", 40_000, away_ms=39_999)
    assert room.open().change.entries[0].command == cm.ResumeGame(
        at_ms=40_000, last_ms=1_000, gap_ms=None, cause="power"
    )


def test_a_game_put_away_in_order_names_no_gap(room: Room) -> None:
    session = room.new()
    room.time.advance(3_000)
    session.close()
    room.time.advance(60_000)
    state = room.open().change.state
    assert state.gap is None
    assert state.clocks.is_paused
    assert ck.spent(state.clocks, Side("allies"), room.time.now_ms()) == 3_000


def test_a_full_disk_refuses_plainly_and_play_goes_on_when_there_is_space(room: Room) -> None:
    session = room.new()
    told: list[Told] = []
    session.subscribe_notices(told.append)
    connection = session._journal._connection
    assert connection is not None
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={pages}").fetchall()
    refused = None
    for number in range(200):
        room.time.advance(10)
        change = do(session, cm.AddNote(text=f"note {number} " + "x" * 200))
        if change.rejected is not None:
            refused = change
            break
    assert refused is not None
    assert refused.rejected is not None
    assert refused.rejected.code == NOT_STORED
    assert str(refused.rejected.detail) == "game.tcgame cannot be written: the disk is full"
    seq = refused.seq
    do(session, cm.AddNote(text="y" * 2000))
    assert [(t.level, str(t.text)) for t in told] == [
        ("error", "Nothing can be saved: game.tcgame cannot be written: the disk is full")
    ]
    assert str(told[0].hint) == "empty the bin (Settings, Box) or delete files, then try again"
    assert session.change.state.clocks.running == "allies"
    connection.execute("PRAGMA max_page_count=100000").fetchall()
    room.time.advance(1_000)
    change = press(session)
    assert change.rejected is None
    assert change.seq == seq + 1
    assert told[-1] == Told("info", Say("Saving works again"))
    assert ck.spent(change.state.clocks, Side("allies"), room.time.now_ms()) == room.time.now_ms() - 1_000
    session.close()
    assert timeline_of(session.path).state == change.state


def test_a_flag_that_cannot_be_stored_falls_as_soon_as_it_can(room: Room) -> None:
    session = room.new()
    connection = session._journal._connection
    assert connection is not None
    connection.execute("PRAGMA query_only=ON").fetchall()
    due = room.time.now_ms() + MINUTES_22
    room.time.advance(MINUTES_22 + ck.GRACE_MS)
    session.sync()
    assert session.change.state.flag_prompt is None
    assert session.change.rejected is not None
    assert session.change.rejected.code == NOT_STORED
    connection.execute("PRAGMA query_only=OFF").fetchall()
    room.time.advance(1_000)
    session.sync()
    assert session.change.state.flag_prompt == "allies"
    assert session.change.state.clocks.falls[0].at_ms == due


class _Faulty(GameRules):
    """Rules with a bug in one place."""

    game = GAME

    def leaving(self, state: Any, step: Any) -> Any:
        if step.id == "s1.t1.allies.declare":
            raise ZeroDivisionError("a bug")
        return super().leaving(state, step)


def test_a_bug_in_the_rules_stops_one_command_and_nothing_else(room: Room) -> None:
    session = room.new(rules=_Faulty())
    told: list[Told] = []
    session.subscribe_notices(told.append)
    press(session)
    change = press(session)
    assert change.rejected is not None
    assert (change.rejected.code, str(change.rejected.detail)) == (BUG, "a bug")
    assert [(type(fault), where) for fault, where in room.crashes] == [(ZeroDivisionError, "deciding EndAct")]
    assert told == [
        Told(
            "error",
            Say("{command} hit an error in the program and was not carried out", command=Typed("EndAct")),
            Say("play can continue"),
        )
    ]
    # The step that cannot be ended is left as the arbiter leaves any: by a jump.
    here, there = session.change.state.step.id, StepId("s1.t1.allies.resolve")
    assert do(session, cm.JumpTo(here, there, room.time.now_ms()), ARBITER).state.step.id == there


def test_a_listener_that_raises_keeps_nothing_from_the_others(room: Room) -> None:
    session = room.new()
    heard: list[int] = []

    def bad(_change: Change) -> None:
        raise RuntimeError("a screen broke")

    session.subscribe(bad)
    held = session.subscribe(lambda change: heard.append(change.seq))
    press(session)
    held.cancel()
    held.cancel()
    press(session)
    assert heard == [2]
    assert [where for _fault, where in room.crashes] == ["a listener of changes"] * 2


def test_closing_answers_what_has_arrived_and_twice_is_safe(room: Room) -> None:
    session = room.new()
    steps = [step.id for step in session.change.state.itinerary.steps[:20]]
    answers = [session.ask(Envelope(cm.EndAct(step=step, at_ms=1_000))) for step in steps]
    session.close()
    session.close()
    session.cut_power()
    assert [answer.result(0).rejected for answer in answers] == [None] * 20
    session.send(Envelope(cm.Pause(at_ms=2_000)))
    late = session.ask(Envelope(cm.Pause(at_ms=2_000)))
    with pytest.raises(CancelledError):
        late.result(0)
    assert len(stored(session.path)) == 21


def test_a_second_instance_is_refused_with_a_clear_text(room: Room) -> None:
    room.new()
    with pytest.raises(
        JournalLockedError, match=r"game\.tcgame is open in another Table Companion"
    ) as refused:
        room.open()
    assert str(refused.value.hint) == "close it there first; only one program can write to a game"


def test_a_game_of_another_version_is_refused_and_left_alone(room: Room) -> None:
    room.new().close()
    before = (room.folder / "game.tcgame").read_bytes()

    def none_of(_game: str) -> Any:
        raise KeyError(_game)

    with pytest.raises(JournalUnreadableError, match="does not have the game 'sample'"):
        GameSession.open(room.folder / "game.tcgame", none_of, room.time)
    assert (room.folder / "game.tcgame").read_bytes() == before


def test_a_setup_that_the_rules_refuse_leaves_no_file(room: Room) -> None:
    empty = Setup(game=GAME, scenario="none", title="None", sides=(), nations=(), steps=())
    with pytest.raises(SessionError, match="scenario none has no steps"):
        GameSession.create(room.folder / "none.tcgame", empty, rules_of, room.time)
    assert not (room.folder / "none.tcgame").exists()


def test_a_folder_that_is_not_there_takes_no_game(room: Room) -> None:
    with pytest.raises(NotStoredError, match="no such file or folder"):
        GameSession.create(room.folder / "no" / "game.tcgame", sample_setup(), rules_of, room.time)


def test_undo_and_redo_go_through_the_same_door(room: Room) -> None:
    session = room.new(tournament=False)
    press(session)
    press(session)
    undone = do(session, cm.Undo(at_ms=room.time.now_ms()))
    assert undone.state.step.id == "s1.t1.allies.declare"
    assert undone.redo is not None
    assert not session.counts(3)
    redone = do(session, cm.Redo(at_ms=room.time.now_ms()))
    assert redone.state.step.id == "s1.t1.allies.resolve"
    session.close()
    assert timeline_of(session.path).state == redone.state


def test_deciding_the_stored_commands_again_gives_the_same_events(room: Room) -> None:
    session = room.new()
    for index in range(30):
        room.time.advance(70_000)
        session.sync()
        prompt = session.change.state.flag_prompt
        if prompt is not None:
            command = cm.AcknowledgeFlag(prompt, session.change.state.step.id, room.time.now_ms())
            do(session, command, ARBITER)
        elif index == 12:
            do(session, cm.CorrectTime(Side("axis"), 30_000, room.time.now_ms(), "slow dice"), ARBITER)
        elif index == 15:
            do(session, cm.Undo(at_ms=room.time.now_ms()))
            do(session, cm.Resume(at_ms=room.time.now_ms()))
        else:
            press(session)
    session.cut_power()
    room.time.reboot("boot-2", 10_000, away_ms=50_000)
    session = room.open()
    do(session, cm.Resume(at_ms=room.time.now_ms()))
    press(session)
    session.close()
    again = Timeline(RULES)
    for entry in stored(session.path):
        handled = again.handle(entry.command, Context(entry.actor, entry.at_ms))
        assert [draft.events for draft in handled.drafts] == [entry.events], entry
        again.append(entry)
    assert again.state == session.change.state


def test_heartbeats_stand_outside_the_log(room: Room) -> None:
    session = room.new()
    for _ in range(4):
        room.time.advance(5_000)
        session.sync()
    session.cut_power()
    journal = Journal.open(session.path)
    beat = journal.heartbeat()
    journal.close()
    assert beat is not None
    assert (beat.at_ms, beat.seq, beat.is_closed) == (21_000, 1, False)
    assert len(stored(session.path)) == 1


def test_a_reopened_file_goes_on_where_a_copy_in_memory_goes_on(tmp_path: Path) -> None:
    """Six sittings over six boots fold to what one Timeline holds."""
    time = ManualTime(1_000)
    room = Room(tmp_path)
    room.time = time
    session = room.new()
    for boot in range(2, 8):
        for _ in range(5):
            time.advance(1_000)
            press(session)
        state = session.change.state
        session.cut_power()
        time.reboot(f"boot-{boot}", 5_000 * boot, away_ms=60_000)
        session = room.open()
        assert session.change.state.step == state.step
        assert session.change.state.clocks.spent_ms.keys() == state.clocks.spent_ms.keys()
        do(session, cm.Resume(at_ms=time.now_ms()))
    live = session.change.state
    total = sum(ck.spent(live.clocks, side, time.now_ms()) for side in live.clocks.sides)
    assert total == 30_000
    session.close()
    assert timeline_of(session.path).state == live


def test_a_caller_who_waits_no_longer_harms_nobody(room: Room) -> None:
    session = room.new()
    gate = threading.Event()
    session.subscribe(lambda _change: gate.wait(10))
    session.send(Envelope(cm.AddNote("first")))
    answer = session.ask(Envelope(cm.AddNote("second")))
    assert answer.cancel()
    gate.set()
    assert do(session, cm.AddNote("third")).seq == 4


def test_the_writer_outlives_a_bug_outside_of_any_command(room: Room) -> None:
    session = room.new()
    session._journal.close()
    room.time.advance(5_000)
    with pytest.raises(ValueError, match=r"game\.tcgame is closed"):
        session.sync(beat=True)
    assert {where for _fault, where in room.crashes} == {"the writer"}
    change = do(session, cm.AddNote("after the bug"))
    assert change.rejected is not None
    assert change.rejected.code == BUG


def test_a_sleep_that_cannot_be_stored_stops_the_clocks_as_soon_as_it_can(room: Room) -> None:
    session = room.new()
    connection = session._journal._connection
    assert connection is not None
    connection.execute("PRAGMA query_only=ON").fetchall()
    room.time.advance(400)
    session.sync()
    room.time.sleep_machine(60_000)
    session.sync()
    session.sync()
    assert session.change.state.clocks.running == "allies"
    connection.execute("PRAGMA query_only=OFF").fetchall()
    room.time.advance(1_000)
    session.sync()
    state = session.change.state
    assert state.clocks.running is None
    assert state.gap is not None
    assert (state.gap.cause, state.gap.last_ms) == ("sleep", 1_400)
