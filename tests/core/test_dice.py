"""Dice as values."""

from __future__ import annotations

import msgspec

from companion.core.dice import DiceOrigin, DiceSource, Die, DieColour, DieKind, Roll, faces, joined


def test_faces_of_every_kind() -> None:
    assert [faces(kind) for kind in DieKind] == [6, 10, 12]


def test_a_roll_tells_its_values_and_can_be_pasted_back() -> None:
    roll = Roll(DieKind.D12, (Die(DieColour.WHITE, 3), Die(DieColour.GRAY, 12), Die(DieColour.WHITE, 7)))
    assert roll.values() == (3, 12, 7)
    assert roll.values(DieColour.WHITE) == (3, 7)
    assert roll.origin == DiceOrigin(DiceSource.TYPED)
    assert "Die(colour=<DieColour.GRAY" in repr(roll)


def test_a_die_hits_from_its_number_on_and_told_hits_stand_for_values_that_nobody_knows() -> None:
    dice = tuple(Die(DieColour.WHITE, value) for value in (3, 4, 5, 12))
    assert [Roll(DieKind.D12, dice).hits(number) for number in (1, 4, 5, 6, 12)] == [4, 3, 2, 1, 1]
    assert Roll(DieKind.D12, (), DiceOrigin(hits=3)).hits(12) == 3
    assert Roll(DieKind.D12, dice, DiceOrigin(hits=0)).hits(1) == 0


def test_two_parts_of_a_roll_keep_the_photos_and_corrections_of_both() -> None:
    first = DiceOrigin(DiceSource.CAMERA, None, "a" * 64, (4, None), 2, ("b" * 64,), 1, 0)
    second = DiceOrigin(DiceSource.CAMERA, None, "c" * 64, (9,), 1, (), 0, 1)
    both = joined(first, second)
    assert both.photos == ("a" * 64, "b" * 64, "c" * 64)
    assert (both.source, both.proposed) == (DiceSource.CAMERA, (4, None, 9))
    assert (both.corrected, both.recoloured, both.added) == (3, 1, 1)


def test_a_photo_counts_whatever_the_other_part_of_the_roll_is() -> None:
    photo, chance = DiceOrigin(DiceSource.CAMERA, None, "a" * 64, (4,)), DiceOrigin(DiceSource.VIRTUAL, 7)
    assert joined(DiceOrigin(), photo) == joined(photo, DiceOrigin()) == photo
    assert joined(DiceOrigin(), chance) == chance
    assert joined(DiceOrigin(), DiceOrigin()) == DiceOrigin()
    for both in (joined(photo, chance), joined(chance, photo)):
        assert (both.source, both.seed, both.photos) == (DiceSource.CAMERA, 7, ("a" * 64,))


def test_an_origin_of_an_older_game_opens_and_what_is_not_said_takes_no_room() -> None:
    old = b'{"source":"camera","photo_sha256":"ab","proposed":[4,null],"corrected":1}'
    origin = msgspec.json.decode(old, type=DiceOrigin)
    assert (origin.photos, origin.recoloured, origin.added) == (("ab",), 0, 0)
    assert msgspec.json.encode(origin) == old
    assert DiceOrigin().photos == ()
