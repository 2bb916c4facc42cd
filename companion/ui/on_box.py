"""What only the box itself does, by the name that an act of a page gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from companion.core.ids import ARBITER
from companion.core.text import Say
from companion.pages.desk import Notice
from companion.pages.page import OnBox
from companion.pages.player_names import SETTING, kept_names, with_names

if TYPE_CHECKING:
    from companion.pages.system import Wish
    from companion.ui.root import Root

__all__ = ["do_on_box", "known"]


def do_on_box(root: Root, act: OnBox) -> None:
    """Do what an act says; ValueError where the box knows nothing of the kind."""
    do = _DOES.get(act.what)
    if do is None:
        raise ValueError(f"{act.what!r} is nothing that the box does")
    do(root, **act.args)


def _arbiter(root: Root) -> None:
    from companion.ui.arbiter import open_arbiter

    open_arbiter(root)


def _adjourned(root: Root) -> None:
    root.phones.turn_off()
    root.desk.close()
    root.go("home")


def _pair_panel(root: Root, key: str, is_on: bool) -> None:
    """Let a plugged-in panel's key count, after the arbiter's PIN; that it counts no more needs none."""
    from companion.ui.arbiter import as_arbiter

    if not is_on:
        root.bench.pair(key, is_on=False)
    elif root.desk.change is None or root.desk.change.state.setup is None:
        root.notify(Notice("info", Say("Open the game first: the PIN of its arbiter pairs the box")))
    else:
        as_arbiter(root, lambda: root.bench.pair(key))


def _phones_presses(root: Root, is_on: bool) -> None:
    """Let phones press in a tournament, both sides' or none, after the arbiter's PIN."""
    from companion.ui.arbiter import as_arbiter

    as_arbiter(root, lambda: root.phones.seat("presses" if is_on else "no_presses"))


def _phones_arbiter(root: Root) -> None:
    """Show the code of the arbiter's own phone, after his PIN."""
    from companion.ui.arbiter import as_arbiter

    as_arbiter(root, lambda: root.phones.seat("own", ARBITER))


def _corners(root: Root) -> None:
    from companion.ui.corners import CornerTest

    root.ask(CornerTest())


def _tour(root: Root) -> None:
    from companion.ui.tour import start_tour

    start_tour(root)


def _wish(root: Root, what: Wish) -> None:
    from companion.ui.system import wish

    wish(root, what)


def _start_game(root: Root, game: str, scenario: str, options: Mapping[str, object], pin: str) -> None:
    """Freeze a new game and start it, or say what is wrong with its options."""
    from companion.pages.new_game import refusal

    try:
        setup = root.desk.make_setup(game, scenario, options)
    except ValueError as fault:
        root.notify(Notice("error", *refusal(fault)))
    else:
        root.start_game(setup, pin)
        kept = kept_names(root.desk.settings())
        if with_names(kept, setup) != kept:
            root.desk.change_setting(SETTING, list(with_names(kept, setup)))


def _open_game(root: Root, path: Path) -> None:
    """Go on with a saved game; the one that is open has its table at once."""
    if getattr(root.desk, "path", None) == path and root.desk.change is not None:
        root.go("table")
    else:
        root.open_game(path)


def _branch_game(root: Root, path: Path | None, seq: int) -> None:
    """Go on from an earlier act as a copy; None: of the open game."""
    here = path or getattr(root.desk, "path", None)
    made = root.desk.branch(here, seq) if here is not None else None
    if made is not None:
        root.open_game(made)
    elif root.desk.change is None:
        root.go("home")


def _delete_game(root: Root, path: Path) -> None:
    root.desk.delete(path)
    root.refresh()


def _restore_game(root: Root) -> None:
    """Take back the game that was moved to the bin last, where this desk keeps any."""
    restore = getattr(root.desk, "restore", None)
    if restore is not None:
        restore()
    root.refresh()


def _printed_to_stick(root: Root) -> None:
    change = root.desk.change
    if change is not None and change.state.setup is not None:
        root.export_printed(change.state.frozen_setup.game)


def _printed_from_code(root: Root, text: str) -> None:
    """Take the printed values of a code, where this desk keeps any."""
    take = getattr(root.desk, "import_printed_code", None)
    if take is not None:
        take(text)


def _help(root: Root) -> None:
    """Open the help of the screen that is up; on More, of the one that was up before."""
    is_more = root.screen is not None and root.screen.key == "more"
    root.help(root.came_from("more") if is_more else "")


def _change_pin(root: Root) -> None:
    from companion.ui.arbiter import change_pin

    change_pin(root)


_BOX_SCREENS = ("settings", "hardware", "dice_sets", "dice", "phones", "hall")
"""Screens about the box itself: whoever is done with them goes back to where he came from."""

_DOES: Mapping[str, Callable[..., None]] = {
    "arbiter": _arbiter,
    "report": lambda root: root.report(),
    "adjourned": _adjourned,
    "set": lambda root, name, value: root.set(name, value),
    "phones_on": lambda root, address: root.phones.turn_on(address),
    "phones_seat": lambda root, what, token="": root.phones.seat(what, token),
    "phones_presses": _phones_presses,
    "phones_arbiter": _phones_arbiter,
    "phones_off": lambda root: root.phones.turn_off(),
    "hall_call": lambda root, reason: root.hall.call(reason),
    "hall_read": lambda root: root.hall.read(),
    "hall_answer": lambda root, n, yes: root.hall.answer(n, yes),
    "hall_begin": lambda root: root.hall.begin(),
    "hall_decline": lambda root: root.hall.decline(),
    "hall_leave": lambda root: root.hall.leave(),
    "corners": _corners,
    "tour": _tour,
    "wish": _wish,
    "start_game": _start_game,
    "open_game": _open_game,
    "branch_game": _branch_game,
    "export_game": lambda root, path: root.export(path),
    "delete_game": _delete_game,
    "restore_game": _restore_game,
    "import_game": lambda root: root.import_game(),
    "printed_to_stick": _printed_to_stick,
    "printed_from_stick": lambda root: root.import_printed(),
    "help": _help,
    "return": lambda root: root.go(root.came_from(*_BOX_SCREENS) or "home"),
    "change_pin": _change_pin,
    "printed_from_code": _printed_from_code,
    "empty_bin": lambda root: root.desk.empty_bin(),
    "quit": lambda root: root.quit(),
    "test_part": lambda root, key: root.bench.test(key),
    "pair_panel": _pair_panel,
    "test_camera": lambda root, key: root.cameras.test(key),
}


def known() -> frozenset[str]:
    """Return the names of all that the box does."""
    return frozenset(_DOES)
