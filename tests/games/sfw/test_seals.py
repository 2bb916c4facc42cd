"""Hidden fleets and units: sealed, moved, owed, revealed with a proof; forced reveals asked at the right moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from companion.core.commands import Redo, Undo
from companion.core.history import Timeline
from companion.core.ids import ARBITER, Nation, Side
from companion.core.ledger import (
    SealedEnvelope,
    commitment,
    is_commitment_kept,
    reseal_lock,
    reseal_proof,
)
from companion.games.sfw.rules.ledger_values import tables
from companion.games.sfw.rules.seal_messages import (
    ConfirmHidden,
    Content,
    OweReveal,
    RecordOpening,
    RevealSecret,
    SealSecret,
    SearchSpace,
    SecretSealed,
)
from companion.games.sfw.rules.seals import (
    content_of,
    content_text,
    fleet_fault,
    forced_questions,
    hidden,
    place_to_seal,
    why_not_genuine,
)
from companion.games.sfw.rules.support import unit_table_of

US, GB, GERMANY = (Nation(name) for name in ("us", "gb", "germany"))
ARMY_14, ARMY_10 = Nation("germany_14"), Nation("germany_10")
OPENING = "0f" * 32
NOTE = content_text(Content("J4", {"battleship": 1, "destroyer": 2}, "two tanks aboard"))


def envelope(text: str = NOTE) -> SealedEnvelope:
    """Stand in for the shell's envelope; only the commitment matters to the rules."""
    return SealedEnvelope("test", "n", "t", (), {}, commitment(OPENING, text))


def note_for(
    game: Any, nation: Nation, text: str, secret: str = "", opening: str = OPENING
) -> SealedEnvelope:
    """Return an envelope as the vault makes it for a place: bound to it, and locked against others."""
    place = place_to_seal(game.state, nation, "fleet" if nation == US else "units", secret)
    lock = reseal_lock(reseal_proof(opening))
    return SealedEnvelope("test", "n", text, (), {}, commitment(opening, text, place), bound=place, lock=lock)


def sealed(ledger_game: Callable[..., Any], step: str = "s3.t1.allies.move") -> Any:
    game = ledger_game("apr43")
    game.do(SealSecret(US, "fleet", "US fleet", envelope()))
    game.go(step)
    return game


def test_a_reveal_proves_what_was_sealed_and_when(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game)
    game.refuse(RevealSecret("us.fleet.1", NOTE.replace("J4", "J5"), OPENING), "commitment_broken")
    game.refuse(RevealSecret("us.fleet.1", NOTE, "00" * 32), "commitment_broken")
    game.do(RevealSecret("us.fleet.1", NOTE, OPENING))
    secret = game.state.game["seals"].secrets["us.fleet.1"]
    assert (secret.shown.sealed_step, secret.shown.step) == ("setup", "s3.t1.allies.move")
    assert content_of(secret.shown.plain_text).units == {"battleship": 1, "destroyer": 2}
    assert hidden(game.state) == ()
    game.refuse(RevealSecret("us.fleet.1", NOTE, OPENING), "not_hidden")
    game.refuse(RevealSecret("us.fleet.9", NOTE, OPENING), "unknown_secret")


def test_undoing_a_reveal_is_asked_first(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game)
    game.do(RevealSecret("us.fleet.1", NOTE, OPENING))
    game.refuse(Undo(game.desk.now_ms() + 1), "confirm_undo")
    game.do(Undo(game.desk.now_ms() + 1, confirmed=True))
    assert len(hidden(game.state)) == 1


def test_the_arbiter_may_add_a_note_that_its_nation_may_not(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game, "s3.t2.allies.move")
    late = SealSecret(Nation("gb"), "fleet", "late", envelope())
    game.refuse(late, "not_now", "own movement step 3")
    game.do(late, actor=ARBITER)


def test_one_fleet_a_nation_and_a_moved_one_is_sealed_again(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game, "s3.t3.allies.move")
    game.refuse(SealSecret(US, "fleet", "again", envelope()), "has_fleet", "Seal that one again")
    moved = NOTE.replace("J4", "J5")
    game.do(SealSecret(US, "fleet", "US fleet", envelope(moved), secret="us.fleet.1"))
    secret = game.state.game["seals"].secrets["us.fleet.1"]
    assert [version.step for version in secret.versions] == ["setup", "s3.t3.allies.move"]
    game.refuse(RevealSecret("us.fleet.1", NOTE, OPENING), "commitment_broken")
    game.do(RevealSecret("us.fleet.1", moved, OPENING))
    game.refuse(SealSecret(US, "fleet", "x", envelope(), secret="us.fleet.1"), "not_hidden")
    game.do(SealSecret(US, "fleet", "new fleet", envelope()))
    game.refuse(SealSecret(GB, "fleet", "x", envelope(), secret="us.fleet.1"), "unknown_secret")
    game.refuse(SealSecret(GB, "fleet", " ", envelope()), "bad_value")


def test_nothing_is_hidden_or_revealed_on_step_6(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game, "s3.t6.allies.return")
    game.refuse(RevealSecret("us.fleet.1", NOTE, OPENING), "not_now")
    game.refuse(OweReveal("us.fleet.1", "detected"), "not_now")
    game.refuse(SealSecret(US, "fleet", "US fleet", envelope(), secret="us.fleet.1"), "not_now")
    game.refuse(SearchSpace(US, "J4"), "not_now")
    game.go("s3.v.check")
    game.refuse(RevealSecret("us.fleet.1", NOTE, OPENING), "not_now", "movement steps 1-5")


def test_a_search_that_finds_forces_a_reveal_before_the_act_ends(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game, "s3.t1.axis.move")
    game.refuse(SearchSpace(US, "J4"), "not_now", "This side acts now: axis")
    game.do(SearchSpace(GERMANY, "J3"))
    game.do(SearchSpace(GERMANY, "J4", ("us.fleet.1",)))
    game.refuse(game.end(), "still_open", "Must be revealed first: US fleet")
    game.do(RevealSecret("us.fleet.1", NOTE, OPENING, "detected"))
    game.next()
    game.refuse(SearchSpace(GERMANY, "J4", ("us.fleet.1",)), "unknown_secret")


@pytest.mark.parametrize(
    ("step", "asks"),
    [
        ("s3.t1.allies.move", True), ("s3.t2.allies.move", True), ("s3.t3.allies.move", True),
        ("s3.t4.allies.move", False), ("s3.t1.axis.move", False), ("s3.t3.allies.declare", False),
        ("s3.t6.allies.return", False),
    ],
)  # fmt: skip
def test_the_mover_is_asked_whether_its_fleet_may_stay_hidden(
    ledger_game: Callable[..., Any], step: str, asks: bool
) -> None:
    game = sealed(ledger_game, step)
    if not asks:
        game.next()
        return
    game.refuse(game.end(), "still_open", "allies: may the Hidden Fleet stay hidden? Tick it on the Table.")
    game.refuse(ConfirmHidden("s3.t9", Side("allies")), "stale_step")
    game.refuse(ConfirmHidden(step, Side("nobody")), "unknown_side")
    game.do(ConfirmHidden(step, Side("allies")))
    game.next()


def test_the_reasons_asked_for_fit_the_movement_step(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game, "s3.t3.allies.move")
    assert "mined" in forced_questions(game.state)
    game.go("s3.t5.allies.move")
    assert forced_questions(game.state) == ("detected", "fought")
    game.refuse(OweReveal("us.fleet.1", "bored"), "bad_value", "Choose one of these: limits, detected")
    game.do(OweReveal("us.fleet.1", "fought"))
    game.refuse(game.end(), "still_open")
    game.go("s3.t6.allies.return")
    assert forced_questions(game.state) == ()


def test_italys_boxes_are_limited_and_revealed_whole(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("italy")
    for number in range(3):
        game.do(SealSecret(ARMY_14, "units", f"box {number}", envelope()))
    game.refuse(
        SealSecret(ARMY_14, "units", "box 4", envelope()), "no_box", "3 boxes of hidden units; used: 3"
    )
    game.refuse(SealSecret(US, "units", "box", envelope()), "no_box", "0 boxes")
    for number in range(5):
        game.do(SealSecret(ARMY_10, "units", f"box {number}", envelope()))
    game.go("s1.t5.allies.move")  # as the defender
    game.do(RevealSecret("germany_14.units.2", NOTE, OPENING))
    assert len(hidden(game.state, "axis")) == 7
    game.next()  # hidden units are asked for by nothing


def test_who_opened_when_is_kept(ledger_game: Callable[..., Any]) -> None:
    game = sealed(ledger_game)
    game.do(RecordOpening("us.fleet.1", "side", False), RecordOpening("us.fleet.1", "arbiter", True))
    game.refuse(RecordOpening("x", "side", True), "unknown_secret")
    openings = game.state.game["seals"].secrets["us.fleet.1"].openings
    assert [(item.by, item.is_right, item.step) for item in openings] == [
        ("side", False, "s3.t1.allies.move"), ("arbiter", True, "s3.t1.allies.move"),
    ]  # fmt: skip
    assert game.desk.change.undo.command.step == "s3.begin"  # noted for good, no act


@pytest.mark.parametrize(
    ("fleet", "words"),
    [
        ({"destroyer": 3}, ""),
        ({"destroyer": 2}, "3 to 10 Sea Units; this one has 2"),
        ({"destroyer": 11}, "this one has 11"),
        ({"sea_transport": 4}, "cannot be Sea Transports only"),
        ({"sea_transport": 9, "submarine": 1}, ""),
        ({"carrier": 2, "destroyer": 1, "fighter": 8, "tank": 4}, ""),
        ({"carrier": 2, "fighter": 8}, "this one has 2"),
        ({"zeppelin": 3}, "no such unit: zeppelin"),
    ],
)
def test_the_limits_of_a_fleet(ledger_game: Callable[..., Any], fleet: dict[str, int], words: str) -> None:
    state = ledger_game("apr43").state
    fault = fleet_fault(tables(state), unit_table_of(state), fleet)
    assert words in str(fault)
    assert (fault is None) == (words == "")


@given(st.text(), st.dictionaries(st.text(), st.integers(0, 99)), st.text())
def test_a_note_reads_back(space: str, units: dict[str, int], note: str) -> None:
    content = Content(space, units, note)
    assert content_of(content_text(content)) == content


def test_a_text_that_is_no_note_is_shown_as_it_stands() -> None:
    assert content_of("behind Malta").note == "behind Malta"


@pytest.mark.parametrize(
    "text",
    [
        '{"space":"J4","x":' + "[" * 100_000, '{"space":"J4","units":{"tank":-1}}', "\ud800", "[]", "",
        '{"space":"J4","units":{"tank":1000000000000000000000000000000}}', "x" * 1_000_000,
    ],
    ids=["nested", "below zero", "no text", "a list", "nothing", "beyond 64 bits", "long"],
)  # fmt: skip
def test_a_crafted_text_is_shown_as_it_begins(text: str) -> None:
    """A stranger's file can reveal whatever text it committed to."""
    content = content_of(text)
    assert (content.space, content.units) == ("", {})
    assert content.note == text[:2_000]


# Attacks by an owner, by another side, and by whoever writes into the file


def test_a_note_is_sealed_again_only_by_somebody_who_could_open_it(ledger_game: Callable[..., Any]) -> None:
    game = ledger_game("apr43")
    game.do(SealSecret(US, "fleet", "US fleet", note_for(game, US, NOTE)))
    game.go("s3.t1.allies.move")
    moved = note_for(game, US, "E5", "us.fleet.1", "ab" * 32)
    for guess in ("", OPENING, "00" * 32, reseal_proof("ab" * 32)):
        game.refuse(
            SealSecret(US, "fleet", "US fleet", moved, "us.fleet.1", guess),
            "not_owner", "Only someone who can open US fleet can seal it again.",
        )  # fmt: skip
    game.do(SealSecret(US, "fleet", "US fleet", moved, "us.fleet.1", reseal_proof(OPENING)))
    assert len(game.state.game["seals"].secrets["us.fleet.1"].versions) == 2


def test_an_owner_cannot_choose_between_two_contents_by_undoing(ledger_game: Callable[..., Any]) -> None:
    """Undo and redo pass over a note that was sealed again, one by one and all at once."""
    game = ledger_game("apr43")
    game.do(SealSecret(US, "fleet", "US fleet", note_for(game, US, "A")))
    game.go("s3.t1.allies.move")
    second = note_for(game, US, "B", "us.fleet.1", "ab" * 32)
    game.do(SealSecret(US, "fleet", "US fleet", second, "us.fleet.1", reseal_proof(OPENING)))
    for undo in (Undo(game.desk.now_ms()), Undo(game.desk.now_ms(), 1, confirmed=True)):
        game.do(undo)
        secret = game.state.game["seals"].secrets["us.fleet.1"]
        assert secret.versions[-1].envelope == second
        assert secret.versions[-1].step == "s3.t1.allies.move", "it stays told when it was sealed"
        assert why_not_genuine(game.state, secret) is None
        game.do(Redo(game.desk.now_ms()))
        assert game.state.game["seals"].secrets["us.fleet.1"].versions[-1].envelope == second
    game.refuse(RevealSecret("us.fleet.1", "A", OPENING), "commitment_broken")
    game.do(RevealSecret("us.fleet.1", "B", "ab" * 32))


@given(st.text(), st.text(), st.text("0123456789abcdef", min_size=32, max_size=64), st.booleans())
def test_a_commitment_fits_one_text_and_one_opening(one: str, two: str, opening: str, bound: bool) -> None:
    """An opening that swallows the beginning of the text would show another text under the same commitment."""
    text, place = f"{one}\n{two}", "note|sfw96||us.fleet.1|1" if bound else ""
    kept = SealedEnvelope("c", "n", "t", (), {}, commitment(opening, text, place), bound=place)
    assert is_commitment_kept(kept, opening, text)
    assert not is_commitment_kept(kept, f"{opening}\n{one}", two)
    assert not is_commitment_kept(replace(kept, bound=f"{place}\n{opening}"), opening, two)
    assert not is_commitment_kept(replace(kept, bound=""), f"{place}\n{opening}", text)


def two_boxes(ledger_game: Callable[..., Any]) -> Any:
    game = ledger_game("italy")
    for text in ("A", "B"):
        game.do(SealSecret(ARMY_14, "units", f"box {text}", note_for(game, ARMY_14, text)))
    return game


def test_two_contents_exchanged_on_the_way_are_refused(ledger_game: Callable[..., Any]) -> None:
    game = two_boxes(ledger_game)
    secrets = game.state.game["seals"].secrets
    one, two = (secrets[f"germany_14.units.{n}"].versions[-1].envelope for n in (1, 2))
    for envelope, secret in (
        (one, "germany_14.units.2"),
        (two, "germany_14.units.1"),
        (one, "germany_14.units.1"),
    ):
        proof = reseal_proof(OPENING)
        game.refuse(SealSecret(ARMY_14, "units", "x", envelope, secret, proof), "misplaced")
    game.refuse(SealSecret(ARMY_14, "units", "box 3", one), "misplaced")
    other = replace(game.state.frozen_setup, game_id="another")
    game.desk.start(other)
    game.refuse(SealSecret(ARMY_14, "units", "box 1", one), "misplaced", "sealed for something else")


def test_two_contents_exchanged_in_the_file_are_told(ledger_game: Callable[..., Any]) -> None:
    """Whoever writes into the file can mend every check sum; the notes still say where they belong."""
    game = two_boxes(ledger_game)
    entries = list(game.desk.entries())
    at = [n for n, one in enumerate(entries) if isinstance(one.events[0], SecretSealed)]
    notes = [entries[n].events[0].envelope for n in at]
    for n, envelope in zip(at, reversed(notes), strict=True):
        entries[n] = replace(entries[n], events=(replace(entries[n].events[0], envelope=envelope),))
    state = Timeline(game.desk.rules, entries).state
    for secret in state.game["seals"].secrets.values():
        assert "was swapped" in str(why_not_genuine(state, secret))
    assert all(why_not_genuine(game.state, one) is None for one in game.state.game["seals"].secrets.values())


@pytest.mark.parametrize("renumbered", [False, True])
def test_an_older_note_brought_back_in_the_file_is_told(
    ledger_game: Callable[..., Any], renumbered: bool
) -> None:
    game = ledger_game("apr43")
    game.do(SealSecret(US, "fleet", "US fleet", note_for(game, US, "A")))
    second = note_for(game, US, "B", "us.fleet.1", "ab" * 32)
    game.do(SealSecret(US, "fleet", "US fleet", second, "us.fleet.1", reseal_proof(OPENING)))
    entries = list(game.desk.entries())
    first, again = (one.events[0] for one in entries[-2:])
    back = first if renumbered else replace(again, envelope=first.envelope)
    entries[-1] = replace(entries[-1], events=(back,))
    state = Timeline(game.desk.rules, entries).state
    secret = state.game["seals"].secrets["us.fleet.1"]
    assert secret.versions[-1].envelope == first.envelope
    assert why_not_genuine(state, secret) is not None
