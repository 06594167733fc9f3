"""Every session file of every home deleted or cut in turn: what is left anywhere comes back."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from pollux.library import Filter, Library
from pollux.model import Author, Role, Session
from tests.archive.conftest import HOMES, World, said

SAMPLE = 2


def by_file(library: Library) -> dict[str, list[Session]]:
    """The sessions that were read from each file."""
    found: dict[str, list[Session]] = {}
    for session in library.sessions(Filter(everything=True)):
        for file in session.files:
            found.setdefault(file, []).append(session)
    return found


def accidents(world: World) -> list[tuple[Path, bytes | None]]:
    """Files and what is left of them: nothing, or the first half."""
    files = [Path(f.path) for s, r in world.library().roots() for f in s.find(r.path)]
    chosen = [f for f in files if f.suffix in (".json", ".jsonl") and f.name.startswith(("session-", "rollout-"))]
    chosen += [f for f in files if ".claude" in f.parts and f.suffix == ".jsonl" and f.name != "history.jsonl"]
    if not os.environ.get("POLLUX_EXHAUSTIVE"):
        chosen = random.Random(5).sample(chosen, min(SAMPLE, len(chosen)))
    return [(file, left) for file in chosen for left in (None, file.read_bytes()[: file.stat().st_size // 2])]


@pytest.mark.parametrize("home", HOMES)
def test_what_was_kept_comes_back_whole(world: World, home: str) -> None:
    world.furnish(home)
    before = by_file(world.keeping())
    for file, left in accidents(world):
        raw, stat = file.read_bytes(), file.stat()
        file.unlink() if left is None else file.write_bytes(left)
        world.later(0.1)
        library = world.keeping()
        for session in before.get(str(file), ()):
            again = library.recovering.recover(library.session(session.key))
            assert said(session) <= said(again.session), f"{file} {left is None}"
            assert all(m.origin is None or Path(m.origin.file).exists() for m in again.session.messages)
        file.write_bytes(raw)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        world.later(0.1)


@pytest.mark.parametrize("home", HOMES)
def test_prompts_that_stand_in_another_file_come_back_without_an_archive(world: World, home: str) -> None:
    world.furnish(home)
    before = by_file(world.library())
    for file, left in accidents(world):
        if left is not None:
            continue
        raw = file.read_bytes()
        file.unlink()
        library = world.library()
        rest = b"\0".join(
            Path(f.path).read_bytes()
            for s, r in library.roots()
            for f in s.find(r.path)
            if f.role in ("prompts", "history")
        )
        shown = {m.text.strip() for s in library.sessions(Filter(everything=True)) for m in s.messages}
        for session in before.get(str(file), ()):
            for message in session.messages:
                human = message.role is Role.USER and message.author is Author.HUMAN and message.text.strip()
                if human and session.id.encode() in rest and message.text.strip().encode() in rest:
                    assert message.text.strip() in shown
        file.write_bytes(raw)
