"""What a side's phone photographed stands large on the box for the other side, a tap away from the notice that tells of it."""

from __future__ import annotations

from companion.core.text import Say
from companion.pages.desk import Notice
from companion.pages.phones import PhonesDraft
from companion.testing.scenes import open_scene
from companion.testing.scenes_dice import _RolledBox
from companion.ui.render.photo import PhotoBlock


def test_a_tap_on_the_notice_of_a_phones_roll_shows_its_photo() -> None:
    laid = open_scene("phones", size=(800, 480))
    root = laid.root
    root.phones = _RolledBox()
    root.notify(Notice("info", Say("Dice"), screen="phones", draft=PhonesDraft("dice")))
    laid.settle()
    assert root.toast is not None
    laid.tap(root.toast.center)
    laid.settle()
    assert root.toast is None
    assert root.screen.page.tab == "dice"
    photos = [one for one in root.walk() if isinstance(one, PhotoBlock)]
    assert len(photos) == 1
    assert photos[0].width * photos[0].height > 0.1 * 800 * 480, "as large as its place allows"


def test_a_notice_without_a_screen_only_goes_away() -> None:
    laid = open_scene("phones", size=(800, 480))
    key = laid.root.screen.key
    laid.root.notify(Notice("info", Say("Dice")))
    laid.settle()
    laid.tap(laid.root.toast.center)
    laid.settle()
    assert (laid.root.toast, laid.root.screen.key) == (None, key)
