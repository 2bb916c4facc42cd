"""The card game by chance: a deck, plays that are mostly allowed, and a table that does something and goes on."""

from __future__ import annotations

import random
from typing import Any

from companion.core.commands import EndAct
from companion.core.ids import Side
from companion.games.med.rules.cards import Card
from companion.games.med.rules.commands import (
    DiscardHand,
    DropInvalid,
    LayStorm,
    PlayHand,
    RollDice,
    TakeTrick,
    TurnOver,
    UseEffect,
)
from companion.games.med.rules.outcome import dice_needed, spoils
from companion.games.med.rules.slice import known_cards, sharing, verdict
from tests.games.med.table import Table, battle, bonus, convoy, force
from tests.games.med.test_med_play import STORMS, special


def random_deck(chance: random.Random) -> list[Card]:
    frames: Any = ("air", "surface", "sub", "all")
    values: Any = (0, 0, 1, 2, 3, 4, 5, 6, "?", "??")
    deck: list[Card] = []
    for letter in "AX":
        for n in range(1, 31):
            years = tuple(y for y in (1940, 1941, 1942, 1943) if chance.random() < 0.8)
            target = f"{'X' if letter == 'A' else 'A'}{chance.randint(1, 30):02}"
            deck.append(
                force(
                    f"{letter}{n:02}",
                    *(chance.choice(values) for _ in range(3)),
                    years=years,
                    frame=chance.choice(frames),
                    victory_points=chance.randint(1, 5),
                    victim=target if chance.random() < 0.3 else "",
                )
            )
    deck += [bonus(f"{letter}{n}", 1, 1, 1, alone=n == 41) for letter in "AX" for n in (41, 42)]
    deck += [special("A45", "ultra"), special("X45", "b_dienst"), special("A46", "la_spezia")]
    deck += [special("X46", "romanian_fuel"), special("A47", "cunningham"), special("X47", "iachino")]
    deck += [special("A48", "medway", "supply"), special("X48", "remo", "supply"), *STORMS]
    for n in range(1, 7):
        make: Any = chance.choice((convoy, battle))
        deck.append(make(f"O{n:02}", chance.randint(1940, 1943), freighter=chance.choice(("full", "half"))))
    return deck


def likely_play(table: Table, chance: random.Random, deck: list[Card], player: Side | None) -> PlayHand:
    """A Force card with now and then something on top; not always allowed."""
    side = chance.choice(("allies", "axis"))
    forces = [c for c in deck if c.kind == "force" and c.side == side]
    extras = [c for c in deck if c.kind != "force" and c.side in (side, None)]
    laid = [chance.choice(forces)] if chance.random() < 0.85 else []
    laid += chance.sample(extras, min(len(extras), chance.choice((0, 0, 1, 1, 2)))) or (
        [] if laid or not extras else [chance.choice(extras)]
    )
    admiral: Any = ""
    if any(c.effect in ("cunningham", "iachino") for c in laid):
        admiral = chance.choice(("combined", "two"))
        laid += [chance.choice(forces)] if admiral == "two" else []
    target = laid[0].number if any(c.effect == "bomb_alley" for c in laid) else ""
    bonus_on = {c.number: laid[0].number for c in laid if c.kind == "bonus" and laid[0].kind == "force"}
    numbers = tuple(c.number for c in laid)
    return PlayHand(table.state.step.id, side, numbers, bonus_on, admiral, target, player)


def shares_by_chance(table: Table, chance: random.Random) -> dict[str, tuple[str, ...]]:
    """Return the prizes dealt out in turn, where the advanced rules share them; empty where they do not."""
    engagement, cards = table.own.engagement, known_cards(table.state)
    assert engagement is not None
    won = verdict(table.state, engagement)
    if not table.own.options.advanced or won.kind != "won":
        return {}
    players = sharing(table.state, engagement, won)
    prizes = [engagement.operation, *chance.sample(found := spoils(engagement, cards, won), len(found))]
    if len(players) < 2:
        return {}
    return {str(player): tuple(prizes[n :: len(players)]) for n, player in enumerate(players)}


def act(table: Table, chance: random.Random, deck: list[Card]) -> None:
    """Do something that the rules take, chosen by chance, or go on."""
    step, engagement = table.state.step, table.own.engagement
    if step.act == "operation":
        other = f"O{99 - step.stage}" if table.own.options.advanced else ""
        table.do(TurnOver(step.id, f"O{step.stage:02}", (chance.choice(("air", "surface", "sub")),), other))
    elif step.act in ("play", "play_hidden", "play_again", "reveal") and engagement is not None:
        lies = {n for play in engagement.plays for n in play.cards}
        held = [card for card in deck if card.number not in lies]
        for _try in range(8):
            player = chance.choice(table.own.players) if step.act == "reveal" else None
            table.attempt(likely_play(table, chance, held, player))
        storm = chance.choice(STORMS).number
        laid = [n for play in engagement.plays for n in play.cards]
        for target in laid[:3]:
            table.attempt(LayStorm(step.id, chance.choice(table.own.players), storm, target))
        for player in table.own.players:
            table.attempt(UseEffect(step.id, "sirocco", (chance.randint(1, 6),), player))
            if chance.random() < 0.2 or not any(play.player == player for play in engagement.plays):
                table.attempt(DiscardHand(step.id, chance.choice(("one", "all", "out", "bluff")), player))
        if laid and chance.random() < 0.1:
            table.attempt(DropInvalid(chance.choice(laid)))
    elif step.act == "trick" and engagement is not None:
        for play in engagement.plays:
            for card in play.cards:
                table.attempt(UseEffect(step.id, "explosion", (2, 2), card=card))
                table.attempt(UseEffect(step.id, "lost", card=card))
        table.attempt(UseEffect(step.id, "explosion", (2, 2)))
        engagement = table.own.engagement
        assert engagement is not None
        for key, count in dice_needed(engagement, known_cards(table.state)).items():
            card, element = key.split(":")
            dice = tuple(chance.randint(1, 6) for _ in range(count))
            table.do(RollDice(step.id, card, element, dice))  # type: ignore[arg-type]
        table.do(TakeTrick(step.id, shares=shares_by_chance(table, chance)))
    table.attempt(EndAct(step.id, table.now_ms))
