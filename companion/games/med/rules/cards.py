"""Cards as the table enters them from its own box.

The rulebook names kinds, not cards: no card's values, years or victim are in it. A card is entered once, when it
first comes up, and remembered as a printed value under ``card.<number>``. Source: Naval card game, Game Components.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NewType

import msgspec

from companion.core.text import Name, Range, Say, Typed, several
from companion.core.text import card as named

__all__ = [
    "AIR_RAISING_OPERATIONS",
    "ALLIES",
    "AXIS",
    "ELEMENTS",
    "NO_CAMP",
    "Camp",
    "Card",
    "CardKind",
    "CardNo",
    "NO_CARD",
    "CardValue",
    "Element",
    "Frame",
    "LONGEST_NAME",
    "POINTS",
    "STATED",
    "VALUES",
    "YEARS",
    "card_fault",
    "card_from",
    "is_number",
    "is_victim",
    "is_wide_bonus",
    "number_of",
    "played_side",
    "plain",
    "printed_key",
]

CardNo = NewType("CardNo", str)
"""The number of a card as printed: A for the Allies, X for the Axis, S for Storm, O for Operations, and two digits."""

NO_CARD: Final = CardNo("")
"""No card at all."""

Camp = NewType("Camp", str)
"""A side that cards are played for, ``allies`` or ``axis``; players are no sides of their own."""
NO_CAMP: Final = Camp("")
ALLIES: Final = Camp("allies")
AXIS: Final = Camp("axis")

Element = Literal["air", "surface", "sub"]
"""What a combat value counts in. The order on a card: air on top, surface, then underwater."""

ELEMENTS: tuple[Element, ...] = ("air", "surface", "sub")

Frame = Literal["air", "surface", "sub", "all"]
"""Shape of the picture's frame: pyramid, binoculars, periscope, or the rectangle that is all three."""

CardKind = Literal["force", "bonus", "supply", "storm", "special", "operation"]

CardValue = int | Literal["?", "??"]
"""A printed combat value: 0 to 6, or one or two dice."""

VALUES: tuple[CardValue, ...] = (0, 1, 2, 3, 4, 5, 6, "?", "??")
"""Combat values that cards print (Force Cards)."""
YEARS = (1940, 1941, 1942, 1943)
"""Years that cards print (The Year)."""
POINTS = {"force": range(1, 6), "operation": range(1, 8)}
"""Victory points that a kind prints (Aim of the Game)."""

AIR_RAISING_OPERATIONS = frozenset({"O32", "O34", "O36", "O38"})
"""Operations that raise every Air value by 1 in air and combined engagements (Explanation of Significant Cards)."""

LONGEST_NAME = 32
"""Letters of a card's name that fit a row."""

_NUMBER = re.compile(r"[AXSO]\d{2}")
_SIDES = {"A": ALLIES, "X": AXIS}
STATED: dict[str, dict[str, Any]] = {
    "O28": {"operation": "battle", "historic": ("air", "surface")},
    "X54": {"kind": "bonus"},
    "A53": {"kind": "bonus"},
    "X55": {"nation": "romania"},
}
"""What the text says of numbered cards, entered for the table beforehand (Historicity; Bonus Cards; Force Cards). Storm cards
have a list of their own (`companion.games.med.rules.effects.STORM_NUMBERS`)."""
_EXCEPTIONS = {"X54": ALLIES, "A53": AXIS}
"""Bonuses that lie on any Force card of the other side than the one that prints them, and whose these are: the Axis
Bonus on Allied cards, the Allied one on Axis cards (Bonus Cards)."""


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """One card. What a kind does not use stays at its default."""

    number: CardNo
    kind: CardKind
    name: str = ""
    values: tuple[CardValue, CardValue, CardValue] = (0, 0, 0)
    """Air, surface and sub values of Force and Bonus cards."""
    years: tuple[int, ...] = ()
    """Years in which a Force card may be played; the one year of an Operation. Empty: any."""
    victory_points: int = 0
    frame: Frame = "all"
    nation: str = ""
    """Flag in the background; only Axis bonuses look at it."""
    victim: str = ""
    """The card in the target of a Destiny card: its name as printed there, or its number."""
    effect: str = ""
    """Effect of a Storm, Special or Supply card, a key of `companion.games.med.rules.effects.EFFECTS`."""
    alone: bool = False
    """A Bonus that may be played without a Force card."""
    freighter: Literal["none", "half", "full"] = "none"
    """Load line of an Operation: half and full enlarge the winner's hand."""
    operation: Literal["", "convoy", "battle"] = ""
    historic: tuple[Element, ...] = ()
    """Types printed on a Battle, for the historicity option."""

    @property
    def side(self) -> Camp | None:
        """The side whose card it is; None for Storm and Operation cards."""
        return _SIDES.get(self.number[0])

    def fits(self, year: int) -> bool:
        """Say whether the card may count in an engagement of a year: only Force cards are held to theirs."""
        return self.kind != "force" or not self.years or year in self.years


def is_wide_bonus(number: CardNo) -> bool:
    """Say whether a Bonus lies on any Force card of the other side than the one that prints it."""
    return number in _EXCEPTIONS


def played_side(number: CardNo) -> Camp:
    """Return the side as whose card a card is played, by its number; empty when it goes with either."""
    return _EXCEPTIONS.get(number) or _SIDES.get(number[0], NO_CAMP)


def is_victim(destiny: Card, other: Card) -> bool:
    """Say whether a card is the one in the target of a Destiny card, by number or by name (letter case aside)."""
    target = destiny.victim.strip().casefold()
    return bool(target) and target in (other.number.casefold(), other.name.strip().casefold())


def is_number(number: object) -> bool:
    """Say whether this can be a card's number."""
    return isinstance(number, str) and _NUMBER.fullmatch(number) is not None


def printed_key(number: CardNo) -> str:
    """Return the key under which a card is remembered as a printed value."""
    return f"card.{number}"


def number_of(key: str) -> CardNo | None:
    """Return the number of the card that a printed value's key names; None for another key."""
    start = printed_key(NO_CARD)
    return CardNo(key[len(start) :]) if key.startswith(start) else None


def card_from(value: Any) -> Card:
    """Build a card from a remembered value; msgspec.ValidationError when it has another shape."""
    return msgspec.convert(value, Card)


def plain(card: Card) -> Any:
    """Return a card as it is remembered: plain values, the same before and after a journal."""
    return msgspec.json.decode(msgspec.json.encode(card))


def card_fault(number: CardNo, value: object) -> Say | None:
    """Say what is wrong with a card about to be remembered; None when it can be taken.

    Source: Naval card game, Game Components.
    """
    if not is_number(number):
        return Say(
            "A card number is A, X, S or O followed by two digits. Entered: {number}.", number=Typed(number)
        )
    try:
        card = msgspec.convert(value, Card)
    except msgspec.ValidationError as error:
        return Say(
            "Card {card} cannot be read as a card: {fault}.", card=named(number), fault=Typed(str(error))
        )
    if card.number != number:
        return Say(
            "Card {card} was entered under another number: {number}.",
            card=named(number),
            number=Typed(card.number),
        )
    return _shape_fault(card)


def _shape_fault(card: Card) -> Say | None:
    letter, of = card.number[0], named(card.number)
    kinds: dict[str, tuple[CardKind, ...]] = {
        "A": ("force", "bonus", "supply", "special"),
        "X": ("force", "bonus", "supply", "special"),
        "S": ("storm",),
        "O": ("operation",),
    }
    if card.kind not in kinds[letter]:
        return Say(
            "Card {card} cannot be of this kind: {kind}. Possible: {kinds}.",
            card=of,
            kind=Name("kind", card.kind),
            kinds=several((Name("kind", kind) for kind in kinds[letter]), "or"),
        )
    if any(value not in VALUES for value in card.values):
        return Say(
            "Card {card}: each value must be {range}, ? or ??. Entered: {values}.",
            card=of,
            range=Range(0, 6),
            values=several((Typed(str(value)) for value in card.values), "comma"),
        )
    if any(year not in YEARS for year in card.years):
        return Say(
            "Card {card}: each year must be {range}. Entered: {years}.",
            card=of,
            range=Range(YEARS[0], YEARS[-1]),
            years=several((Typed(str(year)) for year in card.years), "comma"),
        )
    for field, text in (("name", card.name), ("victim", card.victim)):
        if len(text) > LONGEST_NAME:
            return Say(
                "Card {card}, {field}: at most {most} letters. Entered: {text}.",
                card=of,
                field=Name("field", field),
                most=LONGEST_NAME,
                text=Typed(text),
            )
    points = POINTS.get(card.kind, range(6))
    if card.victory_points not in points:
        return Say(
            "Card {card}: victory points must be {range}. Entered: {points}.",
            card=of,
            range=Range(points[0], points[-1]),
            points=card.victory_points,
        )
    if card.kind == "operation":
        if card.operation == "":
            return Say("Card {card}: choose convoy or battle.", card=of)
        if len(card.years) != 1:
            return Say("Card {card}: an Operation has one year, not {n}.", card=of, n=len(card.years))
    return None
