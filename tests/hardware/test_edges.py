"""The edge filter on generated and on recorded trains: every press once, at its first touch, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware import edges
from hardware.edges import (
    FilterSettings,
    RawEdge,
    advance,
    feed,
    next_due_ns,
    resync,
    run_train,
    start_filter,
)
from hardware.ports import Button, NoticeKind, PanelNotice, PressEdge
from hardware.trains import format_train, parse_train

MS = 1_000_000
UP = dict.fromkeys(Button, False)
TRAINS = sorted((Path(__file__).parent / "trains").glob("*.txt"))


def presses(events):
    return [event for event in events if isinstance(event, PressEdge) and event.pressed]


def notices(events):
    return [event for event in events if isinstance(event, PanelNotice)]


def train(button, *pairs):
    return [RawEdge(button, bool(level), round(ms * MS)) for ms, level in pairs]


# -- single cases -------------------------------------------------------------------------------------------


def test_a_press_is_believed_after_five_ms_and_stamped_at_its_edge():
    state = start_filter(UP, 0)
    state, events = feed(state, RawEdge(Button.LEFT, True, 500 * MS))
    assert events == ()
    assert next_due_ns(state) == 505 * MS
    state, events = advance(state, 505 * MS - 1)
    assert events == ()
    state, events = advance(state, 505 * MS)
    assert events == (PressEdge(Button.LEFT, True, 500 * MS),)
    assert edges.down(state) == {Button.LEFT}


def test_bounce_on_both_ways_is_one_press_and_one_release():
    bouncing = train(
        Button.LEFT,
        (500, 1),
        (501, 0),
        (502, 1),
        (504, 0),
        (505, 1),
        (600, 0),
        (603, 1),
        (606, 0),
        (625, 1),
        (626, 0),
    )
    state, events = run_train(bouncing, UP, 1_000 * MS)
    assert events == (PressEdge(Button.LEFT, True, 500 * MS), PressEdge(Button.LEFT, False, 600 * MS))
    assert state.counts.bounces == 8
    assert next_due_ns(state) is None


def test_a_gap_while_held_is_no_second_press():
    _, events = run_train(train(Button.LEFT, (500, 1), (700, 0), (729, 1), (900, 0)), UP, 2_000 * MS)
    assert [(event.pressed, event.at_ns // MS) for event in events] == [(True, 500), (False, 900)]


def test_two_quick_presses_are_two():
    _, events = run_train(train(Button.LEFT, (500, 1), (540, 0), (571, 1), (610, 0)), UP, 2_000 * MS)
    assert [event.at_ns // MS for event in presses(events)] == [500, 571]


def test_a_spike_is_counted_and_not_told_and_does_not_age_the_next_press():
    state, events = run_train(train(Button.RIGHT, (500, 1), (500.2, 0), (530, 1), (600, 0)), UP, 2_000 * MS)
    assert [event.at_ns // MS for event in presses(events)] == [530]
    assert state.counts.glitches == 1


def test_a_burst_longer_than_bounce_is_stamped_at_its_last_touch():
    wobble = [RawEdge(Button.LEFT, index % 2 == 0, (500 + index * 4) * MS) for index in range(21)]
    _, events = run_train(wobble, UP, 590 * MS)
    assert presses(events) == [PressEdge(Button.LEFT, True, 580 * MS)]


def test_chatter_is_one_notice_and_no_press():
    wobble = [RawEdge(Button.LEFT, index % 2 == 0, (500 + index * 4) * MS) for index in range(250)]
    state, events = run_train(wobble, UP, 3_000 * MS)
    assert presses(events) == []
    assert [notice.kind for notice in notices(events)] == [NoticeKind.CHATTER]
    assert "The left button keeps flickering" in str(notices(events)[0].detail)
    assert state.counts.chatters == 1


def test_chatter_on_one_line_does_not_hold_the_other_button():
    wobble = [RawEdge(Button.LEFT, index % 2 == 0, (500 + index * 4) * MS) for index in range(250)]
    both = sorted([*wobble, RawEdge(Button.RIGHT, True, 900 * MS + 1)], key=lambda edge: edge.at_ns)
    state = start_filter(UP, 0)
    told_ns = None
    for edge in both:
        state, events = feed(state, edge)
        if presses(events):
            told_ns = edge.at_ns
            assert presses(events) == [PressEdge(Button.RIGHT, True, 900 * MS + 1)]
            break
    assert told_ns is not None
    assert told_ns <= 912 * MS


def test_stuck_is_told_once_and_its_end_too():
    state, events = run_train(train(Button.PAUSE, (500, 1)), UP, 60_000 * MS)
    assert [notice.kind for notice in notices(events)] == [NoticeKind.STUCK]
    assert str(notices(events)[0].detail) == "The pause button has been held down for 10 s; is it stuck?"
    state, _ = feed(state, RawEdge(Button.PAUSE, False, 61_000 * MS))
    state, events = advance(state, 62_000 * MS)
    assert [notice.kind for notice in notices(events)] == [NoticeKind.UNSTUCK]


def test_the_key_switch_is_never_stuck():
    _, events = run_train(train(Button.ARBITER, (500, 1)), UP, 7_200_000 * MS)
    assert notices(events) == []


def test_a_button_down_at_the_start_says_nothing_until_it_was_up():
    held = train(Button.LEFT, (1_000, 0), (2_000, 1), (2_100, 0))
    state, events = run_train(held, {**UP, Button.LEFT: True}, 5_000 * MS)
    assert [(event.pressed, event.at_ns // MS) for event in events] == [(True, 2000), (False, 2100)]
    assert state.counts.presses == 1


def test_a_contact_that_closes_right_after_the_start_is_no_press():
    state, events = run_train(train(Button.LEFT, (100, 1), (900, 0), (1_500, 1)), UP, 2_000 * MS)
    assert [event.at_ns // MS for event in presses(events)] == [1500]
    assert state.counts.silent == 1


def test_both_at_once_come_out_in_the_order_of_touch():
    text = (Path(__file__).parent / "trains" / "both_at_once.txt").read_text()
    _, events = run_train(parse_train(text, "both").edges, UP, 1_000 * MS)
    assert [(event.button, event.at_ns) for event in presses(events)] == [
        (Button.LEFT, 300_000_000),
        (Button.RIGHT, 300_800_000),
    ]


def test_the_filter_knows_no_turns_the_same_side_may_press_again():
    pairs = [(500 + 200 * n + ms, level) for n in range(5) for ms, level in ((0, 1), (80, 0))]
    _, events = run_train(train(Button.LEFT, *pairs), UP, 5_000 * MS)
    assert len(presses(events)) == 5


def test_an_edge_without_its_counterpart_changes_nothing():
    state = start_filter(UP, 0)
    state, _ = feed(state, RawEdge(Button.LEFT, False, 400 * MS))
    assert next_due_ns(state) is None
    state, _ = feed(state, RawEdge(Button.LEFT, True, 500 * MS))
    state, _ = feed(state, RawEdge(Button.LEFT, True, 502 * MS))
    state, events = advance(state, 505 * MS)
    assert presses(events) == [PressEdge(Button.LEFT, True, 500 * MS)]


def test_a_late_edge_of_another_button_keeps_its_own_time():
    state = start_filter(UP, 0)
    state, _ = advance(state, 700 * MS)
    state, _ = feed(state, RawEdge(Button.LEFT, True, 650 * MS))
    _, events = advance(state, 701 * MS)
    assert presses(events) == [PressEdge(Button.LEFT, True, 650 * MS)]


def test_a_button_that_is_not_there_is_ignored():
    state = start_filter({Button.LEFT: False}, 0)
    state, _ = feed(state, RawEdge(Button.RIGHT, True, 500 * MS))
    state, events = advance(state, 900 * MS)
    assert events == ()
    assert edges.raw_levels(state) == {Button.LEFT: False}


def test_resync_reports_a_release_and_never_a_press():
    state, _ = run_train(train(Button.LEFT, (500, 1)), UP, 600 * MS)
    state, events = resync(state, Button.LEFT, False, 900 * MS)
    assert events == (PressEdge(Button.LEFT, False, 900 * MS),)
    state, events = resync(state, Button.LEFT, True, 950 * MS)
    assert events == ()
    assert edges.down(state) == {Button.LEFT}
    state, events = advance(state, 2_000 * MS)
    assert events == ()


def test_a_release_never_comes_before_its_own_press_even_while_another_line_flickers():
    flicker = [RawEdge(Button.LEFT, index % 2 == 0, (500 + index * 4) * MS) for index in range(40)]
    quick = [RawEdge(Button.RIGHT, True, 501 * MS), RawEdge(Button.RIGHT, False, 509 * MS)]
    _, events = run_train(sorted(flicker + quick, key=lambda edge: edge.at_ns), UP, 2_000 * MS)
    right = [(event.pressed, event.at_ns // MS) for event in events if isinstance(event, PressEdge)]
    assert right == [(True, 501), (False, 509)]


def test_a_contact_found_down_by_resync_says_nothing_when_it_opens():
    state = resync(start_filter(UP, 0), Button.LEFT, True, 500 * MS)[0]
    state, _ = feed(state, RawEdge(Button.LEFT, False, 900 * MS))
    state, events = advance(state, 1_000 * MS)
    assert events == ()
    state, _ = feed(state, RawEdge(Button.LEFT, True, 1_100 * MS))
    _, events = advance(state, 1_200 * MS)
    assert len(presses(events)) == 1


# -- exact borders: at the instant itself it is so, a nanosecond before it is not --------------------------------


def seen(*fed, at_ns):
    """State and events after edges (button, level, ns) and a last look at a time, started at 0."""
    state, out = start_filter(UP, 0), []
    for button, closed, ns in fed:
        state, events = feed(state, RawEdge(button, closed, ns))
        out += events
    state, events = advance(state, at_ns)
    return state, [*out, *events]


LEFT, RIGHT = Button.LEFT, Button.RIGHT
S = 500 * MS


@pytest.mark.parametrize(
    ("fed", "border_ns", "before", "after"),
    [
        pytest.param([(LEFT, True, S)], S + 5 * MS, 0, 1, id="closed for 5 ms: a press"),
        pytest.param(
            [(LEFT, True, S), (LEFT, False, 2 * S)], 2 * S + 30 * MS, 1, 2, id="open for 30 ms: a release"
        ),
        pytest.param([(LEFT, True, S)], S + 10_000 * MS, 1, 2, id="down for 10 s: stuck"),
        pytest.param(
            [(LEFT, True, S), (LEFT, False, S + MS), (LEFT, True, S + 2 * MS)], S + 7 * MS, 0, 1, id="bounce"
        ),
    ],
)
def test_what_is_certain_is_told_at_its_instant(fed, border_ns, before, after):
    state, events = seen(*fed, at_ns=border_ns - 1)
    assert len(events) == before
    assert next_due_ns(state) == border_ns
    assert len(seen(*fed, at_ns=border_ns)[1]) == after


def test_a_spike_is_over_ten_ms_after_it_ended():
    fed = [(LEFT, True, S), (LEFT, False, S + MS)]
    state, _ = seen(*fed, at_ns=S + 11 * MS - 1)
    assert (state.counts.glitches, next_due_ns(state)) == (0, S + 11 * MS)
    state, events = seen(*fed, at_ns=S + 11 * MS)
    assert (state.counts, next_due_ns(state), events) == (edges.Counts(edges=2, glitches=1), None, [])


def test_a_gap_while_held_is_counted_as_bounces():
    fed = [(LEFT, True, S), (LEFT, False, 2 * S), (LEFT, True, 2 * S + 20 * MS)]
    state, events = seen(*fed, at_ns=3 * S)
    assert [event.pressed for event in events] == [True]
    assert state.counts == edges.Counts(edges=3, presses=1, bounces=2)


@pytest.mark.parametrize(("late_ns", "stamp_ns"), [(0, S), (1, S + 50 * MS + 1)])
def test_a_bounce_of_fifty_ms_is_still_stamped_at_its_first_touch(late_ns, stamp_ns):
    bounces = [(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(12)]
    _, events = seen(*bounces, (LEFT, True, S + 50 * MS + late_ns), at_ns=S + 60 * MS)
    assert events == [PressEdge(LEFT, True, stamp_ns)]


@pytest.mark.parametrize(("at_ns", "reported"), [(150 * MS - 1, False), (150 * MS, True)])
def test_the_quiet_time_ends_at_its_instant(at_ns, reported):
    state, events = seen((LEFT, True, at_ns), at_ns=at_ns + 5 * MS)
    assert bool(events) == reported
    assert state.counts == edges.Counts(edges=1, presses=int(reported), silent=int(not reported))
    state, events = feed(state, RawEdge(LEFT, False, S))
    state, events = advance(state, 2 * S)
    assert bool(events) == reported, "who said nothing of its press says nothing of its release"
    assert state.counts.silent == int(not reported)


def test_the_start_counts_from_when_it_was():
    state = start_filter(UP, 7 * S)
    state, _ = feed(state, RawEdge(LEFT, True, 7 * S + 149 * MS))
    assert advance(state, 8 * S)[1] == ()


@pytest.mark.parametrize(("length", "told"), [(250 * MS - 1, 0), (250 * MS, 1)])
def test_a_burst_of_a_quarter_second_is_chatter(length, told):
    fed = [(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(62)]
    state, events = seen(*fed, at_ns=S + length)
    assert len(notices(events)) == state.counts.chatters == told
    assert len(notices(advance(state, S + length + MS)[1])) == 1 - told, "once"


def test_after_chatter_that_settled_the_next_one_is_told_again():
    wobble = [RawEdge(LEFT, n % 2 == 0, start + n * 4 * MS) for start in (S, 10 * S) for n in range(80)]
    state, events = run_train(wobble, UP, 20 * S)
    assert [notice.kind for notice in notices(events)] == [NoticeKind.CHATTER] * 2
    assert state.counts.chatters == 2


def test_stuck_again_after_its_end_is_told_again():
    _, events = run_train(train(LEFT, (500, 1), (12_000, 0), (13_000, 1), (30_000, 0)), UP, 40_000 * MS)
    kinds = [notice.kind for notice in notices(events)]
    assert kinds == [NoticeKind.STUCK, NoticeKind.UNSTUCK] * 2
    assert [notice.at_ns // MS for notice in notices(events)] == [10_500, 12_030, 23_000, 30_030]
    assert all(notice.part is edges.part_of(LEFT) for notice in notices(events))
    assert str(notices(events)[1].detail) == "The left button was released."


@pytest.mark.parametrize(("look_ns", "told"), [(S + 50 * MS - 1, 0), (S + 50 * MS, 1)])
def test_a_press_waits_fifty_ms_for_an_earlier_burst(look_ns, told):
    """The left contact flickers first; the right press behind it is held until the left can be no press before it."""
    flicker = [(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(13)]
    right = (RIGHT, True, S + 9 * MS)
    state, events = seen(*sorted([*flicker, right], key=lambda edge: edge[2]), at_ns=look_ns)
    assert len(presses(events)) == state.counts.presses == told
    if not told:
        assert next_due_ns(state) == S + 50 * MS
        state, events = advance(state, S + 50 * MS)
        assert events == (PressEdge(RIGHT, True, S + 9 * MS),)


def test_a_line_that_flickers_for_long_does_not_stop_the_time_of_the_others():
    """An old burst holds nobody any more, whatever still waits for a younger one."""
    long = [RawEdge(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(51)]
    young = [RawEdge(Button.PAUSE, n % 2 == 0, S + (100 + n * 4) * MS) for n in range(8)]
    right = RawEdge(RIGHT, True, S + 109 * MS)
    _, events = run_train(sorted([*long, *young, right], key=lambda edge: edge.at_ns), UP, 2 * S)
    assert PressEdge(RIGHT, True, S + 109 * MS) in events


def test_two_touches_of_one_instant_wait_for_nobody():
    _, events = seen((LEFT, True, S), (RIGHT, True, S), (LEFT, False, S + 2 * MS), at_ns=S + 5 * MS)
    assert events == [PressEdge(RIGHT, True, S)]


def test_what_was_held_is_told_with_its_release_and_counted():
    flicker = [(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(12)]
    quick = [(RIGHT, True, S + MS), (RIGHT, False, S + 9 * MS)]
    state, events = seen(*sorted([*flicker, *quick], key=lambda edge: edge[2]), at_ns=S + 46 * MS)
    assert [(event.pressed, event.at_ns) for event in events] == [(True, S + MS), (False, S + 9 * MS)]
    assert (state.counts.presses, state.counts.releases, state.held) == (1, 1, ())


def test_resync_of_one_contact_leaves_the_others_and_keeps_what_lasts():
    state, _ = run_train(train(LEFT, (500, 1)), UP, 11_000 * MS)
    other, events = resync(state, RIGHT, True, 11_000 * MS)
    assert (events, edges.down(other)) == ((), {LEFT, RIGHT})
    assert dict(other.contacts)[LEFT] == dict(state.contacts)[LEFT]
    still, events = resync(state, LEFT, True, 11_000 * MS)
    assert events == ()
    _, events = advance(still, 60_000 * MS)
    assert notices(events) == [], "stuck since long, told before"
    still, _ = feed(still, RawEdge(LEFT, False, 61_000 * MS))
    still, events = advance(still, 62_000 * MS)
    assert [event.pressed for event in events if isinstance(event, PressEdge)] == [False], (
        "its press was told"
    )
    opened, events = resync(state, LEFT, False, 12_000 * MS)
    assert (events, opened.counts.releases) == ((PressEdge(LEFT, False, 12_000 * MS),), 1)
    assert advance(opened, 60_000 * MS)[1] == ()
    again, _ = feed(opened, RawEdge(LEFT, True, 61_000 * MS))
    assert presses(advance(again, 61_005 * MS)[1]) == [PressEdge(LEFT, True, 61_000 * MS)]


def test_resync_tells_what_was_held_of_its_button_alone():
    flicker = [(LEFT, n % 2 == 0, S + n * 4 * MS) for n in range(8)]
    held = [(RIGHT, True, S + MS), (Button.PAUSE, True, S + 2 * MS)]
    state, events = seen(*sorted([*flicker, *held], key=lambda edge: edge[2]), at_ns=S + 30 * MS)
    assert events == []
    state, events = resync(state, RIGHT, False, S + 31 * MS)
    assert [(event.button, event.pressed) for event in events] == [(RIGHT, True), (RIGHT, False)]
    assert [edge.button for edge in state.held] == [Button.PAUSE]


def test_a_contact_that_was_down_at_the_start_and_stays_is_stuck_after_ten_seconds():
    state = start_filter({**UP, LEFT: True}, 0)
    assert next_due_ns(state) == 10_000 * MS
    state, events = advance(state, 10_000 * MS)
    assert [notice.kind for notice in events] == [NoticeKind.STUCK]
    assert next_due_ns(state) is None
    assert next_due_ns(start_filter({**UP, Button.ARBITER: True}, 0)) is None


def test_other_settings_are_used():
    quick = FilterSettings(press_ms=1, quiet_ms=0)
    _, events = run_train(train(LEFT, (1, 1)), UP, 2 * MS, quick)
    assert presses(events) == [PressEdge(LEFT, True, MS)]


# -- trains on file -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", TRAINS, ids=lambda path: path.stem)
def test_trains_on_file(path):
    one = parse_train(path.read_text(encoding="utf-8"), path.name)
    assert one.notes["origin"]
    levels = {button: button in one.down for button in Button}
    # The recordings begin at their first instant, so the quiet time is over before.
    _, events = run_train(one.edges, levels, 10_000 * MS, start_ns=-1_000 * MS)
    assert [(event.button, event.at_ns // 1000) for event in presses(events)] == list(one.expected)


def test_a_train_survives_writing_and_reading():
    text = TRAINS[0].read_text(encoding="utf-8")
    one = parse_train(text, "x")
    again = parse_train(format_train(one.edges, 0, one.notes), "x")
    assert again == one


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("12 left", "t.txt: line 1: expected '<microseconds> <button> <0|1>', got '12 left'"),
        ("12 middle 1", "got '12 middle 1'"),
        ("12 left 2", "got '12 left 2'"),
        ("12 left 1\n5 left 0", "t.txt: line 2: expected a time of at least 12, got 5; sort the lines"),
    ],
)
def test_a_broken_train_is_named(text, words):
    with pytest.raises(ValueError) as error:
        parse_train(text, "t.txt")
    assert words in str(error.value)


# -- generated trains ---------------------------------------------------------------------------------------


def bounce(at_us, closed, draws):
    """A change at `at_us` with bounces: (touch, gap) pairs in microseconds; returns edges and when it is over."""
    out = []
    at = at_us
    for touch, gap in draws:
        out.append((at, closed))
        out.append((at + touch, not closed))
        at += touch + gap
    out.append((at, closed))
    return out, at


bounces = st.lists(st.tuples(st.integers(20, 4_000), st.integers(20, 4_000)), max_size=5)
one_press = st.fixed_dictionaries(
    {
        "rest_us": st.integers(60_000, 900_000),
        "hold_us": st.integers(35_000, 2_000_000),
        "closing": bounces,
        "opening": bounces,
        "spike_us": st.one_of(st.none(), st.integers(20, 4_900)),
    }
)


def build(button, parts):
    """Edges of one button and the true times of its presses and releases, in microseconds."""
    raw, truth = [], []
    at = 300_000
    for part in parts:
        if part["spike_us"] is not None:
            raw += [(at + 20_000, True), (at + 20_000 + part["spike_us"], False)]
        at += part["rest_us"]
        closing, settled = bounce(at, True, part["closing"])
        truth.append((at, True))
        raw += closing
        at = settled + part["hold_us"]
        opening, settled = bounce(at, False, part["opening"])
        truth.append((at, False))
        raw += opening
        at = settled
    edges_of = [RawEdge(button, closed, us * 1000) for us, closed in raw]
    return edges_of, [(button, pressed, us * 1000) for us, pressed in truth]


@settings(max_examples=80)
@given(
    left=st.lists(one_press, max_size=6),
    right=st.lists(one_press, max_size=6),
    pause=st.lists(one_press, max_size=3),
)
def test_generated_presses_are_found_once_each_at_their_time(left, right, pause):
    raw, truth = [], []
    for button, parts in ((Button.LEFT, left), (Button.RIGHT, right), (Button.PAUSE, pause)):
        more, true = build(button, parts)
        raw += more
        truth += true
    raw.sort(key=lambda edge: edge.at_ns)
    end_ns = max((edge.at_ns for edge in raw), default=0) + 100 * MS
    state, events = run_train(raw, UP, end_ns)
    found = [event for event in events if isinstance(event, PressEdge)]
    assert sorted((e.at_ns, e.button.value, e.pressed) for e in found) == sorted(
        (at, button.value, pressed) for button, pressed, at in truth
    )
    times = [event.at_ns for event in presses(events)]
    assert times == sorted(times)
    for button in Button:
        mine = [event.pressed for event in found if event.button is button]
        assert mine == [index % 2 == 0 for index in range(len(mine))]
    # A spike while the button is up comes to nothing; one that follows a press is a bounce of its release.
    spikes = sum(bool(parts) and parts[0]["spike_us"] is not None for parts in (left, right, pause))
    assert state.counts == edges.Counts(
        edges=len(raw),
        presses=len(times),
        releases=len(found) - len(times),
        bounces=len(raw) - len(found) - 2 * spikes,
        glitches=spikes,
    )
    assert edges.down(state) == frozenset()


levels_and_times = st.lists(
    st.tuples(st.sampled_from(list(Button)), st.booleans(), st.integers(0, 40_000)), max_size=60
)


@settings(max_examples=120)
@given(steps=levels_and_times, start_down=st.sets(st.sampled_from(list(Button))))
def test_any_train_at_all_keeps_the_promises(steps, start_down):
    at_us = 0
    raw = []
    for button, closed, gap_us in steps:
        at_us += gap_us
        raw.append(RawEdge(button, closed, at_us * 1000))
    levels = {button: button in start_down for button in Button}
    state, events = run_train(raw, levels, at_us * 1000 + 20_000 * MS)
    for button in Button:
        mine = [event for event in events if isinstance(event, PressEdge) and event.button is button]
        assert [event.pressed for event in mine] == [index % 2 == 0 for index in range(len(mine))]
        stamps = [event.at_ns for event in mine]
        assert stamps == sorted(stamps)
        for event in mine:  # a press is stamped at one of its own closing edges, a release at an opening one
            assert RawEdge(button, event.pressed, event.at_ns) in raw
    times = [event.at_ns for event in presses(events)]
    assert times == sorted(times)
    assert next_due_ns(state) is None or edges.down(state)


@settings(max_examples=60)
@given(steps=levels_and_times, cuts=st.lists(st.integers(0, 2_000_000), max_size=20))
def test_looking_more_often_changes_nothing(steps, cuts):
    at_us = 0
    raw = []
    for button, closed, gap_us in steps:
        at_us += gap_us
        raw.append(RawEdge(button, closed, at_us * 1000))
    end_ns = at_us * 1000 + 500 * MS
    _, once = run_train(raw, UP, end_ns)
    state = start_filter(UP, 0)
    out = []
    looks = sorted(
        [(edge.at_ns, 1, edge) for edge in raw] + [(cut * 1000, 0, None) for cut in cuts], key=lambda x: x[:2]
    )
    for at_ns, _, edge in looks:
        while (due := next_due_ns(state)) is not None and due <= at_ns:
            before = state
            state, events = advance(state, due)
            out += events
            if state == before:
                break
        state, events = feed(state, edge) if edge is not None else advance(state, at_ns)
        out += events
    while (due := next_due_ns(state)) is not None and due <= end_ns:
        before = state
        state, events = advance(state, due)
        out += events
        if state == before:
            break
    state, events = advance(state, end_ns)
    out += events
    edges_of = [event for event in once if isinstance(event, PressEdge)]
    assert [event for event in out if isinstance(event, PressEdge)] == edges_of


def seeded_trains(count, seed=7):
    """Many trains from one seed: what the bench and the long test count false and missed presses on."""
    chance = random.Random(seed)

    def draws():
        return [(chance.randint(20, 4_000), chance.randint(20, 4_000)) for _ in range(chance.randint(0, 6))]

    for _ in range(count):
        parts = [
            {
                "rest_us": chance.randint(60_000, 900_000),
                "hold_us": chance.randint(35_000, 800_000),
                "closing": draws(),
                "opening": draws(),
                "spike_us": chance.choice([None, chance.randint(20, 4_900)]),
            }
            for _ in range(chance.randint(1, 8))
        ]
        yield build(chance.choice(list(Button)), parts)


def count_mistakes(count):
    """(presses made, presses missed, presses invented) over seeded trains."""
    made = missed = invented = 0
    for raw, truth in seeded_trains(count):
        _, events = run_train(raw, UP, raw[-1].at_ns + 100 * MS)
        found = {(event.button, event.at_ns) for event in presses(events)}
        true = {(button, at) for button, pressed, at in truth if pressed}
        made += len(true)
        missed += len(true - found)
        invented += len(found - true)
    return made, missed, invented


def test_seeded_trains_have_no_false_and_no_missed_press():
    made, missed, invented = count_mistakes(150)
    assert made > 400
    assert (missed, invented) == (0, 0)


@pytest.mark.long
def test_many_seeded_trains_have_no_false_and_no_missed_press():
    made, missed, invented = count_mistakes(8_000)
    assert made > 30_000
    assert (missed, invented) == (0, 0)


def test_settings_can_be_changed():
    slow = FilterSettings(press_ms=20)
    _, events = run_train(train(Button.LEFT, (500, 1), (515, 0)), UP, 2_000 * MS, slow)
    assert presses(events) == []
