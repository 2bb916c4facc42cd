"""The Battle screen's models, driven by taps: composing, rolling, choosing, odds and luck."""

from __future__ import annotations

import random

import pytest

from companion.core.commands import Command, EnterPrintedValue, JumpTo, Undo
from companion.core.dice import DiceSource
from companion.core.ids import ARBITER
from companion.core.state import GameState
from companion.games.sfw.pages.battle import battle_page
from companion.games.sfw.pages.battle_compose import composed
from companion.games.sfw.pages.battle_course import BattleView, battle_view
from companion.games.sfw.pages.battle_draft import BattleDraft
from companion.games.sfw.pages.battle_group import circumstances, group_choices
from companion.games.sfw.pages.battle_luck import luck_rows
from companion.games.sfw.pages.battle_odds import battle_odds, odds_now
from companion.games.sfw.pages.battle_roll import roll_command, virtual_values
from companion.games.sfw.pages.units import UnitsDraft, units_page
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.sfw.rules.game_rules import sfw96_rules
from companion.games.sfw.rules.new_game import SfwFamily
from companion.games.sfw.rules.support import unit_table_of
from companion.pages.labels import after_say, done_say, end_command, entry_label
from companion.pages.modules import game_view, modules
from companion.pages.page import Act, ActId, Ask, Banner, Go, Send
from companion.pages.speak import speak
from companion.pages.take_back import undo_label
from companion.session.scenario_loader import load_game, make_setup
from companion.testing.memory_desk import MemoryDesk
from companion.testing.reading import Reading, read

_FAMILY = SfwFamily()
_LOADED = load_game(_FAMILY)


class Taps:
    """A thumb at the Battle screen: every tap is counted."""

    def __init__(self, step: str = "s3.t4.allies.resolve") -> None:
        game_view("sfw96")  # its words
        setup = make_setup(_FAMILY, _LOADED, "apr43", {})
        self.desk = MemoryDesk(setup, sfw96_rules())
        self.count = 0
        self.send(JumpTo(self.state.step.id, step, self.desk.now_ms()), as_arbiter=True)  # type: ignore[arg-type]
        self.send(EnterPrintedValue("tank.number", 8))

    @property
    def state(self) -> GameState:
        change = self.desk.change
        assert change is not None
        return change.state

    def send(self, command: Command, *, as_arbiter: bool = False) -> None:
        self.desk.advance(1)
        if as_arbiter:
            self.desk.send(command, actor=ARBITER)
        else:
            self.desk.send(command)
        change = self.desk.change
        assert change is not None
        assert change.rejected is None, change.rejected

    def tap(self, command: Command | None = None) -> None:
        """One tap: a command, or a change of what is shown."""
        self.count += 1
        if command is not None:
            self.send(command)

    def add(self, side: str, nation: str, unit: str, distance: int = 0) -> None:
        tab = "support" if distance else unit_table_of(self.state).units[unit].type
        act = self.page(tab=tab).shown.acts[ActId(f"{side}.{nation}.{unit}.{distance}")]
        assert isinstance(act, Send)
        self.tap(act.at(0))

    def page(self, page: str = "", tab: str = "") -> Reading:
        assert self.desk.change is not None
        return read(battle_page, self.desk.change, draft=BattleDraft("A", page, tab=tab))

    @property
    def view(self) -> BattleView:
        return battle_view(self.state, battles_of(self.state).battles[0])


def enter_taranto(taps: Taps) -> None:
    taps.tap()  # Declare
    taps.tap(bc.DeclareBattle("Taranto", "land"))  # the space in the list
    for nation, unit in (
        ("us", "tank"),
        ("us", "tank"),
        ("gb", "tank"),
        ("gb", "land_transport"),
        ("gb", "infantry"),
        ("gb", "anti_air"),
    ):
        taps.add(ATTACKING, nation, unit)
    taps.tap()  # Support
    for unit in ("artillery", "battleship"):
        taps.add(ATTACKING, "gb", unit, 1)
    taps.tap()  # the other side
    for nation, unit in (
        ("germany", "infantry"),
        ("germany", "infantry"),
        ("germany", "infantry"),
        ("germany", "tank"),
        ("italy", "tank"),
        ("italy", "light_bomber"),
        ("italy", "anti_air"),
    ):
        taps.add(DEFENDING, nation, unit)
    begin = taps.page().main_act
    assert isinstance(begin, Send), taps.page().main
    taps.tap(begin.at(0))


def test_taranto_is_entered_in_twenty_taps() -> None:
    taps = Taps()
    enter_taranto(taps)
    assert taps.count <= 20
    view, page = taps.view, taps.page()
    assert view.phase == "roll"
    assert page.say(view.step) == "1.\xa0Anti-air"
    assert [(page.say(line.units), line.colour, line.number, line.dice) for line in view.lines] == [
        ("1 Anti-Air", "white", 9, 1)
    ]
    read_dice = page.shown.act("read")
    assert isinstance(read_dice, Go)
    assert read_dice.args["asked"] == (("white", 1),)
    silent = [item for item in page.items if item.key.startswith("silent")]
    assert {(page.say(item.title), page.say(item.sub)) for item in silent} == {
        ("1 Anti-Air", "No enemy that it may hit is in the battle and in range")
    }
    (banner,) = (block for block in page.page.blocks if isinstance(block, Banner))
    assert page.say(banner.sub) == "Against Air"


def play_out(taps: Taps, seed: int) -> None:
    for turn in range(200):
        view = taps.view
        if view.phase == "roll":
            line = next(line for line in view.lines if line.dice)
            values, origin = virtual_values(line, seed + turn)
            assert origin.source is DiceSource.VIRTUAL
            taps.send(roll_command("A", line, values, origin))
        elif view.phase == "losses":
            taps.send(view.losses[0].command("A", {}))
        elif view.phase == "combine":
            taps.send(view.combine[0][1])
        else:
            assert view.phase == "over"
            return
    raise AssertionError("the battle does not end")


@pytest.mark.parametrize(
    ("attackers", "defenders", "value", "lead"),
    [
        (1, 1, 1, "Contested: Taranto stays with the Axis"),  # nobody hits
        (1, 2, 12, "Taranto: Axis"),  # all hit: the attacker falls
        (2, 1, 12, None),  # who takes it is asked instead
    ],
)
def test_a_battle_that_changes_no_hands_says_who_holds_the_place(
    attackers: int, defenders: int, value: int, lead: str | None
) -> None:
    taps = Taps("s3.t4.allies.declare")
    taps.tap(bc.DeclareBattle("Taranto", "land"))
    for side, nation, count in ((ATTACKING, "us", attackers), (DEFENDING, "italy", defenders)):
        for _n in range(count):
            taps.add(side, nation, "infantry")
    taps.tap(bc.BeginBattle("A"))
    while taps.view.phase != "over":
        view = taps.view
        if view.phase == "roll":
            line = next(line for line in view.lines if line.dice)
            taps.send(roll_command("A", line, (value,) * line.dice))
        elif view.phase == "losses":
            taps.send(view.losses[0].command("A", {}))
        else:
            taps.send(bc.StandFast("A"))
    page = taps.page()
    assert (None if page.page.lead is None else page.say(page.page.lead)) == lead


def test_without_a_battle_one_press_passes_both_acts_and_one_undo_takes_them_back() -> None:
    taps = Taps("s3.t4.allies.declare")
    assert speak(done_say(taps.state), taps.state) == "No battles: next step"
    taps.desk.send(end_command(taps.state, taps.desk.now_ms()))
    assert taps.state.step.id == "s3.t4.axis.move"
    change = taps.desk.change
    assert change is not None
    assert undo_label(change, taps.desk.entries()) == "Step 4, Allies: Declare battles, nothing left to fight"
    taps.desk.send(Undo(taps.desk.now_ms()))
    assert taps.state.step.id == "s3.t4.allies.declare"
    taps.send(bc.DeclareBattle("Taranto", "land"))
    assert speak(done_say(taps.state), taps.state) == "Battles declared"
    taps.desk.send(end_command(taps.state, taps.desk.now_ms()))
    assert taps.state.step.id == "s3.t4.allies.resolve"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_virtual_dice_play_the_battle_to_its_end(seed: int) -> None:
    taps = Taps()
    enter_taranto(taps)
    declared = battles_of(taps.state).battles[0]
    before = battle_odds(taps.state, declared)
    assert before is not None
    assert before.odds.method == "exact"
    assert all(shown.actual is None for shown in before.losses.values())
    now = odds_now(taps.state, declared)
    assert now is not None
    assert (now.odds.p_capture, now.odds.p_hold) == (before.odds.p_capture, before.odds.p_hold)
    play_out(taps, seed)
    after = battle_odds(taps.state, battles_of(taps.state).battles[0])
    assert after is not None
    for side in (ATTACKING, DEFENDING):
        shown = after.losses[side]
        assert sum(one.share for one in shown.bins) == pytest.approx(1, abs=1e-9)
        assert shown.actual is not None
        assert shown.actual_text == f"lost {shown.bins[shown.actual].text}"
    rows = {row.nation: row for row in luck_rows(taps.state)}
    assert rows["us"].dice > 0
    assert sum(row.lost for row in rows.values()) == sum(
        int(shown.bins[shown.actual].text) for shown in after.losses.values() if shown.actual is not None
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_battle_that_is_over_tells_its_chances_as_those_before_it(seed: int) -> None:
    taps = Taps()
    enter_taranto(taps)
    assert "before" not in [block.key for block in taps.page("odds").page.blocks]
    play_out(taps, seed)
    first = [block.key for block in taps.page().page.blocks]
    assert ("capture" in first) != ("odds" in first), "what the table has to confirm comes before the odds"
    for look in ("odds", *(("",) if "odds" in first else ())):
        page = taps.page(look)
        assert page.say(page.block("before").title) == "The odds before the first die"
        keys = [block.key for block in page.page.blocks]
        assert keys.index("before") + 1 == keys.index("odds")
        assert ("losses" in keys) == (look == "odds"), "distributions have the room of their own page"
    assert "Odds" in [taps.page().say(tool.title) for tool in taps.page().page.tools]


def test_what_is_missing_is_named_before_the_battle() -> None:
    taps = Taps()
    taps.send(EnterPrintedValue("tank.number", None))
    taps.send(bc.DeclareBattle("Taranto", "land"))
    assert (taps.page().main, taps.page().main_act) == ("Tap the units that fight", None)
    taps.add(ATTACKING, "us", "tank")
    taps.add(DEFENDING, "italy", "infantry")
    page = taps.page()
    assert page.main == "Enter the hit number of the Tank"
    assert isinstance(page.main_act, Ask)
    for look in ("odds", "coach"):  # they say what they lack, and the odds ask for it
        asked = taps.page(look)
        assert asked.say(asked.block(look).empty) == "No odds yet. Enter the hit number of the Tank."
    odds = taps.page("odds")
    assert odds.main == "Enter the hit number of the Tank"
    assert isinstance(odds.main_act, Ask)
    keys = [row.key for row in game_view("sfw96").printed(taps.state)]
    assert {"tank.number", "cruiser.anti_air", "battleship.range", "carrier.range"} <= set(keys)


def test_a_land_battle_offers_no_ships_and_a_support_row_only_units_with_range() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Monte Cassino", "mountain"))

    def units(tab: str) -> set[str]:
        return {item.key.split(".")[2] for item in taps.page(tab=tab).items}

    flying = {"fighter", "light_bomber", "heavy_bomber"}
    assert units("land") == {"infantry", "artillery", "anti_air", "land_transport"} - heavy(taps) | flying
    assert "tank" not in units("land"), "tanks cannot be in the mountains"
    assert "fighter" in units("air")
    assert taps.page(tab="sea").page.tab == "land", "no ships"
    assert units("support") == {"cruiser", "carrier", "battleship", "artillery", "sea_transport"}


def heavy(taps: Taps) -> set[str]:
    return {spec.id for spec in unit_table_of(taps.state).units.values() if spec.has("heavy")}


def test_units_screen_shows_every_status() -> None:
    taps = Taps()

    def shown(tab: str = "land", unit: str = "") -> Reading:
        assert taps.desk.change is not None
        return read(units_page, taps.desk.change, draft=UnitsDraft(tab, unit))

    assert sum(len(shown(tab).items) for tab in ("land", "sea", "air")) == 15
    tank = shown(unit="tank")
    assert (tank.say(tank.item("Hit number").value), tank.sub("Hit number")) == ("8", "from your copy")
    assert tank.lead == "Gray @8 vs Land"
    assert (
        shown(unit="heavy_bomber").lead == "5 x Gray @9 vs Land or Sea (attack); White @11 vs Air (defence)"
    )
    assert "Aircraft Carrier  (figures missing)" in shown("sea").texts
    carrier = shown(unit="carrier")
    icons = carrier.item("Anti-air icons")
    assert (carrier.say(icons.value), carrier.sub("Anti-air icons")) == ("3", "inferred, check your tile")
    targets = carrier.act("Targets")
    assert isinstance(targets, Ask)
    (field,) = targets.form.fields
    both = next(item.key for item in field.options if carrier.say(item.title) == "Land or Sea")
    for act in (targets.answered({"one": both}), carrier.act("Range").answered({"n": "1"})):  # type: ignore[union-attr]
        assert isinstance(act, Send)
        taps.send(act.at(0))
    assert "Aircraft Carrier" in shown("sea").texts


def test_log_words_and_report() -> None:
    taps = Taps()
    enter_taranto(taps)
    play_out(taps, 5)
    entries = taps.desk.entries()
    labels = [entry_label(entry, taps.state) for entry in entries]
    assert "Battle declared: Taranto" in labels
    assert "A: added 1 Tank, United States" in labels
    rolled = [label for label in labels if ": rolled " in label]
    assert rolled
    assert all(label.startswith("Battle A Taranto, ") for label in rolled)
    assert any(label.startswith("Battle A Taranto, United States, Tank") for label in rolled), rolled
    assert {"battles", "luck"} <= {one.key for one in modules()["sfw96"].sections()}


def choices_of(taps: Taps, side: str, unit: str) -> dict[str, Act]:
    declared = battles_of(taps.state).battles[0]
    index = next(n for n, group in enumerate(composed(declared, side)) if group.unit == unit)
    return {speak(text, taps.state): act for text, act in group_choices(taps.state, declared, side, index)}


def send_of(act: Act) -> Command:
    assert isinstance(act, Send)
    return act.at(0)


def test_two_battleships_split_their_dice_one_by_one() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Taranto", "land"))
    taps.send(EnterPrintedValue("battleship.range", 1))
    for _ in range(2):
        taps.send(bc.ChangeUnits("A", ATTACKING, "battleship", "us", 1, 1))
    taps.tap(send_of(choices_of(taps, ATTACKING, "battleship")["Set one apart"]))
    taps.tap(send_of(choices_of(taps, ATTACKING, "battleship")["Only its Black die here"]))
    first, second = battles_of(taps.state).battles[0].battle.attacking
    assert (first.count, first.dice) == (1, ("black",))
    assert (second.count, second.dice) == (1, ())
    assert choices_of(taps, ATTACKING, "battleship")["All its dice here"]


def test_what_can_be_said_of_a_group_fits_its_unit_and_place() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Taranto", "land"))
    taps.send(bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 1))
    taps.send(bc.ChangeUnits("A", ATTACKING, "heavy_bomber", "us"))
    taps.send(bc.ChangeUnits("A", DEFENDING, "light_bomber", "italy"))
    artillery = choices_of(taps, ATTACKING, "artillery")
    assert {"Moved in this step", "Fires from mountains", "Its space is active too (paired marker)"} <= set(
        artillery
    )
    assert "2 spaces away" not in artillery, "its range is 1 outside the mountains"
    assert "Targeted bombing: 0 dice" in choices_of(taps, ATTACKING, "heavy_bomber")
    bomber = choices_of(taps, DEFENDING, "light_bomber")
    assert "Defends against air" in bomber
    assert "Combined fire" not in bomber, "only attackers combine"


def test_a_paired_marker_names_the_space_of_the_unit() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Taranto", "land"))
    taps.send(bc.ChangeUnits("A", ATTACKING, "artillery", "us", 1, 1))
    ask = choices_of(taps, ATTACKING, "artillery")["Its space is active too (paired marker)"]
    assert isinstance(ask, Ask)
    other = ask.answered({"one": "other"})
    assert isinstance(other, Ask)
    taps.send(send_of(other.answered({"name": " Brindisi "})))
    group = battles_of(taps.state).battles[0].battle.attacking[0]
    assert (group.origin, group.home, group.distance) == ("Brindisi", "Brindisi", 1)
    assert "paired with Brindisi" in taps.page("details").sub("United States: 1 Artillery")


def test_contiguous_lines_spread_their_dice() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Naples", "land", "movement"))

    def lines() -> dict[str, Act]:
        found = circumstances(taps.state, battles_of(taps.state).battles[0])
        said = {speak(text, taps.state): act for text, act in found}
        return {text: act for text, act in said.items() if text.startswith("Lines that roll here")}

    assert lines() == {}
    taps.send(bc.SetCircumstances("A", lines=2))
    assert list(lines()) == [
        "Lines that roll here, White against land: 4",
        "Lines that roll here, Gray against land: 2",
        "Lines that roll here, White against air: 2",
    ]
    ask = next(iter(lines().values()))
    assert isinstance(ask, Ask)
    taps.send(send_of(ask.answered({"one": "1"})))
    assert battles_of(taps.state).battles[0].battle.line_dice == (1, 2, 2)
    taps.send(bc.SetCircumstances("A", lines=1))
    assert battles_of(taps.state).battles[0].battle.line_dice == (), "said anew when the number changes"


def fight_on(taps: Taps, until: str) -> BattleView:
    """Roll hits of the defenders and misses of the others until the battle asks for something."""
    for _turn in range(60):
        view = taps.view
        if view.phase in (until, "over"):
            return view
        if view.phase == "losses":
            taps.send(view.losses[0].command("A", {}))
        elif view.phase == "retreat":
            taps.send(bc.StandFast("A"))
        elif view.phase == "pass":
            taps.send(bc.PassStep("A"))
        else:
            line = next(line for line in view.lines if line.dice)
            taps.send(roll_command("A", line, [line.number if line.side == DEFENDING else 1] * line.dice))
    raise AssertionError(f"never came to {until}")


def test_whatever_is_tapped_the_losses_filled_in_always_pay_the_hits() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Taranto", "land"))
    for nation, unit in (
        ("us", "infantry"),
        ("us", "infantry"),
        ("gb", "infantry"),
        ("gb", "tank"),
        ("us", "tank"),
    ):
        taps.add(ATTACKING, nation, unit)
    for unit in ("infantry", "infantry", "tank"):
        taps.add(DEFENDING, "germany", unit)
    begin = taps.page().main_act
    assert isinstance(begin, Send)
    taps.send(begin.at(0))
    (choice, *_more) = fight_on(taps, "losses").losses
    assert len(choice.legal) > 1, "there is something to choose"
    dice, chosen = random.Random(1), dict[str, int]()
    for _tap in range(200):
        kind, by = dice.choice(choice.kinds), dice.choice((1, -1))
        before, (least, most) = choice.chosen(chosen, kind), choice.bounds(kind)
        chosen = choice.changed(chosen, kind, by)
        moved = (choice.chosen(chosen, kind) - before) * by
        assert moved > 0 or before == (most if by > 0 else least), "one tap is one more"
        assert tuple(chosen[f"{choice.side}.{n}"] for n in range(len(choice.counts))) in choice.legal
    taps.send(choice.command("A", chosen))


def test_losses_that_nobody_could_choose_are_said_and_logged() -> None:
    taps = Taps()
    taps.send(bc.DeclareBattle("Taranto", "land"))
    for _n in range(3):
        taps.add(ATTACKING, "us", "infantry")
    taps.add(DEFENDING, "italy", "infantry")
    taps.add(DEFENDING, "italy", "tank")
    begin = taps.page().main_act
    assert isinstance(begin, Send)
    taps.send(begin.at(0))
    lines = taps.view.lines
    for line in lines:
        hits = line.side == ATTACKING
        taps.send(roll_command("A", line, [line.number if hits and n == 0 else 1 for n in range(line.dice)]))
    entries = taps.desk.entries()
    after = [said for entry in entries if (said := after_say(entry, taps.state)) is not None]
    assert [speak(said, taps.state) for said in after] == ["Axis: lost 1 Infantry"]
