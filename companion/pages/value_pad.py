"""A pad that enters a figure with one tap: 0 to 10 at once, a half before the number, more digits where there are any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from companion.core.text import Say, Typed, Value
from companion.pages.numbers import plain
from companion.pages.page import Act, Acts, Item, Pad

__all__ = ["Held", "ValuePad", "fraction_sign", "shown_figure"]

_FRACTIONS = ("", "¼", "½", "¾")
_HALF = 2


class Held(msgspec.Struct, frozen=True):
    """What of a figure has been tapped before its last key."""

    quarters: int = 0
    """A fraction that the number will have."""
    digits: str | None = None
    """Digits so far, where they are typed one by one; None: a key is a whole number."""

    @property
    def shown(self) -> Value | None:
        """What stands there so far; None where nothing does."""
        sign = fraction_sign(self.quarters)
        if self.digits is None:
            return Typed(sign) if sign else None
        return Typed(f"{self.digits}_{sign}")


def fraction_sign(quarters: int) -> str:
    """Return a fraction in quarters as one sign; empty for none."""
    return _FRACTIONS[quarters % 4]


def shown_figure(value: float) -> str:
    """Return a figure as pieces print it, such as ``1¾``; one in other steps as a decimal."""
    whole, part = divmod(value * 4, 4)
    if part != int(part):
        return plain(value)
    sign = fraction_sign(int(part))
    return f"{whole:g}{sign}" if whole or not sign else sign


class ValuePad(msgspec.Struct, frozen=True):
    """The keys for one figure."""

    acts: Acts
    held: Held
    now: object
    """The figure as it stands, whose key is marked; None while there is none."""
    is_whole: bool
    """Halves and quarters do not occur."""
    enter: Callable[[str], Act]
    """Takes the figure as it is typed, such as ``12`` or ``0.75``; empty takes it back."""
    hold: Callable[[Held], Act]
    """Keeps what has been tapped so far."""
    skip: Act
    """Goes on without a figure."""

    def blocks(self) -> tuple[Pad, Pad]:
        """Return the keys of numbers, and below them those of what else there is to say."""
        return self._typed() if self.held.digits is not None else self._at_once()

    def _at_once(self) -> tuple[Pad, Pad]:
        """Return keys that enter a whole number each."""
        most = 11 if self.is_whole else 10
        halves = () if self.is_whole else (self._fraction(self.held.quarters or _HALF),)
        more = self._key("more", Say("More than {n}", n=most), self._held(digits=""))
        last = (
            self._key("skip", Say("Skip"), self.skip)
            if self.now is None
            else self._key("erase", Say("Remove"), self.enter(""))
        )
        numbers = (self._number(n, n) for n in range(most + 1))
        return Pad("figures", (*halves, *numbers), columns=4), Pad("others", (more, last), columns=2)

    def _typed(self) -> tuple[Pad, Pad]:
        """Return keys that are a digit each: the second one enters the number."""
        typed = self.held.digits or ""
        first = {n: self._held(digits=str(n)) for n in range(1, 10)}
        digits = (
            self._number(n, int(typed + str(n))) if typed else self._key(str(n), Typed(str(n)), first.get(n))
            for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 0)
        )
        parts = () if self.is_whole else (self._parts(),)
        erase = self._key("erase", Say("Erase"), self._held(digits="" if typed else None))
        small = self._key("less", Say("Small numbers"), self._held(digits=None))
        return Pad("figures", (*digits, *parts), columns=4), Pad("others", (erase, small), columns=2)

    def _parts(self) -> Item:
        """Return the key that goes through the quarters: none, one, two, three."""
        turned = self._held(quarters=(self.held.quarters + 1) % 4)
        return self._key("parts", Typed("¼½¾"), turned, is_chosen=self.held.quarters > 0)

    def _number(self, digit: int, number: int) -> Item:
        value = number + self.held.quarters / 4
        is_now = not isinstance(self.now, bool) and self.now == value
        return self._key(str(digit), Typed(str(digit)), self.enter(f"{value:g}"), is_chosen=is_now)

    def _fraction(self, quarters: int) -> Item:
        is_held = self.held.quarters == quarters
        turned = self._held(quarters=0 if is_held else quarters)
        return self._key("half", Typed(fraction_sign(quarters)), turned, is_chosen=is_held)

    def _held(self, **changed: Any) -> Act:
        return self.hold(msgspec.structs.replace(self.held, **changed))

    def _key(self, key: str, title: Value, act: Act | None, *, is_chosen: bool = False) -> Item:
        made = self.acts.put(f"key.{key}", act) if act is not None else None
        return Item(key, title, act=made, state="chosen" if is_chosen else "plain")
