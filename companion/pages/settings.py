"""Settings of the box as a checked value, and their page, in groups; every change holds at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

import msgspec

from companion.core.text import Say, Typed, several
from companion.pages.box import Box
from companion.pages.corners import TURNS
from companion.pages.dice_sets import KINDS, set_text, trouble_text
from companion.pages.i18n import LANGUAGES
from companion.pages.page import (
    Act,
    Acts,
    Draft,
    Go,
    Item,
    OnBox,
    Options,
    Page,
    Rows,
    Shown,
    Sight,
    Words,
    sure,
)
from companion.pages.parts import as_words, way_back
from companion.pages.phones import phones_word
from companion.pages.prompts import quit_text, restart_text

__all__ = ["Settings", "SettingsDraft", "read_settings", "settings_page"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What this box is set to; every field has a default that works."""

    theme: str = "night"
    text_step: int = 0
    language: str = "en"
    sound: bool = True
    volume: float = 0.6
    dim_after_s: int = 300
    """0: never."""
    blank_after_s: int = 1800
    """0: never. While a clock runs the screen neither dims nor goes dark."""
    rest_ms: int = 300
    """How long the shared main button rests once it has changed whose act it is."""
    tenths: bool = True
    """Tenths of a second in the last minute."""
    hide_clock: bool = False
    """Show dots instead of digits; time runs all the same."""
    swap_seats: bool = False
    """Left and right are exchanged."""
    tray_light: bool = False
    """The light over the dice tray."""
    coach: bool = True
    """The coach may be asked; never under tournament time, whatever this says."""
    dice_set: str = ""
    """Name of the set of own dice that helps to read them; empty: none."""
    phones_delay_s: int = 0
    """So much later spectators see the table."""
    tour_done: bool = False
    data_folder: str = ""
    """Where games are kept; shown, not changed here."""


_CHOICES: dict[str, tuple[Any, ...]] = {
    "theme": ("night", "day", "contrast"),
    "text_step": (0, 1, 2),
    "language": tuple(LANGUAGES),
}


_SHARE = Annotated[float, msgspec.Meta(ge=0)]
_SPAN = Annotated[int, msgspec.Meta(ge=0)]
SETTING_KINDS: dict[str, Any] = {
    **{field.name: type(field.default) for field in fields(Settings)},
    **{name: Literal[choices] for name, choices in _CHOICES.items()},
    "volume": _SHARE,
    **dict.fromkeys(("dim_after_s", "blank_after_s", "rest_ms", "phones_delay_s"), _SPAN),
    "corners_done": bool,
    "player_names": list[Annotated[str, msgspec.Meta(max_length=24)]],
    "touch_turn": Literal[TURNS],
}
"""Every setting there is, and the type of its value."""


def read_settings(stored: Mapping[str, Any]) -> Settings:
    """Return the settings from stored values; what is missing or unfit falls back to its default."""
    kept: dict[str, Any] = {}
    for field in fields(Settings):
        value = stored.get(field.name, field.default)
        default = field.default
        fits = isinstance(value, type(default)) or (isinstance(default, float) and isinstance(value, int))
        if isinstance(default, int) and not isinstance(default, bool):
            fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        if field.name in _CHOICES:
            fits = fits and value in _CHOICES[field.name]
        kept[field.name] = value if fits else default
    return Settings(**kept)


class SettingsDraft(msgspec.Struct, frozen=True):
    """Which group is looked at."""

    group: str = "look"


class _Setting(msgspec.Struct, frozen=True):
    """One setting: its choices in words."""

    name: str
    title: Words
    options: tuple[tuple[Any, Words], ...]
    hint: Words | None = None


def _on_off(name: str, title: Words, hint: Words | None = None) -> _Setting:
    return _Setting(name, title, ((True, Say("On")), (False, Say("Off"))), hint)


def _minutes(*seconds: int) -> tuple[tuple[int, Words], ...]:
    return tuple((one, Say("{n} min", n=one // 60) if one else Say("Never")) for one in seconds)


_GROUPS: dict[str, tuple[Say, tuple[_Setting, ...]]] = {
    "look": (
        Say("Look"),
        (
            _Setting(
                "theme",
                Say("Theme"),
                (("night", Say("Night")), ("day", Say("Day")), ("contrast", Say("High contrast"))),
            ),
            _Setting(
                "text_step", Say("Text size"), ((0, Say("Normal")), (1, Say("Large")), (2, Say("Largest")))
            ),
            _Setting("language", Say("Language"), ()),
            _on_off("coach", Say("Coach"), Say("Never under tournament time")),
        ),
    ),
    "clock": (
        Say("Clock"),
        (
            _on_off("tenths", Say("Tenths in the last minute")),
            _on_off("hide_clock", Say("Hide the clock"), Say("The clock keeps running")),
            _on_off("swap_seats", Say("Swap seats left and right")),
            _Setting(
                "rest_ms",
                Say("Main button delay"),
                tuple((ms, Say("{n} s", n=ms / 1000)) for ms in (200, 300, 500)),
                Say("When the act passes on"),
            ),
        ),
    ),
    "sound": (
        Say("Sound"),
        (
            _on_off("sound", Say("Sound")),
            _Setting("volume", Say("Volume"), ((0.3, Say("Low")), (0.6, Say("Medium")), (1.0, Say("High")))),
        ),
    ),
    "screen": (
        Say("Screen"),
        (
            _Setting("dim_after_s", Say("Dim after"), _minutes(0, 120, 300, 900)),
            _Setting(
                "blank_after_s",
                Say("Screen off after"),
                _minutes(0, 900, 1800, 3600),
                Say("Never while a clock is running"),
            ),
            _on_off("tray_light", Say("Light over the dice tray")),
        ),
    ),
    "dice": (Say("Dice"), ()),
    "box": (Say("Box"), ()),
}
"""Groups of settings, in the order of their tabs."""


def settings_page(sight: Sight) -> Shown:
    """Return one group of settings; every change holds at once."""
    assert sight.box is not None, "the settings are the box's"
    acts, group = Acts(), sight.entered(SettingsDraft()).group
    tabs = tuple(
        Item(key, title, act=acts.put(f"tab.{key}", _show(key))) for key, (title, _rows) in _GROUPS.items()
    )
    rows = [_row(one, getattr(sight.box.settings, one.name), acts) for one in _GROUPS[group][1]]
    if group == "screen":
        rows.append(_turned(acts))
    elif group == "dice":
        rows = _dice(sight.box, acts)
    elif group == "box":
        rows = _box(sight, acts)
    page = Page(
        f"settings.{group}",
        Say("Settings"),
        tabs=tabs,
        tab=group,
        blocks=(Rows("settings", tuple(rows)),),
        main=way_back(acts),
    )
    return Shown(page, acts)


def _show(group: str) -> Act:
    return Draft(lambda _draft: SettingsDraft(group), SettingsDraft())


def _row(setting: _Setting, value: Any, acts: Acts) -> Item:
    choices = setting.options
    if setting.name == "language":  # their names come from elsewhere and take time
        choices = tuple((key, Typed(name)) for key, name in LANGUAGES.items())
    options = tuple(
        Item(
            str(choice),
            words,
            act=acts.put(f"{setting.name}.{choice}", OnBox("set", {"name": setting.name, "value": choice})),
        )
        for choice, words in choices
    )
    return Item(setting.name, setting.title, setting.hint, facet=Options(options, str(value)))


def _turned(acts: Acts) -> Item:
    """Return the hint for a picture that stands on its head."""
    how = sure(
        Say("Rotate picture and touch"),
        OnBox("corners"),
        sub=Say(
            "On the box: sudo deploy/install --rotation 180 (or 90, 270). Picture and touch rotate "
            "together. If touches register somewhere other than under your finger, test the "
            "corners."
        ),
        yes=Say("Test the corners"),
    )
    options = (
        Item("how", Say("How to rotate it"), act=acts.put("turn", how)),
        Item("corners", Say("Test the corners"), act=acts.put("corners", OnBox("corners"))),
    )
    return Item("turned", Say("Picture rotated?"), facet=Options(options))


def _dice(box: Box, acts: Acts) -> list[Item]:
    """Return the set that readings use, and dice to read that no battle asks for: a roll for order, a try of the light."""
    chosen, back = box.dice_sets.chosen(), ("settings", {"draft": SettingsDraft("dice")})
    kinds = tuple(
        Item(kind, Typed(kind), act=acts.put(f"read.{kind}", Go("dice", args={"kind": kind, "back": back})))
        for kind, _faces in KINDS
    )
    return [
        Item(
            "set",
            Say("Dice set for reading"),
            as_words(set_text(chosen)),
            Say("No set") if chosen is None else Typed(chosen.name),
            symbol="warning" if trouble_text(chosen) else "dice",
            act=acts.put("sets", Go("dice_sets", args={"back": back})),
        ),
        Item("read", Say("Read dice"), facet=Options(kinds)),
    ]


def _box(sight: Sight, acts: Acts) -> list[Item]:
    """Return what concerns the machine; on one that is no box there is nothing to update."""
    assert sight.box is not None
    system, told = sight.box.system, quit_text(sight.change)
    if system is None:
        told = Say("{told}", told=several((told, _STAYS_ON), "sentences"))
    restart = restart_text(sight.change)
    update = sure(
        Say("Update from the USB stick?"), OnBox("wish", {"what": "update"}), sub=restart, yes=Say("Update")
    )
    older = sure(
        Say("Go back to the previous version?"),
        OnBox("wish", {"what": "back"}),
        sub=restart,
        yes=Say("Go back"),
    )
    ways: tuple[tuple[str, str, Say, Words, Act], ...] = (
        (
            "quit",
            "power",
            Say("Shut down"),
            Say("Shut down"),
            sure(Say("Shut down?"), OnBox("quit"), sub=told, yes=Say("Shut down")),
        ),
        ("phones", "eye", Say("Phones"), phones_word(sight.box.phones.state), Go("phones")),
        ("hardware", "hardware", Say("Buttons, lamps and cameras"), Say("Test"), Go("hardware")),
        ("update", "save", Say("Update from a USB stick"), Say("Update"), update),
        ("older", "undo", Say("Previous version"), Say("Go back"), older),
        ("tour", "help", Say("First-run tour"), Say("Show"), OnBox("tour")),
    )
    folder, (games, taken) = (
        sight.box.settings.data_folder,
        (0, 0) if sight.desk is None else sight.desk.bin(),
    )
    if games:
        empty = sure(
            Say("Empty the bin?"),
            OnBox("empty_bin"),
            sub=Say.counted("Its game is deleted for good.", "Its {n} games are deleted for good.", games),
            yes=Say("Empty the bin"),
            is_danger=True,
        )
        size = Say("{size} MB", size=max(0.1, round(taken / (1 << 20), 1)))
        ways += (("bin", "trash", Say.counted("Bin: {n} game", "Bin: {n} games", games), size, empty),)
    change = sight.change
    has_pin = change is not None and change.state.setup is not None and bool(change.state.setup.arbiter_hash)
    pin = OnBox("change_pin")
    return [
        *(
            (
                Item(
                    "pin",
                    Say("Arbiter's PIN"),
                    value=Say("Change"),
                    symbol="arbiter",
                    act=acts.put("pin", pin),
                ),
            )
            if has_pin
            else ()
        ),
        *(
            Item(key, title, value=value if value != title else None, symbol=symbol, act=acts.put(key, act))
            for key, symbol, title, value, act in ways
            if system is not None or key not in ("update", "older")
        ),
        Item("folder", Say("Data folder"), Typed(folder) if folder else Say("In memory only")),
    ]


_STAYS_ON = Say("Only the program closes; the computer stays on.")
