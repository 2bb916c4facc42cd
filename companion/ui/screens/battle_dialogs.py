"""Dialogs of the Battle screen: declaring, what bears on the space, and what is special about a group."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from companion.core.state import GameState
from companion.games.sfw import battle_commands as bc
from companion.games.sfw.battle import Group, Load
from companion.games.sfw.battle_state import battles_of, edition_of
from companion.games.sfw.support import unit_table_of
from companion.presenters.battle_compose import GroupRow
from companion.presenters.battle_words import TERRAINS, name_of
from companion.presenters.i18n import N_, _
from companion.presenters.sfw_battle import known_spaces
from companion.presenters.sfw_words import term
from companion.ui.dialogs import Choose, NumberEntry
from companion.ui.letters import TextEntry

__all__ = ["ask_circumstances", "ask_declaration", "ask_group"]


def ask_declaration(screen: Any, state: GameState, occasion: Any) -> None:
    """Ask for the space and, where it is not known, its terrain; then declare."""
    spaces = known_spaces(state)

    def declare(space: str, terrain: str) -> None:
        screen.send(bc.DeclareBattle(space, terrain, occasion))

    def ask_terrain(space: str) -> None:
        options = [(key, _(text)) for key, text in TERRAINS.items()]
        screen.root.ask(
            Choose(_("What is {space}?").format(space=space), options, lambda t: declare(space, t))
        )

    def chosen(space: str) -> None:
        if not space:
            screen.root.ask(TextEntry(_("Which space?"), ask_terrain))
        elif spaces[space]:
            declare(space, spaces[space])
        else:
            ask_terrain(space)

    options = [("", _("Another space")), *((space, space) for space in spaces)]
    screen.root.ask(Choose(_("Where is the battle?"), options, chosen, columns=4))


def ask_circumstances(screen: Any, state: GameState, battle: str) -> None:
    """Offer what else bears on a battle, each with its present value."""
    declared = battles_of(state).find(battle)
    if declared is None:
        return
    now = declared.battle
    sides: dict[str, str] = {info.id: _(info.name) for info in state.frozen_setup.sides}
    is_entry, edition = now.occasion == "movement", edition_of(state)
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
            Choose(
                _("Who controls the airfield?"),
                options,
                lambda side: screen.send(bc.SetCircumstances(battle, airfield=side)),
            )
        )

    def terrain() -> None:
        options = [(key, _(text)) for key, text in TERRAINS.items()]
        screen.root.ask(
            Choose(_("Terrain"), options, lambda key: screen.send(bc.SetCircumstances(battle, terrain=key)))
        )

    rows: list[tuple[Any, str]] = [
        (terrain, _("Terrain: {value}").format(value=_(TERRAINS.get(now.terrain, now.terrain)))),
    ]
    offers: list[tuple[Any, Any, str]] = [
        (
            edition.has_airfield_fire,
            airfield,
            _("Airfield: {value}").format(value=sides.get(now.airfield, now.airfield or _("none"))),
        ),
        (
            edition.line_dice,
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
    rows += [(act, text) for is_offered, act, text in offers if is_offered]
    rows.append((lambda: screen.send(bc.WithdrawBattle(battle)), _("Take the marker back")))
    screen.root.ask(Choose(_("The space"), rows, lambda act: act()))


def ask_group(screen: Any, state: GameState, battle: str, row: GroupRow) -> None:
    """Offer what can be said of a group: it moved, fires combined, what it carries and so on."""
    group = row.group
    spec = unit_table_of(state).units.get(group.unit)
    if spec is None:
        return

    def put(changed: Group) -> None:
        screen.send(bc.SetGroup(battle, row.side, row.index, changed))

    rows: list[tuple[Any, str]] = [
        (
            lambda: put(replace(group, combined=not group.combined)),
            term(state, N_("No combined fire") if group.combined else N_("Combined fire")),
        ),
        (
            lambda: put(replace(group, spent=not group.spent)),
            _("Has not fired yet") if group.spent else _("Has fired already"),
        ),
        (
            lambda: put(replace(group, moved=not group.moved)),
            _("Did not move in this step") if group.moved else _("Moved in this step"),
        ),
    ]
    if group.distance:
        rows += [
            (lambda n=n: put(replace(group, distance=n)), _("{n} spaces away").format(n=n))
            for n in (1, 2, 3)
            if n != group.distance
        ]
    if len({line.role for line in spec.fire}) > 1 and group.unit == "light_bomber":
        other = "surface" if group.choice == "air" else "air"
        text = _("Defends against land and sea") if other == "surface" else _("Defends against air")
        rows.append((lambda: put(replace(group, choice=other)), text))
    if spec.has("targeted_bombing"):

        def bombing(text: str) -> None:
            put(replace(group, bombing=int(text or 0)))

        rows.append(
            (
                lambda: screen.root.ask(NumberEntry(_("Dice at the objective"), bombing, most=1)),
                term(state, N_("Targeted bombing: {n} dice")).format(n=group.bombing),
            )
        )
    if spec.has("mobile") and group.cargo and edition_of(state).is_cargo_chosen:
        text = _("Cargo stays aboard") if group.unload else _("Cargo takes part")
        rows.append((lambda: put(replace(group, unload=not group.unload)), text))
    if spec.capacity:
        rows += _cargo_rows(state, group, put)
    screen.root.ask(Choose(f"{row.mark.name}: {row.text}", rows, lambda act: act()))


def _cargo_rows(state: GameState, group: Group, put: Any) -> list[tuple[Any, str]]:
    table = unit_table_of(state)
    aboard = {load.unit: load.count for load in group.cargo}
    rows: list[tuple[Any, str]] = []
    for unit, spec in table.units.items():
        if spec.type == "land" and unit != group.unit:
            cargo = tuple(
                Load(name, count) for name, count in {**aboard, unit: aboard.get(unit, 0) + 1}.items()
            )
            rows.append(
                (
                    lambda cargo=cargo: put(replace(group, cargo=cargo)),
                    _("Load {unit}").format(unit=name_of(state, unit)),
                )
            )
    if group.cargo:
        rows.insert(0, (lambda: put(replace(group, cargo=())), _("Nothing aboard")))
    return rows
