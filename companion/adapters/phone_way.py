"""What a phone reads that comes in with tonight's code: which table this is, and which sides still want a phone."""

from __future__ import annotations

from companion.adapters.phone_seats import Seats
from companion.core.change import Change
from companion.core.state import GameState
from companion.core.text import Say, side
from companion.gateway.wire import Seat, Way
from companion.pages.html import EMBLEMS
from companion.pages.i18n import LANGUAGES, speaking
from companion.pages.modules import modules
from companion.pages.page import Mark
from companion.pages.parts import side_mark
from companion.pages.speak import Voice

__all__ = ["way_in"]


def way_in(change: Change | None, seats: Seats) -> Way:
    """Return what stands on the way in, in every language; without an open game nothing."""
    state = change.state if change is not None else None
    if state is None or state.setup is None:
        return Way()
    held = {one.seat for one in seats.held.values()}
    tables, names = dict[str, str](), dict[str, dict[str, str]]()
    for code in LANGUAGES:
        with speaking(code) as spoken:
            voice = Voice(spoken, state.setup.game, state)
            tables[code] = _table(state, voice)
            for info in state.setup.sides:
                names.setdefault(info.id, {})[code] = voice.say(side(info.id))
    marks = {str(info.id): side_mark(state.setup, info.id) for info in state.setup.sides}
    return Way(tables, tuple(_seat(id_, names[id_], marks[id_], is_free=id_ not in held) for id_ in names))


def _seat(id_: str, names: dict[str, str], mark: Mark, *, is_free: bool) -> Seat:
    emblem = mark.emblem if mark.emblem in EMBLEMS else ""
    return Seat(id_, names, emblem, mark.tone.replace(":", "-"), is_free)


def _table(state: GameState, voice: Voice) -> str:
    """Return what is played: the game, and its scenario."""
    setup = state.frozen_setup
    module = modules().get(setup.game)
    told = (
        voice.say(Say(title)) for title in (module.title if module is not None else "", setup.title) if title
    )
    return " · ".join(dict.fromkeys(told))
