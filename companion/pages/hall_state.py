"""A table as the hall sees it: the newest change as one message. Public figures only: no hand, no seal, no note."""

from __future__ import annotations

from companion.core import clock as ck
from companion.core.change import Change
from companion.core.ids import Millis
from companion.hall.messages import Standing, State
from companion.pages.game_view import Standing as Stands
from companion.pages.i18n import speaking
from companion.pages.labels import act_name, phase_name, side_name
from companion.pages.modules import game_view
from companion.pages.speak import speak

__all__ = ["state_of"]

_LONG = 120


def state_of(
    change: Change,
    standing: Standing,
    now_ms: Millis,
    boot: str,
    *,
    round_: int = 0,
    wants: str = "",
    wants_ms: Millis = 0,
    is_last_round: bool = False,
) -> State:
    """Return the message of a table whose game has started; the words in it are English, as the hall's."""
    state = change.state
    setup, clocks = state.frozen_setup, ck.as_of(state.clocks, now_ms)
    view, (limit, spent, grants) = game_view(setup.game), _times(clocks, now_ms)
    with speaking("en"):
        points = {str(one.side): one.amount for one in view.figures(state) if one.is_points}
        stands = view.standing(state)
        return State(
            game=standing.game,
            branch=standing.branch,
            seq=standing.seq,
            digest=standing.digest,
            boot=boot[:_LONG],
            now=now_ms,
            kind=setup.game,
            scenario=setup.scenario[:_LONG],
            title=setup.title[:_LONG],
            round=round_,
            stage=state.step.stage,
            phase=phase_name(state.step.phase, setup.game)[:_LONG],
            step=state.step.id[:_LONG],
            act=act_name(state.step.act, setup.game)[:_LONG],
            limit=limit,
            spent=spent,
            grants=grants,
            run=clocks.running,
            since=clocks.since_ms if clocks.running is not None else 0,
            vp=points,
            far=_far(stands, change),
            flag=() if state.flag_prompt is None else (state.flag_prompt,),
            gap=state.gap is not None,
            wants=wants,
            wants_at=wants_ms,
            paused=clocks.is_paused,
            adjourned=state.is_adjourned,
            ended=state.ending is not None,
            winner=None if state.ending is None else state.ending.winner,
            names={
                str(one.id): (", ".join(one.seats) or side_name(setup, one.id))[:_LONG] for one in setup.sides
            },
            last_round=is_last_round,
        )


def _far(stands: Stands | None, change: Change) -> dict[str, str]:
    """Return in words who is how far from winning, where the game counts that."""
    if stands is None:
        return {}
    told = {"now": stands.now} | ({} if stands.far is None else {"far": stands.far})
    return {key: speak(words, change.state)[:_LONG] for key, words in told.items()}


def _times(clocks: ck.Clocks, now_ms: Millis) -> tuple[dict[str, Millis], ...]:
    """Return what each side had, has spent and has been given up to this stage, its running interval apart."""
    upto = max(0, clocks.ordinal) + 1
    limit, spent, grants = {}, {}, {}
    for side in clocks.sides:
        running = max(0, now_ms - clocks.since_ms) if clocks.running == side else 0
        spent[str(side)] = sum(clocks.spent_ms[side][:upto])
        left = ck.remaining(clocks, side, now_ms)
        if left is None:
            continue
        limit[str(side)] = sum(clocks.config.allotted_ms[side][:upto])
        grants[str(side)] = left + running + spent[str(side)] - limit[str(side)]
    return limit, spent, grants
