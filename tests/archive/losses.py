"""Kept homes, and what can happen to their packs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pollux.archive.packs import State, scan
from pollux.library.library import Filter, Library
from pollux.system.files import opened
from tests.archive.conftest import World

EVERYTHING = Filter(everything=True)


def kept_world(world: World) -> tuple[Library, Path]:
    """A home that is kept, in one pack, and of which a session is gone since."""
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    world.transcripts()[-1].unlink()
    world.tomorrow()
    library.sync()
    library.close()
    (pack,) = library.archive._store.folder.glob("*.pack")
    return library, pack


def keys(library: Library) -> set[str]:
    return {one.summary.key for one in library.list(EVERYTHING)}


def cut(pack: Path) -> None:
    os.truncate(pack, pack.stat().st_size // 2)


def cut_between_records(pack: Path) -> None:
    with opened(pack) as file:
        ends = [found.end for found in scan(file)]
    os.truncate(pack, ends[len(ends) // 2])


def zero(pack: Path) -> None:
    half = pack.stat().st_size // 2
    with pack.open("r+b") as file:
        file.seek(half)
        file.write(bytes(pack.stat().st_size - half))


HARM: dict[str, Callable[[Path], object]] = {
    "cut": cut,
    "cut between records": cut_between_records,
    "zeros": zero,
    "deleted": Path.unlink,
    "emptied": lambda pack: pack.write_bytes(b""),
    "folder deleted": lambda pack: shutil.rmtree(pack.parent),
}


def hole(pack: Path) -> None:
    """Zeros in the middle, so that the pack is as long as it was."""
    with opened(pack) as file:
        records = list(scan(file))
    place = records[len(records) // 2]
    with pack.open("r+b") as file:
        file.seek(place.offset)
        file.write(bytes(place.end - place.offset))


CUTS = {**{name: HARM[name] for name in ("cut", "cut between records", "zeros", "deleted", "emptied")}, "hole": hole}


def lossy(world: World, harm: Callable[[Path], object]) -> tuple[Library, Path, bytes, set[str]]:
    """A kept world whose pack is harmed. Gives the bytes that it had, and all sessions."""
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    library.close()
    harm(pack)
    return world.library(), pack, raw, before


def go_on(world: World) -> None:
    """An agent writes on the next day."""
    world.tomorrow()
    with world.transcripts()[0].open("ab") as out:
        out.write(b"{}\n")


def prune_one(world: World) -> str:
    library = world.library()
    (key, *_) = sorted(keys(library))
    library.archive.run()
    library.archive.prune([library.session(key)])
    library.close()
    return key


def flip(library: Library, pack: Path) -> None:
    """One byte of the content of which only the archive knows."""
    (state, *_) = [one for one in library.archive._store.index.states() if one.change == "gone"]
    (last,) = [one for one in library.archive._store.index.states(*state_place(state)) if one.sha is not None]
    spoil(library, pack, last)


def spoil(library: Library, pack: Path, state: State) -> None:
    location = library.archive._store.index.content(state.sha or b"")
    assert location is not None
    raw = bytearray(pack.read_bytes())
    raw[location.record.payload + location.record.length // 2] ^= 0xFF
    pack.write_bytes(raw)


def state_place(state: State) -> tuple[str, bytes, bytes]:
    return state.agent, state.home, state.path


def places(states: list[Any]) -> set[tuple[str, bytes, bytes]]:
    return {(state.agent, state.home, state.path) for state in states}


def live(world: World) -> set[str]:
    return {str(path) for path in world.session_files()}


def stored(library: Library) -> set[str]:
    states = library.archive._store.index.states()
    return {os.fsdecode(os.path.join(s.home, s.path)) for s in states if s.sha is not None}  # noqa: PTH118
