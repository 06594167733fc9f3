"""Handed-over sessions stand under their origins."""

from __future__ import annotations

from pollux.draw.families import families, lead


def placed(*listed: tuple[str, str | None]) -> list[list[tuple[str, int]]]:
    """The families of a list of names with their origins, the newest first."""
    result = families(listed, lambda one: one[0], lambda one: one[1])
    return [[(name, depth) for (name, _), depth in family] for family in result]


def test_a_list_without_any_stays_as_it_is() -> None:
    assert placed(("b", None), ("a", "gone")) == [[("b", 0)], [("a", 0)]]


def test_a_family_stands_where_its_newest_member_would() -> None:
    listed = [("c2", "o"), ("x", None), ("c1", "o"), ("g", "c1"), ("o", None), ("y", None)]
    assert placed(*listed) == [[("o", 0), ("c1", 1), ("g", 2), ("c2", 1)], [("x", 0)], [("y", 0)]]


def test_a_circle_loses_nobody() -> None:
    assert placed(("a", "b"), ("b", "a"), ("c", "c")) == [[("a", 0), ("b", 1)], [("c", 0)]]
    assert placed(("d", "a"), ("a", "b"), ("b", "a")) == [[("d", 0)], [("a", 0), ("b", 1)]]


def test_a_long_chain() -> None:
    chain = [(str(n), str(n - 1) if n else None) for n in range(5000, -1, -1)]
    (family,) = placed(*chain)
    assert family == [(str(n), n) for n in range(5001)]


def test_what_stands_before_a_title() -> None:
    assert [lead(depth) for depth in (0, 1, 2)] == ["", "└ ", "  └ "]
    assert len(lead(5000)) < 20
