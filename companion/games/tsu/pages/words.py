"""Words of The Soft Underbelly as its pages put them, and what the game adds to the shared screens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.core.ids import Side
from companion.core.state import GameState
from companion.core.text import Count, Name, Say, Typed, several
from companion.core.text import nation as named_nation
from companion.core.text import side as named_side
from companion.games.tsu.names import listed, outcome, side_or_nobody
from companion.games.tsu.pages.draft import AttackDraft
from companion.games.tsu.rules.attack import verdict
from companion.games.tsu.rules.forces import Attacker
from companion.games.tsu.rules.schema import fort_key
from companion.games.tsu.rules.state import ALLIES, AXIS, SIDE_OF, slice_of
from companion.games.tsu.rules.units import Unit
from companion.games.tsu.rules.victory import Outcome, if_ended_now, victory_stars
from companion.games.tsu.words import WORDS
from companion.pages.game_view import Figure, GameView, OpenBattle, PrintedRow, Score, Series, Standing
from companion.pages.i18n import _, ngettext
from companion.pages.page import Act, Part, Split
from companion.pages.parts import side_mark
from companion.pages.speak import speak

__all__ = [
    "attackers_text",
    "capital",
    "counts_text",
    "holder_text",
    "nation_name",
    "outcome_text",
    "side_name_of",
    "star_name",
    "unit_word",
    "units_text",
    "word",
]


def word(kind: str, id_: str) -> str:
    """Return what an id of this game is called."""
    return speak(Name(kind, id_), game="tsu")


def unit_word(kind: str) -> str:
    """Return a kind of unit by name."""
    return word("unit", kind)


def counts_text(units: Mapping[str, int]) -> str:
    """Return kinds of units with their numbers on one line; empty when there are none."""
    return speak(several((Count(n, Name("unit", kind)) for kind, n in units.items()), "comma"), game="tsu")


def units_text(units: Iterable[Unit]) -> str:
    """Return units on one line, equal ones counted; a dash when there are none."""
    return speak(listed(units), game="tsu")


def attackers_text(attackers: Iterable[Attacker]) -> str:
    """Return attackers on one line."""
    return units_text(attacker.unit for attacker in attackers)


def nation_name(state: GameState, nation: str) -> str:
    """Return a nation's name."""
    return speak(named_nation(nation), state)


def side_name_of(side: Side | None) -> str:
    """Return a side's name; nobody's where there is none."""
    return speak(side_or_nobody(side), game="tsu")


def star_name(state: GameState, star: str) -> str:
    """Return a star's name."""
    return speak(Name("star", star), state)


def holder_text(state: GameState, star: str) -> str:
    """Return who holds a star, and whose ships or aircraft stand on it."""
    own = slice_of(state)
    holder = own.stars.get(star)
    text = nation_name(state, holder) if holder else side_name_of(None)
    if star in own.controlled:
        side = side_name_of(own.controlled[star])
        text = _("{holder}; only ships or aircraft: {side}").format(holder=text, side=side)
    return text


def capital(text: str) -> str:
    """Return a text with a capital letter first, the rest as it is."""
    return text[:1].upper() + text[1:]


def outcome_text(winner: str | None, level: str, reason: str) -> str:
    """Return how a game ends in one sentence."""
    return speak(outcome(Outcome(winner, reason, level)), game="tsu")  # type: ignore[arg-type]


class SoftUnderbellyView(GameView):
    """What the game adds to the shared screens."""

    score_screen = "tsu_score"

    def scores(self, state: GameState) -> tuple[Score, ...]:
        """Return how many of the four victory stars each side holds, and how many it needs in the end."""
        needed = {AXIS: 1, ALLIES: len(slice_of(state).star_roles["victory"])}
        held = {side: len(victory_stars(state, side)) for side in needed}
        return tuple(
            Score(side, str(n), ngettext("star, needs {n}", "stars, needs {n}", n).format(n=needed[side]))
            for side, n in held.items()
        )

    def figures(self, state: GameState) -> tuple[Figure, ...]:
        """Return the victory stars of each side; the Axis needs one and the Allies all, so it is judged as at the end."""
        found = if_ended_now(state)
        text = outcome_text(found.winner, found.level, found.reason)
        held = {side: len(victory_stars(state, side)) for side in (AXIS, ALLIES)}
        return tuple(
            Figure(side, float(found.winner == side), (f"{held[side]} ★", text), is_points=False)
            for side in (AXIS, ALLIES)
        )

    def half_entered(self, state: GameState, draft: object) -> Say | None:
        """Return the attack that is being entered where attacks are declared."""
        from companion.games.tsu.pages.attack_list import can_declare
        from companion.games.tsu.pages.draft import AttackDraft

        if not isinstance(draft, AttackDraft) or draft.mode != "edit" or not can_declare(state):
            return None
        is_begun = draft.target and (draft.attackers or draft.spent)
        return (
            Say("The attack on {area} has not been declared.", area=Typed(draft.target)) if is_begun else None
        )

    def standing(self, state: GameState) -> Standing | None:
        """Return the victory stars by side, and how the game would end now."""
        setup, needed = state.frozen_setup, len(slice_of(state).star_roles["victory"])
        held = {side: len(victory_stars(state, side)) for side in (AXIS, ALLIES)}
        parts = [
            Part(side, n, n, Say.counted("star", "stars", n), side_mark(setup, side))
            for side, n in held.items()
        ]
        rest = needed - sum(held.values())
        if rest > 0:
            parts.insert(1, Part("open", rest, rest, Say("Nobody")))
        found = if_ended_now(state)
        now = Say("If it ended now: a draw")
        if found.winner is not None:
            now = Say("If it ended now: {side} win", side=named_side(found.winner))
        short = needed - held[ALLIES]
        far = [
            Say.counted("Allies {n} star short", "Allies {n} stars short", short)
            if short
            else Say("{side} have what they need", side=named_side(ALLIES)),
            Say("{side} have what they need", side=named_side(AXIS))
            if held[AXIS]
            else Say.counted("Axis {n} star short", "Axis {n} stars short", 1),
        ]
        return Standing(Split("stars", tuple(parts), unit=Say("Victory stars")), now, several(far, "lines"))

    def score_series(self, state: GameState) -> tuple[Series, ...]:
        """Return the victory stars of each side by possession, over the turns."""
        own = slice_of(state)
        moves = own.star_moves
        if not moves:
            return ()
        last = float(max(1, state.step.stage))
        holders = {row["id"]: row["holder"] for row in state.frozen_setup.tables["game"]["stars"]}
        lines: dict[str, list[tuple[float, float]]] = {AXIS: [], ALLIES: []}
        for stage in range(1, int(last) + 1):
            holders.update({move.star: move.holder or "" for move in moves if max(1, move.stage) == stage})
            for side, line in lines.items():
                n = sum(SIDE_OF.get(holders[star]) == side for star in own.star_roles["victory"])
                line.append((float(stage), float(n)))
        return tuple(Series(side, "", tuple(line)) for side, line in lines.items())

    def printed(self, state: GameState) -> tuple[PrintedRow, ...]:
        """Return the values on the counters of the Forts."""
        rows = []
        for fort in state.frozen_setup.tables["game"]["forts"]:
            key = fort_key(fort["id"])
            inferred = "inferred" in (fort.get("status", {}).get("value") or ("",))[0]
            hint = _("Inferred from the example turn; check your counter.") if inferred else ""
            label = speak(Name("key", key), state)
            rows.append(PrintedRow(key, label, state.printed.get(key), _("Forts"), hint))
        return tuple(rows)

    def ending(self, state: GameState) -> str:
        """Return who won at which level and why."""
        end = state.ending
        if end is None or WORDS.word("reason", end.reason) is None:
            return ""
        return outcome_text(end.winner, end.level, end.reason) + "."

    def new_battle(self, state: GameState) -> tuple[str, Act | None, Say] | None:
        """Return the Attack screen while attacks are declared."""
        if state.step.phase != "supply" or state.ending is not None:
            return None
        return "tsu_attack", None, Say("Declare an attack")

    def battles(self, state: GameState) -> tuple[OpenBattle, ...]:
        """Return the attacks of the turn that are still to be fought, with the values of both sides."""
        own = slice_of(state)
        found = []
        for one in own.attacks:
            if one.done:
                continue
            judged = verdict(one.attack, own.tables)
            note = Say("{a} against {d}", a=judged.attack_value, d=judged.defence_value)
            draft = AttackDraft("fight", number=one.number) if state.step.phase == "attack" else AttackDraft()
            found.append(
                OpenBattle(str(one.number), one.attack.target, speak(note, state), "tsu_attack", draft)
            )
        return tuple(found)

    def screen_for(self, state: GameState) -> str:
        """Return the screen that the current phase leads to."""
        if state.ending is not None:
            return ""
        return {
            "reinforcements": "tsu_stars",
            "supply": "tsu_attack",
            "attack": "tsu_attack",
            "breakthrough": "tsu_attack",
            "end": "tsu_calendar",
        }.get(state.step.phase, "")
