"""Ids made from names: the same name always has the same id, and no two names share one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from uuid import UUID, uuid5

_NAMESPACE = UUID("6f1f8d3e-7a44-5d0b-9c55-0d6b1d9c9c10")


def made_id(name: str) -> str:
    """The id of a name."""
    return str(uuid5(_NAMESPACE, name.encode("utf-8", "backslashreplace").decode()))


def record_ids(session: str) -> Iterator[str]:
    """Ids for the records of a session: one made from its id, and those after it."""
    first = made_id(session)
    head, tail = first[:24], int(first[24:], 16)
    return (f"{head}{(tail + number) % 16**12:012x}" for number in count())
