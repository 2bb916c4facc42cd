"""Lines of the log for the ledger: control, cards, resupply, pieces, supply lines and secrets."""

from __future__ import annotations

from companion.core.ledger import points
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, nation, several, side, site, unit
from companion.games.sfw.rules import control, resupply_record, seal_messages, supply, support, tokens
from companion.games.sfw.rules.named import space as space_of
from companion.pages.words import LogLines

__all__ = ["LEDGER_LOG"]


def _take(command: control.TakeControl, _state: GameState) -> Say:
    return Say("{nation} takes {site}", nation=nation(command.nation), site=site(command.site))


def _correct(command: control.CorrectControl, _state: GameState) -> Say:
    return Say("Corrected: {site} to {nation}", nation=nation(command.nation), site=site(command.site))


def _totals(command: control.SetTotals, state: GameState) -> Say:
    first, second = (points(command.quarters.get(info.id, 0)) for info in state.frozen_setup.sides)
    return Say("Victory points set to {first} : {second}", first=first, second=second)


def _card(command: support.PlayCard, _state: GameState) -> Say:
    return Say("{nation} plays {card}", nation=nation(command.nation), card=Typed(command.name))


def _discard(command: support.DiscardCard, _state: GameState) -> Say:
    who = nation(command.nation)
    if not command.name:
        return Say("{nation} discards a card", nation=who)
    return Say("{nation} discards {card}", nation=who, card=Typed(command.name))


def _hand(command: support.CorrectSupport, _state: GameState) -> Say:
    return Say("{nation}: hand corrected", nation=nation(command.nation))


def _purchase(command: resupply_record.Purchase, _state: GameState) -> Say:
    who, units = nation(command.nation), Count(abs(command.count), unit(command.unit))
    if command.count < 0:
        return Say("{nation} puts back {units}", nation=who, units=units)
    return Say("{nation} buys {units}", nation=who, units=units)


def _choose(command: resupply_record.ChooseResupply, _state: GameState) -> Say:
    who, kind = nation(command.nation), Name("kind", command.unit_type)
    if not command.source:
        return Say("{nation}: no {kind} resupply", nation=who, kind=kind)
    return Say("{nation}: {kind} resupply at {site}", nation=who, kind=kind, site=site(command.source))


def _place(command: resupply_record.Place, _state: GameState) -> Say:
    kind = Name("kind", command.unit_type)
    return Say("{nation}: {kind} resupply placed", nation=nation(command.nation), kind=kind)


def _pass(command: resupply_record.PassResupply, _state: GameState) -> Say:
    who = nation(command.nation)
    return (
        Say("{nation} is done buying", nation=who)
        if command.passes
        else Say("{nation} resumes buying", nation=who)
    )


def _lane(command: resupply_record.EnterLane, state: GameState) -> Say:
    first, second = (command.spaces.get(info.id, 0) for info in state.frozen_setup.sides)
    return Say("Lane {lane}: {first} : {second}", lane=Typed(command.lane), first=first, second=second)


def _cut(command: resupply_record.CutLane, _state: GameState) -> Say:
    return Say("Lane {lane} cuts {site}", lane=Typed(command.lane), site=site(command.site))


def _condition(command: resupply_record.ReportCondition, _state: GameState) -> Say:
    here, what = site(command.source), Name("condition", command.condition)
    return (
        Say("{site}: {condition}", site=here, condition=what)
        if command.holds
        else Say("{site}: not {condition}", site=here, condition=what)
    )


def _bombing(command: resupply_record.RecordBombing, _state: GameState) -> Say:
    return Say.counted(
        "{site} bombed: {n} hit", "{site} bombed: {n} hits", command.hits, site=site(command.site)
    )


def _effect(command: resupply_record.RecordCardEffect, _state: GameState) -> Say:
    return Say("{card} at {site}", card=Typed(command.card), site=site(command.source))


def _at_sea(command: resupply_record.ReportAtSea, _state: GameState) -> Say:
    return Say("{site} reported", site=site(command.source))


def _mines(command: resupply_record.ResolveMines, _state: GameState) -> Say:
    return Say("{nation}: rolled for mines", nation=nation(command.nation))


def _reserve(command: resupply_record.SetReserve, _state: GameState) -> Say:
    left = Count(command.left, unit(command.unit))
    return Say("{nation}: {units} left in the tray", nation=nation(command.nation), units=left)


def _ability(command: resupply_record.PickAbility, _state: GameState) -> Say:
    return Say(
        "{side}, {kind}: {ability}",
        side=side(command.side), kind=Name("kind", command.command), ability=Typed(command.ability),
    )  # fmt: skip


def _token(command: tokens.PlaceToken, _state: GameState) -> Say:
    who, where = nation(command.nation), space_of(command.where)
    if command.face == "mine":
        return Say("{nation}: mine in {space}", nation=who, space=where)
    return Say("{nation}: line in {space}", nation=who, space=where)


def _bridge(command: tokens.BlowBridge, _state: GameState) -> Say:
    bridge = tokens.Bridge(command.nation, command.bridge, command.spaces)
    return Say("{nation} blows {bridge}", nation=nation(command.nation), bridge=tokens.bridge_name(bridge))


def _counter(command: tokens.SetCounter, _state: GameState) -> Say:
    return Say("{counter}: {n} in use", counter=Name("counter", command.counter), n=command.used)


def _hub(command: supply.SetUpHub, _state: GameState) -> Say:
    return Say(
        "{nation}: mobile hub in {space}", nation=nation(command.nation), space=space_of(command.where)
    )


def _watch(command: supply.WatchGroup, _state: GameState) -> Say:
    return Say("Watching the supply of {group}", group=Typed(command.label))


def _seal(command: seal_messages.SealSecret, _state: GameState) -> Say:
    return Say("Sealed: {secret}", secret=Typed(command.label))


def _dial(command: seal_messages.SayOnDial, _state: GameState) -> Say:
    who = nation(command.nation)
    if command.is_there:
        return Say("{nation}: Hidden Fleet on the dial", nation=who)
    return Say("{nation}: no Hidden Fleet on the dial any more", nation=who)


def _reveal(command: seal_messages.RevealSecret, _state: GameState) -> Say:
    return Say("Revealed: {secret}", secret=Name("secret", command.secret))


def _owe(command: seal_messages.OweReveal, _state: GameState) -> Say:
    return Say("Must be revealed: {secret}", secret=Name("secret", command.secret))


def _confirm(command: seal_messages.ConfirmHidden, _state: GameState) -> Say:
    return Say("{side}: stays hidden", side=side(command.side))


def _search(command: seal_messages.SearchSpace, _state: GameState) -> Say:
    who, where = nation(command.nation), space_of(command.space)
    if not command.found:
        return Say("{nation} searches {space}", nation=who, space=where)
    found = several(Name("secret", secret) for secret in command.found)
    return Say("{nation} searches {space} and finds {secrets}", nation=who, space=where, secrets=found)


def _opening(command: seal_messages.RecordOpening, _state: GameState) -> Say:
    secret, by = Name("secret", command.secret), Name("opened_by", command.by)
    if command.is_right:
        return Say("{secret} opened by {by}", secret=secret, by=by)
    return Say("{secret}: wrong PIN ({by})", secret=secret, by=by)


LEDGER_LOG: LogLines = {
    control.TakeControl: _take,
    control.CorrectControl: _correct,
    control.SetTotals: _totals,
    support.PlayCard: _card,
    support.DiscardCard: _discard,
    support.CorrectSupport: _hand,
    resupply_record.Purchase: _purchase,
    resupply_record.ChooseResupply: _choose,
    resupply_record.Place: _place,
    resupply_record.PassResupply: _pass,
    resupply_record.EnterLane: _lane,
    resupply_record.CutLane: _cut,
    resupply_record.ReportCondition: _condition,
    resupply_record.RecordBombing: _bombing,
    resupply_record.RecordCardEffect: _effect,
    resupply_record.ReportAtSea: _at_sea,
    resupply_record.ResolveMines: _mines,
    resupply_record.SetReserve: _reserve,
    resupply_record.PickAbility: _ability,
    tokens.PlaceToken: _token,
    tokens.RemoveToken: Say("Token back to reserve"),
    tokens.BlowBridge: _bridge,
    tokens.SetCounter: _counter,
    supply.SetUpHub: _hub,
    supply.RemoveHub: Say("Mobile hub gone"),
    supply.WatchGroup: _watch,
    supply.ForgetGroup: Say("Group no longer watched"),
    seal_messages.SealSecret: _seal,
    seal_messages.SayOnDial: _dial,
    seal_messages.RevealSecret: _reveal,
    seal_messages.OweReveal: _owe,
    seal_messages.ConfirmHidden: _confirm,
    seal_messages.SearchSpace: _search,
    seal_messages.RecordOpening: _opening,
}
"""Command to its line in the log."""
