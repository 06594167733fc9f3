"""Notices about odd JSON use the format's own words, never the names of our classes."""

from __future__ import annotations

from typing import Any

from pollux.wire import Notes, Shape, fit


class _Node(Shape):
    child: _Node | None = None
    children: list[_Node] | None = None
    size: int | None = None


def _subjects(value: dict[str, Any], name: str) -> list[str | None]:
    notes = Notes()
    fit(_Node, value, notes, name)
    return [notice.subject for notice in notes.all()]


def test_an_object_is_called_by_its_name_and_inner_ones_by_their_keys() -> None:
    value = {"new": 1, "size": "x", "child": {"new": 1}, "children": [{"child": {"new": 1}}]}
    assert _subjects(value, "user") == ["user.new", "user.size: str", "user.child.new", "user.children.child.new"]


def test_the_name_of_an_object_does_not_grow_with_its_depth() -> None:
    value: dict[str, Any] = {"new": 1}
    for _ in range(50):
        value = {"child": {"children": [value]}}
    assert _subjects(value, "user") == ["user.child.children.new"]
