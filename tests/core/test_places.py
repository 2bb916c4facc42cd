"""One list of places: one spelling however it is typed, free names beside it, and names that fit what is being typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from companion.core.places import Place, Places, folded, same_place

BOARD = Places(
    (
        Place("Tobruk", "tobruk", "objective"),
        Place("Tobruk West", "tobruk_west", "objective"),
        Place("El Alamein", "el_alamein", "objective"),
        Place("E5", kind="sea"),
        Place("e5"),  # named again by the table: the first spelling holds
    )
)

words = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1).filter(str.strip)


def test_ids_names_and_any_case_mean_one_place() -> None:
    for typed in ("tobruk_west", "TOBRUK WEST", "  Tobruk   west "):
        assert BOARD.spelled(typed) == "Tobruk West"
    assert BOARD.same("tobruk_west", "tobruk West")
    assert not BOARD.same("Tobruk", "Tobruk West")
    assert [place.name for place in BOARD] == ["Tobruk", "Tobruk West", "El Alamein", "E5"]


def test_a_free_name_keeps_its_spelling_without_needless_blanks() -> None:
    assert BOARD.find("Hill 112") is None
    assert BOARD.spelled("  Hill   112 ") == "Hill 112"
    assert BOARD.spelled("   ") == ""


def test_what_is_typed_is_completed_from_the_start_of_the_name_then_of_a_word() -> None:
    assert [place.name for place in BOARD.fitting("to")] == ["Tobruk", "Tobruk West"]
    assert [place.name for place in BOARD.fitting("al")] == ["El Alamein"]
    assert [place.name for place in BOARD.fitting("E")] == ["El Alamein", "E5"]
    assert len(BOARD.fitting("", 2)) == 2


@given(words)
def test_spelling_is_settled_at_once_and_any_case_is_the_same_place(name: str) -> None:
    places = Places((*BOARD, Place(name)))
    assert places.spelled(places.spelled(name)) == places.spelled(name)
    assert places.same(name, f"  {name} ")
    assert same_place(name, f" {name}\t")
    assert folded(name.upper()) == folded(name.upper().strip())
