"""The terminal UI line by line: for screen readers, and for terminals that cannot do more.

A line that is typed is a query. A number opens the session of that number, and the conversation is written out.
"""

from __future__ import annotations

import io
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
from pollux.tui.list.question import MORE, Question
from pollux.tui.list.rows import MoreRow, PassageRow, SessionRow
from pollux.tui.run import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from pollux.library.library import Library

PAGE = 20
_WRITTEN = (SessionRow, PassageRow, MoreRow)
"""The rows that are written: those of days are not."""
LONGEST = 10_000
"""A line has at most so many characters: nobody listens to more."""
HELP = "Type words to search, a number to read a session, Enter for more,\n? for this help, q to leave."


def run(
    open_library: Callable[[], Library], here: Path, settings: Path, query: str = "", *, is_sample: bool = False
) -> None:
    """Ask for lines until the person leaves."""
    _ = here, settings  # the same call as for the full screen
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a terminal with another encoding may send any bytes
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
        except (EOFError, KeyboardInterrupt) as end:
            _write("")  # what follows begins with a line of its own
            if isinstance(end, EOFError):
                return
            raise
        if line in ("q", "quit", "exit"):
            return
        session.take(line)


class _Session:
    """What was found last, and how much of it was written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._question = Question()
        self._lines: list[str] = []
        self._keys: list[str] = []
        self._written = 0
        self._more = False

    def take(self, line: str) -> None:
        """Do what a line says."""
        if line == "?":
            _write(HELP)
        elif not line:
            self._go_on()
        elif line.isdecimal() and 0 < int(line) <= len(self._keys):
            self._read(self._keys[int(line) - 1])
        else:
            self.search(line)

    def search(self, query: str) -> None:
        """Search, and write the first of what was found."""
        if self._ask(Question(f"{query} " if query else ""), known=()):
            self._go_on()

    def _ask(self, question: Question, known: Sequence[str]) -> bool:
        """Ask. Returns whether there is an answer; sessions that are known keep their numbers."""
        found = answer(self._library, question)
        if found.remark:
            _write(found.remark)
        if found.rows is None:
            return False
        before = frozenset(known)
        rows = [row for row in found.rows if isinstance(row, _WRITTEN) and row.key not in before]
        self._question, self._more = question, found.more
        self._keys = list(dict.fromkeys([*known, *(row.key for row in rows)]))
        numbers = {key: number for number, key in enumerate(self._keys, 1)}
        self._lines, self._written = [self._line(row, numbers) for row in rows], 0
        _write(f"{found.status[:1].upper()}{found.status[1:]}.")
        return True

    def _line(self, row: SessionRow | PassageRow | MoreRow, numbers: dict[str, int]) -> str:
        if isinstance(row, PassageRow):
            return f"   {row.hit.kind}: {one_line(row.hit.snippet)}"
        if isinstance(row, MoreRow):
            return f"   {plural(row.left, 'more passage')}"
        entry = next(iter(self._library.index.entries([row.key])), None)
        if entry is None:
            return f"{numbers[row.key]}. {row.key}"
        summary = entry.summary
        title = one_line(entry.title or "A session without a title")
        facts = [summary.agent, project_name(summary.project or ""), ago(summary.ended or summary.started, now())]
        return f"{numbers[row.key]}. {title}, {', '.join(one_line(fact) for fact in facts if fact)}"

    def _go_on(self) -> None:
        """Write some more; where all is written, look for more, if there may be any."""
        if self._written >= len(self._lines) and self._more:
            self._ask(self._question._replace(hits=self._question.hits * MORE), known=self._keys)
        for line in self._lines[self._written : self._written + PAGE]:
            _write(line)
        self._written += PAGE
        if self._written < len(self._lines) or self._more:
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
