"""How many taps the frequent acts take: each is played through a real window, counted and held against its limit.

    python -m companion.testing.taps

prints the table. A tap is a tap of a finger on a key, a tile or a row; the turn of a page counts as one. Every act says at
the end what has come of it, so that none is counted that was not done.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.core.commands import CorrectTime
from companion.core.ids import Nation
from companion.games.aana.rules import battle_messages as bm
from companion.games.med.rules.cards import CardNo
from companion.games.med.rules.slice import known_cards
from companion.games.sfw.rules import battle_commands as bc
from companion.games.sfw.rules import resupply_record as rs
from companion.games.sfw.rules import support as su
from companion.games.sfw.rules.battle_state import battles_of
from companion.games.tsu.rules.state import slice_of
from companion.pages.page import TABLE_VIEWER, Keys, Rows, all_blocks
from companion.session.seals import TableVault, Vault
from companion.session.timesource import ManualTime
from companion.testing import (
    harness,  # first: it sets the window up
    scenes_aana,
    scenes_med,
    scenes_tsu,
)
from companion.testing.sfw_evenings import SfwGame, theater
from companion.ui.render.blocks import PadBlock
from companion.ui.render.items import ItemRow, ItemTile
from companion.ui.widgets import Plate, Stepper, Tap

__all__ = ["ACTS", "Deed", "Hand", "counted", "table"]

_US, _GB, _GERMANY = (Nation(key) for key in ("us", "gb", "germany"))


class Hand:
    """A finger at a window that counts its taps."""

    def __init__(self, desk: Any, screen: str, size: tuple[int, int] = (800, 480)) -> None:
        """Lay the desk in a window and show a screen."""
        self.desk, self.taps = desk, 0
        self.laid = harness.lay(desk, size=size, screen=screen)

    @property
    def state(self) -> Any:
        """How the game stands."""
        assert self.desk.change is not None
        return self.desk.change.state

    def touch(self, where: Any) -> None:
        """Tap a widget or a point."""
        self.laid.tap(where)
        self.taps += 1

    def tap(self, text: str = "", *, icon: str = "") -> None:
        """Tap what has a text or an icon, turning pages until it is there."""
        self._turned(lambda: self.laid.find(text=text or None, icon=icon or None), LookupError)

    def begins(self, text: str) -> None:
        """Tap what begins with a text, turning pages until it is there."""
        self._turned(lambda: next(w for w in self._taps() if w.text.startswith(text)), StopIteration)

    def item(self, key: str) -> None:
        """Tap the row or tile of a key: its act, or one more of it."""
        self._turned(lambda: _target(self._item(key)), StopIteration)

    def act(self, act: str) -> None:
        """Tap the row or tile that has an act."""
        self._turned(lambda: next(w for w in self._items() if w.item.act == act), StopIteration)

    def more(self, key: str, times: int) -> None:
        """Tap one more of something, some times."""
        for _n in range(times):
            self.item(key)

    def main(self) -> None:
        """Tap the main button."""
        self.tap(self.laid.root.screen.main_text)

    def digits(self, text: str) -> None:
        """Tap the digits of a number."""
        for sign in text:
            self.tap(sign)

    def write(self, text: str) -> None:
        """Type a text on the keys of the screen."""
        for sign in text:
            self.tap("Space bar" if sign == " " else sign.upper())
        self.tap("Done")

    def screen(self, key: str, word: str) -> None:
        """Open a screen by the rail, or by More where the rail has no room for it."""
        try:
            self.touch(self.laid.find(icon=key))
        except LookupError:
            self.tap(icon="more")
            self.tap(word)

    def is_open(self, text: str) -> bool:
        """Whether a question is open that says this."""
        return bool(self.laid.root.dialogs) and self.laid.has(text)

    def _taps(self) -> Iterator[Any]:
        dialogs = self.laid.root.dialogs
        walk = dialogs[-1].walk(restrict=True) if dialogs else self.laid.walk()
        return (w for w in walk if isinstance(w, Tap) and getattr(w, "text", None))

    def _item(self, key: str) -> Any:
        return next(w for w in self._items() if w.item.key == key)

    def _items(self) -> Iterator[Any]:
        return (w for w in self.laid.walk() if isinstance(w, ItemRow | ItemTile))

    def _turned(self, find: Callable[[], Any], missing: type[Exception]) -> None:
        for _page in range(30):
            try:
                found = find()
            except missing:
                self._turn()
                continue
            self.touch(found)
            return
        raise LookupError("it is on no page")

    def _turn(self) -> None:
        dialogs = self.laid.root.dialogs
        walk = dialogs[-1].walk(restrict=True) if dialogs else self.laid.walk()
        turns = (w for w in walk if isinstance(w, Plate) and w.icon in ("down", "forward") and not w.text)
        found = next((w for w in turns if w.is_enabled), None)
        if found is None:
            texts = [getattr(w, "text", "") for w in self.laid.walk() if getattr(w, "text", "")]
            raise LookupError(f"it is on no page; there is {texts}")
        self.touch(found)


def _target(widget: Any) -> Any:
    """Return what of a row or tile is tapped: the plus of its counter, or itself."""
    if isinstance(widget, ItemTile):
        return widget
    steppers = [w for w in widget.walk(restrict=True) if isinstance(w, Stepper) and w.opacity and w.width > 1]
    if not steppers:
        return widget
    plates = [w for w in steppers[0].walk(restrict=True) if isinstance(w, Plate)]
    return max(plates, key=lambda plate: plate.x)


@dataclass(frozen=True, slots=True)
class Deed:
    """One act: what is done, how many taps it may take, and how it is done."""

    name: str
    most: int
    was: int
    """Taps that it took when they were first counted; 0: it was not counted then."""
    play: Callable[[], Hand]
    over: int = 0
    """Taps that it takes today where these are more than it may; exactly, so that it is lowered with them."""
    is_long: bool = False
    """It takes too long to be played with every run of the tests."""


def counted(deed: Deed) -> int:
    """Play an act and return its taps."""
    return deed.play().taps


def table() -> str:
    """Play all acts and return their taps as a table in Markdown."""
    lines = ["| act | at most | before | taps |", "|---|---|---|---|"]
    lines += [f"| {deed.name} | {deed.most} | {deed.was or '–'} | {counted(deed)} |" for deed in ACTS]
    return "\n".join(lines)


# Song for War


def _end_a_step() -> Hand:
    game = theater()
    game.go("s3.t5.allies.move")
    hand = Hand(game.desk, "table")
    hand.main()
    assert game.state.step.id != "s3.t5.allies.move"
    return hand


def _no_battles() -> Hand:
    game = SfwGame("apr43", {"tournament": True})
    game.go("s3.t4.allies.declare")
    hand = Hand(game.desk, "table")
    while game.state.step.movement_step == 4 and game.state.step.act in ("declare", "resolve"):
        hand.main()
    assert not battles_of(game.state).battles
    return hand


def _before_taranto() -> SfwGame:
    """A step in which battles are declared; every figure that they need has been entered."""
    game = theater()
    game.go("s4.t4.allies.declare")
    game.enter({"tank.number": _OF_A_TANK, "battleship.range": 1})
    return game


def _four_against_three() -> Hand:
    game = _before_taranto()
    hand = Hand(game.desk, "table")
    hand.screen("battle", "Battle")
    hand.tap("Taranto")
    hand.more("attacking.us.infantry.0", 3)
    hand.more("attacking.us.tank.0", 1)
    hand.more("defending.italy.infantry.0", 2)
    hand.more("defending.germany.infantry.0", 1)
    hand.main()
    (battle,) = battles_of(game.state).battles
    assert battle.status == "fighting", battle.status
    assert sum(group.count for group in battle.battle.attacking) == 4
    return hand


_OF_A_TANK = 8
"""The number at which a tank hits; its hit leaves the defenders a choice, that of infantry does not."""


def _fought(*, until: str) -> tuple[SfwGame, str]:
    """The battle for Taranto at its first losses, or at its end with one nation's units left there."""
    from companion.games.sfw.pages.battle_course import battle_view
    from companion.games.sfw.pages.battle_roll import roll_command

    game = _before_taranto()
    game.do(bc.DeclareBattle("Taranto", "land"))
    (battle,) = (one.id for one in battles_of(game.state).battles)
    for side, unit, nation, count in (
        ("attacking", "infantry", _US, 3),
        ("attacking", "tank", _US, 1),
        ("defending", "infantry", Nation("italy"), 2),
        ("defending", "tank", _GERMANY, 1),
    ):
        for _n in range(count):
            game.do(bc.ChangeUnits(battle, side, unit, nation))
    game.do(bc.BeginBattle(battle))
    for _n in range(60):
        view = battle_view(game.state, battles_of(game.state).battles[0])
        if view.phase == until:
            return game, battle
        if view.phase == "losses":
            game.do(view.losses[0].command(battle, {}))
        elif view.phase == "retreat":
            game.do(bc.StandFast(battle))
        elif view.phase == "pass":
            game.do(bc.PassStep(battle))
        elif view.phase == "combine":
            game.do(view.combine[0][1])
        else:
            line = next(line for line in view.lines if line.dice)
            hits = line.dice if line.side == "attacking" and until == "over" else 0
            hits += until == "losses" and line.side == "attacking" and line.number == _OF_A_TANK
            game.do(roll_command(battle, line, [12] * hits + [1] * (line.dice - hits)))
    raise AssertionError(f"the battle never came to {until}")


def _losses() -> Hand:
    game, _battle = _fought(until="losses")
    hand = Hand(game.desk, "battle")
    before = battles_of(game.state).battles[0].progress
    hand.main()
    assert battles_of(game.state).battles[0].progress != before
    assert isinstance(hand.desk.sent[-1].command, bc.ChooseLosses)
    return hand


def _control_after(*, knows_points: bool = True) -> Hand:
    game, _battle = _fought(until="over")
    if knows_points:
        game.enter({"vp.theater.taranto": 4})
    hand = Hand(game.desk, "battle")
    hand.tap("United States takes Taranto")
    if not knows_points:
        hand.tap("4")
    assert game.state.game["control"].holders["taranto"] == "us"
    assert game.state.printed["vp.theater.taranto"] == 4
    return hand


def _control_screen_after() -> Hand:
    game, _battle = _fought(until="over")
    game.enter({"vp.theater.taranto": 4})
    hand = Hand(game.desk, "control")
    hand.tap("Taranto")
    hand.tap("United States takes Taranto")
    assert game.state.game["control"].holders["taranto"] == "us"
    return hand


def _buying() -> SfwGame:
    game = theater()
    game.go("s3.r.allies.choose")
    return game


def _buy() -> Hand:
    game = _buying()
    hand = Hand(game.desk, "resupply")
    hand.item("land.algiers")
    hand.more("infantry", 3)
    hand.item("air.algiers")
    hand.more("fighter", 2)
    baskets = game.state.game["resupply"].baskets
    assert baskets["us.land"] == {"infantry": 3}
    assert baskets["us.air"] == {"fighter": 2}
    return hand


def _buy_again() -> Hand:
    """The same where the nation took its resupplies in Algiers in the stage before."""
    game = _buying()
    for kind, unit in (("land", "infantry"), ("air", "fighter")):
        game.do(rs.ChooseResupply(_US, kind, "algiers"), rs.Purchase(_US, kind, unit), rs.Place(_US, kind))
    game.jump("s4.r.allies.choose")
    hand = Hand(game.desk, "resupply")
    hand.more("infantry", 3)
    hand.more("fighter", 2)
    own = game.state.game["resupply"]
    assert own.choices == {"us.land": "algiers", "us.air": "algiers"}
    assert own.baskets == {"us.land": {"infantry": 3}, "us.air": {"fighter": 2}}
    return hand


def _place(*, at_sea: bool) -> Hand:
    """Land and Air Units of one Objective together, or ships where ships were placed before."""
    game = _buying()
    if at_sea:
        game.do(rs.ChooseResupply(_US, "sea", "algiers"), rs.Purchase(_US, "sea", "destroyer", 2))
        game.do(rs.Place(_US, "sea", "B3"))
        game.jump("s4.r.allies.choose")
        game.do(rs.ChooseResupply(_US, "sea", "algiers"), rs.Purchase(_US, "sea", "destroyer", 2))
    else:
        game.do(rs.ChooseResupply(_US, "land", "algiers"), rs.Purchase(_US, "land", "infantry", 3))
        game.do(rs.ChooseResupply(_US, "air", "algiers"), rs.Purchase(_US, "air", "fighter", 2))
    game.go(f"s{game.state.step.stage}.r.allies.place")
    hand = Hand(game.desk, "resupply")
    hand.main()
    placed = game.state.game["resupply"].placed
    assert {key: one.where for key, one in placed.items()} == (
        {"us.sea": "B3"} if at_sea else {"us.land": "algiers", "us.air": "algiers"}
    )
    return hand


def _known_card() -> Hand:
    game = theater()
    game.go("s3.ns.allies.play")
    game.do(su.PlayCard(_US, "Lend-Lease", "strategy", 1, is_lasting=False))
    game.go("s4.ns.allies.play")
    hand = Hand(game.desk, "support")
    hand.act("play.us")
    hand.begins("Lend-Lease")
    hand.tap("Play")
    assert game.state.game["support"].plays[-1].name == "Lend-Lease"
    assert len(game.state.game["support"].plays) == 2
    return hand


def _seal(*, is_first: bool) -> Hand:
    game = SfwGame("apr43")
    folder = tempfile.TemporaryDirectory()
    game.desk.vault = TableVault(Vault(Path(folder.name), ManualTime(1), kdf_n=1 << 10))  # type: ignore[attr-defined]
    hand = Hand(game.desk, "sealed")
    if not is_first:
        _write_fleet(hand, "gb")
        hand.taps = 0
    _write_fleet(hand, "us")
    assert game.state.game["seals"].has_fleet("us")
    folder.cleanup()
    return hand


def _write_fleet(hand: Hand, nation: str) -> None:
    is_first = not hand.state.game["seals"].secrets
    hand.item(f"new.{nation}.fleet")
    hand.item("J")
    hand.item("4")
    hand.more("destroyer", 5)
    hand.tap("Seal")
    for _n in range(1 + is_first):
        hand.digits("4829")
    hand.tap("Done")


_TILES: dict[str, float] = {
    "alexandria": 8, "algiers": 8, "gibraltar": 6, "malta": 4, "bizerte": 2, "tripoli": 4.5, "benghazi": 1, "tobruk": 3,
    "bone": 1, "derna": 0.5, "tunis": 4, "messina": 4, "naples": 4, "athens": 7, "thessaloniki": 3, "rome": 9,
    "cagliari": 1, "taranto": 4, "larissa": 0.5, "maleme": 0.5, "heraklion": 1, "catania": 1.5, "ajaccio": 0.5,
}  # fmt: skip
"""Made up, and fit for every sum that the rules state."""
_LARGE = {"tripoli.land": 16, "tripoli.sea": 12, "alexandria.land": 14, "rome.land": 12}


def _figures() -> Hand:
    """Every printed value of April 1943 on its sheet, one after the other."""
    game = SfwGame("apr43")
    hand = Hand(game.desk, "printed")
    entered = 0
    while (key := _figure_at_hand(hand)) not in game.state.printed:
        value = _TILES.get(key.split(".")[-1]) if key.startswith("vp.") else _LARGE.get(key.split(".", 2)[-1])
        whole, part = divmod(3 + entered % 8 if value is None else value, 1)
        if part:
            hand.item("half")
        if whole > 10 + (not key.startswith("vp.")):
            hand.item("more")
            hand.item(f"{whole:g}"[0])
        hand.item(f"{whole:g}"[-1])
        entered += 1
    assert entered >= 84, "some figures ask for another one"
    return hand


def _figure_at_hand(hand: Hand) -> str:
    for block in all_blocks(hand.laid.root.screen.page.blocks):
        for row in block.rows if isinstance(block, Rows) else ():
            for item in row.facet.keys if isinstance(row.facet, Keys) else (row,):
                if item.state == "chosen":
                    return str(item.key)
    raise LookupError("no figure is at hand")


def _correct_a_clock() -> Hand:
    """One minute and 37 seconds more for the side that does not act, with the reason."""
    game = SfwGame("apr43", {"tournament": True})
    game.go("s3.t4.allies.move")
    hand = Hand(game.desk, "clocks")
    hand.tap("Arbiter")
    hand.tap("Correct a clock")
    hand.begins("Axis")
    hand.digits("137")
    hand.tap("A question about the rules")
    hand.tap("Correct")
    command = hand.desk.sent[-1].command
    assert isinstance(command, CorrectTime)
    assert (command.side, command.delta_ms, command.reason) == ("axis", 97_000, "question")
    return hand


# The other games


def _north_africa() -> Hand:
    """Six units against Mersa Brega: declared, and its combat begun; the steps between are other acts."""
    desk = scenes_aana.before_mersa_brega()
    hand = Hand(desk, "aana_combat")
    hand.tap("Mersa Brega")
    for key, count in (
        ("el_agheila|germany.tank", 3),
        ("el_agheila|germany.infantry", 2),
        ("el_agheila|germany.artillery", 1),
    ):
        hand.more(key, count)
    hand.main()
    (attack,) = bm.battles_of(hand.state).attacks
    assert sum(n for group in attack.groups for n in group.units.values()) == 6
    scenes_aana.jump(desk, "r1.germany.combat.resolve")
    hand.laid.settle()
    hand.begins("Mersa Brega")
    assert bm.fight_of(hand.state) is not None
    return hand


def _underbelly() -> Hand:
    """Two armies and an air force by railway from Tripoli against Tobruk, with a Convoy for supply."""
    desk = scenes_tsu.before_tobruk()
    hand = Hand(desk, "tsu_attack")
    hand.begins("Declare an attack")
    hand.tap("Tobruk")
    hand.tap("Tripoli")
    hand.begins("By railway")
    for unit in ("germany.Panzerarmee Afrika", "germany.infantry", "italy.tactical"):
        hand.item(f"attacker.{unit}")
    hand.item("defender.britain.8th Army")
    hand.item("italy.convoy")
    hand.main()
    (declared,) = slice_of(hand.state).attacks
    assert len(declared.attack.attackers) == 3
    assert len(declared.supplies) == 1
    return hand


def _card_known() -> Hand:
    played = scenes_med.evening()
    played.turn_over("O13", "sub")
    hand = Hand(played.desk, "med")
    hand.digits("A01")
    assert hand.laid.root.drafts.get(*_med_draft(hand)).cards == ("A01",)
    return hand


def _card_new() -> Hand:
    """A Force card of three values and one frame."""
    played = scenes_med.evening()
    played.turn_over("O13", "sub")
    hand = Hand(played.desk, "med")
    hand.digits("A09")
    for value in "050":
        pad = next(w for w in hand.laid.walk() if isinstance(w, PadBlock))
        keys = (w for w in pad.walk(restrict=True) if isinstance(w, ItemTile))
        hand.touch(next(w for w in keys if w.text == value))
    points = hand._item("victory_points").walk(restrict=True)
    hand.touch(next(w for w in points if isinstance(w, Plate) and w.text == "3"))
    hand.main()
    card = known_cards(hand.state)[CardNo("A09")]
    assert (card.values, card.victory_points, card.frame) == ((0, 5, 0), 3, "surface")
    return hand


def _stage() -> Hand:
    from companion.testing.taps_evening import stage_three

    return stage_three()


def _med_draft(hand: Hand) -> tuple[Any, str, str]:
    return TABLE_VIEWER, "med", str(hand.state.step.id)


ACTS: tuple[Deed, ...] = (
    Deed("End a step", 1, 1, _end_a_step),
    Deed("No battles in a step", 1, 2, _no_battles),
    Deed("4 against 3, from Table to the first die", 10, 11, _four_against_three),
    Deed("Its losses", 1, 1, _losses),
    Deed("Change of control after it, on the battle's last page", 1, 1, _control_after),
    Deed("The same, its points not entered yet", 2, 1, lambda: _control_after(knows_points=False)),
    Deed("The same from the Control screen", 2, 6, _control_screen_after),
    Deed("Buy 5 units of two kinds", 7, 10, _buy),
    Deed("The same at the places of last time", 5, 10, _buy_again),
    Deed("Place them in one place", 1, 4, lambda: _place(at_sea=False)),
    Deed("Place ships where ships were placed before", 1, 0, lambda: _place(at_sea=True)),
    Deed("Play a known card", 3, 16, _known_card),
    Deed("Seal a fleet of five", 14, 21, lambda: _seal(is_first=False)),
    Deed("The first one, with its PIN twice", 18, 21, lambda: _seal(is_first=True)),
    Deed("All 84 printed values of April 1943", 100, 0, _figures),
    Deed("The arbiter's correction to the second, with a reason", 8, 12, _correct_a_clock),
    Deed("North Africa: declare and begin an attack of 6 units", 10, 11, _north_africa),
    Deed("The Soft Underbelly: an attack of 3 units with supply", 10, 19, _underbelly),
    Deed("Card game: a known card", 3, 3, _card_known),
    Deed("Card game: a new card", 8, 9, _card_new),
    Deed("Stage 3 of April 1943: two battles, every die typed, two purchases", 120, 0, _stage, is_long=True),
)
"""Every act of the table, in the order in which it is printed."""


if __name__ == "__main__":
    print(table())
