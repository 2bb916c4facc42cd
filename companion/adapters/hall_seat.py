"""Who plays what at this table, as the director has ordered it: the game that is prepared, and whether it was begun.

It is written down, so that a box that was off goes on with the same seat, and tells which game was begun for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from companion.core.collecting import one_of
from companion.core.presets import CONTROL, OWN
from companion.core.rules import Code, Rejected
from companion.core.scenario import OPTIONS, DataError, Fault
from companion.core.setup import Setup
from companion.core.text import Say, Typed
from companion.hall.orders import Seat
from companion.pages.desk import ScenarioInfo
from companion.pages.game_options import resolved_options, starting_options
from companion.pages.hall import HallSeat, SeatSide
from companion.pages.new_game import refusal
from companion.pages.parts import side_mark
from companion.session.files import explain, read_at_most, write_whole
from companion.session.limits import MOST_SMALL_BYTES

__all__ = ["FILE", "Seats", "is_running", "prepared"]

FILE = "hall-seat.json"


class _Desk(Protocol):
    """What preparing a game needs of the desk."""

    def scenarios(self) -> tuple[ScenarioInfo, ...]: ...
    def make_setup(self, game: str, scenario: str, options: Mapping[str, Any]) -> Setup: ...


class _Kept(msgspec.Struct, frozen=True):
    seat: Seat
    n: int
    """The order's number."""
    game: str = ""
    """Id of the game that was begun for it; empty: none was."""


def is_running(change: Any) -> bool:
    """Say whether a game is going on at the table: one that is over or adjourned makes room for the next."""
    if change is None or change.state.setup is None:
        return False
    return change.state.ending is None and not change.state.is_adjourned


def prepared(desk: _Desk, seat: Seat) -> Setup:
    """Return the game that a seat asks for, frozen. ValueError names what this box does not know or take."""
    infos = desk.scenarios()
    info = next((one for one in infos if (one.game, one.scenario) == (seat.game, seat.scenario)), None)
    if info is None:
        raise _fault(
            "scenario", one_of([f"{one.game} {one.scenario}" for one in infos], seat.scenario), seat.scenario
        )
    chosen = {**starting_options(info, is_tournament=True), **seat.options}
    if "players" in info.options and len(seat.names) in info.options["players"]:
        chosen["players"] = len(seat.names)
    if seat.minutes:
        if "minutes" in chosen:
            chosen |= {"time": "custom", "minutes": {"allies": seat.minutes, "axis": seat.minutes}}
        elif seat.minutes in info.options.get("clock", ()):
            chosen["clock"] = seat.minutes
        else:
            raise _fault("minutes", Say("minutes that this game can be played with"), str(seat.minutes))
    for name in seat.options:
        if name not in info.options and name.partition(".")[0] != CONTROL:
            raise _fault("options", one_of(info.options, name), name)
    control = str(seat.control or seat.options.get(CONTROL, OWN.id))
    controls = ("none", OWN.id, *(one.id for one in info.controls))
    if control not in controls:
        raise _fault(CONTROL, one_of(controls, control), control)
    if seat.control:
        chosen[CONTROL] = seat.control
    options = resolved_options(info, chosen)
    options |= {key: value for key, value in seat.options.items() if key.startswith(f"{CONTROL}.")}
    names = dict(seat.names)
    if info.names_players:
        options["names"] = list(names.values())
        return desk.make_setup(info.game, info.scenario, options)
    setup = desk.make_setup(info.game, info.scenario, options)
    known = [str(one.id) for one in setup.sides]
    strange = sorted(set(names) - set(known))
    if strange:
        raise _fault("side", one_of(known, strange[0]), strange[0])
    seats = setup.options.get("seats", ())
    if seats and names:
        options["seats"] = [names.get(str(one["side"]), str(one["player"])) for one in seats]
        setup = desk.make_setup(info.game, info.scenario, options)
    sides = tuple(
        replace(one, seats=(names[one.id],)) if one.id in names and not seats else one for one in setup.sides
    )
    return replace(setup, sides=sides)


def _fault(key: str, expected: Any, got: str) -> DataError:
    return DataError([Fault(OPTIONS, key, expected, Typed(got))])


def _shown(seat: Seat, setup: Setup, infos: tuple[ScenarioInfo, ...]) -> HallSeat:
    """Return a seat as the table sees it."""
    info = next(one for one in infos if (one.game, one.scenario) == (seat.game, seat.scenario))
    control = next((one.title for one in info.controls if one.id == seat.control), "")
    each = [ms[0] for ms in setup.clock.allotted_ms.values() if ms]
    return HallSeat(
        seat.round,
        info.title,
        info.game_title,
        tuple(
            SeatSide(str(one.id), one.name, side_mark(setup, one.id), ", ".join(one.seats))
            for one in setup.sides
        ),
        control,
        max(each, default=0) if not control else 0,
        len(setup.clock.stages) > 1,
    )


class Seats:
    """The seat of this table. Used on the interface thread alone, but for `__init__`."""

    def __init__(
        self, desk: Any, keys: Path, begin: Callable[[Setup], None], moved: Callable[..., None]
    ) -> None:
        """Read what is kept; a file that cannot be read counts as none, and the director seats the table again.

        Args:
            begin: Begins a game and shows it.
            moved: Takes fields of the `HallState` that have changed.
        """
        self._desk, self._path, self._begin, self._moved = desk, keys / FILE, begin, moved
        self._setup: Setup | None = None
        self._kept: _Kept | None = None
        try:
            self._kept = msgspec.json.decode(read_at_most(self._path, MOST_SMALL_BYTES), type=_Kept)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return

    def show(self) -> None:
        """Show what is kept, as when the program starts; a seat that this program cannot prepare any more is dropped."""
        kept = self._kept
        if kept is None:
            return
        if kept.game:
            self._moved(seated_round=kept.seat.round, slip=kept.seat.code, slip_game=kept.game)
            return
        try:
            self._take(kept)
        except (ValueError, OSError):
            self._drop()

    def take(self, n: int, seat: Seat) -> Rejected | None:
        """Prepare what a seat asks for, or refuse it; the table begins it with one tap."""
        if is_running(self._desk.change):
            return Rejected(Code.ALREADY_STARTED)
        try:
            self._take(_Kept(seat, n))
        except ValueError as fault:
            return Rejected(Code.BAD_VALUE, Say("{why}", why=refusal(fault)[0]))
        except OSError as fault:
            return Rejected("not_kept", Say("{why}", why=explain(fault)[0]))
        return None

    def _take(self, kept: _Kept) -> None:
        setup = prepared(self._desk, kept.seat)
        write_whole(self._path, msgspec.json.encode(kept), mode=0o600)
        self._kept, self._setup = kept, setup
        self._moved(
            seated_round=kept.seat.round,
            seat=_shown(kept.seat, setup, self._desk.scenarios()),
            slip="",
            slip_game="",
        )

    def start(self, number: int = 0) -> Rejected | None:
        """Begin the game of the seat of a round (0: whichever it is), or say why not; of one that goes on already nothing happens."""
        kept, change = self._kept, self._desk.change
        if kept is None or number not in (0, kept.seat.round):
            return Rejected("not_seated", Say("The table is not seated for this round."))
        if is_running(change):
            is_own = bool(kept.game) and change.state.frozen_setup.game_id == kept.game
            return None if is_own else Rejected(Code.ALREADY_STARTED)
        if kept.game or self._setup is None:
            return Rejected("not_seated", Say("The game of this round has been played."))
        before = self._desk.session_now()
        self._begin(self._setup)
        session = self._desk.session_now()
        if session is None or session is before:
            return Rejected("not_begun", Say("The game could not be started."))
        game = session.change.state.frozen_setup.game_id
        self._kept, self._setup = replace(kept, game=game), None
        self._moved(seat=None, slip=kept.seat.code, slip_game=game)
        with suppress(OSError):  # the game goes on; only a restart would not know for whom it was begun
            write_whole(self._path, msgspec.json.encode(self._kept), mode=0o600)
        return None

    def is_begun(self, number: int) -> bool | None:
        """Say whether the game of a round's seat was begun here; None where this table has no seat of that round."""
        kept = self._kept
        return None if kept is None or kept.seat.round != number else bool(kept.game)

    def decline(self) -> int:
        """Others sit here: drop the seat, and return the number of its order; 0 where there is none."""
        kept = self._kept
        if kept is None or kept.game:
            return 0
        self._drop()
        return kept.n

    def _drop(self) -> None:
        self._kept = self._setup = None
        with suppress(OSError):  # a restart would show it once more
            self._path.unlink(missing_ok=True)
        self._moved(seat=None)
