"""The view model of North Africa's Combat screen, and what is being entered on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.core.commands import Command
from companion.pages.entered_dice import EnteredDice

__all__ = ["CombatRow", "CombatView", "Draft", "VolleyLine"]


@dataclass(frozen=True, slots=True)
class Draft(EnteredDice):
    """What is being entered and not sent yet; its dice are those of the current stage, in the order of its volleys."""

    target: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Row key to count."""
    key: str = ""
    """What it was entered for; another stage starts anew."""
    mines: tuple[str, str, int] | None = None
    """Mines that go off: place, owner (or neighbour across the border), how many."""
    pay: Mapping[str, str] = field(default_factory=dict)
    """Attacking territory to where its supply comes from, as in `AttackGroup.supply_from`."""
    aims: Mapping[int, tuple[int, Mapping[str, int]]] = field(default_factory=dict)
    """Number of a volley to the hits that are aimed, and those by named unit type."""
    plan: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Territory to the pieces that retreat there."""


@dataclass(frozen=True, slots=True)
class CombatRow:
    """One line: text only, a tap with a command or a question, or a counter."""

    key: str
    text: str
    sub: str = ""
    command: Command | None = None
    ask: str = ""
    """``target``, ``open``, ``retreat``, ``mines``, ``join``, ``pay`` or ``odds``: what the tap asks first."""
    count: int | None = None
    most: int = 0


@dataclass(frozen=True, slots=True)
class VolleyLine:
    """One volley of the stage at hand."""

    text: str
    sub: str
    values: tuple[int | None, ...]
    """Entered values, None where one is still to come."""
    number: int = 0
    aim: str = ""
    """What the hits are aimed at, where the firer has a choice; a tap changes it."""


@dataclass(frozen=True, slots=True)
class CombatView:
    """What the screen shows."""

    title: str = ""
    lead: str = ""
    """Who decides, or what to do."""
    attackers: str = ""
    defenders: str = ""
    attack_name: str = ""
    defence_name: str = ""
    attack_side: str = ""
    rows: tuple[CombatRow, ...] = ()
    volleys: tuple[VolleyLine, ...] = ()
    is_dice: bool = False
    main_text: str = ""
    main_command: Command | None = None
    """None: the main button ends the act or goes back."""
    is_main_ready: bool = True
    ends_act: bool = False
    key: str = ""
    """Changes when what is entered no longer fits."""
    note: str = ""
