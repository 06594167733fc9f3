"""Every session file of every home deleted or cut in turn: all that is left anywhere comes back.

What is left is told by the bytes and the oracle. How much that is stands in tests/golden/recovery.json, file by file,
and in docs/archive.md, home by home. POLLUX_EXHAUSTIVE=1 POLLUX_UPDATE_GOLDEN=1 renews the first.
"""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from pollux.errors import PolluxError
from pollux.library.library import Filter, Library
from pollux.model import Session
from tests.archive.conftest import CORPUS, HOMES, World, spoken_parts
from tests.archive.remains import held, leaves, texts

EXHAUSTIVE = bool(os.environ.get("POLLUX_EXHAUSTIVE"))
GOLDEN = CORPUS.parent / "golden" / "recovery.json"
SAMPLE = 1
Figures = dict[str, dict[str, list[int]]]
CUTS = (0.0, 0.25, 0.5, 0.75, 0.97)

SIDE = {"copilot": "workspace", "qwen": "output"}
"""Files that hold no conversation: the title of a session, an output that is nobody's without its call.

Nor does the log of a database that is gone: it says of no page whose it is.
"""
MOST = 100
FEW = 12
"""Of a home with more files than `MOST`, each of which holds little, so many are looked at, and every database."""


def accidents(file: Path) -> Iterator[tuple[str, bytes | None]]:
    """What may be left of a file."""
    raw = file.read_bytes()
    yield "deleted", None
    for cut in CUTS if EXHAUSTIVE else (0.5,):
        yield f"cut at {cut:.0%}", raw[: int(len(raw) * cut)]


def some(files: list[Path], name: str) -> list[Path]:
    """The files of a home, or by chance a few of hundreds, always the same."""
    if len(files) <= MOST:
        return files
    few = random.Random(name).sample(files, FEW)
    return [file for file in files if file in few or file.suffix == ".db"]


class Home:
    """A home in which one file after the other has an accident, and is put back."""

    def __init__(self, world: World, name: str) -> None:
        world.furnish(name)
        self.world = world
        self.name = name
        self.held = {file: held(texts(name, file, world.home), [file]) for file in some(world.session_files(), name)}

    def every(self, library: Library) -> list[Session]:
        return list(library.sessions(Filter(everything=True)))

    def accidents(self, before: list[Session]) -> Iterator[tuple[Path, str]]:
        """The home with one file less, or a part of it. A file in which nothing is said has nothing to lose."""
        files = [file for file in self.held if self.held[file] or any(str(file) in one.files for one in before)]
        for file in files if EXHAUSTIVE else random.Random(self.name).sample(files, min(SAMPLE, len(files))):
            raw, stat = file.read_bytes(), file.stat()
            for accident, left in accidents(file):
                file.unlink() if left is None else file.write_bytes(left)
                self.world.later(0.1)
                yield file, accident
                file.write_bytes(raw)
                os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
                self.world.later(0.1)
                self.world.library().sync()

    def remaining(self) -> list[Path]:
        """Every file that is about sessions."""
        roots = self.world.library().homes.roots()
        every = ((source.name, f) for source, root in roots for f in source.find(root.path))
        found = [f for agent, f in every if f.role not in ("other", SIDE.get(agent))]
        databases = {f.path for f in found if f.path.endswith(".db")}
        logs = {f"{path}-wal" for path in databases}
        paths = [Path(f.path) for f in found if not f.path.endswith("-wal") or f.path in logs]
        return [self._turns(path) if path.name == "session-store.db" else path for path in paths]

    def _turns(self, store: Path) -> Path:
        """What an index of sessions says of conversations. Its other tables have titles, and names of files."""
        with closing(sqlite3.connect(f"{store.as_uri()}?immutable=1", uri=True)) as connection:
            rows = connection.execute("SELECT user_message, assistant_response FROM turns").fetchall()
        file = self.world.folder / "turns.json"
        file.write_text(json.dumps(rows), "utf-8")
        return file


def words(session: Session) -> str:
    """All that is shown of a session."""
    return "\0".join(leaves(msgspec.to_builtins([session.messages, session.title, session.extra])))


def shown(text: str, told: str) -> bool:
    return text in told or text.strip() in told


def recovered(library: Library, key: str) -> Session | None:
    try:
        return library.recover.join(library.recover.session(key)).session
    except PolluxError:  # it goes by another name now, or nothing is left of it
        return None


@pytest.mark.parametrize("name", HOMES)
def test_what_was_kept_comes_back_whole(world: World, name: str) -> None:
    home = Home(world, name)
    before = home.every(world.keeping())
    for file, accident in home.accidents(before):
        library = world.keeping()
        answers = []
        for session in before:
            if str(file) in session.files:
                again = recovered(library, session.key)
                assert again is not None
                assert spoken_parts(session) <= spoken_parts(again), f"{file} {accident}"
                assert all(m.origin is None or Path(m.origin.file).exists() for m in again.messages)
                answers.append(words(again))
        assert all(any(shown(text, one) for one in answers) for text in home.held[file]), f"{file} {accident}"


@pytest.mark.parametrize("name", HOMES)
def test_what_other_files_hold_comes_back_without_an_archive(
    world: World, name: str, record_property: Callable[[str, object], None]
) -> None:
    home = Home(world, name)
    before = home.every(world.library())
    missing: list[tuple[str, str, str]] = []
    result: Figures = {}
    for file, accident in home.accidents(before):
        wanted = home.held[file]
        # Of a cut database less comes back than its bytes hold: pages that nothing leads to may be of deleted sessions.
        left = held(wanted, home.remaining())
        library = world.library()
        keys = [session.key for session in before if str(file) in session.files]
        answers = [words(again) for key in keys if (again := recovered(library, key)) is not None]
        back = {text for text in wanted if any(shown(text, one) for one in answers)}
        if left - back:
            answers = [words(session) for session in home.every(library)]
            back |= {text for text in left if any(shown(text, one) for one in answers)}
        if file.suffix != ".db":
            missing += [(file.name, accident, text) for text in left - back]
        place = file.relative_to(world.home).as_posix()
        result.setdefault(place, {})[accident] = [len(wanted), len(left), len(back)]
    record_property("texts that were held, are left, and came back", result)
    assert missing == []
    if os.environ.get("POLLUX_UPDATE_GOLDEN") and EXHAUSTIVE:
        write_golden({**golden(), name: result})
    known = golden().get(name, {})
    assert {place: {one: known[place][one] for one in figures} for place, figures in result.items()} == result


def golden() -> dict[str, Figures]:
    """Of each home and each of its files, and each accident: how many texts it held, are left, and came back."""
    document: dict[str, Figures] = json.loads(GOLDEN.read_bytes()) if GOLDEN.exists() else {}
    return document


def write_golden(found: dict[str, Figures]) -> None:
    """One line a file, so that differences can be read."""
    homes = (
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(f"  {json.dumps(place)}: {json.dumps(figures)}" for place, figures in sorted(held.items()))
        + "\n}"
        for name, held in sorted(found.items())
    )
    GOLDEN.write_text("{\n" + ",\n".join(homes) + "\n}\n")


def test_the_figures_in_the_documentation_are_these() -> None:
    """POLLUX_UPDATE_TRANSCRIPTS=1 writes them anew."""
    page = CORPUS.parent.parent / "docs" / "archive.md"
    text = page.read_text("utf-8")
    page_text = re.sub(
        r"(?<=<!-- recovery -->\n).*?(?=<!-- end -->)", lambda _: "".join(table()), text, flags=re.DOTALL
    )
    if os.environ.get("POLLUX_UPDATE_TRANSCRIPTS"):
        page.write_text(page_text, "utf-8")
    assert page_text == text


def table() -> Iterator[str]:
    """A row for each home: what stands in other files after a deletion, and altogether after a cut."""
    yield "| home | files | words after a deletion | words after cuts |\n|---|--:|--:|--:|\n"
    for name, files in golden().items():
        row = [name, str(len(files))]
        for wanted in (["deleted"], [f"cut at {cut:.0%}" for cut in CUTS]):
            figures = [figures[one] for figures in files.values() for one in wanted]
            all_of_it, left, back = (sum(column) for column in zip(*figures, strict=True)) if figures else (0, 0, 0)
            assert back >= left or any(place.endswith(".db") for place in files)
            row.append(f"{min(left, back):,} of {all_of_it:,}")
        yield f"| {' | '.join(row)} |\n"
