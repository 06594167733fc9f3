"""A month in which sessions grow, are wiped, rewritten and deleted: all that was ever there is still shown."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

from pollux.archive.restore import states_to_restore
from pollux.archive.verify import file_of
from pollux.library.library import Filter, Library
from tests.archive.conftest import World, spoken_parts

VERSIONS = ("gemini/0.44.0", "claude/2.1.112", "codex/0.145.0")
DAYS = 14


def shown(library: Library) -> dict[str, set[tuple[str, str]]]:
    return {session.key: spoken_parts(session) for session in library.sessions(Filter(everything=True))}


class Month:
    """The files as they will be in the end, handed out line by line, and what befalls them."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.furnish(*VERSIONS)
        self.chance = random.Random(7)
        self.final = {path: path.read_bytes().splitlines(keepends=True) for path in world.transcripts()}
        self.reached = {path: self.chance.randint(0, 3) for path in self.final}
        self.ended: set[Path] = set()
        for path in self.final:
            self.write(path)

    def write(self, path: Path) -> None:
        """As much of a file as its agent has written so far."""
        if self.reached[path] and path not in self.ended:
            path.write_bytes(b"".join(self.final[path][: self.reached[path]]))
        elif path not in self.ended:
            path.unlink(missing_ok=True)

    def day(self) -> None:
        """Every session grows a little; three have an accident."""
        for path, lines in self.final.items():
            self.reached[path] = min(len(lines), self.reached[path] + self.chance.randint(0, 1 + len(lines) // 5))
            self.write(path)
        alive = sorted(path for path in self.final if path not in self.ended and path.exists())
        for path in self.chance.sample(alive, min(3, len(alive))):
            accident = self.chance.choice(["deleted", "emptied", "cut", "shortened"])
            self.ended.add(path)
            raw = path.read_bytes()
            if accident == "deleted":
                path.unlink()
            else:
                lines = raw.splitlines(keepends=True)
                keeps = {"emptied": b"", "cut": raw[: len(raw) // 2], "shortened": b"".join(lines[:1] + lines[2:])}
                path.write_bytes(keeps[accident])


def test_all_that_was_ever_there_at_a_sync_is_still_shown(world: World) -> None:
    month = Month(world)
    seen: dict[tuple[str, str], datetime] = {}
    files: dict[tuple[str, datetime], bytes] = {}
    lost = 0
    for _ in range(DAYS):
        world.tomorrow()
        library = world.keeping()
        for told in shown(library).values():
            seen.update(dict.fromkeys(told, world.now))
        for path in month.final:
            if path.exists():
                files[str(path), world.now] = path.read_bytes()
        month.day()
        world.later(0.5)
        library = world.keeping()
        now = shown(library)
        earlier: dict[tuple[str, datetime], set[tuple[str, str]]] = {}
        for (key, text), at in seen.items():
            if (key, text) not in now.get(key, set()):
                lost += 1
                if (key, at) not in earlier:
                    earlier[key, at] = spoken_parts(library.archive.as_of(library.session(key), at))
                assert (key, text) in earlier[key, at], f"{key} lost {text[:80]!r} of {at}"
    assert len(seen) > 200
    assert lost > 20
    assert len(month.ended) > 20
    library = world.library()
    states = library.archive._store.index.states()
    for (name, at), raw in files.items():
        until = int(at.timestamp() * 1_000_000)
        (state,) = states_to_restore(
            library.archive._store, [state for state in states if file_of(state) == name], until
        )
        assert library.archive._store.read(state.sha or b"") == raw
    assert library.archive.verify().sound


def test_what_is_deleted_is_listed_found_and_counted_as_before(world: World) -> None:
    world.furnish(*VERSIONS)
    before = world.keeping()
    listed = {one.summary.key: one.summary for one in before.list(Filter(everything=True))}
    found = {hit.key for hit in before.search("weather", limit=500).hits}
    stats = before.usage
    assert stats is not None
    for path in world.transcripts():
        path.unlink()
    after = world.keeping()
    told = {one.summary.key: one.summary for one in after.list(Filter(everything=True))}
    assert told.keys() == listed.keys()
    for key, summary in listed.items():
        assert (told[key].counts, told[key].usage, told[key].title) == (summary.counts, summary.usage, summary.title)
        assert (told[key].project, told[key].parent) == (summary.project, summary.parent)
    assert {hit.key for hit in after.search("weather", limit=500).hits} == found
    assert any(summary.kept for summary in told.values())
