"""A side's own phone: its pages of every game, and nothing done that is not that side's to do."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from companion.adapters.dice_eye import VisionEye
from companion.adapters.phone_notes import GameNotes
from companion.adapters.phone_own import CLOCK, OwnSeat
from companion.core import commands as cm
from companion.core.change import Change
from companion.core.text import Say
from companion.games.med.rules import commands as med
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.seal_messages import OweReveal
from companion.pages import page as pg
from companion.pages.answers import taken
from companion.pages.dice import Photo, SeenDie
from companion.pages.dice_phone import read_photo
from companion.pages.html import page_html
from companion.pages.i18n import LANGUAGES, language_of
from companion.pages.labels import entry_label
from companion.pages.modules import modules
from companion.pages.page import Sight, act_ids
from companion.pages.phones import PhonesDraft
from companion.pages.speak import Voice
from companion.pages.viewing import sight_of
from companion.session.device_key import DeviceKeyFile
from companion.session.hands import Hands
from companion.session.pictures import pictures_of
from companion.testing import scenes_aana, scenes_med, scenes_sfw, scenes_sfw1, scenes_tsu
from companion.testing.chromium import CHROMIUM, Browser, Tab
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import sample_setup
from companion.testing.scenes import SCENES
from companion.testing.waiting import until
from tests.games.med.evening import Evening
from tests.phones.own_phone import gateway_memory, sit

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")


class Phones:
    """Both sides' own phones at one table."""

    def __init__(self, desk: MemoryDesk) -> None:
        self.desk = desk
        assert desk.change is not None
        self.sides = [info.id for info in desk.change.state.frozen_setup.sides]
        self.seats = {
            side: OwnSeat(
                side,
                lambda command, actor: desk.send(command, actor=actor, source="phone"),
                lambda run, then: then(run()),
            )
            for side in self.sides
        }
        desk.subscribe(self._heard)

    told: list[pg.OnBox]

    def _heard(self, change: Change) -> None:
        if change.envelope is not None and change.envelope.source == "phone":
            seen = self.desk.seen(frozenset({change.envelope.actor}))
            assert seen is not None
            assert sum(seat.heard(seen.change) for seat in self.seats.values()) == 1

    @property
    def state(self) -> Any:
        assert self.desk.change is not None
        return self.desk.change.state

    def page(self, side: str) -> pg.Page:
        desk = self.desk
        return self.seats[side].page(sight_of(desk, self.seats[side].viewer), desk.now_ms())

    def html(self, side: str, code: str = "en") -> str:
        voice = Voice(language_of(code), self.state.frozen_setup.game, self.state)
        return page_html(self.page(side), voice, hidden={"page": self.seats[side].stamp})

    def press(self, side: str, act: str, /, **answers: str) -> None:
        self.page(side)
        self.seats[side].press(act, answers, self.desk.now_ms(), self.seats[side].stamp)


def said(page: pg.Page) -> str:
    """Return what a page says to its phone alone."""
    notes = [block for block in page.blocks if isinstance(block, pg.Notice) and block.key == "own.said"]
    return str(notes[0].title.template) if notes and isinstance(notes[0].title, Say) else ""


DESKS: dict[str, Callable[[], MemoryDesk]] = {
    "sfw96": scenes_sfw._rolling,
    "sfw1": scenes_sfw1._fight,
    "aana": lambda: scenes_aana._battle("losses"),
    "tsu": scenes_tsu._axis,
    "med": lambda: scenes_med._third(("A01",)),
}


def answer(field: pg.Field, chance: random.Random) -> str:
    """Return an answer, mostly a sound one."""
    if chance.random() < 0.1:
        return chance.choice(("", "zzz", "-1", "99999999999", "\u202e", "1,2,3"))
    match field.kind:
        case "choose":
            return chance.choice(field.options).key if field.options else ""
        case "count":
            return str(chance.randint(field.least, field.most))
        case "dice":
            return ",".join(
                str(chance.randint(1, ask.faces)) for ask in field.dice for _n in range(ask.count)
            )
        case "confirm":
            return "yes"
        case "pin" | "number":
            return str(chance.randint(0, 9999)).zfill(4)
        case _:
            return chance.choice(("A01", "B3", "Malta", "X02 X03"))


def walk(desk: MemoryDesk, presses: int, chance: random.Random) -> int:
    """Press anything on both phones; return how much of it was taken."""
    phones, before = Phones(desk), len(desk.entries())
    module = modules().get(phones.state.frozen_setup.game)
    own = module.own if module is not None else None
    screens = [CLOCK, *(one.key for one in own().screens)] if own is not None else [CLOCK]
    for side in phones.sides:
        phones.press(
            side,
            f"own.go.{screens[min(2, len(screens) - 1)] if side != phones.sides[0] else screens[1 % len(screens)]}",
        )
    for _n in range(presses):
        side = chance.choice(phones.sides)
        page = phones.page(side)
        acts = [one for one in act_ids(page) if not one.startswith("own.") or chance.random() < 0.1]
        if page.form is not None:
            assert {*act_ids(page)} == {page.form.act, page.form.back}, (
                "a question is the only thing to press"
            )
        if page.form is not None and chance.random() < 0.8:
            given = {field.key: answer(field, chance) for field in page.form.fields}
            phones.press(side, page.form.act, **given)
        elif chance.random() < 0.1:
            phones.press(side, f"own.go.{chance.choice(screens)}")
        elif acts:
            phones.press(side, chance.choice(acts))
        desk.advance(50)
        if chance.random() < 0.1:
            phones.html(side, chance.choice(tuple(LANGUAGES)))
    fresh = desk.entries()[before:]
    for entry in fresh:
        if entry.source == "phone":
            assert entry.actor in phones.sides, entry.command
            assert not isinstance(entry.command, cm.CorrectTime | cm.JumpTo | cm.Undo | cm.SetArbiterPin)
    return sum(entry.source == "phone" for entry in fresh)


@pytest.mark.parametrize(
    "game", [game if game in ("med", "tsu") else pytest.param(game, marks=pytest.mark.long) for game in DESKS]
)
def test_both_phones_pressed_at_random_do_their_own_sides_acts_alone(game: str) -> None:
    walks = (walk(DESKS[game](), 60, random.Random(f"{game} {n}")) for n in range(9))
    assert any(walks)


@pytest.mark.long
def test_every_scene_of_every_game_is_shown_to_both_sides_and_pressed_at_random() -> None:
    taken_ = 0
    for n, scene in enumerate(SCENES.values()):
        desk = scene.desk()
        if isinstance(desk, MemoryDesk) and desk.change is not None and desk.change.state.setup is not None:
            taken_ += walk(desk, 150, random.Random(n))
    assert taken_ > 500


@pytest.mark.parametrize("game", DESKS)
def test_a_side_that_does_not_act_sends_nothing_of_the_others(game: str) -> None:
    """Whatever the pages of the side that acts offer, sent by the other side's phone changes nothing of its own."""
    desk = DESKS[game]()
    phones = Phones(desk)
    own = modules()[game].own
    assert own is not None
    pages = own()
    owners = phones.state.step.owners
    other = next(side for side in phones.sides if side not in owners)
    found = 0
    for entry in pages.screens:
        acting = replace(
            Sight(phones.seats[owners[0]].viewer, desk.change, desk.rules, desk=desk), draft=None
        )
        for act in entry.make()(acting).acts.values():
            if isinstance(act, pg.Send):
                command = act.at(desk.now_ms())
                found += 1
                mine, theirs = (
                    pages.may(phones.state, owners[0], command),
                    pages.may(phones.state, other, command),
                )
                assert not (mine and theirs), command
    phones.press(other, "no.such.act")
    assert said(phones.page(other)) == "The table has moved on."
    assert found or game in ("med", "tsu")


def test_losses_are_their_owners_to_take_and_the_other_sides_button_is_dead_and_says_so() -> None:
    phones = Phones(DESKS["aana"]())
    found: dict[str, pg.Button | None] = {}
    for side in phones.sides:
        phones.press(side, "own.go.aana_combat")
        found[side] = phones.page(side).main
    axis, allies = found["axis"], found["allies"]
    assert axis is not None
    assert allies is not None
    assert (allies.act, allies.why_not) == ("take", None)
    assert axis.act is None
    assert axis.why_not == Say("It is not your act.")


@pytest.mark.parametrize("game", list(DESKS))
def test_what_ends_the_act_is_dead_on_every_page_of_a_side_that_does_not_act(game: str) -> None:
    phones = Phones(DESKS[game]())
    module = modules()[phones.state.frozen_setup.game]
    assert module.own is not None
    for side in phones.sides:
        for screen in module.own().screens:
            phones.press(side, f"own.go.{screen.key}")
            page, shown = phones.page(side), phones.seats[side]._shown
            for button in (page.main, page.second):
                is_end = button is not None and isinstance(shown.act(button.act or ""), pg.EndAct)
                assert not is_end or side in phones.state.step.owners, (side, screen.key)


@pytest.mark.parametrize("game", list(DESKS))
def test_no_page_of_a_phone_has_a_way_back_to_a_table_that_is_not_there(game: str) -> None:
    """The ways to a seat's pages stand above each of them; the table is a page of its own, and the clock another."""
    phones = Phones(DESKS[game]())
    module = modules()[phones.state.frozen_setup.game]
    assert module.own is not None
    for side in phones.sides:
        for screen in module.own().screens:
            phones.press(side, f"own.go.{screen.key}")
            page = phones.page(side)
            for button in (page.main, page.second):
                assert button is None or button.title != Say("Back to the table")


def test_a_page_that_is_only_looked_at_says_on_which_tab_it_is_and_heads_nothing_that_is_gone() -> None:
    phones = Phones(DESKS["sfw1"]())
    (other,) = (side for side in phones.sides if side not in phones.state.step.owners)
    phones.press(other, "own.go.resupply")
    assert ">Great Britain<" in phones.html(other)
    phones = Phones(DESKS["med"]())
    phones.press("p1", "own.go.med")
    assert "David plays" in phones.html("p1")
    assert "Card number" not in phones.html("p1")


def test_a_press_of_an_older_page_another_question_or_another_step_does_nothing() -> None:
    phones = Phones(DESKS["med"]())
    side = phones.state.step.owners[0]
    phones.press(side, "own.go.med")
    page = phones.page(side)
    discard = next(one for one in act_ids(page) if one == "one")
    old = phones.seats[side].stamp
    phones.press(side, "own.go.hand")
    phones.page(side)
    phones.seats[side].press(discard, {}, phones.desk.now_ms(), old)
    phones.press(side, "own.go.med")
    phones.page(side)
    seq = phones.desk.change.seq  # type: ignore[union-attr]
    phones.seats[side].press(discard, {}, phones.desk.now_ms(), "0" * 12)
    assert phones.desk.change.seq == seq  # type: ignore[union-attr]
    assert said(phones.page(side)) == "The table has moved on."
    phones.press(side, discard)
    assert phones.desk.change.seq > seq  # type: ignore[union-attr]


def test_two_phones_hold_their_own_drafts_and_a_hand_stays_its_owners() -> None:
    phones = Phones(DESKS["med"]())
    side = phones.state.step.owners[0]
    other = next(one for one in phones.sides if one != side)
    for one, cards in ((side, "X02 X03 X77"), (other, "A02 A20")):
        phones.press(one, "own.go.hand")
        phones.press(one, "add")
        phones.press(one, "answer", cards=cards)
    assert "X77" in phones.html(side)
    assert "X77" not in phones.html(other)
    phones.press(side, "add")
    phones.press(side, "answer", cards="B99")
    assert said(phones.page(side)) == "{text} is no card number"
    assert phones.page(side).form is not None
    phones.press(side, "own.close")
    phones.press(side, "card.0")
    phones.press(side, "lay")
    assert phones.seats[side]._screen == "med"
    phones.press(side, "lay")
    entry = next(one for one in phones.desk.entries()[::-1] if isinstance(one.command, med.PlayHand))
    assert (entry.source, entry.actor, entry.command.cards) == ("phone", side, ("X02",))
    phones.press(side, "own.go.hand")
    assert "X02" not in phones.html(side), "it lies on the table"
    phones.desk.send(cm.Undo(at_ms=phones.desk.now_ms()))
    for _n in range(3):
        phones.desk.send(cm.Undo(at_ms=phones.desk.now_ms(), confirmed=True))
    assert "X02" in phones.html(side), "an undo gives it back"


@pytest.mark.parametrize("is_other_box", [True, False], ids=["of another box", "of another version"])
def test_notes_that_cannot_be_read_here_are_told_on_the_phone_whose_they_are(
    tmp_path: Path, is_other_box: bool
) -> None:
    desk = DESKS["med"]()
    desk.path = tmp_path / "evening.tcgame"
    desk.path.touch()
    assert desk.change is not None
    theirs = tmp_path / ("other" if is_other_box else "keys")
    DeviceKeyFile(theirs).ensure()
    game_id = desk.change.state.frozen_setup.game_id
    Hands(theirs).write(desk.path, game_id, {"p1.hand": "{}" if is_other_box else '{"cards": 7}'})
    notes = GameNotes(desk, tmp_path / "keys")
    for n in range(2):
        seat = OwnSeat("p1", lambda _command, _actor: None, lambda _run, _then: None, notes=notes)
        page = seat.page(sight_of(desk, seat.viewer), 0)
        if n == 0:
            assert "cannot be read on this box" in said(page)
            for act, cards in (("own.go.hand", ""), ("add", ""), ("answer", "A02")):
                seat.page(sight_of(desk, seat.viewer), 0)
                seat.press(act, {"cards": cards}, 0, seat.stamp)
        else:
            assert said(page) == ""
    assert "A02" in notes.read("p1.hand")


def test_a_pile_is_opened_by_its_owners_phone_alone() -> None:
    phones = Phones(scenes_med.evening().desk)
    for side in phones.sides[:2]:
        phones.press(side, "own.go.med_piles")
        acts = {one for one in act_ids(phones.page(side)) if one.startswith("open.")}
        assert acts == {f"open.{side}"}
        phones.press(side, f"open.{side}")
    assert "Pile of" in phones.html(phones.sides[0])
    phones.desk.send(cm.Pause(at_ms=phones.desk.now_ms()))
    assert "Pile of" not in phones.html(phones.sides[0]), "whatever happens at the table covers it"


def test_answers_are_held_against_their_fields() -> None:
    options = (pg.Item("a", Say("Yes")), pg.Item("b", Say("No"), why_not=Say("Off")))
    fields = (
        pg.Field("choose", Say("Yes"), "choose", options=options),
        pg.Field("count", Say("Yes"), "count", least=1, most=4),
        pg.Field("pin", Say("Yes"), "pin", least=4),
        pg.Field("number", Say("Yes"), "number", has_fraction=True),
        pg.Field("text", Say("Yes"), "text", most=5),
        pg.Field("dice", Say("Yes"), "dice", dice=(pg.DiceAsk(6, 2), pg.DiceAsk(12, 1))),
        pg.Field("sure", Say("Yes"), "confirm"),
    )
    form = pg.Form("form", Say("Yes"), fields)
    good = {
        "choose": "a", "count": "4", "pin": "1234", "number": "2.5", "text": "Malta", "dice": "6,1,12", "sure": "yes",
    }  # fmt: skip
    assert taken(form, {**good, "more": "x"}) == good
    bad = {
        "choose": ("", "b", "c"),
        "count": ("", "0", "5", "x", "1.5", "-1", "\u0661"[:0]),
        "pin": ("", "123", "12a4", "123456789"),
        "number": ("", "x", "1,2,3", "-1", "1" * 20),
        "text": ("", "Malta1", "a\x00b"),
        "dice": ("", "6,1", "7,1,1", "0,1,1", "6,1,13", "6,1,12,1", "a,b,c"),
        "sure": ("", "no"),
    }
    for key, answers in bad.items():
        for one in answers:
            assert isinstance(taken(form, {**good, key: one}), pg.Refuse), (key, one)


def with_arbiter(desk: MemoryDesk | None = None) -> Phones:
    if desk is None:
        desk = MemoryDesk(replace(sample_setup(tournament=True), arbiter_hash="named"))
        desk.end_acts(3)
    phones = Phones(desk)
    told: list[pg.OnBox] = []
    phones.seats["arbiter"] = OwnSeat(
        "arbiter",
        lambda command, actor: desk.send(command, actor=actor, source="phone"),
        lambda run, then: then(run()),
        lambda act: told.append(act) or Say("Done"),
    )
    phones.told = told
    return phones


def test_the_arbiters_phone_opens_with_his_pin_for_five_minutes_and_asks_before_every_act() -> None:
    phones = with_arbiter()
    desk = phones.desk
    assert set(act_ids(phones.page("arbiter"))) <= {"pin", "own.go.arbiter"}
    phones.press("arbiter", "pin")
    phones.press("arbiter", "answer", pin="0000")
    assert said(phones.page("arbiter")) == "Wrong PIN"
    assert "pause" not in set(act_ids(phones.page("arbiter")))
    phones.press("arbiter", "pin")
    phones.press("arbiter", "answer", pin="1234")
    seq = desk.change.seq  # type: ignore[union-attr]
    phones.press("arbiter", "pause")
    assert desk.change.seq == seq, "it asks first"  # type: ignore[union-attr]
    phones.press("arbiter", "answer", sure="yes")
    assert phones.state.clocks.is_paused
    entry = desk.entries()[-1]
    assert (entry.actor, entry.source) == ("arbiter", "phone")
    side = phones.sides[0]
    phones.press("arbiter", "correct")
    phones.press("arbiter", "answer", side=side, way="more", minutes="2", seconds="5", reason="question")
    assert isinstance(desk.entries()[-1].command, cm.CorrectTime)
    assert desk.entries()[-1].command.delta_ms == 125_000
    phones.press("arbiter", "presses")
    assert [act.args for act in phones.told] == [{"is_on": True}]
    phones.press("arbiter", "kick")
    phones.press("arbiter", "answer", one=side)
    assert [(act.what, act.args) for act in phones.told[1:]] == [("phones_kick", {"seat": side})]
    assert "gap" not in set(act_ids(phones.page("arbiter")))
    for charged in (None, side):
        desk.send(cm.Resume(desk.now_ms()))
        last_ms = desk.now_ms() - 50
        desk.send(cm.ResumeGame(at_ms=desk.now_ms(), last_ms=last_ms, gap_ms=61_000, cause="power"))
        phones.press("arbiter", "gap")
        phones.press("arbiter", "answer", one=charged or "-")
        decided = desk.entries()[-1].command
        assert isinstance(decided, cm.DecideGap)
        assert (decided.charged_to, decided.charged_ms) == (charged, 61_000 if charged else 0)
        assert phones.state.gap is None
    phones.press("arbiter", "pause")  # the question stands open too long
    desk.advance(300_001)
    seq = desk.change.seq  # type: ignore[union-attr]
    phones.seats["arbiter"].press("answer", {"sure": "yes"}, desk.now_ms(), phones.seats["arbiter"].stamp)
    assert desk.change.seq == seq  # type: ignore[union-attr]
    assert "pause" not in set(act_ids(phones.page("arbiter")))


def test_the_arbiters_phone_settles_a_ruling() -> None:
    phones = with_arbiter(DESKS["tsu"]())
    ruling = phones.state.frozen_setup.ruling_infos[-1]
    choice = next(one for one in ruling.choices if one != phones.state.rulings.get(ruling.id, ruling.default))
    phones.press("arbiter", "ruling")
    phones.press("arbiter", "answer", one=ruling.id)
    phones.press("arbiter", "answer", one=choice)
    assert phones.state.rulings[ruling.id] == choice
    entry = phones.desk.entries()[-1]
    assert (entry.actor, entry.source) == ("arbiter", "phone")


def test_a_photos_dice_are_corrected_by_taps_and_taken_where_they_were_asked_for() -> None:
    phones = Phones(DESKS["sfw96"]())
    side = next(one for one in phones.sides if one in phones.state.step.owners)
    phones.press(side, "own.go.battle")
    phones.press(side, "read")
    seat = phones.seats[side]
    roll = seat.roll
    assert roll is not None
    (colour, count), *_rest = roll.asked
    seen = tuple(
        SeenDie(None if n == 0 else 12, colour, 0.99, 0.5, 0.5, 0.1, kind="d12") for n in range(count)
    )
    seat.put_roll(read_photo(roll, Photo(1, 1, b"...", "f" * 64, seen)))
    page = phones.page(side)
    assert page.main is not None
    assert page.main.why_not is not None, "a die without a value cannot be taken"
    phones.press(side, "die.0")
    phones.press(side, "answer", one="13")
    assert said(phones.page(side)) == "The table has moved on."
    phones.press(side, "answer", one="7")
    phones.press(side, "take")
    entry = phones.desk.entries()[-1]
    assert isinstance(entry.command, bc.RecordRoll)
    assert (entry.actor, entry.source) == (side, "phone")
    assert sorted(die.value for die in entry.command.roll.dice) == sorted([7] + [12] * (count - 1))
    origin = entry.command.roll.origin
    assert (origin.source.value, origin.photo_sha256, origin.corrected) == ("camera", "f" * 64, 1)
    assert seat.roll is None
    seat.put_roll(roll)
    assert seat.roll is None, "a photo that comes late is for no roll"


# In real browsers


def tap(tab: Tab, words: str) -> None:
    """Press the first button that has some words, and wait for what comes of it."""
    was = tab.eval("document.getElementById('page').innerHTML")
    all_ = "[...document.querySelectorAll('#page button:not([disabled])')]"
    told = json.dumps(words)
    button = (
        f"({all_}.find(b => b.innerText.trim() === {told}) || {all_}.find(b => b.innerText.includes({told})))"
    )
    tab.wait(f"!!{button}")
    tab.eval(f"{button}.click()")
    tab.wait(f"document.getElementById('page').innerHTML !== {json.dumps(was)}")


def fill(tab: Tab, *values: str) -> None:
    """Type into the fields of the open question."""
    fields = "document.querySelectorAll('.question input:not([type=hidden]):not([type=submit])')"
    for n, value in enumerate(values):
        tab.wait(f"{fields}.length > {n}")
        tab.eval(f"{fields}[{n}].value = {json.dumps(value)}")


def choose(tab: Tab, key: str) -> None:
    """Answer the open question by a tap on one of its tiles."""
    tab.press(f'.question button[value="{key}"]')


@pytest.mark.long
@needs_chromium
def test_a_fleet_is_its_owners_phones_alone_from_its_sealing_to_its_proof(
    table: Any, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    table.start(players=2)
    table.turn_on()
    with Browser() as one, Browser() as two:
        axis, allies = sit(one, table, "axis"), sit(two, table, "allies")
        tap(axis, "Sealed")
        tap(allies, "Sealed")
        assert "Germany" not in allies.eval(
            "[...document.querySelectorAll('.rows button')].map(b => b.innerText).join()"
        )
        tap(axis, "Seal a Hidden Fleet")
        tap(axis, "By name")
        fill(axis, "Zebra Harbour 918273")
        tap(axis, "Done")
        outputs = "[...document.querySelectorAll('.counter output')].map(o => o.innerText).join('')"
        for ship, shown in ((2, "001000"), (3, "001100"), (3, "001200")):
            axis.eval(f"document.querySelectorAll('.counter')[{ship}].lastElementChild.click()")
            axis.wait(f"{outputs} === '{shown}'")
        tap(axis, "Seal")
        fill(axis, "7391", "7391")
        tap(axis, "Done")
        axis.wait(
            "document.body.innerText.includes('Recovery') || document.body.innerText.includes('recovery')"
        )
        until(lambda: any(e.source == "phone" for e in table.desk.entries()))
        tap(axis, "Done")
        tap(axis, "Hidden Fleet, ")
        choose(axis, "look.axis")
        fill(axis, "0000")
        tap(axis, "Done")
        axis.wait("document.body.innerText.toLowerCase().includes('wrong pin')")
        assert "Zebra" not in axis.text()
        tap(axis, "Hidden Fleet, ")
        choose(axis, "look.axis")
        fill(axis, "7391")
        tap(axis, "Done")
        axis.wait("!!document.querySelector('.question .hold')")
        assert "Zebra" not in axis.text(), "it is read while a finger holds, no longer"
        axis.hold(".question .hold")
        axis.wait("document.body.innerText.includes('Zebra Harbour 918273')")
        axis.lift()
        axis.wait("!document.body.innerText.includes('Zebra')")
        (pid,) = table.gateways()
        memory = gateway_memory(pid)
        assert b"918273" not in memory
        assert b"Zebra" not in memory
        assert "918273" not in allies.eval("document.documentElement.outerHTML")
        assert "918273" not in str([msgspec.to_builtins(one) for one in table.desk.entries()])
        assert "918273" not in str(table.link.state)
        heard = str([event for event in two.events if "918273" in str(event)])
        assert heard == "[]"
        # Its owner alone: the other side's phone has nothing to open it with.
        assert not allies.eval(
            "[...document.querySelectorAll('.rows button')].some(b => b.innerText.includes('Hidden Fleet, '))"
        )
        assert table.desk.entries()[-1].source == "phone"
        assert not [one for one in table.home.rglob("*") if one.is_file() and b"918273" in one.read_bytes()]
        assert "918273" not in "".join((*capfd.readouterr(), caplog.text)), "what gateway and program log"
        # Revealed, it stands on every phone, with the proof that it is what was sealed.
        tap(axis, "Hide again")
        (secret,) = table.desk.change.state.game["seals"].secrets
        table.desk.send(OweReveal(secret, "detected"))
        axis.wait("!!document.querySelector('.s-danger')")
        tap(axis, "Hidden Fleet, ")
        choose(axis, "reveal.axis")
        fill(axis, "7391")
        tap(axis, "Done")
        until(lambda: "Zebra Harbour 918273" in str([msgspec.to_builtins(e) for e in table.desk.entries()]))
        allies.wait("document.body.innerText.includes('Zebra Harbour 918273')")
        allies.wait("document.body.innerText.includes('Proof: unchanged since it was sealed')")


PHOTOS = Path(__file__).parents[1] / "ui" / "photos"


def post_photo(tab: Tab, path: Path, act: str) -> None:
    """Have the page send a photo as if its camera had taken it."""
    tab.eval(
        f"window.shot = Uint8Array.from(atob('{base64.b64encode(path.read_bytes()).decode()}'), c => c.charCodeAt(0))"
    )
    tab.eval(f"tablePhoto(new Blob([window.shot], {{type: 'image/jpeg'}}), '{act}')")


@pytest.mark.long
@needs_chromium
def test_photos_from_a_phone_are_read_or_kept_sealed_bounded_and_without_a_trace(table: Any) -> None:
    table.start(players=2)
    eye = VisionEye(table.home / "photos", lambda call: call())
    table.link.eye = eye
    table.turn_on()
    notices: list[Any] = []
    table.link._notify = notices.append
    side = table.desk.change.state.frozen_setup.sides[0].id
    with Browser() as browser:
        tab = sit(browser, table, side)
        post_photo(tab, PHOTOS / "two_d6.jpg", "photo.note")
        tab.wait("document.body.innerText.includes('kept with the evening')", 30)
        ((seq, (kept,)),) = pictures_of(table.desk.path).items()
        assert seq == table.desk.change.seq
        assert kept.startswith(b"\xff\xd8\xff")
        assert len(kept) < 400_000
        (pid,) = table.gateways()
        assert (PHOTOS / "two_d6.jpg").read_bytes()[2000:2064] not in gateway_memory(pid)
        tab.eval("tablePhoto(new Blob(['this is no picture']), 'photo.note')")
        tab.wait("document.body.innerText.includes('cannot be read')", 30)
        taken: list[Any] = []

        serving = table.link._serving

        def ask() -> None:
            record = {"record": lambda values, origin: taken.append((values, origin)) or {}}
            serving._own_seat(side)._go(pg.Go("dice", args={"kind": "d6", "asked": (("", 2),), **record}), 0)
            serving._is_dirty = True

        serving.later(ask)
        tab.wait("!!document.querySelector('button[value=\"photo.dice\"]')")
        post_photo(tab, PHOTOS / "two_d6.jpg", "photo.dice")
        tab.wait("document.querySelectorAll('.die').length === 2", 60)
        tap(tab, "Take these dice")
        until(lambda: taken)
        values, origin = taken[-1]  # made with every page
        assert len(values) == 2
        assert len(origin.photo_sha256) == 64
        until(lambda: table.link.state.roll is not None)
        assert "Dice by phone" in notices[-1].text.template
        assert (notices[-1].screen, notices[-1].draft) == ("phones", PhonesDraft("dice"))
        seen = table.link.state.roll
        assert seen.seat == side
        assert len(seen.photo.rgb) == 3 * seen.photo.width_px * seen.photo.height_px
        assert list(table.home.glob("photo-*")) == []
        huge = "tablePhoto(new Blob([new Uint8Array(6100000)]), 'photo.note')"
        tab.eval(huge)
        tab.wait("document.getElementById('told').textContent.includes('too much')")
        status = "fetch('/photo', {method: 'POST', credentials: 'same-origin', body: new Uint8Array(%d)}).then(r => r.status)"
        assert tab.eval(status % (5 << 20)) == 403
        assert tab.eval(status % (7 << 20)) == 413
        assert len(pictures_of(table.desk.path)[seq]) == 1


def test_what_is_laid_face_down_from_a_phone_is_on_that_phone_alone_until_the_reveal() -> None:
    evening = Evening()
    for n, player in enumerate(evening.state.step.owners * 4):
        assert player
        evening.lay(f"{'AX'[n % 2]}{n + 1:02}")
    while evening.state.step.act != "play_hidden":
        evening.next()
    phones = Phones(evening.desk)
    (side,) = evening.state.step.owners
    letter = "A" if phones.desk.change.state.game["med"].engagement.plays[0].player == side else "X"  # type: ignore[union-attr]
    card = f"{letter}13"
    for other in phones.sides:
        phones.press(other, "own.go.med")
    for key in card:
        phones.press(side, f"key.{key}")
    phones.press(side, "lay")
    laid = [entry for entry in phones.desk.entries()[-2:] if isinstance(entry.command, med.PlayHand)]
    assert [entry.source for entry in laid] == ["phone"], said(phones.page(side))
    assert card in phones.html(side)
    for other in phones.sides:
        if other != side:
            assert card not in phones.html(other)
            assert f"Ship {letter}13" not in phones.html(other)
    shown = [entry_label(entry, phones.state) for entry in phones.desk.entries()[-3:]]
    assert card not in str(shown)
    assert card not in str(phones.desk.entries()[-3:])
