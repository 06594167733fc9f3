"""Files that were rewritten: all that any state of one holds, where no single state holds it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pollux.archive.contents import Damaged
from pollux.archive.keep import Archive
from pollux.archive.packs import State, is_safe
from pollux.model import Session
from pollux.sources.base import Source
from pollux.sources.resuming import Form, made_by


def turns(states: Iterable[State]) -> Iterator[State]:
    """The states that do not stand at the beginning of the next one of the same file."""
    listed = list(states)
    for state, later in zip_longest(listed, listed[1:]):
        same = later is not None and (later.agent, later.home, later.path) == (state.agent, state.home, state.path)
        if state.sha is not None and is_safe(state.path) and not (same and later.change == "grown"):
            yield state


class Union(NamedTuple):
    """The states of a file that are to be joined, each with other bytes, and what stands for them all."""

    states: list[State]
    token: bytes


def unions(states: Iterable[State]) -> dict[bytes, Union]:
    """The files that had several contents of which none stands at the beginning of another, by their paths."""
    found: dict[bytes, dict[bytes, State]] = {}
    for state in turns(states):
        found.setdefault(state.path, {})[state.sha or b""] = state
    return {
        path: Union(list(held.values()), hashlib.sha256(b"".join(held)).digest())
        for path, held in found.items()
        if len(held) > 1
    }


def joined(archive: Archive, source: Source, union: Union) -> bytes | None:
    """All records of all states; None where one state has them all, or the agent's records cannot be joined."""
    forms = []
    for state in union.states:
        with contextlib.suppress(Damaged):
            forms.append(Form(path=os.fsdecode(state.path), content=archive.read(state.sha or b"")))
    path = os.fsdecode(union.states[0].path)
    made = made_by(source, Session(agent=source.name, id=""), forms, Path(path.split("/")[0]))
    content = next((file.content for file in made if file.path == path and file.sources and file.made is None), None)
    return content if all(form.content != content for form in forms) else None
