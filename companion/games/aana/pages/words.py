"""Words of North Africa on the shared screens: printed values, scores, the ending."""

from __future__ import annotations

from collections.abc import Iterator

from companion.core.ids import Nation, SiteId, StepId
from companion.core.state import GameState
from companion.core.text import Name, Say, area, nation, several, side
from companion.core.text import unit as named
from companion.games.aana.rules import battle_messages as bm
from companion.games.aana.rules.conditions import held_by
from companion.games.aana.rules.figures import FIGURES, NO_POWER, SIDE_OF, TURN_POWERS, applies
from companion.games.aana.rules.ledger import board, figures, ledger_of, scenario_of
from companion.games.aana.rules.victory import CHART, LEVELS, judged, missing_spaces, undecided
from companion.pages.game_view import GameView, OpenBattle, PrintedRow, Score, Standing
from companion.pages.i18n import _, labelled
from companion.pages.page import Act, Part, Split, Words
from companion.pages.parts import side_mark
from companion.pages.speak import speak

__all__ = [
    "figure_word",
    "level_word",
    "power_name",
    "space_name",
    "unit_word",
]


def unit_word(unit: str) -> str:
    """Return a piece's name."""
    return speak(named(unit), game="aana")


def figure_word(figure: str) -> str:
    """Return the name of a figure of a piece."""
    return speak(Name("figure", figure), game="aana")


def level_word(level: str) -> str:
    """Return the name of a level of victory."""
    return speak(Name("level", level), game="aana")


def power_name(state: GameState, power: Nation) -> str:
    """Return a power's name."""
    return speak(nation(power), state)


def space_name(state: GameState, space: SiteId) -> str:
    """Return a space's name."""
    return speak(area(space), state)


def chart_spaces(state: GameState) -> frozenset[SiteId]:
    """Return the territories that the victory chart names."""
    return frozenset(
        space
        for table in scenario_of(state).victory.values()
        for level in LEVELS
        for group in getattr(table, level)
        for space in group
    )


def charted(state: GameState) -> dict[str, int]:
    """Return how many of the territories that the victory chart names each side holds."""
    named, control = chart_spaces(state), ledger_of(state).control
    return {
        info.id: sum(SIDE_OF.get(control.get(space, NO_POWER)) == info.id for space in named)
        for info in state.frozen_setup.sides
    }


def short_says(state: GameState) -> tuple[Say, ...]:
    """Say of each side what it lacks for its nearest line of the chart; nothing where a marker there is not known."""
    found = []
    for one, table in scenario_of(state).victory.items():
        lacks = missing_spaces(state, one, [group for level in LEVELS for group in getattr(table, level)])
        name = side(one)
        if any(held_by(state, space, one).is_unknown for space in lacks):
            continue
        found.append(
            Say("{side} {n} short: {spaces}", side=name, n=len(lacks), spaces=several(map(area, lacks)))
            if lacks
            else Say("{side} have what they need", side=name)
        )
    return tuple(found)


def won_now(state: GameState) -> Words:
    """Say who would win if the campaign ended now, in the last round with the level."""
    if undecided(state):
        return Say("If it ended now: not all markers are known yet")
    found = judged(state)
    if found.winner is None:
        return Say("If it ended now: a draw")
    if state.step.stage < max(state.itinerary.stages()):
        # Which level it would be says little before the round in which the chart is judged.
        return Say("If it ended now: {side} win", side=side(found.winner))
    level = Name("level", found.level)
    return Say("If it ended now: {side}, {level}", side=side(found.winner), level=level)


class NorthAfricaView(GameView):
    """What the game adds to the shared screens."""

    score_screen = "aana_score"

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return how many territories of the victory chart each side holds; who wins is judged at the end."""
        return tuple(Score(one, str(n), _("on the chart")) for one, n in charted(state).items())

    def half_entered(self, state: GameState, draft: object) -> Say | None:  # noqa: ARG002 - a draft is of its step
        """Return the attack that is being put together."""
        from companion.games.aana.pages.draft import CombatDraft

        if not isinstance(draft, CombatDraft) or not draft.target or not any(draft.counts.values()):
            return None
        return Say("The attack on {area} has not been declared.", area=area(draft.target))

    def standing(self, state: GameState) -> Standing | None:
        """Return the territories of the victory chart by side."""
        held, setup = charted(state), state.frozen_setup
        if not any(held.values()):
            return None
        parts = [
            Part(one, n, n, Say.counted("territory", "territories", n), side_mark(setup, one))
            for one, n in held.items()
        ]
        rest = len(chart_spaces(state)) - sum(held.values())
        if rest:
            parts.insert(1, Part("open", rest, rest, Say.counted("free", "free", rest)))
        far = [*short_says(state)]
        if state.ending is None and state.step.phase != "victory":
            far.append(Say("Judged after round {n}", n=max(state.itinerary.stages())))
        return Standing(
            Split("chart", tuple(parts), unit=Say("Territories")), won_now(state), several(far, "lines")
        )

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return every figure that the text does not give, entered or not."""
        rows: list[PrintedRow] = []
        book = figures(state)
        for row in book.rows():
            for figure in FIGURES:
                key = f"unit.{row.power}.{row.unit}.{figure}"
                if applies(row, figure) and row.status.get(figure) in ("unknown", "printed"):
                    of, word = unit_word(row.unit), figure_word(figure)
                    group = speak(nation(row.power), state)
                    value = state.printed.get(key)
                    rows.append(
                        PrintedRow(key, f"{of}, {word}", value, group, of=of, figure=word.capitalize())
                    )
        order = list(dict.fromkeys(row.group for row in rows))
        rows.sort(key=lambda row: order.index(row.group))
        return (*rows, *self._board_rows(state))

    def _board_rows(self, state: GameState) -> Iterator[PrintedRow]:
        """Yield what the board prints, place by place."""

        def row(key: str, label: str, of: str, word: str, hint: str = "") -> PrintedRow:
            return PrintedRow(key, label, state.printed.get(key), _("Board"), hint, of=of, figure=word)

        for territory in board(state).territories():
            name = _(territory.name)
            if territory.rp == "printed":
                label = _("{space}: reinforcement points").format(space=name)
                hint = _("0 where the board prints none") if "rp" in territory.status else ""
                yield row(f"rp.{territory.id}", label, name, _("Points"), hint)
            if territory.bonus_key and not territory.bonus_reroll:
                label = _("{space}: lowest face that defenders reroll, 0 for none").format(space=name)
                yield row(territory.bonus_key, label, name, _("Rerolls from"))
        for power in TURN_POWERS:
            name = power_name(state, power)
            label = _("{power}: National Basic points").format(power=name)
            yield row(f"base.{power}", label, name, _("Basic points"))

    def ending(self, state: GameState) -> str:
        """Return who won at which level, or that it is a draw."""
        ending = state.ending
        if ending is None:
            return ""
        if ending.winner is None:
            return _("A draw.") if ending.reason == CHART else ""
        side = _("Axis") if ending.winner == "axis" else _("Allies")
        level = level_word(ending.level) if ending.level else ""
        return labelled(side, f"{level}.") if level else ""

    def ends_too(self, state: GameState) -> tuple[StepId, Say] | None:
        """Return the phase in which combats are conducted, where no attack waits for it: it is not asked about twice."""
        here, following = state.step, state.itinerary.steps[state.index + 1 : state.index + 2]
        is_declaring = here.phase == "combat_move" and here.act == "declare"
        if not is_declaring or any(not attack.result for attack in bm.battles_of(state).attacks):
            return None
        return next(
            ((one.id, Say("No combats: next phase")) for one in following if one.phase == "combat"), None
        )

    def new_battle(self, state: GameState) -> tuple[str, Act | None, Say] | None:
        """Return the Combat screen while attacks are declared."""
        can_declare = state.step.phase == "combat_move" and state.step.act == "declare"
        return ("aana_combat", None, Say("Declare an attack")) if can_declare else None

    def battles(self, state: GameState) -> tuple[OpenBattle, ...]:
        """Return the attacks that wait or are fought, with how many pieces attack; and defend, once one is fought."""
        fight = bm.fight_of(state)
        found = []
        for attack in bm.battles_of(state).attacks:
            if attack.result:
                continue
            is_running = fight is not None and fight.attack == attack.id
            if fight is not None and is_running:
                note = Say("{a} against {d}", a=sum(fight.a), d=sum(fight.d))
            else:
                pieces = sum(n for group in attack.groups for n in group.units.values())
                note = Say.counted("{n} piece attacks", "{n} pieces attack", pieces)
            space, line = speak(area(attack.space), state), speak(note, state)
            found.append(OpenBattle(str(attack.id), space, line, "aana_combat", is_running=is_running))
        return tuple(sorted(found, key=lambda one: not one.is_running))

    def screen_for(self, state: GameState) -> str:
        """Return the screen that the current phase leads to."""
        phase = state.step.phase
        if phase == "setup":
            return "aana_setup"
        if phase == "victory":
            return "aana_score" if state.ending is None else ""
        if phase in ("convoys", "requisition", "deploy"):
            return "aana_reinforce"
        if phase == "combat" or (phase == "combat_move" and state.step.act == "declare"):
            return "aana_combat"
        return ""
