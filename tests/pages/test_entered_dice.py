"""Dice that were read and dice that were typed in one roll: what is taken back of each."""

from __future__ import annotations

import dataclasses

import pytest

from companion.core.dice import DiceOrigin, DiceSource
from companion.games.aana.pages.draft import CombatDraft
from companion.games.sfw.pages.desert import DesertDraft
from companion.pages.entered_dice import with_read, without_last

_PHOTO = DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(4, 9), corrected=0)


@pytest.mark.parametrize("empty", [CombatDraft(), DesertDraft()], ids=["north africa", "desert"])
def test_a_read_die_that_is_typed_anew_is_a_correction_and_a_typed_one_is_none(
    empty: CombatDraft | DesertDraft,
) -> None:
    typed = dataclasses.replace(empty, values=(7,))
    draft = with_read(typed, (4, 9), _PHOTO)
    assert draft.values == (7, 4, 9)
    assert draft.read == {1, 2}
    more = dataclasses.replace(draft, values=(*draft.values, 2))
    back = without_last(more)
    assert back == draft, "the last one was typed"
    once = without_last(back)
    assert once.values == (7, 4)
    assert once.origin == DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(4, 9), corrected=1)
    none = without_last(without_last(once))
    assert none.values == ()
    assert none.read == frozenset()
    assert none.origin.corrected == 2
    assert none.origin.photos == ("a" * 64,), "the photo was read, whatever the table made of it"
    assert without_last(none) == none


def test_a_die_that_was_corrected_on_the_dice_screen_counts_once() -> None:
    origin = DiceOrigin(DiceSource.CAMERA, photo_sha256="a" * 64, proposed=(4,), corrected=2, added=1)
    draft = with_read(CombatDraft(), (5, 6), origin)
    assert draft.read == {0}, "the 6 was added"
    assert without_last(draft).origin.corrected == 2
    assert without_last(without_last(draft)).origin.corrected == 2


@pytest.mark.parametrize("empty", [CombatDraft(), DesertDraft()], ids=["north africa", "desert"])
def test_without_a_photo_nothing_is_left_of_dice_taken_back(empty: CombatDraft | DesertDraft) -> None:
    rolled = dataclasses.replace(empty, values=(3,), origin=DiceOrigin(DiceSource.VIRTUAL, seed=5))
    assert without_last(rolled) == empty
