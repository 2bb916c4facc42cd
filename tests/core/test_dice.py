"""Dice as values."""

from __future__ import annotations

from companion.core.dice import DiceOrigin, DiceSource, Die, DieColour, DieKind, Roll, faces


def test_faces_of_every_kind() -> None:
    assert [faces(kind) for kind in DieKind] == [6, 10, 12]


def test_a_roll_tells_its_values_and_can_be_pasted_back() -> None:
    roll = Roll(DieKind.D12, (Die(DieColour.WHITE, 3), Die(DieColour.GRAY, 12), Die(DieColour.WHITE, 7)))
    assert roll.values() == (3, 12, 7)
    assert roll.values(DieColour.WHITE) == (3, 7)
    assert roll.origin == DiceOrigin(DiceSource.TYPED)
    assert "Die(colour=<DieColour.GRAY" in repr(roll)
