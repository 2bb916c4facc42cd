"""What the table can say of one group of a battle, beyond its count, as choices that carry what they send.

A choice either sends its command at once or asks for something first: how many dice, how many units, which space.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from companion.core.commands import Command
from companion.core.state import GameState
from companion.core.text import Name, Say
from companion.games.sfw.pages.battle_compose import GroupRow
from companion.games.sfw.pages.battle_words import COLOURS, name_of
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, Battle, Group, Load
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_state import battles_of, edition_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitSpec
from companion.pages.i18n import _, ngettext
from companion.pages.speak import speak

__all__ = ["GroupChoice", "group_choices", "group_in", "line_dice_choices"]

_FARTHEST = 3
"""Distances that are offered; a longer range is not known of any standard unit."""


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """One thing to be said of a group."""

    text: str
    command: Command | None = None
    """Sent at once; None where something is asked first."""
    ask: str = ""
    """``home`` or ``origin``: a space is asked for (`group_in`)."""
    options: tuple[tuple[str, Command], ...] = ()
    """Numbers to choose from, each with what it sends."""


def group_choices(state: GameState, battle: str, row: GroupRow) -> tuple[GroupChoice, ...]:
    """Return what can be said of a group as it stands, the commonest first."""
    declared = battles_of(state).find(battle)
    spec = unit_table_of(state).units.get(row.group.unit)
    if declared is None or spec is None:
        return ()
    work = _Choices(state, declared.battle, battle, row, spec)
    return tuple(work.all())


def group_in(battle: str, row: GroupRow, *, ask: str, space: str) -> bc.SetGroup:
    """Return the command that says in which space a group stands; `ask` is that of its choice."""
    changes = {"origin": space, "home": space} if ask == "origin" else {"home": space}
    return bc.SetGroup(battle, row.side, row.index, replace(row.group, **changes))


class _Choices:
    """The choices of one group."""

    def __init__(
        self, state: GameState, battle: Battle, battle_id: str, row: GroupRow, spec: UnitSpec
    ) -> None:
        self.state = state
        self.battle = battle
        self.id = battle_id
        self.row = row
        self.group: Group = row.group
        self.spec = spec
        self.edition: Edition = edition_of(state)

    def all(self) -> Iterator[GroupChoice]:
        """Yield every choice."""
        if self.battle.occasion == "battle":
            yield from self._fire()
        if self.group.distance:
            yield from self._place()
        yield from self._cargo()
        if self.group.count == 2:
            split = bc.SplitGroup(self.id, self.row.side, self.row.index)
            yield GroupChoice(_("Set one apart"), split)
        elif self.group.count > 2:
            options = tuple(
                (str(n), bc.SplitGroup(self.id, self.row.side, self.row.index, n))
                for n in range(1, self.group.count)
            )
            yield GroupChoice(_("Set some apart"), options=options)

    def _put(self, text: str, **changes: object) -> GroupChoice:
        return GroupChoice(text, self._set(**changes))

    def _set(self, **changes: object) -> Command:
        return bc.SetGroup(self.id, self.row.side, self.row.index, replace(self.group, **changes))

    def _fire(self) -> Iterator[GroupChoice]:
        group, spec = self.group, self.spec
        attacks = self.row.side == ATTACKING
        if spec.has("ambush") or spec.has("deployed"):
            yield self._put(
                _("Did not move in this step") if group.moved else _("Moved in this step"),
                moved=not group.moved,
            )
        if self.row.side == DEFENDING and any(line.choice for line in spec.fire):
            other = "surface" if group.choice == "air" else "air"
            text = _("Defends against land and sea") if other == "surface" else _("Defends against air")
            yield self._put(text, choice=other)
        yield from self._split_dice()
        if spec.has("targeted_bombing") and attacks:
            dice = sum(line.dice for line in spec.fire if line.role != "defence")
            yield GroupChoice(
                speak(_bombing(group.bombing), self.state),
                options=tuple((str(n), self._set(bombing=n)) for n in range(dice + 1)),
            )
        if self.row.side in self.edition.combined_sides and any(line.role != "defence" for line in spec.fire):
            text = speak(Name("fire", "apart" if group.combined else "combine"), self.state)
            yield self._put(text, combined=not group.combined)
        if spec.fire:
            text = _("Has not fired yet") if group.spent else _("Has fired already")
            yield self._put(text, spent=not group.spent)

    def _split_dice(self) -> Iterator[GroupChoice]:
        """Offer to give this battle some of a supporter's dice, the others being free for another battle."""
        table = unit_table_of(self.state)
        role = "attack" if self.row.side == ATTACKING else "defence"
        colours = [
            table.level_name(line.level)
            for line in self.spec.fire
            if line.level is not None and line.role in ("both", role)
        ]
        is_supporting = self.group.distance > 0 and not self.group.origin
        if not is_supporting or len(colours) < 2 or not self.edition.has_split_support:
            return
        if self.group.dice:
            yield self._put(_("All its dice here"), dice=())
        for colour in dict.fromkeys(colours):
            if self.group.dice != (colour,):
                text = _("Only its {colour} die here").format(colour=_(COLOURS.get(colour, colour)))
                yield self._put(text, dice=(colour,))

    def _place(self) -> Iterator[GroupChoice]:
        group = self.group
        reach = self.spec.range if self.spec.range is not None else _FARTHEST
        for distance in range(1, max(reach, group.distance) + 1):
            if distance != group.distance:
                text = ngettext("{n} space away", "{n} spaces away", distance).format(n=distance)
                yield self._put(text, distance=distance)
        if self.spec.has("long_range"):
            is_high = group.terrain == "mountain"
            text = _("Does not fire from mountains") if is_high else _("Fires from mountains")
            yield self._put(text, terrain="" if is_high else "mountain")
        home = group.home or _("not said")
        yield GroupChoice(_("Stands in: {space}").format(space=home), ask="home")
        if group.origin:
            yield self._put(_("Its space is not active: it only supports"), origin="")
        else:
            yield GroupChoice(_("Its space is active too (paired marker)"), ask="origin")

    def _cargo(self) -> Iterator[GroupChoice]:
        group, spec = self.group, self.spec
        if not spec.capacity:
            return
        table = unit_table_of(self.state)
        if group.cargo:
            if spec.has("mobile"):
                if self.edition.is_cargo_chosen:
                    text = _("Cargo stays aboard") if group.unload else _("Cargo takes part")
                    yield self._put(text, unload=not group.unload)
            elif self.row.side == ATTACKING and self.battle.occasion == "battle":
                text = _("Does not unload") if group.unload else _("Unloads on battle step 7B")
                yield self._put(text, unload=not group.unload)
            yield self._put(_("Nothing aboard"), cargo=())
        aboard = {load.unit: load.count for load in group.cargo}
        for unit, other in table.units.items():
            if any(other.standard in room.units for room in spec.capacity) and unit != group.unit:
                more = {**aboard, unit: aboard.get(unit, 0) + 1}
                cargo = tuple(Load(name, count) for name, count in more.items())
                yield self._put(_("Load {unit}").format(unit=name_of(self.state, unit)), cargo=cargo)


def line_dice_choices(
    state: GameState, battle: str
) -> tuple[tuple[str, int, tuple[tuple[str, Command], ...]], ...]:
    """Return each sort of dice of contiguous defensive lines: what it is, how many roll here, and other numbers.

    Contiguous lines may stack all their dice on one entry, or spread them.
    """
    declared = battles_of(state).find(battle)
    if declared is None or declared.battle.lines < 1:
        return ()
    now, sorts = declared.battle, edition_of(state).line_dice
    levels = unit_table_of(state).levels
    here = now.line_dice or tuple(dice.dice * now.lines for dice in sorts)
    found = []
    for index, dice in enumerate(sorts):
        colour = _(COLOURS.get(levels[dice.level - 1], levels[dice.level - 1]))
        against = _("against air") if dice.targets == ("air",) else _("against land")
        options = tuple(
            (
                str(n),
                bc.SetCircumstances(
                    battle, line_dice=tuple(n if i == index else h for i, h in enumerate(here))
                ),
            )
            for n in range(dice.dice * now.lines + 1)
        )
        found.append((f"{colour} {against}", here[index], options))
    return tuple(found)


def _bombing(dice: int) -> Say:
    bombing = Name("ability", "targeted_bombing")
    return Say.counted("{ability}: {n} die", "{ability}: {n} dice", dice, ability=bombing)
