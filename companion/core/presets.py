"""Presets of time controls as data, and the clock of a new game that is made of one.

A preset states the figures that its source states; the others it asks for. `with_control` lays a chosen control over the
clock that the game's own options led to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from companion.core.clock import ClockConfig
from companion.core.collecting import one_of, shown
from companion.core.control import TimeControl
from companion.core.ids import Millis
from companion.core.scenario import NOTHING, OPTIONS, DataError, Fault
from companion.core.setup import Setup
from companion.core.text import Say, Typed

__all__ = [
    "CHOICES",
    "CONTROL",
    "FIGURES",
    "OWN",
    "ControlPreset",
    "ControlsFile",
    "preset_faults",
    "split_control",
    "with_control",
]

CONTROL = "control"
"""The option that names a control; its figures follow as ``control.bank_min`` and so on."""

FIGURES: dict[str, int] = {
    "bank_min": 600,
    "turn_min": 600,
    "increment_s": 3600,
    "delay_s": 3600,
    "tokens": 100,
    "token_min": 600,
    "periods": 100,
    "period_s": 3600,
}
"""Figures of a control to the most that each may be."""

CHOICES: dict[str, tuple[str, ...]] = {
    "unit": ("turn", "step", "stage"),
    "delay": ("bronstein", "simple"),
    "token_use": ("auto", "ask"),
    "token_rest": ("lost", "kept"),
    "at_zero": ("flag", "lose", "only_mark"),
}
"""Choices of a control of the table's own, the default first."""


class ControlPreset(msgspec.Struct, frozen=True):
    """A time control as ``scenarios/controls.toml`` states it; figures that it asks for are 0."""

    id: str
    title: str
    text: str
    source: str
    games: tuple[str, ...] = ()
    """The games that it is for; none: every game."""
    ask: tuple[str, ...] = ()
    """Figures that the table gives when a game begins."""
    unit: Literal["step", "turn", "stage"] = "turn"
    bank_min: float = 0
    turn_min: float = 0
    increment_s: float = 0
    delay_s: float = 0
    delay: Literal["bronstein", "simple"] = "bronstein"
    tokens: int = 0
    token_min: float = 0
    token_use: Literal["auto", "ask"] = "auto"
    token_rest: Literal["lost", "kept"] = "lost"
    tokens_gone_vp: int = 0
    periods: int = 0
    period_s: float = 0
    stops_in: tuple[str, ...] = ()
    at_zero: Literal["flag", "lose", "only_mark"] = "flag"
    tournament: bool = False
    """Whether undo pauses and only the arbiter corrects, whatever the game's own options say."""
    warnings_s: tuple[int, ...] = (300, 60)


class ControlsFile(msgspec.Struct, frozen=True):
    """``scenarios/controls.toml``."""

    controls: tuple[ControlPreset, ...] = ()


OWN = ControlPreset("own", "Own control", "", "", ask=(*FIGURES, *CHOICES))
"""The table's own control: everything about it is asked."""


def preset_faults(presets: Sequence[ControlPreset], file: str) -> Iterable[Fault]:
    """Return what is wrong between the values of presets."""
    ids = [preset.id for preset in presets]
    for index, preset in enumerate(presets):
        key = f"controls[{index}]"
        if preset.id in ("", "none", OWN.id) or ids.count(preset.id) > 1:
            yield Fault(file, f"{key}.id", Say("each id once"), Typed(preset.id))
        for name in preset.ask:
            if name not in FIGURES:
                yield Fault(file, f"{key}.ask", one_of(FIGURES, name), Typed(name))
        for name, most in FIGURES.items():
            if not 0 <= getattr(preset, name) <= most:
                wanted = Say("a number from {low} to {high}", low=0, high=most)
                yield Fault(file, f"{key}.{name}", wanted, getattr(preset, name))
        for count, each in (("tokens", "token_min"), ("periods", "period_s")):
            is_asked = each in preset.ask
            if getattr(preset, count) and not getattr(preset, each) and not is_asked:
                yield Fault(file, f"{key}.{each}", Say("a number above {low}", low=0), NOTHING)


def split_control(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a new game's own options, and those of its control without their prefix; ``id`` names the preset.

    Figures by side or nation (``control.turn_min.germany``) become one table.
    """
    own = {k: v for k, v in options.items() if k != CONTROL and not k.startswith(f"{CONTROL}.")}
    chosen: dict[str, Any] = {}
    for key, value in options.items():
        if key == CONTROL and isinstance(value, Mapping):
            chosen.update(value)
        elif key == CONTROL:
            chosen["id"] = value
        elif key.startswith(f"{CONTROL}."):
            name, _dot, who = key.removeprefix(f"{CONTROL}.").partition(".")
            if not who:
                chosen[name] = value
            elif isinstance(chosen.setdefault(name, {}), dict):
                chosen[name] = {**chosen[name], who: value}
    return own, chosen


def with_control(setup: Setup, presets: Sequence[ControlPreset], chosen: Mapping[str, Any]) -> Setup:
    """Return a new game with the control that was chosen, as `split_control` tells it.

    Minutes of a control replace those of the game's own options; one without minutes goes with these.
    DataError with every fault of the options.
    """
    name = chosen.get("id", "none")
    if name == "none":
        return setup
    known = {
        preset.id: preset for preset in (*presets, OWN) if not preset.games or setup.game in preset.games
    }
    preset = known.get(name) if isinstance(name, str) else None
    if preset is None:
        raise DataError([Fault(OPTIONS, CONTROL, one_of(("none", *known), name), shown(name))])
    made = _Made(setup, preset, chosen)
    clock = made.clock()
    if made.faults:
        raise DataError(made.faults)
    return replace(setup, clock=clock)


class _Made:
    """One control as it is chosen; collects faults."""

    def __init__(self, setup: Setup, preset: ControlPreset, chosen: Mapping[str, Any]) -> None:
        self.setup, self.preset, self.chosen = setup, preset, chosen
        self.faults: list[Fault] = []
        for name in chosen:
            if name != "id" and name not in preset.ask:
                self.fault(name, one_of(preset.ask, name), Typed(name))

    def fault(self, name: str, expected: Any, got: Any) -> None:
        self.faults.append(Fault(OPTIONS, f"{CONTROL}.{name}" if name else CONTROL, expected, got))

    def clock(self) -> ClockConfig:
        setup, preset = self.setup, self.preset
        sides = tuple(side.id for side in setup.sides)
        if not any(step.clock for step in setup.steps):
            self.fault("", Say("none, as no clock runs in this game"), Typed(preset.id))
        control = TimeControl(
            id=preset.id,
            title="" if preset is OWN else preset.title,
            unit=self.choice("unit"),
            turn_ms=self.turn_ms(),
            increment_ms=self.ms("increment_s"),
            delay_ms=self.ms("delay_s"),
            delay=self.choice("delay"),
            tokens=self.count("tokens"),
            token_ms=self.ms("token_min"),
            token_use=self.choice("token_use"),
            token_rest=self.choice("token_rest"),
            tokens_gone_vp=preset.tokens_gone_vp,
            periods=self.count("periods"),
            period_ms=self.ms("period_s"),
            stops_in=preset.stops_in,
            at_zero=self.choice("at_zero"),
        )
        for count, each, name in (
            (control.tokens, control.token_ms, "token_min"),
            (control.periods, control.period_ms, "period_s"),
        ):
            if count and not each:
                self.fault(name, Say("a number above {low}", low=0), 0)
        if control.at_zero == "lose" and len(sides) != 2:
            control = replace(control, at_zero="flag")
        stages = setup.clock.stages or (1,)
        allotted = self.bank_ms(sides, len(stages))
        if not allotted:
            allotted = setup.clock.allotted_ms or dict.fromkeys(sides, (0,) * len(stages))
            has_time = setup.clock.mode == "limit" or control.turn_ms or control.periods or control.tokens
            if not has_time and not self.faults:
                self.fault("bank_min", Say("minutes that count down"), NOTHING)
        return ClockConfig(
            "limit",
            allotted,
            stages,
            setup.clock.tournament or preset.tournament,
            setup.clock.grace_ms,
            tuple(seconds * 1000 for seconds in preset.warnings_s),
            control,
        )

    def choice(self, name: str) -> Any:
        value = self.chosen.get(name, getattr(self.preset, name))
        if value not in CHOICES[name]:
            self.fault(name, one_of(CHOICES[name], value), shown(value))
            return CHOICES[name][0]
        return value

    def figure(self, name: str, value: Any, key: str = "") -> float:
        most = FIGURES[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            self.fault(key or name, Say("a number from {low} to {high}", low=0, high=most), shown(value))
            return 0
        return value

    def value(self, name: str) -> Any:
        """Return what was given for a figure, or what the preset states; a figure that is asked has to be given."""
        if name in self.chosen:
            value = self.chosen[name]
            if name in self.preset.ask and self.preset is not OWN and value in (0, {}):
                self.fault(name, Say("a number above {low}", low=0), shown(value))
            return value
        if name in self.preset.ask and self.preset is not OWN:
            self.fault(name, Say("a number from {low} to {high}", low=0, high=FIGURES[name]), NOTHING)
        return getattr(self.preset, name)

    def ms(self, name: str) -> Millis:
        return round(self.figure(name, self.value(name)) * (60_000 if name.endswith("_min") else 1000))

    def count(self, name: str) -> int:
        value = self.figure(name, self.value(name))
        if value != int(value):
            self.fault(name, Say("a whole number"), value)
        return int(value)

    def turn_ms(self) -> dict[str, Millis]:
        """Return the time of a turn: one for all, or by side or nation."""
        value = self.value("turn_min")
        sides = [str(side.id) for side in self.setup.sides]
        names = (*sides, *(str(nation.id) for nation in self.setup.nations))
        by_name = value if isinstance(value, Mapping) else dict.fromkeys(sides, value)
        found = self.by_name("turn_min", by_name, names)
        if found and isinstance(value, Mapping):
            whose = dict.fromkeys((step.nation, step.clock) for step in self.setup.steps if step.clock)
            for nation, side in whose:
                if not {nation, side} & set(found):
                    self.fault(f"turn_min.{nation or side}", Say("a number above {low}", low=0), NOTHING)
        return found

    def bank_ms(self, sides: Sequence[Any], stages: int) -> dict[str, tuple[Millis, ...]]:
        """Return one bank a side for the whole game; empty where there is none."""
        value = self.value("bank_min")
        by_name = value if isinstance(value, Mapping) else dict.fromkeys(sides, value)
        banks = self.by_name("bank_min", by_name, [str(side) for side in sides])
        if not banks:
            return {}
        return {str(side): (banks.get(str(side), 0), *(0,) * (stages - 1)) for side in sides}

    def by_name(self, name: str, values: Mapping[Any, Any], known: Sequence[str]) -> dict[str, Millis]:
        found: dict[str, Millis] = {}
        for who, minutes in values.items():
            if who not in known:
                self.fault(f"{name}.{who}", one_of(known, who), Typed(str(who)))
            else:
                found[str(who)] = round(self.figure(name, minutes, f"{name}.{who}") * 60_000)
        return {who: ms for who, ms in found.items() if ms}
