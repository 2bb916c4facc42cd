"""Stage 3 of April 1943 by taps, as a table that has just opened its box plays it: two battles, a capture, a purchase a side.

Nothing is entered before: what an act needs is asked for when it decides, and answered there. Every die is typed.
"""

from __future__ import annotations

from companion.games.sfw.pages.battle_course import battle_view
from companion.games.sfw.rules.battle_state import battles_of
from companion.testing.sfw_evenings import SfwGame
from companion.testing.taps import Hand

__all__ = ["stage_three"]

_BATTLES = {
    "s3.t4.allies.declare": (
        "Tunis",
        (("attacking.us.infantry.0", 3), ("attacking.us.tank.0", 1)),
        (("defending.italy.infantry.0", 2), ("defending.germany.infantry.0", 1)),
    ),
    "s3.t4.axis.declare": (
        "Bizerte",
        (("attacking.germany.tank.0", 2), ("attacking.germany.infantry.0", 2)),
        (("defending.us.infantry.0", 2),),
    ),
}
"""Step to the place of the battle that is declared in it, who attacks and who defends."""
_BUYERS = {
    "s3.r.allies.choose": ("United States", "algiers"),
    "s3.r.axis.choose": ("Germany", "naples"),
}
"""Step to the nation that buys five units of two kinds in it, and where it takes its resupply."""
_HIT_NUMBER, _RESUPPLY, _POINTS = "8", "12", "4"
"""What is read from the table's own box where it is asked for; the figures here are made up."""


def stage_three() -> Hand:
    """Play the stage, with everything that is asked answered, and return the finger that did."""
    game = SfwGame("apr43", {"tournament": True})
    hand = Hand(game.desk, "table")
    done: set[str] = set()
    while (step := str(game.state.step.id)) != "s4.begin":
        if step in _BATTLES and step not in done:
            done.add(step)
            _fight(hand, *_BATTLES[step])
        elif step in _BUYERS and step not in done:
            done.add(step)
            _buy(hand, *_BUYERS[step])
        else:
            hand.main()
            for word in ("End the step", "Leave it open"):  # the other nation of the side buys nothing
                if hand.is_open(word):
                    hand.tap(word)
        if hand.taps > 300:
            raise AssertionError(f"the stage does not end: {step}")
    own = game.state.game["resupply"]
    assert [len(battles) for battles in _ended(game)] == [2]
    assert game.state.game["control"].holders["bizerte"] == "germany"
    assert own.baskets == {} or all(not basket for basket in own.baskets.values()), "all of it is placed"
    return hand


def _ended(game: SfwGame) -> list[list[str]]:
    own = battles_of(game.state)
    return [[one.space for one in (*own.history, *own.battles) if one.status == "over"]]


def _fight(
    hand: Hand, place: str, attack: tuple[tuple[str, int], ...], defence: tuple[tuple[str, int], ...]
) -> None:
    """Declare a battle, enter its units, roll every die of it, and take the space where it fell."""
    hand.screen("battle", "Battle")
    hand.tap(place)
    for key, count in (*attack, *defence):
        hand.more(key, count)
    dice = 0
    while True:
        battle = battles_of(hand.state).battles[-1]
        if battle.status == "over":
            break
        view = battle_view(hand.state, battle)
        if view.phase == "roll":
            line = next(line for line in view.lines if line.dice)
            for _n in range(line.dice):
                dice += 1
                hand.tap(str(7 * dice % 12 + 1))
        else:
            hand.main()
            if hand.laid.root.dialogs:
                hand.digits(_HIT_NUMBER)
                hand.tap("Done")
    if "takes" in hand.laid.root.screen.main_text:
        hand.main()
        if hand.laid.root.dialogs:
            hand.tap(_POINTS)


def _buy(hand: Hand, nation: str, place: str) -> None:
    """Buy three infantry and two fighters; who holds the place and what it gives is asked for there, once."""
    hand.tap(nation)
    for kind, unit, count in (("land", "infantry", 3), ("air", "fighter", 2)):
        hand.item(f"{kind}.{place}")
        while hand.laid.root.dialogs:
            if hand.is_open("Which nation holds"):
                hand.tap(nation)
            else:
                hand.digits(_RESUPPLY)
                hand.tap("Done")
        hand.more(unit, count)
