"""The terminal UI line by line: for screen readers, and for terminals that cannot do more.

A line that is typed is a query. A number opens the session of that number, and the conversation is written out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pollux.draw.canvas import Canvas
from pollux.draw.times import ago
from pollux.draw.transcript import transcript
from pollux.errors import PolluxError
from pollux.model.names import project_name
from pollux.system.clock import now
from pollux.text.escape import one_line, visible
from pollux.text.figures import plural
from pollux.tui.list.answering import answer
from pollux.tui.list.question import Question
from pollux.tui.list.rows import PassageRow, SessionRow
from pollux.tui.run import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pollux.library.library import Library

PAGE = 20
LONGEST = 10_000
"""A line has at most so many characters: nobody listens to more."""
HELP = "Type words to search, a number to read a session, Enter for more, ? for this help, q to leave."


def run(
    open_library: Callable[[], Library], here: Path, settings: Path, query: str = "", *, is_sample: bool = False
) -> None:
    """Ask for lines until the person leaves."""
    _ = here, settings  # the same call as for the full screen
    library = open_library()
    library.index.catch_up(later=not is_sample)
    session = _Session(library)
    if is_sample:
        _write(SAMPLE)
    _write(HELP)
    session.search(query)
    while True:
        try:
            line = input("pollux> ").strip()
        except EOFError:
            return
        if line in ("q", "quit", "exit"):
            return
        session.take(line)


class _Session:
    """What was found last, and how much of it was written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lines: list[str] = []
        self._keys: list[str] = []
        self._written = 0

    def take(self, line: str) -> None:
        """Do what a line says."""
        if line == "?":
            _write(HELP)
        elif not line:
            self._more()
        elif line.isdecimal() and 0 < int(line) <= len(self._keys):
            self._read(self._keys[int(line) - 1])
        else:
            self.search(line)

    def search(self, query: str) -> None:
        """Search, and write the first of what was found."""
        found = answer(self._library, Question(f"{query} " if query else ""))
        if found.remark:
            _write(found.remark)
        if found.rows is None:
            return
        self._keys = list(dict.fromkeys(row.key for row in found.rows if isinstance(row, SessionRow)))
        numbers = {key: number for number, key in enumerate(self._keys, 1)}
        rows = (row for row in found.rows if isinstance(row, (SessionRow, PassageRow)))
        self._lines, self._written = [self._line(row, numbers) for row in rows], 0
        _write(plural(found.sessions, "session") + ".")
        self._more()

    def _line(self, row: SessionRow | PassageRow, numbers: dict[str, int]) -> str:
        if isinstance(row, PassageRow):
            return f"   {row.hit.kind}: {one_line(row.hit.snippet)}"
        entry = next(iter(self._library.index.entries([row.key])), None)
        if entry is None:
            return f"{numbers[row.key]}. {row.key}"
        summary = entry.summary
        title = one_line(entry.title or "A session without a title")
        facts = [summary.agent, project_name(summary.project or ""), ago(summary.ended or summary.started, now())]
        return f"{numbers[row.key]}. {title}, {', '.join(one_line(fact) for fact in facts if fact)}"

    def _more(self) -> None:
        for line in self._lines[self._written : self._written + PAGE]:
            _write(line)
        self._written += PAGE
        if self._written < len(self._lines):
            _write("Enter for more.")

    def _read(self, key: str) -> None:
        for line in self._transcript(key):
            _write(line)

    def _transcript(self, key: str) -> Iterator[str]:
        try:
            session = self._library.session(key)
        except PolluxError as error:
            yield str(error)
            return
        yield from transcript(Canvas(), session, home=str(self._library.user_home))


def _write(line: str) -> None:
    more = f" … {len(line) - LONGEST:,} more characters: pollux show has all of them" if len(line) > LONGEST else ""
    sys.stdout.write(f"{visible(line[:LONGEST])}{more}\n")
    sys.stdout.flush()
