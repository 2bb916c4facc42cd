"""What the table can say of a battle beyond its counts: what bears on the space, and what is special about a group.

A choice is a text and what a tap on it does: send its command at once, or ask something first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from companion.core.places import same_place
from companion.core.state import GameState
from companion.core.text import Name, Say, Value, nation, unit
from companion.games.sfw.pages.spaces import ask_space, known_terrain
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules.battle import ATTACKING, DEFENDING, NOBODY, SIDES, Group, Load, may_unload
from companion.games.sfw.rules.battle_edition import Edition
from companion.games.sfw.rules.battle_known import airfield_held, blown_beside, blown_crossing, enemy_lines
from companion.games.sfw.rules.battle_legal import is_late
from companion.games.sfw.rules.battle_record import Declared
from companion.games.sfw.rules.battle_setup import bombing_dice, reach_of
from companion.games.sfw.rules.battle_state import edition_of
from companion.games.sfw.rules.battle_unsaid import is_active_by_reveal
from companion.games.sfw.rules.named import colour, terrain
from companion.games.sfw.rules.named import space as space_of
from companion.games.sfw.rules.support import unit_table_of
from companion.games.sfw.rules.units import UnitSpec
from companion.games.sfw.words_battle import TERRAINS
from companion.pages.page import Act, Ask, Field, Form, Item, Send, asked
from companion.pages.rulings import settle

__all__ = [
    "Choice",
    "ask_came_from",
    "ask_circumstances",
    "ask_declaration",
    "ask_group",
    "circumstances",
    "declare_at",
    "group_choices",
]

_FARTHEST = 3
"""Distances that are offered; a longer range is not known of any standard unit."""

Choice = tuple[Value, Act]
"""One thing to be said, and what a tap on it does."""


def ask_of(key: str, title: Value, choices: Iterable[Choice]) -> Ask:
    """Ask for one of some choices and go on with its act."""
    each = tuple(choices)
    items = tuple(Item(str(n), text) for n, (text, _act) in enumerate(each))
    return asked(key, title, items, lambda n: each[int(n)][1], is_wide=False)


# The space


def ask_declaration(state: GameState, occasion: str, then: Act) -> Ask:
    """Ask for the space and, where it is not known, its terrain; then declare."""
    return ask_space(
        state, Say("Where is the battle?"), lambda space: declare_at(state, occasion, space, then)
    )


def declare_at(state: GameState, occasion: str, space: str, then: Act) -> Act:
    """Return the declaration of a battle in a space, with what has to be asked before it."""

    def declare(of: str) -> Act:
        if occasion != "battle" or not is_late(state):
            return Send(bc.DeclareBattle(space, of, occasion), then=then)  # type: ignore[arg-type]
        return _ask_forced(lambda why: Send(bc.DeclareBattle(space, of, "battle", why), then=then))

    terrain_of = known_terrain(state, space)
    if terrain_of:
        return declare(terrain_of)
    return _ask_terrain(Say("What kind of space is {space}?", space=space_of(space)), declare)


def _ask_forced(then: Callable[[str], Act]) -> Ask:
    """Ask what forces a battle whose marker was forgotten; without a reason it is refused as the rules do."""
    reasons = {
        "moved": Say("Units moved in"),
        "unloaded": Say("Units were unloaded there"),
        "revealed": Say("A Hidden Fleet was revealed there"),
        "": Say("None of these"),
    }
    return asked(
        "forced",
        Say("The first battle of this act has begun. What forces another one?"),
        tuple(Item(key or "none", text) for key, text in reasons.items()),
        lambda key: then("" if key == "none" else key),
    )


def _ask_terrain(title: Value, then: Callable[[str], Act]) -> Ask:
    return asked("terrain", title, tuple(Item(key, terrain(key)) for key in TERRAINS), then)


def ask_circumstances(state: GameState, declared: Declared) -> Ask:
    """Offer what else bears on a battle, each with its present value."""
    return ask_of("space", Say("The space"), circumstances(state, declared))


def circumstances(state: GameState, declared: Declared) -> Iterator[Choice]:
    """Yield what else bears on a battle, each with its present value."""
    now, edition = declared.battle, edition_of(state)
    is_entry, is_battle = now.occasion == "movement", now.occasion == "battle"
    # At sea nothing stands that belongs on land; what was said before the terrain changed can still be taken back.
    ashore = now.terrain != "sea"

    def put(**what: object) -> Send:
        return Send(bc.SetCircumstances(declared.id, **what))  # type: ignore[arg-type]

    def number(text: Say, title: Value, name: str) -> Choice:
        field = Field("n", title, "number", most=2)
        return text.put(n=getattr(now, name)), Ask(
            Form(name, title, (field,)), lambda given: put(**{name: int(given["n"])})
        )

    def flip(text: Say, name: str) -> Choice:
        is_on = getattr(now, name)
        return text.put(value=Say("yes") if is_on else Say("no")), put(**{name: not is_on})

    yield (
        Say("Terrain: {value}", value=terrain(now.terrain)),
        _ask_terrain(Say("Terrain"), lambda key: put(terrain=key)),
    )
    if is_battle and edition.has_airfield_fire and (ashore or now.airfield in SIDES):
        holders = {NOBODY: Say("none"), ATTACKING: Say("the attackers"), DEFENDING: Say("the defenders")}
        sides = tuple(Item(key, text) for key, text in holders.items())
        mine = airfield_held(state, declared.space, declared.attacker)
        holders[""] = Say("not known") if mine is not None and mine.is_unknown else Say("none")
        ask = asked("airfield", Say("Who controls the airfield?"), sides, lambda side: put(airfield=side))
        yield Say("Airfield: {value}", value=holders[now.airfield]), ask
        if mine is not None:
            yield from _ruling(state, "airfield_roll")
    if is_battle and edition.line_dice and (ashore or now.sea_walls):
        yield number(Say("Sea walls at the landing: {n}"), Say("Sea walls"), "sea_walls")
        yield from _wall_facing(declared)
    if is_active_by_reveal(now, unit_table_of(state)):
        said = {None: Say("not stated"), True: Say("yes"), False: Say("no")}[now.revealed]
        yield Say("A Hidden Fleet, just revealed: {value}", value=said), put(revealed=not now.revealed)
    if is_entry and edition.line_dice and (ashore or now.lines):
        yield number(Say("Defensive lines: {n}"), Say("Defensive lines"), "lines")
    if is_entry and edition.mine:
        yield number(Say("Mines: {n}"), Say("Mines"), "mines")
    if is_battle or is_entry:
        yield from _came_from(state, declared)
    if is_entry and edition.has_bridges and (ashore or now.bridge):
        yield flip(Say("Across a bridge: {value}"), "bridge")
        if now.bridge:
            yield from _ruling(state, "bridge_together")
        if blown_crossing(state, declared) is not None:
            yield from _ruling(state, "blown_bridge")
    if is_entry and not edition.only_pushes:
        yield flip(Say("Push through: {value}"), "push_through")
    if is_entry and edition.push_contested:
        yield flip(Say("Friendly units in the space: {value}"), "contested")
    if is_entry:
        yield from _line_dice(state, declared)
    yield Say("Remove the marker"), Send(bc.WithdrawBattle(declared.id))


def _ruling(state: GameState, ruling: str) -> Iterator[Choice]:
    """Yield an open point of the rules that decides something here, with the table's answer; a tap gives the other one."""
    info = next((info for info in state.frozen_setup.ruling_infos if info.id == ruling), None)
    if info is None:
        return
    now = state.rulings.get(ruling, info.default)
    other = next(choice for choice in info.choices if choice != now)
    text = Say("{ruling}: {choice}", ruling=Name("ruling", ruling), choice=Say(info.choice_texts[now]))
    yield text, settle(state, ruling, other)


def _came_from(state: GameState, declared: Declared) -> Iterator[Choice]:
    """Yield from where the movers or the landing come, where the ledger has something that this decides."""
    beside = (*enemy_lines(state, declared.space, declared.attacker), *blown_beside(state, declared.space))
    if beside:
        now = declared.battle.came_from
        text = Say("They come from: {space}", space=space_of(now) if now else Say("not stated"))
        yield text, ask_came_from(state, declared.id, declared.space, text)


def ask_came_from(state: GameState, battle: str, space: str, title: Value) -> Ask:
    """Ask from which space the movers or a landing come: those first that a line faces or a bridge joins."""
    tokens = state.game["tokens"]
    faced = [
        token.facing for token in tokens.tokens if token.face == "line" and same_place(token.where, space)
    ]
    joined = [
        end for bridge in blown_beside(state, space) for end in bridge.spaces if not same_place(end, space)
    ]
    return ask_space(
        state,
        title,
        lambda where: Send(bc.SetCircumstances(battle, came_from=where)),
        known=dict.fromkeys((*faced, *joined)),
    )


def _wall_facing(declared: Declared) -> Iterator[Choice]:
    """Yield which sea space each wall faces, where units land from more than one."""
    now = declared.battle
    origins = tuple(dict.fromkeys(group.origin for group in now.attacking if group.cargo and group.origin))
    if len(origins) < 2:
        return
    every = Say("every sea space")
    for wall in range(now.sea_walls):
        faces = (*now.wall_facing, *("",) * now.sea_walls)[: now.sea_walls]
        choices = [
            (
                space_of(one) if one else every,
                Send(bc.SetCircumstances(declared.id, wall_facing=(*faces[:wall], one, *faces[wall + 1 :]))),
            )
            for one in ("", *origins)
        ]
        title = Say("Sea wall {n} faces", n=wall + 1)
        facing = space_of(faces[wall]) if faces[wall] else every
        yield Say("Sea wall {n} faces: {space}", n=wall + 1, space=facing), ask_of("faces", title, choices)


def _line_dice(state: GameState, declared: Declared) -> Iterator[Choice]:
    """Yield each sort of dice of contiguous defensive lines: how many roll here, and other numbers.

    Contiguous lines may stack all their dice on one entry, or spread them.
    """
    now, sorts = declared.battle, edition_of(state).line_dice
    if now.lines < 1:
        return
    levels = unit_table_of(state).levels
    here = now.line_dice or tuple(dice.dice * now.lines for dice in sorts)
    for index, dice in enumerate(sorts):
        against = Say("against air") if dice.targets == ("air",) else Say("against land")
        what = Say("{colour} {against}", colour=colour(levels[dice.level - 1]), against=against)
        numbers = [
            (n, Send(bc.SetCircumstances(declared.id, line_dice=(*here[:index], n, *here[index + 1 :]))))
            for n in range(dice.dice * now.lines + 1)
        ]
        text = Say("Lines that roll here, {dice}: {n}", dice=what, n=here[index])
        yield text, ask_of("line_dice", what, numbers)


# Groups


def ask_group(state: GameState, declared: Declared, side: str, index: int) -> Ask:
    """Offer what can be said of a group: it moved, fires combined, splits its dice, what it carries and so on."""
    group = (declared.battle.attacking if side == ATTACKING else declared.battle.defending)[index]
    title = Say("{nation}: {n} {unit}", nation=nation(group.nation), n=group.count, unit=unit(group.unit))
    return ask_of("group", title, group_choices(state, declared, side, index))


def group_choices(state: GameState, declared: Declared, side: str, index: int) -> tuple[Choice, ...]:
    """Return what can be said of a group as it stands, the commonest first."""
    battle = declared.battle
    group = (battle.attacking if side == ATTACKING else battle.defending)[index]
    spec = unit_table_of(state).units.get(group.unit)
    if spec is None:
        return ()
    return tuple(_Choices(state, declared, side, index, group=group, spec=spec).all())


class _Choices:
    """The choices of one group."""

    def __init__(
        self, state: GameState, declared: Declared, side: str, index: int, *, group: Group, spec: UnitSpec
    ) -> None:
        self.state, self.battle, self.id = state, declared.battle, declared.id
        self.side, self.index, self.group, self.spec = side, index, group, spec
        self.edition: Edition = edition_of(state)

    def all(self) -> Iterator[Choice]:
        """Yield every choice."""
        if self.battle.occasion == "battle":
            yield from self._fire()
        if self.group.distance:
            yield from self._place()
        yield from self._cargo()
        if self.group.count == 2:
            yield Say("Set one apart"), Send(bc.SplitGroup(self.id, self.side, self.index))
        elif self.group.count > 2:
            some = [
                (n, Send(bc.SplitGroup(self.id, self.side, self.index, n)))
                for n in range(1, self.group.count)
            ]
            yield Say("Set some apart"), ask_of("apart", Say("Set some apart"), some)

    def _put(self, **changes: object) -> Send:
        return Send(bc.SetGroup(self.id, self.side, self.index, replace(self.group, **changes)))

    def _fire(self) -> Iterator[Choice]:
        group, spec = self.group, self.spec
        if spec.has("ambush") or spec.has("deployed"):
            for moved in (False, True) if group.moved is None else (not group.moved,):
                text = Say("Moved in this step") if moved else Say("Did not move in this step")
                yield text, self._put(moved=moved)
        if self.side == DEFENDING and any(line.choice for line in spec.fire):
            if group.choice == "air":
                yield Say("Defends against land and sea"), self._put(choice="surface")
            else:
                yield Say("Defends against air"), self._put(choice="air")
        yield from self._split_dice()
        dice = bombing_dice(spec)
        if dice and self.side == ATTACKING:
            text = Say.counted(
                "{ability}: {n} die", "{ability}: {n} dice", group.bombing,
                ability=Name("ability", "targeted_bombing"),
            )  # fmt: skip
            yield text, ask_of("bombing", text, ((n, self._put(bombing=n)) for n in range(dice + 1)))
        role = "attack" if self.side == ATTACKING else "defence"
        if self.side in self.edition.combined_sides and any(
            line.role in ("both", role) for line in spec.fire
        ):
            name = Name("fire", "apart" if group.combined else "combine")
            yield name, self._put(combined=not group.combined)
        if spec.fire:
            fired = Say("Has not fired yet") if group.spent else Say("Has fired already")
            yield fired, self._put(spent=not group.spent)

    def _split_dice(self) -> Iterator[Choice]:
        """Offer to give this battle some of a supporter's dice, the others being free for another battle."""
        table = unit_table_of(self.state)
        role = "attack" if self.side == ATTACKING else "defence"
        colours = [
            table.level_name(line.level)
            for line in self.spec.fire
            if line.level is not None and line.role in ("both", role)
        ]
        is_supporting = self.group.distance > 0 and not self.group.origin
        if not is_supporting or len(colours) < 2 or not self.edition.has_split_support:
            return
        if self.group.dice:
            yield Say("All its dice here"), self._put(dice=())
        for one in dict.fromkeys(colours):
            if self.group.dice != (one,):
                yield Say("Only its {colour} die here", colour=colour(one)), self._put(dice=(one,))

    def _place(self) -> Iterator[Choice]:
        group = self.group
        reach = reach_of(self.spec, group.terrain)
        reach = _FARTHEST if reach is None else reach
        for distance in range(1, max(reach, group.distance) + 1):
            if distance != group.distance:
                text = Say.counted("{n} space away", "{n} spaces away", distance)
                yield text, self._put(distance=distance)
        if self.spec.has("long_range"):
            is_high = group.terrain == "mountain"
            high = Say("Does not fire from mountains") if is_high else Say("Fires from mountains")
            near = reach_of(self.spec, "")
            distance = group.distance if near is None or not is_high else min(group.distance, near)
            yield high, self._put(terrain="" if is_high else "mountain", distance=distance)
        home = space_of(group.home) if group.home else Say("not stated")
        stands = Say("Is in: {space}", space=home)
        yield stands, ask_space(self.state, stands, lambda space: self._put(home=space))
        if group.origin:
            yield Say("Its space is not active: it only supports"), self._put(origin="")
        else:
            active = Say("Its space is active too (paired marker)")
            yield active, ask_space(self.state, active, lambda space: self._put(origin=space, home=space))

    def _cargo(self) -> Iterator[Choice]:
        group, spec = self.group, self.spec
        if not spec.capacity:
            return
        table = unit_table_of(self.state)
        if group.cargo:
            if spec.has("mobile"):
                if self.edition.is_cargo_chosen:
                    text = Say("Cargo stays aboard") if group.unload else Say("Cargo takes part")
                    yield text, self._put(unload=not group.unload)
            elif self.side == ATTACKING and may_unload(self.battle, spec):
                text = Say("Does not unload") if group.unload else Say("Unloads in battle step 7B")
                yield text, self._put(unload=not group.unload)
            yield Say("Nothing aboard"), self._put(cargo=())
        aboard = {load.unit: load.count for load in group.cargo}
        for other in table.fielded(group.nation):
            one = other.id
            if any(other.standard in room.units for room in spec.capacity) and one != group.unit:
                more = {**aboard, one: aboard.get(one, 0) + 1}
                cargo = tuple(Load(name, count) for name, count in more.items())
                yield Say("Load {unit}", unit=unit(one)), self._put(cargo=cargo)
