"""Handed-over sessions stand under their origin, wherever sessions are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

T = TypeVar("T")
_DEEPEST = 6
"""A title that stands further in has no room left."""


def lead(depth: int) -> str:
    """What stands before the title of something that many levels down."""
    return "  " * min(depth - 1, _DEEPEST) + "└ " if depth else ""


def families(
    listed: Sequence[T], key: Callable[[T], str], origin: Callable[[T], str | None]
) -> Iterator[list[tuple[T, int]]]:
    """The members of a list by family: each under its origin if that is listed too, with its depth, the oldest first.

    The list is the newest first, and so are the families, by their newest members. One that is its own ancestor, which
    only a forged file can say, stands by itself.
    """
    by_key = {key(one): one for one in listed}
    origins = {key(one): name for one in listed if (name := origin(one)) in by_key and name is not None}
    if not origins:
        yield from ([(one, 0)] for one in listed)
        return
    heirs: dict[str, list[T]] = {}
    for one in reversed(listed):
        if (name := origins.get(key(one))) is not None:
            heirs.setdefault(name, []).append(one)
    done: set[str] = set()
    for one in listed:
        if key(one) not in done:
            yield list(_below(by_key[_first(key(one), origins)], key, heirs, done))


def _first(key: str, origins: Mapping[str, str]) -> str:
    """The first of a family; in a circle, the one that was asked about."""
    seen, at = {key}, key
    while (above := origins.get(at)) is not None:
        if above in seen:
            return key
        seen.add(above)
        at = above
    return at


def _below(
    first: T, key: Callable[[T], str], heirs: Mapping[str, Sequence[T]], done: set[str]
) -> Iterator[tuple[T, int]]:
    """A session and all below it. A chain of them may be longer than functions may be nested."""
    waiting = [(first, 0)]
    while waiting:
        one, depth = waiting.pop()
        if (name := key(one)) not in done:
            done.add(name)
            yield one, depth
            waiting += [(heir, depth + 1) for heir in reversed(heirs.get(name, ()))]
