"""Dialogs of the Battle screen: declaring, what bears on the space, and what is special about a group."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from companion.core.state import GameState
from companion.games.sfw.pages.battle_compose import GroupRow
from companion.games.sfw.pages.battle_group import GroupChoice, group_choices, group_in, line_dice_choices
from companion.games.sfw.pages.battle_words import TERRAINS
from companion.games.sfw.pages.spaces import known_spaces
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle_state import battles_of, edition_of
from companion.pages.i18n import _
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.letters import TextEntry

__all__ = ["ask_circumstances", "ask_declaration", "ask_group", "ask_space"]


def ask_declaration(screen: Any, state: GameState, occasion: Any) -> None:
    """Ask for the space and, where it is not known, its terrain; then declare."""
    spaces = known_spaces(state)

    def declare(space: str, terrain: str) -> None:
        screen.send(bc.DeclareBattle(space, terrain, occasion))

    def named(space: str) -> None:
        if spaces.get(space):
            declare(space, spaces[space])
        else:
            _ask_terrain(screen, _("What is {space}?").format(space=space), lambda t: declare(space, t))

    ask_space(screen, _("Where is the battle?"), spaces, named)


def _ask_terrain(screen: Any, title: str, done: Callable[[str], None]) -> None:
    screen.root.ask(Choose(title, [(key, _(text)) for key, text in TERRAINS.items()], done))


def ask_circumstances(screen: Any, state: GameState, battle: str) -> None:
    """Offer what else bears on a battle, each with its present value."""
    declared = battles_of(state).find(battle)
    if declared is None:
        return
    now = declared.battle
    holders = {"": _("none"), "attacking": _("the attackers"), "defending": _("the defenders")}
    is_entry, is_battle = now.occasion == "movement", now.occasion == "battle"
    edition = edition_of(state)
    yes_no = {True: _("yes"), False: _("no")}

    def change(**what: Any) -> bc.SetCircumstances:
        return bc.SetCircumstances(battle, **what)

    def number(title: str, name: str, most: int = 2) -> None:
        def entered(text: str) -> None:
            screen.send(change(**{name: int(text or 0)}))

        screen.root.ask(NumberEntry(title, entered, most=most))

    def flip(name: str) -> None:
        screen.send(change(**{name: not getattr(now, name)}))

    def airfield() -> None:
        options = [
            ("", _("No airfield")),
            ("attacking", _("The attackers")),
            ("defending", _("The defenders")),
        ]
        screen.root.ask(
            Choose(_("Who controls the airfield?"), options, lambda side: screen.send(change(airfield=side)))
        )

    def terrain() -> None:
        _ask_terrain(screen, _("Terrain"), lambda key: screen.send(change(terrain=key)))

    rows: list[tuple[Any, str]] = [
        (terrain, _("Terrain: {value}").format(value=_(TERRAINS.get(now.terrain, now.terrain)))),
    ]
    offers: list[tuple[Any, Any, str]] = [
        (
            is_battle and edition.has_airfield_fire,
            airfield,
            _("Airfield: {value}").format(value=holders[now.airfield]),
        ),
        (
            is_battle and edition.line_dice,
            lambda: number(_("Sea walls"), "sea_walls"),
            _("Sea walls at the landing: {n}").format(n=now.sea_walls),
        ),
        (
            is_entry and edition.line_dice,
            lambda: number(_("Defensive lines"), "lines"),
            _("Defensive lines: {n}").format(n=now.lines),
        ),
        (
            is_entry and edition.mine,
            lambda: number(_("Mines"), "mines"),
            _("Mines: {n}").format(n=now.mines),
        ),
        (
            is_entry and edition.has_bridges,
            lambda: flip("bridge"),
            _("Over a bridge: {value}").format(value=yes_no[now.bridge]),
        ),
        (
            is_entry and not edition.only_pushes,
            lambda: flip("push_through"),
            _("Push through: {value}").format(value=yes_no[now.push_through]),
        ),
        (
            is_entry and edition.push_contested,
            lambda: flip("contested"),
            _("Friends in the space: {value}").format(value=yes_no[now.contested]),
        ),
    ]
    for text, n, options in line_dice_choices(state, battle) if is_entry else ():

        def ask(title: str = text, options: Any = options) -> None:
            screen.root.ask(
                Choose(title, [(command, text) for text, command in options], screen.send, columns=4)
            )

        offers.append((True, ask, _("Lines roll here, {dice}: {n}").format(dice=text, n=n)))
    rows += [(act, text) for is_offered, act, text in offers if is_offered]
    rows.append((lambda: screen.send(bc.WithdrawBattle(battle)), _("Take the marker back")))
    screen.root.ask(Choose(_("The space"), rows, lambda act: act(), columns=2))


def ask_group(screen: Any, state: GameState, battle: str, row: GroupRow) -> None:
    """Offer what can be said of a group: it moved, fires combined, splits its dice, what it carries and so on."""

    def chosen(choice: GroupChoice) -> None:
        if choice.command is not None:
            screen.send(choice.command)
        elif choice.options:
            options = [(command, text) for text, command in choice.options]
            screen.root.ask(Choose(choice.text, options, screen.send, columns=4))
        else:
            ask_space(
                screen,
                choice.text,
                known_spaces(state),
                lambda space: screen.send(group_in(battle, row, ask=choice.ask, space=space)),
            )

    options = [(choice, choice.text) for choice in group_choices(state, battle, row)]
    screen.root.ask(Choose(f"{row.mark.name}: {row.text}", options, chosen, columns=2))


def ask_space(screen: Any, title: str, known: Iterable[str], done: Callable[[str], None]) -> None:
    """Ask for a space: one that is known, or another by name; by name at once where none is known."""

    def chosen(space: str) -> None:
        if space:
            done(space)
        else:
            screen.root.ask(TextEntry(_("Which space?"), done))

    spaces = [(space, space) for space in known]
    if spaces:
        screen.root.ask(Choose(title, [("", _("Another space")), *spaces], chosen, columns=4))
    else:
        chosen("")
