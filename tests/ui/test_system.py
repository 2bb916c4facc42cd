"""Updating and going back from Settings: asked once, waited for in sight, told how it ended; and shutting down."""

from __future__ import annotations

import pytest

from companion.pages.settings import SettingsDraft
from companion.testing import harness
from companion.testing.harness import SIZES, Laid
from companion.testing.memory_desk import MemoryDesk
from companion.ui.system import Waiting


class Box:
    """A box that answers when it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.can_hear = True
        self.told: tuple[bool, str] | None = None

    def ask(self, wish: str) -> bool:
        self.asked.append(wish)
        return self.can_hear

    def answer(self) -> tuple[bool, str] | None:
        told, self.told = self.told, None
        return told


def box_tab(size: tuple[int, int] = (800, 480), box: Box | None = None, **look: object) -> tuple[Laid, Box]:
    box = box or Box()
    laid = harness.lay(MemoryDesk(), screen="settings", size=size, **look)  # type: ignore[arg-type]
    laid.root.system = box
    laid.root.go("settings", draft=SettingsDraft("box"))
    laid.settle()
    return laid, box


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "de"])
def test_the_box_tab_is_whole(size: tuple[int, int], language: str) -> None:
    laid, _box = box_tab(size, language=language)
    assert laid.faults() == []


def test_a_machine_that_is_no_box_offers_no_update() -> None:
    laid = harness.lay(MemoryDesk(), screen="settings", draft=SettingsDraft("box"))
    laid.settle()
    assert not laid.has("Update from a USB stick")


@pytest.mark.parametrize(
    ("button", "yes", "wish"), [("Update", "Update", "update"), ("Go back", "Go back", "back")]
)
def test_a_wish_is_confirmed_waited_for_and_told(button: str, yes: str, wish: str) -> None:
    laid, box = box_tab()
    laid.tap(laid.find(text=button))
    assert box.asked == []
    laid.tap(laid.find(text="Cancel"))
    assert box.asked == []
    laid.tap(laid.find(text=button))
    laid.tap(laid.find(text=yes))
    assert box.asked == [wish]
    waiting = laid.root.dialogs[-1]
    assert isinstance(waiting, Waiting)
    assert laid.faults() == []
    laid.tap((400, 60))
    laid.key(27)
    waiting.look()
    assert laid.root.dialogs == [waiting], "nothing but the answer ends it"
    box.told = (False, "no table-companion-*.zip on a USB stick; copy it there and plug the stick in")
    waiting.look()
    assert laid.root.dialogs == []
    assert laid.root.toast is not None
    assert laid.has("no table-companion-*.zip")


def test_a_box_that_cannot_hear_is_said_to() -> None:
    laid, box = box_tab()
    box.can_hear = False
    laid.tap(laid.find(text="Update"))
    laid.tap(laid.find(text="Update"))
    assert laid.root.dialogs == []
    assert laid.has("The box is not responding; restart it and try again.")


def test_shutting_down_asks_once_and_ends_the_program() -> None:
    laid, _box = box_tab()
    ended: list[bool] = []
    laid.root.on_quit = lambda: ended.append(True)
    laid.tap(laid.find(text="Shut down"))
    assert not laid.has("the computer stays on")
    laid.tap(laid.find(text="Cancel"))
    assert ended == []
    laid.tap(laid.find(text="Shut down"))
    laid.tap(laid.find(text="Shut down"))
    assert ended == [True]


def test_the_light_over_the_tray_is_a_setting() -> None:
    laid = harness.lay(MemoryDesk(), screen="settings", draft=SettingsDraft("screen"))
    laid.settle()
    row = laid.find(text="Light over the dice tray")
    on = [w for w in laid.walk() if getattr(w, "text", "") == "On"]
    assert row is not None
    laid.tap(on[-1])
    assert laid.desk.settings()["tray_light"] is True
