"""Main flows in a real window with real X events: settings, a battle, control, and each further game's first fight."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.rules.battle_state import battles_of
from companion.ui.render.blocks import PadBlock
from companion.ui.render.items import ItemTile
from companion.ui.widgets import DicePad, Plate, Stepper, Tap
from tests.e2e.window import MOST_DIFFERENT_PX, NEEDS_DISPLAY, Display, Pair
from tests.ui.test_aana import values, volleys
from tests.ui.test_med import _field, _keys

pytestmark = NEEDS_DISPLAY

PHOTO = Path(__file__).parents[1] / "vision" / "photos" / "own_01.jpg"
"""An own render of two white d12: 11 and 4."""

KNOWN = {"language": "en", "tour_done": True}
"""Settings of a box that was started before."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[dict[str, Any]], Pair]]:
    """Start the program in a window; it and its display are ended with the test."""
    display = Display()
    pairs: list[Pair] = []

    def start(settings: dict[str, Any]) -> Pair:
        pairs.append(Pair(display, tmp_path, settings))
        pairs[-1].until_same("the first screen")
        return pairs[-1]

    yield start
    for pair in pairs:
        pair.stop()
    display.close()


def test_settings_hold_at_once_and_after_a_restart(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    pair.tap(icon="settings")
    pair.tap("Day")
    pair.tap("Large")
    pair.tap("Deutsch")
    assert pair.laid.has("Einstellungen")
    pair.laid.tap(pair.laid.find(text="Nacht"))
    alone = pair.different_px(pair.laid.pixels())
    assert alone > MOST_DIFFERENT_PX, "a press that the window did not get is seen"
    pair.laid.tap(pair.laid.find(text="Tag"))
    pair.until_same("the twin's press taken back")
    pair.tap("Uhr")
    pair.tap(pair.laid.find(text="An", nth=2))
    wanted = {"theme": "day", "text_step": 1, "language": "de", "swap_seats": True}
    assert pair.settings().items() >= wanted.items()
    pair.stop()
    pair.start()
    pair.until_same("the first screen after the restart")
    bright = pair.display.picture().mean()
    assert bright > 128, "the day look is bright"
    assert pair.settings().items() >= wanted.items()


def new_game(pair: Pair, game: str, scenario: str) -> None:
    """Choose a game and its scenario from Home, and open its options."""
    pair.tap("New game")
    if game:
        pair.pick(game, icons=("forward",))
    pair.tap(scenario)
    pair.tap(pair.laid.root.screen.second_text)


def screen(pair: Pair, key: str) -> None:
    """Open a screen by the rail, or one that is not on it under More."""
    on_rail = [w for w in pair.laid.walk() if isinstance(w, Tap) and getattr(w, "icon", "") == key]
    if on_rail:
        pair.tap(on_rail[0])
    else:
        pair.tap(icon="more")
        pair.tap(next(w for w in pair.laid.walk() if isinstance(w, ItemTile) and w.item.key == key))
    assert pair.laid.root.screen.key == key


def stored(pair: Pair, *wanted: str) -> list[tuple[str, dict[str, Any]]]:
    """End the program, and return its game's commands of the wanted names, in order."""
    pair.stop()
    return [(name, args) for name, args in pair.played() if name in wanted]


def step(pair: Pair) -> str:
    assert pair.desk.change is not None
    return str(pair.desk.change.state.step.id)


def play_to(pair: Pair, wanted: str) -> None:
    """End acts by the main button until a step."""
    for _n in range(60):
        if step(pair) == wanted:
            return
        pair.main()
    raise AssertionError(f"never came to {wanted}, stands at {step(pair)}")


def plus(pair: Pair, text: str, times: int = 1) -> None:
    """Press the plus of the counter in the row of a text, turning pages until it is there."""
    for _page in range(30):
        if any(getattr(w, "text", "") == text for w in pair.laid.walk()):
            break
        plates = (w for w in pair.laid.walk() if isinstance(w, Plate) and not w.text)
        pair.tap(next(w for w in plates if w.icon in ("down", "forward") and w.is_enabled))
    for _n in range(times):
        row = pair.laid.find(text=text)
        if isinstance(row, ItemTile):
            pair.tap(row)
            continue
        while not any(isinstance(child, Stepper) for child in row.walk(restrict=True)):
            row = row.parent
        pair.tap(max((w for w in row.walk(restrict=True) if isinstance(w, Plate)), key=lambda w: w.x))


def face(pair: Pair, value: int, kind: type = DicePad) -> None:
    """Press a face of the dice pad."""
    pad = pair.laid.find(cls=kind)
    pair.tap(next(w for w in pad.walk(restrict=True) if getattr(w, "text", "") == str(value)))


def tile(pair: Pair, nation: str, unit: str, times: int = 1) -> None:
    """Press a unit's tile in the row of a nation."""
    for _n in range(times):
        tiles = [
            w for w in pair.laid.walk() if isinstance(w, ItemTile) and f".{nation}.{unit}." in w.item.key
        ]
        pair.tap(tiles[0])


def choose_losses(pair: Pair, name: str) -> None:
    """Tap the unit that is lost instead of the cheapest, then take the losses."""
    (one,) = [w for w in pair.laid.walk() if isinstance(w, ItemTile) and w.text == name]
    pair.tap(one)
    pair.tap("Take the losses")


def read_a_photo(pair: Pair, *values: int) -> None:
    """Read the dice from the photo in the box's folder; correct what was read, and accept it."""
    pair.tap("Photo")
    pair.tap("roll.jpg")
    dice = pair.laid.root.screen
    while dice.chosen >= 0:  # a doubtful die is asked for
        face(pair, values[dice.chosen])
    for index, value in enumerate(values):
        read = dice.draft.dice[index].value
        if read != value:
            same = [die.value for die in dice.draft.dice[:index]].count(read)
            pair.tap(pair.laid.find(text=str(read), nth=same))
            assert dice.chosen == index
            face(pair, value)
    assert [die.value for die in dice.draft.dice] == list(values)
    pair.tap("Accept")
    assert pair.laid.root.screen.key == "battle"


def test_a_battle_of_song_for_war_with_photographed_dice(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    photos = pair.home / "photos"
    photos.mkdir(exist_ok=True)
    shutil.copy(PHOTO, photos / "roll.jpg")
    new_game(pair, "", "April 1943")
    pair.tap("Start the game")
    play_to(pair, "s3.t5.allies.declare")
    screen(pair, "battle")
    pair.pick("Taranto")
    tile(pair, "gb", "infantry", 2)
    tile(pair, "germany", "infantry")
    tile(pair, "germany", "anti_air")
    pair.tap(pair.laid.root.screen.main_text)

    def battle() -> Any:
        return battles_of(pair.desk.change.state).battles[0]  # type: ignore[union-attr]

    read_a_photo(pair, 11, 4)
    for _n in range(20):
        if battle().status != "fighting":
            break
        view = battle_view(pair.desk.change.state, battle())  # type: ignore[union-attr]
        if view.phase == "roll":
            line = next(line for line in view.lines if line.dice)
            for _die in range(line.dice):
                pair.tap("1")
        elif view.phase == "losses":
            choose_losses(pair, "Anti-Air")
        elif view.phase == "retreat":
            pair.tap("Stand fast")
        else:
            pair.tap("Continue")
    assert battle().status == "over"
    played = stored(pair, "DeclareBattle", "ChangeUnits", "BeginBattle", "RecordRoll", "ChooseLosses")
    assert [name for name, _args in played] == [
        "DeclareBattle",
        *["ChangeUnits"] * 4,
        "BeginBattle",
        *["RecordRoll"] * 2,
        "ChooseLosses",
    ]
    assert [(args["side"], args["unit"]) for name, args in played if name == "ChangeUnits"] == [
        ("attacking", "infantry"),
        ("attacking", "infantry"),
        ("defending", "infantry"),
        ("defending", "anti_air"),
    ]
    taken = played[-1][1]
    lost = [(loss["kind"], loss["count"]) for loss in taken["losses"] if loss["count"]]
    assert (taken["side"], lost) == ("defending", [(1, 1)]), "the Anti-Air instead of the proposed Infantry"
    photographed, typed = (args["roll"] for name, args in played if name == "RecordRoll")
    assert [die["value"] for die in photographed["dice"]] == [11, 4]
    assert photographed["origin"]["source"] == "camera"
    assert photographed["origin"]["photo_sha256"]
    assert [die["value"] for die in typed["dice"]] == [1]


@pytest.mark.long
def test_the_first_combat_of_north_africa(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    new_game(pair, "Axis & Allies: North Africa", "Rommel's Last Push")
    pair.pick("Unofficial")
    pair.tap("Start the game")
    play_to(pair, "r1.germany.combat_move.move")
    pair.tap("Board")
    pair.pick("Malta")
    pair.tap("UK")
    plus(pair, "AA gun")
    pair.tap("Everything is entered")
    pair.tap("Table")
    play_to(pair, "r1.germany.combat_move.declare")
    pair.tap("Combat")
    pair.pick("Tobruk")
    assert pair.laid.has("No known units can attack"), "it is out of reach of every unit on the map"
    pair.tap("Attack another space")
    pair.pick("Malta")
    plus(pair, "Bomber, Sicily")
    pair.tap("Declare")
    pair.tap("Attacks declared")
    pair.tap("Combat")
    pair.pick("Malta")

    def miss() -> None:
        for line in volleys(pair.laid):
            for _die in values(line):
                face(pair, 7, PadBlock)
        pair.tap("Dice are correct")

    miss()
    pair.tap("Fight: pay 1 supply")
    miss()
    miss()
    pair.tap("Cease the attack")
    pair.tap("Conclude")
    played = stored(pair, "DeclareAttack", "OpenCombat", "RollFire", "GiveOrders", "Cease", "Conclude")
    assert [name for name, _args in played] == [
        "DeclareAttack",
        "OpenCombat",
        "RollFire",
        "GiveOrders",
        *["RollFire"] * 2,
        "Cease",
        "Conclude",
    ]
    assert played[0][1]["space"] == "malta"
    assert played[0][1]["groups"] == [{"origin": "sicily", "units": {"germany.bomber": 1}}]
    assert played[2][1]["rolls"] == [{"values": [7]}]
    assert played[3][1]["raids"] == 1


@pytest.mark.long
def test_the_first_attack_of_the_soft_underbelly(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    new_game(pair, "The Soft Underbelly", "War in the Mediterranean 1940-1945")
    pair.tap("Start the game")
    play_to(pair, "su1940.axis.supply")
    pair.pick("Declare an attack")
    pair.pick("Malta")
    pair.pick("From inside")

    def force(key: str) -> None:
        while not (there := [w for w in pair.laid.walk() if isinstance(w, ItemTile) and w.item.key == key]):
            forward = (w for w in pair.laid.walk() if isinstance(w, Plate) and w.icon == "forward")
            pair.tap(next(w for w in forward if w.is_enabled))
        pair.tap(there[0])

    for key in (
        "attacker.germany.parachute",
        "attacker.germany.tactical",
        "defender.britain.Malta",
        "attacker.italy.flotilla",
        "germany.supply",
    ):
        force(key)
    pair.tap(pair.laid.root.screen.main_text)
    ((_name, args),) = stored(pair, "DeclareAttack")
    attack = args["attack"]
    assert (args["step"], attack["target"]) == ("su1940.axis.supply", "Malta")
    units = [(one["unit"]["nation"], one["unit"]["kind"]) for one in attack["attackers"]]
    assert units == [("germany", "parachute"), ("germany", "tactical"), ("italy", "flotilla")]
    assert [(unit["nation"], unit["kind"]) for unit in attack["defenders"]] == [("britain", "fort")]
    assert [(unit["nation"], unit["kind"]) for unit in args["spent"]] == [("germany", "supply")]


@pytest.mark.long
def test_the_first_engagement_of_the_card_game(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    new_game(pair, "Naval card game", "Card game")
    pair.tap("2")
    pair.tap("Start the game")
    pair.main()
    if pair.laid.root.screen.key != "med":
        pair.tap("Fight")

    def choose(label: str, text: str) -> None:
        plates = [w for w in _field(pair.laid, label).walk(restrict=True) if isinstance(w, Plate)]
        pair.tap(next(w for w in plates if w.text == text))

    def force(card: str, values: str, points: str) -> None:
        pair.numbers(card)
        for value in values:
            pair.tap(next(w for w in _keys(pair.laid) if w.text == value))
        choose("VP", points)
        choose("Frame", "Surface")
        pair.tap("Remember the card")

    pair.numbers("01", "Convoy")
    for label, text in (("Year", "'41"), ("VP", "3"), ("Load line", "Full")):
        choose(label, text)
    pair.tap("Remember the card")
    pair.tap("Surface")
    pair.tap("Open the engagement")
    force("A01", "050", "2")
    pair.tap("Lay down")
    force("X01", "030", "4")
    pair.tap("Lay down")
    played = stored(pair, "TurnOver", "EnterPrintedValue", "PlayHand")
    assert [name for name, _args in played] == [
        "EnterPrintedValue",
        "TurnOver",
        *["EnterPrintedValue", "PlayHand"] * 2,
    ]
    entered = {args["key"]: args["value"] for name, args in played if name == "EnterPrintedValue"}
    assert entered["card.O01"]["operation"] == "convoy"
    assert entered["card.A01"]["values"] == [0, 5, 0]
    assert entered["card.X01"]["values"] == [0, 3, 0]
    assert [args["cards"] for name, args in played if name == "PlayHand"] == [["A01"], ["X01"]]


@pytest.mark.long
def test_a_printed_value_and_an_objective_of_song_for_war(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    new_game(pair, "", "April 1943")
    pair.tap("Start the game")
    play_to(pair, "s3.t1.allies.move")
    try:
        screen(pair, "control")
    except LookupError:
        pair.tap(icon="more")
        pair.tap("Control")
    pair.tap("Objectives")

    def named(cls: str, wanted: Callable[[Any], bool]) -> list[Any]:
        return [w for w in pair.laid.walk() if type(w).__name__ == cls and wanted(w)]

    for _page in range(6):
        lines = named("ItemTile", lambda w: w.text == "Catania")
        if lines:
            break
        pair.tap(icon="forward")
    pair.tap(lines[0])
    pair.tap("Value")
    pair.numbers("1", "Done")
    pair.tap(named("ItemTile", lambda w: w.item.key == "own.us")[0])
    pair.main()
    assert stored(pair, "EnterPrintedValue", "TakeControl") == [
        ("EnterPrintedValue", {"key": "vp.theater.catania", "value": 1.0}),
        ("TakeControl", {"site": "catania", "nation": "us", "own": {"us": 1}}),
    ]


@pytest.mark.long
def test_a_nation_of_song_for_war_buys_in_resupply(start: Callable[[dict[str, Any]], Pair]) -> None:
    pair = start(KNOWN)
    new_game(pair, "", "April 1943")
    pair.tap("Start the game")
    pair.main()
    pair.tap(icon="more")
    pair.tap("Arbiter")
    pair.tap("Jump to a step")
    pair.pick("Resupply, Allies")
    assert step(pair) == "s3.r.allies.lanes"

    def named(cls: str, wanted: Callable[[Any], bool]) -> list[Any]:
        return [w for w in pair.laid.walk() if type(w).__name__ == cls and wanted(w)]

    screen(pair, "control")
    pair.tap("Objectives")
    while not named("ItemTile", lambda w: w.text == "Algiers"):
        pair.tap(icon="forward")
    pair.tap(named("ItemTile", lambda w: w.text == "Algiers")[0])
    pair.tap("Enter the nation")
    pair.tap("United States")
    screen(pair, "resupply")
    for lane in range(1, 6):
        pair.tap(f"Lane {lane}: level")
    pair.main()
    assert step(pair) == "s3.r.allies.choose"
    pair.tap("United States")
    pair.tap(named("ItemTile", lambda w: w.item.key == "land.algiers")[0])
    pair.numbers("12", "Done")
    plus(pair, "Tank", 2)
    assert pair.laid.has("4 left")
    pair.main()
    pair.tap("Place 2 units: Algiers")
    assert pair.laid.has("United States: Land resupply placed")
    played = stored(pair, "EnterLane", "EnterPrintedValue", "ChooseResupply", "Purchase", "Place")
    tank = {"nation": "us", "unit_type": "land", "unit": "tank"}
    assert [args["lane"] for name, args in played if name == "EnterLane"] == list("12345")
    assert [entry for entry in played if entry[0] != "EnterLane"] == [
        ("EnterPrintedValue", {"key": "holder.apr43.algiers", "value": "us"}),
        ("EnterPrintedValue", {"key": "resupply.theater.algiers.land", "value": 12}),
        ("ChooseResupply", {"nation": "us", "unit_type": "land", "source": "algiers"}),
        *[("Purchase", tank)] * 2,
        ("Place", {"nation": "us", "unit_type": "land"}),
    ]
