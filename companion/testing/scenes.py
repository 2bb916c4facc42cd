"""Scenes: every screen and dialog in a telling state, for the gallery and for the tests that look at all of them.

A scene lays a desk, opens a screen and brings it to its state by real taps. Later screens add theirs with `scene`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from companion.core import commands as cm
from companion.core.ids import ARBITER, Side, StepId
from companion.core.setup import RulingInfo
from companion.core.text import Say, Typed
from companion.pages.charts import ChartsDraft
from companion.pages.desk import Notice, SavedGame, ScenarioInfo
from companion.pages.hardware import (
    PARTS,
    DeviceState,
    HardwareDraft,
    NoBench,
    NoCameras,
    PartState,
    counted,
)
from companion.pages.i18n import _
from companion.pages.page import Ask
from companion.pages.phones import NoPhones, OwnCode, PhonesDraft, PhonesState, Sitting, WifiCode
from companion.pages.settings import SettingsDraft
from companion.pages.table import main_command
from companion.testing import harness
from companion.testing.harness import Laid
from companion.testing.memory_desk import MemoryDesk
from companion.testing.sample import ALLIES, sample_setup
from companion.testing.scene_data import PHONE_SQUARE

__all__ = ["SCENES", "Scene", "busy_desk", "empty_desk", "jump", "open_scene", "play", "scene"]


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture of the gallery."""

    key: str
    screen: str
    desk: Callable[[], Any]
    prepare: Callable[[Laid], None] | None = None
    is_screen: bool = True
    """False for dialogs over a screen."""


SCENES: dict[str, Scene] = {}


def scene(
    key: str, screen: str, desk: Callable[[], Any], *, draft: Any = None, is_screen: bool = True
) -> Callable[[Callable[[Laid], None]], Any]:
    """Add a scene, of a screen as it comes or with a draft; decorates the function that prepares it where there is one."""
    if key in SCENES:
        raise ValueError(f"there is a scene {key!r} already")

    def add(prepare: Callable[[Laid], None] | None) -> Any:
        SCENES[key] = Scene(key, screen, desk, prepare, is_screen)
        return prepare

    add(None if draft is None else lambda laid: laid.root.go(screen, draft=draft))
    return add


def open_scene(key: str, **look: Any) -> Laid:
    """Lay a scene; `look` goes to `harness.lay` (size, look, text_step, language)."""
    one = SCENES[key]
    laid = harness.lay(one.desk(), screen=one.screen, **look)
    if one.prepare is not None:
        one.prepare(laid)
        laid.settle()
    return laid


def play(desk: MemoryDesk, acts: int, each_ms: int = 41_000) -> None:
    """End some acts, each after a while."""
    for n in range(acts):
        desk.advance(each_ms + 1_370 * n % 9_000)
        change = desk.change
        if change is not None:
            desk.send(main_command(change.state, desk.now_ms()))


def jump(desk: MemoryDesk, step: str) -> None:
    """Go to a step after a while."""
    change = desk.change
    if change is not None:
        desk.advance(71_000)
        desk.send(cm.JumpTo(change.state.step.id, StepId(step), desk.now_ms()))


def _scenarios() -> tuple[ScenarioInfo, ...]:
    rows = (
        (
            "italy",
            "Italy",
            (2, 4),
            (120, 240),
            4,
            "The Allies invade Italy; German forces lie hidden on the peninsula.",
        ),
        (
            "nafrica",
            "North Africa",
            (2, 4),
            (90, 180),
            5,
            "The Axis against the British advance, with supply lines at stake.",
        ),
        (
            "nov42",
            "November 1942",
            (2, 4),
            (240, 420),
            6,
            "The Allies hold four objectives and land in North Africa.",
        ),
        (
            "tobruk41",
            "Axis Siege of Tobruk (1941)",
            (1, 4),
            (30, 45),
            2,
            "The Axis besieges Tobruk and its dug-in defenders.",
        ),
        (
            "cassino44",
            "Battle of Monte Cassino (1944)",
            (1, 4),
            (30, 75),
            2,
            "The Allies push north against the lines at Cassino.",
        ),
    )
    options = {
        "players": (2, 3, 4),
        "tournament": (False, True),
        "count_up": (False, True),
        "commander": (False, True),
        "together": (False, True),
        "first.2": ("axis", "allies"),
        "rulings.landing_air": ("ask", "applies", "falls_away"),
        "rulings.have_vp": ("at_least", "exactly"),
    }
    return tuple(
        ScenarioInfo("sfw96", key, title, "Song for War v0.96", players, minutes, stages, options, summary)
        for key, title, players, minutes, stages, summary in rows
    )


def _saved(wall_ms: int) -> tuple[SavedGame, ...]:
    rows: tuple[tuple[str, str, str, str, int, bool, dict[str, int | None], str], ...] = (
        (
            "italy-1",
            "italy",
            "Italy",
            "s2.t4.axis.resolve",
            1,
            False,
            {"allies": 1_204_000, "axis": 941_000},
            "",
        ),
        ("tobruk", "tobruk41", "Axis Siege of Tobruk (1941)", "s1.t2.axis.move", 30, False, {}, ""),
        ("italy-0", "italy", "Italy", "s4.v.check", 90, True, {}, ""),
        (
            *("broken", "nov42", "November 1942", "", 200, False, {}),
            "/games/broken.game",
        ),
    )
    return tuple(
        SavedGame(
            Path(f"/games/{name}.game"),
            "sfw96",
            scenario,
            title,
            step,
            wall_ms - hours * 3_600_000,
            over,
            left,
            Say(
                "{what}; {next}",
                what=Say("nothing in {file} can be read anymore", file=Typed(fault)),
                next=Say("the file is left as it is"),
            )
            if fault
            else None,
            ("Anna", "Bert") if name == "italy-1" else (),
        )
        for name, scenario, title, step, hours, over, left, fault in rows
    )


def _sample(**kwargs: Any) -> Any:
    import msgspec

    setup = sample_setup(**kwargs)
    rulings = (
        RulingInfo(
            "landing_air",
            "A landing where the only friends in the space are aircraft: does landing defence apply?",
            ("ask", "applies", "falls_away"),
            "ask",
            "",
            {"ask": "Ask each time", "applies": "It applies", "falls_away": "It does not apply"},
        ),
        RulingInfo(
            "have_vp",
            "What does having a number of victory points mean?",
            ("at_least", "exactly"),
            "at_least",
            "",
            {"at_least": "At least that many", "exactly": "Exactly that many"},
        ),
    )
    sides = tuple(msgspec.structs.replace(side, seats=()) for side in setup.sides)
    return msgspec.structs.replace(setup, ruling_infos=rulings, arbiter_hash="x", sides=sides)


def _desk(**kwargs: Any) -> MemoryDesk:
    desk = MemoryDesk(
        scenarios=_scenarios(),
        saved=_saved(1_795_000_000_000),
        settings={"data_folder": "/home/pi/companion"},
    )
    for info in _scenarios():
        desk.offer(info.game, info.scenario, lambda _options: _sample(**kwargs))
    return desk


def empty_desk() -> MemoryDesk:
    """Return a desk with a shelf but no open game."""
    return _desk()


def busy_desk() -> MemoryDesk:
    """Return a desk in the middle of the first stage."""
    desk = _desk()
    desk.start(_sample())
    play(desk, 14)
    desk.advance(9_000)
    return desk


def late_desk() -> MemoryDesk:
    """Return a desk in the second stage, with a correction, an undo and a pause behind it."""
    desk = busy_desk()
    play(desk, 22, 24_000)
    desk.send(cm.CorrectTime(Side("allies"), 90_000, desk.now_ms(), "arbiter"), actor=ARBITER)
    desk.send(cm.Undo(at_ms=desk.now_ms()))
    desk.send(cm.Resume(at_ms=desk.now_ms()))
    play(desk, 16, 20_000)
    return desk


def _short_time() -> MemoryDesk:
    desk = _desk()
    desk.start(_sample(minutes=3))
    desk.advance(3 * 60_000 - 38_600)
    return desk


def _fallen() -> MemoryDesk:
    desk = _short_time()
    desk.advance(60_000)
    return desk


def _cut() -> MemoryDesk:
    desk = busy_desk()
    desk.send(
        cm.ResumeGame(at_ms=desk.now_ms(), last_ms=desk.now_ms() - 1_000, gap_ms=754_000, cause="power")
    )
    return desk


def _over() -> MemoryDesk:
    desk = busy_desk()
    desk.send(cm.EndGame(at_ms=desk.now_ms(), winner=ALLIES, reason="agreed"))
    return desk


scene("home", "home", empty_desk)
scene("home-first", "home", MemoryDesk)
scene("new-game", "new_game", empty_desk)
scene("table", "table", busy_desk)
scene("table-over", "table", _over)
scene("clocks", "clocks", busy_desk)
scene("clocks-last-minute", "clocks", _short_time)
scene("log", "log", late_desk)
scene("more", "more", busy_desk)
scene("settings", "settings", empty_desk)
scene("settings-in-game", "settings", busy_desk)
scene("charts-time", "charts", late_desk)
scene("printed", "printed", busy_desk)
scene("flag", "table", _fallen, is_screen=False)
scene("gap", "clocks", _cut, is_screen=False)


@scene("new-game-options", "new_game", empty_desk)
def _options(laid: Laid) -> None:
    laid.tap(laid.find(text="Italy") if laid.has("Italy") else (200, 200))
    laid.root.screen.second_act(None)
    laid.settle()


@scene("new-game-rulings", "new_game", empty_desk)
def _rulings(laid: Laid) -> None:
    _options(laid)
    laid.tap(laid.find(text=_("Rulings")))


@scene("table-paused", "table", busy_desk)
def _paused(laid: Laid) -> None:
    laid.root.pause(None)


@scene("table-setup", "table", lambda: _started(0))
def _setup(_laid: Laid) -> None:
    """The first step of a game."""


def _started(acts: int) -> MemoryDesk:
    desk = _desk()
    desk.start(_sample())
    play(desk, acts)
    return desk


@scene("clocks-hidden", "clocks", busy_desk)
def _hidden(laid: Laid) -> None:
    laid.root.screen.hide()


scene("settings-box", "settings", empty_desk, draft=SettingsDraft("box"))


scene("settings-screen", "settings", empty_desk, draft=SettingsDraft("screen"))


@scene("settings-turn", "settings", empty_desk, is_screen=False)
def _turn(laid: Laid) -> None:
    laid.root.go("settings", draft=SettingsDraft("screen"))
    laid.settle()
    laid.tap(laid.find(text=_("How to rotate it")))


@scene("new-game-minutes", "new_game", empty_desk)
def _minutes(laid: Laid) -> None:
    _options(laid)
    laid.tap(laid.find(text=_("Clock")))
    laid.tap(laid.find(text=_("Custom minutes")))
    laid.tap(laid.find(text=_("Stage by stage")))


scene("settings-clock", "settings", empty_desk, draft=SettingsDraft("clock"))


scene("charts-points", "charts", late_desk, draft=ChartsDraft("points"))


scene("charts-stages", "charts", late_desk, draft=ChartsDraft("stages"))


@scene("help", "table", busy_desk, is_screen=False)
def _help(laid: Laid) -> None:
    laid.root.help()


@scene("tour", "home", empty_desk, is_screen=False)
def _tour(laid: Laid) -> None:
    from companion.ui.tour import start_tour

    start_tour(laid.root)


@scene("pin", "clocks", busy_desk, is_screen=False)
def _pin(laid: Laid) -> None:
    from companion.ui.arbiter import open_arbiter

    open_arbiter(laid.root)
    for digit in "12":
        laid.root.dialogs[-1].type(digit)


@scene("arbiter", "clocks", busy_desk, is_screen=False)
def _arbiter(laid: Laid) -> None:
    from companion.ui.arbiter import open_arbiter

    laid.root.unlock_arbiter()
    open_arbiter(laid.root)


@scene("correct", "clocks", busy_desk, is_screen=False)
def _correct(laid: Laid) -> None:
    from companion.ui.arbiter import CorrectDialog

    laid.root.ask(CorrectDialog(laid.root))
    laid.root.dialogs[-1].take_text("130")


@scene("jump", "clocks", busy_desk, is_screen=False)
def _jump(laid: Laid) -> None:
    from companion.ui.arbiter import JumpDialog

    laid.root.ask(JumpDialog(laid.root))


@scene("sheet", "clocks", late_desk, is_screen=False)
def _sheet(laid: Laid) -> None:
    from companion.ui.arbiter import SheetDialog

    laid.root.ask(SheetDialog(laid.root))


@scene("undo-to-here", "log", late_desk, is_screen=False)
def _undo_to(laid: Laid) -> None:
    screen = laid.root.screen
    asks = [act for act in screen.shown.acts.values() if isinstance(act, Ask) and act.form.key == "entry"]
    screen.do(asks[3], None)
    laid.settle()
    laid.tap(laid.find(text=_("Undo to here")))


@scene("notice", "table", busy_desk, is_screen=False)
def _notice(laid: Laid) -> None:
    laid.root.notify(
        Notice("error", Typed("The disk is full"), Typed("Play goes on; delete old games to save again."))
    )


@scene("damaged-game", "home", empty_desk, is_screen=False)
def _damaged_game(laid: Laid) -> None:
    from companion.ui.render.items import ItemRow

    sheet = laid.root.screen.sheet
    while True:  # large text leaves fewer games to a page
        damaged = [w for w in laid.walk() if isinstance(w, ItemRow) and w.item.state == "danger"]
        if damaged or sheet.page + 1 >= sheet.pages:
            break
        sheet.turn(1)
        laid.frames(2)
    laid.tap(damaged[0])


@scene("saved-game", "home", empty_desk, is_screen=False)
def _saved_game(laid: Laid) -> None:
    from companion.ui.render.items import ItemRow

    laid.tap(next(w for w in laid.walk() if isinstance(w, ItemRow) and w.item.key.endswith(".game")))


class _Bench(NoBench):
    """A panel with everything but a lamp, as it would be in the middle of an evening."""

    def parts(self) -> tuple[PartState, ...]:
        """The left button is down, the arbiter's lamp not wired, a wire of the right display loose."""
        told = {
            "button_left": PartState("button_left", True, is_down=True, presses=31),
            "button_right": PartState("button_right", True, presses=29),
            "lamp_arbiter": PartState("lamp_arbiter", False),
            "display_right": PartState("display_right", False, is_missing=True),
        }
        return tuple(told.get(key, PartState(key, True)) for key, _name, _is_output in PARTS)

    def devices(self) -> tuple[DeviceState, ...]:
        """Pins that work but for a display, and a box that was pulled."""
        pins = Say("The panel on the GPIO pins works, except: {parts}.", parts=Say("The right display"))
        box = Say("The button box {box} does not respond; plug it in again.", box=Typed("4F2A"))
        return (
            DeviceState(
                "gpio",
                Say("Pins"),
                "partly",
                pins,
                counted({"presses": 64, "bounces": 311, "glitches": 2}),
            ),
            DeviceState(
                "serial",
                Say("USB box"),
                "lost",
                box,
                counted({"clock_uncertainty_us": 400, "resent": 3}),
            ),
        )

    def notices(self) -> tuple[Notice, ...]:
        """What happened lately."""
        return (
            Notice("warning", Typed("The box pico-4F2A does not respond; the game goes on.")),
            Notice("info", Typed("The left lamp works again.")),
        )


class _Cameras(NoCameras):
    """A camera that another program has."""

    def devices(self) -> tuple[DeviceState, ...]:
        """One that works and one that is busy."""
        return (
            DeviceState(
                "/dev/video0",
                Say("Camera"),
                "working",
                Say(
                    "The camera {name} took a picture of {width} by {height}.",
                    name=Typed("UVC Camera (046d:0825)"),
                    width=Typed("1280"),
                    height=Typed("720"),
                ),
                can_test=True,
            ),
            DeviceState(
                "/dev/video2",
                Say("Camera"),
                "busy",
                Say(
                    "Another program is using the camera {name}. Close it, or enter the dice by hand.",
                    name=Typed("HD Webcam"),
                ),
                can_test=True,
            ),
        )


def _wire(laid: Laid, tab: str) -> None:
    laid.root.bench, laid.root.cameras = _Bench(), _Cameras()
    laid.root.go("hardware", draft=HardwareDraft(tab))


scene("hardware-none", "hardware", empty_desk)


@scene("hardware", "hardware", empty_desk)
def _hardware(laid: Laid) -> None:
    _wire(laid, "panel")


@scene("hardware-devices", "hardware", busy_desk)
def _devices(laid: Laid) -> None:
    _wire(laid, "devices")


@scene("language", "home", empty_desk, is_screen=False)
def _language(laid: Laid) -> None:
    from companion.ui.first_start import LanguageQuestion

    laid.root.ask(LanguageQuestion(lambda _key: None))


@scene("corners", "home", empty_desk, is_screen=False)
def _corners(laid: Laid) -> None:
    from companion.ui.corners import CornerTest

    laid.root.ask(CornerTest())
    laid.settle()
    laid.tap((20, laid.size[1] - 20))


_WISH, _SEAT = (Sitting("1", "axis", "Ben"),), (Sitting("2", "allies", "Anna"),)


class _WatchedBox:
    """Phones as a table has them on: three watch."""

    state = PhonesState(
        True, True, "192.168.1.20:8765", "K7QM2XPA", "B8GVK4BZMB37Y6N5", PHONE_SQUARE, 3, _WISH, _SEAT
    )

    def addresses(self) -> tuple[str, ...]:
        return ("192.168.1.20", "10.0.0.7", "127.0.0.1")

    def look(self) -> None:
        """Nothing changes in a scene."""

    def turn_on(self, address: str) -> None:
        """Nothing happens in a scene."""

    def turn_off(self) -> None:
        """Nothing happens in a scene."""

    def seat(self, what: str, token: str = "") -> None:
        """Nothing happens in a scene."""

    def subscribe(self, listener: Callable[[], None]) -> Any:  # noqa: ARG002
        return NoPhones().subscribe(lambda: None)


class _UnwatchedBox(_WatchedBox):
    """Phones as they stand at first."""

    state = PhonesState()


class _OwnCodeBox(_WatchedBox):
    """One side's own code is shown."""

    state = replace(_WatchedBox.state, own=OwnCode("allies", PHONE_SQUARE))


class _OwnWifiBox(_WatchedBox):
    """Phones ask in the table's own Wi-Fi."""

    state = replace(_WatchedBox.state, wifi=WifiCode("Table Companion", "K7QM-2XPA-B8GV", PHONE_SQUARE))


def _phones(phones: Any, draft: object = None) -> Callable[[Laid], None]:
    def prepare(laid: Laid) -> None:
        laid.root.phones = phones
        laid.root.go("phones", draft=draft)

    return prepare


scene("phones", "home", busy_desk)(_phones(_WatchedBox()))
scene("phones-seats", "home", busy_desk)(_phones(_WatchedBox(), PhonesDraft("seats")))
scene("phones-spectators", "home", busy_desk)(_phones(_WatchedBox(), PhonesDraft("tv")))
scene("phones-own", "home", busy_desk, is_screen=False)(_phones(_OwnCodeBox(), PhonesDraft("seats")))
scene("phones-wifi", "home", busy_desk, is_screen=False)(_phones(_OwnWifiBox()))
scene("phones-off", "home", empty_desk)(_phones(_UnwatchedBox()))


from companion.testing import (  # noqa: E402, F401 - they add their scenes to the table above
    scenes_aana,
    scenes_controls,
    scenes_dice,
    scenes_film,
    scenes_med,
    scenes_result,
    scenes_sfw,
    scenes_sfw1,
    scenes_tsu,
)
