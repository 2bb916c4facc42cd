"""Settings of the box as a checked value, and how the Settings screen lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from companion.pages.i18n import LANGUAGES, N_, _
from companion.pages.numbers import figure

__all__ = ["GROUPS", "SettingRow", "Settings", "read_settings", "setting_rows"]


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
    dice_set: str = ""
    """Name of the set of own dice that helps to read them; empty: none."""
    tour_done: bool = False
    data_folder: str = ""
    """Where games are kept; shown, not changed here."""


_CHOICES: dict[str, tuple[Any, ...]] = {
    "theme": ("night", "day", "contrast"),
    "text_step": (0, 1, 2),
    "language": tuple(LANGUAGES),
}


SETTING_KINDS: dict[str, type[Any]] = {field.name: type(field.default) for field in fields(Settings)}
"""Setting to the type of its value."""


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


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One setting as the screen shows it: its choices, and which one holds."""

    name: str
    label: str
    options: tuple[tuple[Any, str], ...]
    chosen: Any
    hint: str = ""


GROUPS: tuple[tuple[str, str], ...] = (
    ("look", N_("Look")),
    ("clock", N_("Clock")),
    ("sound", N_("Sound")),
    ("screen", N_("Screen")),
    ("dice", N_("Dice")),
    ("box", N_("Box")),
)
"""Groups of settings, key and English name."""


def _minutes(seconds: int) -> str:
    return _("Never") if seconds == 0 else _("{n} min").format(n=seconds // 60)


def _on_off(name: str, label: str, value: bool, hint: str = "") -> SettingRow:
    return SettingRow(name, label, ((True, _("On")), (False, _("Off"))), value, hint)


def setting_rows(group: str, settings: Settings) -> tuple[SettingRow, ...]:
    """Return the rows of a group."""
    if group == "look":
        return (
            SettingRow(
                "theme",
                _("Theme"),
                (("night", _("Night")), ("day", _("Day")), ("contrast", _("High contrast"))),
                settings.theme,
            ),
            SettingRow(
                "text_step",
                _("Text size"),
                ((0, _("Normal")), (1, _("Large")), (2, _("Largest"))),
                settings.text_step,
            ),
            SettingRow("language", _("Language"), tuple(LANGUAGES.items()), settings.language),
        )
    if group == "clock":
        return (
            _on_off("tenths", _("Tenths in the last minute"), settings.tenths),
            _on_off("hide_clock", _("Hide the clock"), settings.hide_clock, _("Time runs all the same")),
            _on_off("swap_seats", _("Swap seats left and right"), settings.swap_seats),
            SettingRow(
                "rest_ms",
                _("Main button rests"),
                tuple((ms, _("{n} s").format(n=figure(ms / 1000))) for ms in (200, 300, 500)),
                settings.rest_ms,
                _("When it becomes the other side's act"),
            ),
        )
    if group == "sound":
        return (
            _on_off("sound", _("Sound"), settings.sound),
            SettingRow(
                "volume",
                _("Volume"),
                ((0.3, _("Low")), (0.6, _("Medium")), (1.0, _("High"))),
                settings.volume,
            ),
        )
    if group == "screen":
        return (
            SettingRow(
                "dim_after_s",
                _("Dim after"),
                tuple((s, _minutes(s)) for s in (0, 120, 300, 900)),
                settings.dim_after_s,
            ),
            SettingRow(
                "blank_after_s",
                _("Go dark after"),
                tuple((s, _minutes(s)) for s in (0, 900, 1800, 3600)),
                settings.blank_after_s,
                _("Never while a clock runs"),
            ),
            _on_off("tray_light", _("Light over the dice tray"), settings.tray_light),
        )
    return ()
