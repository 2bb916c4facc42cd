"""Scenes of the dice sets: the list, and a lesson before, during and after its photos."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.pages.dice import Photo
from companion.pages.dice_eye import NoEye
from companion.pages.dice_phone import RollSeen
from companion.pages.dice_sets import SetRow
from companion.pages.phones import PhonesDraft
from companion.pages.settings import SettingsDraft
from companion.testing.harness import Laid
from companion.testing.memory_sets import MemorySets, drawn_photo
from companion.testing.scenes import _phones, _WatchedBox, busy_desk, empty_desk, scene

__all__ = ["Shelf", "with_sets"]

_SETS = (
    SetRow("Club dice", "d12", ("white", "gray", "black", "purple")),
    SetRow("Evening", "d6", ("red",)),
    SetRow("From last year", trouble="old"),
)
_FIRST = (
    *((v, "white") for v in (1, 2, 3, 4, 5, 6, 7, 8)),
    (3, "black"),
    (6, "white"),
    (9, "black"),
    (5, "black"),
)
_SECOND = (*((v, "white") for v in (9, 10, 11, 12)), *((v, "black") for v in (1, 2, 4, 6)))


class Shelf(NoEye):
    """A folder with photos and a camera, none of which is read by itself."""

    def sources(self) -> tuple[tuple[str, str], ...]:
        """Return one camera."""
        return (("pi", "Pi camera"),)

    def photos(self) -> tuple[tuple[str, str], ...]:
        """Return some photos."""
        return (("file:b", "dice-2.jpg"), ("file:a", "dice-1.jpg"))


def with_sets(laid: Laid, chosen: str = "", **more: Any) -> MemorySets:
    """Put sets and photos behind a window; return the sets."""
    root = laid.root
    why = ("",) * 11 + ("cocked",)
    photos: dict[str, tuple[Photo, tuple[str, ...]] | str] = {
        "file:a": (drawn_photo(_FIRST), why),
        "file:b": (drawn_photo(_SECOND), ("",) * 8),
        "pi": "Pi camera: no answer; check the ribbon cable",
    }
    sets = MemorySets(_SETS, photos, lambda: root.settings.dice_set, **more)
    root.dice_sets, root.eye = sets, Shelf()
    root.desk.change_setting("dice_set", chosen)
    root.set("dice_set", chosen)
    return sets


def _begin(laid: Laid) -> None:
    with_sets(laid)
    laid.root.screen._begin("Evening white", "d12")
    laid.settle()


@scene("dice-sets", "dice_sets", empty_desk)
def _list(laid: Laid) -> None:
    with_sets(laid, "Club dice")


@scene("dice-sets-trouble", "dice_sets", empty_desk, is_screen=False)
def _trouble(laid: Laid) -> None:
    with_sets(laid, "From last year")


@scene("dice-sets-lesson", "dice_sets", empty_desk)
def _lesson(laid: Laid) -> None:
    _begin(laid)


@scene("dice-sets-reading", "dice_sets", empty_desk, is_screen=False)
def _reading(laid: Laid) -> None:
    _begin(laid)
    laid.root.dice_sets.waits = True
    laid.root.screen.look("file:a")


@scene("dice-sets-photo", "dice_sets", empty_desk)
def _photo(laid: Laid) -> None:
    _begin(laid)
    laid.root.screen.look("file:a")


@scene("dice-sets-fault", "dice_sets", empty_desk, is_screen=False)
def _fault(laid: Laid) -> None:
    _photo(laid)
    laid.root.screen._another()
    laid.root.screen.look("pi")


@scene("dice-sets-die", "dice_sets", empty_desk, is_screen=False)
def _die(laid: Laid) -> None:
    _photo(laid)
    laid.settle()
    laid.root.screen._ask_die(9)


@scene("settings-dice", "settings", empty_desk)
def _settings(laid: Laid) -> None:
    with_sets(laid, "Club dice")
    laid.root.go("settings", draft=SettingsDraft("dice"))


@scene("settings-dice-trouble", "settings", empty_desk, is_screen=False)
def _settings_trouble(laid: Laid) -> None:
    with_sets(laid, "From last year")
    laid.root.go("settings", draft=SettingsDraft("dice"))


class _RolledBox(_WatchedBox):
    """A side's phone has sent a photo of its dice."""

    state = replace(_WatchedBox.state, roll=RollSeen("axis", drawn_photo(_SECOND)))


scene("phones-dice", "home", busy_desk, is_screen=False)(_phones(_RolledBox(), PhonesDraft("dice")))
