"""Lines of the log of The Soft Underbelly: what each of its commands did, so that it can stand behind "Undo"."""

from __future__ import annotations

from companion.core.state import GameState
from companion.core.text import Name, Say, Signed, Typed, nation, unit
from companion.games.tsu.names import in_full, listed, side_or_nobody
from companion.games.tsu.rules import commands as cm
from companion.games.tsu.rules.state import slice_of
from companion.pages.words import LogLines

__all__ = ["LOG"]


def _replace(command: cm.Replace, _state: GameState) -> Say:
    return Say("Replaced: {nation}, {unit}", nation=nation(command.nation), unit=unit(command.unit))


def _change_box(command: cm.ChangeBox, _state: GameState) -> Say:
    return Say(
        "Replacement box, {nation}: {by} {unit}",
        nation=nation(command.nation),
        by=Signed(command.by),
        unit=unit(command.unit),
    )


def _take_star(command: cm.TakeStar, _state: GameState) -> Say:
    name = Typed(command.name) if command.name else Name("star", command.star)
    who = nation(command.holder) if command.holder else side_or_nobody(None)
    return Say("Star {name}: {who}", name=name, who=who)


def _control_star(command: cm.ControlStar, _state: GameState) -> Say:
    return Say(
        "Only ships or aircraft on {name}: {side}",
        name=Name("star", command.star),
        side=side_or_nobody(command.side),
    )


def _declare(command: cm.DeclareAttack, _state: GameState) -> Say:
    return Say("Attack declared: {area}", area=Typed(command.attack.target))


def _target(state: GameState, number: int) -> Typed:
    found = next((d.attack.target for d in slice_of(state).attacks if d.number == number), str(number))
    return Typed(found)


def _drop(command: cm.DropAttack, state: GameState) -> Say:
    return Say("Attack given up: {area}", area=_target(state, command.attack))


def _retreat_before(command: cm.RetreatBefore, _state: GameState) -> Say:
    return Say("Left before the combat: {units}", units=listed(command.units))


def _resolve(command: cm.ResolveAttack, state: GameState) -> Say:
    return Say("Attack fought: {area}", area=_target(state, command.attack))


def _clear(command: cm.ClearOverstack, _state: GameState) -> Say:
    return Say("Overstacked, lost: {unit}", unit=in_full(command.unit))


def _report(command: cm.ReportHappening, _state: GameState) -> Say:
    return Say("{what}", what=Name("happening", command.what))


LOG: LogLines = {
    cm.Replace: _replace,
    cm.ChangeBox: _change_box,
    cm.TakeStar: _take_star,
    cm.ControlStar: _control_star,
    cm.DeclareAttack: _declare,
    cm.DropAttack: _drop,
    cm.RetreatBefore: _retreat_before,
    cm.ResolveAttack: _resolve,
    cm.ClearOverstack: _clear,
    cm.ReportHappening: _report,
    cm.DeclareReorganization: Say("Germany reorganizes its army"),
}
