"""Arrows run one way between modules too, those of imports inside functions counted; what only types need is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

grimp = pytest.importorskip("grimp", reason="comes with import-linter")


def circles(arrows: Mapping[str, set[str]]) -> Iterator[frozenset[str]]:
    """Yield the sets of modules that reach one another (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    waiting: list[str] = []

    def visit(one: str) -> Iterator[frozenset[str]]:
        number[one] = low[one] = len(number)
        waiting.append(one)
        for other in arrows[one]:
            if other not in number:
                yield from visit(other)
                low[one] = min(low[one], low[other])
            elif other in waiting:
                low[one] = min(low[one], number[other])
        if low[one] == number[one]:
            at = waiting.index(one)
            found = frozenset(waiting[at:])
            del waiting[at:]
            if len(found) > 1:
                yield found

    for one in arrows:
        if one not in number:
            yield from visit(one)


def test_circles_are_found_and_a_chain_is_none() -> None:
    assert list(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})) == [frozenset("bc")]


@pytest.mark.long
def test_modules_import_one_another_one_way() -> None:
    graph = grimp.build_graph(
        "companion", "hardware", "vision", "scenarios", exclude_type_checking_imports=True, cache_dir=None
    )
    arrows = {one: set(graph.find_modules_directly_imported_by(one)) for one in graph.modules}
    found = {one for one in circles(arrows) if not any(name.startswith("companion.testing") for name in one)}
    assert not found  # testing registers its scenes in a circle of its own
