"""Choosing a session: type, move, take it."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from pollux import registry
from pollux.draw.canvas import Canvas
from pollux.draw.rows import Look, RowDrawer
from pollux.draw.width import cut, cut_left, pad, width, wrap
from pollux.system.clock import local, now
from pollux.system.termination import termination_raises
from pollux.text.escape import one_line, visible
from pollux.tui.latest import Latest
from pollux.tui.list.answering import answer
from pollux.tui.list.question import HITS, MORE, Answer, Question
from pollux.tui.list.rows import PassageRow, SessionRow
from pollux.tui.pick.terminal import Terminal

if TYPE_CHECKING:
    from pollux.library.early.syncing import Syncing
    from pollux.library.library import Filter, Library, ListEntry

HEIGHT = 15
_GAP = 1
_POLL = 0.25
_REMARK = 2
"""A remark has at most so many lines."""


def pick(library: Library, criteria: Filter, query: str = "") -> ListEntry | None:
    """Let the person choose a session. None where they chose none."""
    with termination_raises(), Terminal() as terminal:
        picker = Picker(library, criteria, query, terminal)
        try:
            return picker.run()
        finally:
            picker.close()


class Picker:
    """The query, its answer, and which row is chosen."""

    def __init__(self, library: Library, criteria: Filter, query: str, terminal: Terminal) -> None:
        self._library = library
        self._terminal = terminal
        self._question = Question(visible(query))
        self._answer: Answer | None = None
        self._heard: Answer | None = None
        self._failure: Exception | None = None
        self._entries: dict[str, ListEntry] = {}
        self._rows: list[SessionRow | PassageRow] = []
        self._chosen = 0
        self._may_grow = False
        self._first = 0
        self._latest: Latest[Question] = Latest(
            lambda question: answer(library, question, criteria, report=self._latest.give_up),
            self._hear,
            self._fail,
            library.close,
        )
        if (syncing := library.index.start_sync()) is not None:
            threading.Thread(target=self._look_again, args=[syncing], daemon=True).start()

    def close(self) -> None:
        """Let the thread end."""
        self._latest.close()

    def _look_again(self, syncing: Syncing) -> None:
        """Ask again when the cache is up to date, and until then whenever more files may have been read."""
        while syncing.poll() is None:
            time.sleep(_POLL)
            if self._may_grow:
                self._may_grow = False
                self._latest.ask(self._question)
        self._latest.ask(self._question)

    def _hear(self, found: object) -> None:
        assert isinstance(found, Answer)  # noqa: S101 (the thread gives nothing else)
        self._heard = found
        self._may_grow = found.may_grow
        self._terminal.wake()

    def _fail(self, error: Exception) -> None:
        self._failure = error
        self._terminal.wake()

    def run(self) -> ListEntry | None:
        """Draw, and take keys, until the person has chosen.

        What is typed after Enter waits for the answer to what was typed before: perhaps there is nothing to choose.
        """
        self._latest.ask(self._question)
        waiting: deque[str] = deque()
        while True:
            if self._failure is not None:
                raise self._failure
            self._take_answer()
            while waiting and (waiting[0] != "enter" or self._is_answered):
                key = waiting.popleft()
                if key != "enter":
                    self._press(key)
                elif self._answer is not None and self._answer.rows is not None:  # else they are of an earlier question
                    return self._entry(self._rows[self._chosen].key) if self._rows else None
            self._draw()
            for key in self._terminal.pressed():
                if key in ("escape", "closed"):
                    return None
                waiting.append(key)

    @property
    def _is_answered(self) -> bool:
        """Are the rows what was asked for?"""
        return self._answer is not None and self._answer.question.is_like(self._question)

    def _press(self, key: str) -> None:
        text = self._question.text
        page, all_rows = HEIGHT - 2, len(self._rows)
        steps = {"down": 1, "up": -1, "pagedown": page, "pageup": -page, "end": all_rows, "home": -all_rows}
        if key in steps:
            self._move(steps[key])
            self._ask_for_more()
        elif key == "backspace":
            self._type(text[:-1])
        elif key == "word":
            self._type(text.rstrip().rpartition(" ")[0])
        elif key == "clear":
            self._type("")
        elif len(key) == 1:
            self._type(text + key)

    def _type(self, text: str) -> None:
        self._question = self._question._replace(text=text, hits=HITS)
        self._latest.ask(self._question)

    def _ask_for_more(self) -> None:
        """At the last session, ask for more of what was found."""
        found = self._answer
        is_last = not any(isinstance(row, SessionRow) for row in self._rows[self._chosen + 1 :])
        if is_last and found is not None and found.more and found.question == self._question:
            self._question = self._question._replace(hits=self._question.hits * MORE)
            self._latest.ask(self._question)

    def _move(self, steps: int) -> None:
        """Another session; passages are passed over."""
        sessions = [number for number, row in enumerate(self._rows) if isinstance(row, SessionRow)]
        if sessions:
            here = max((place for place, number in enumerate(sessions) if number <= self._chosen), default=0)
            self._chosen = sessions[min(max(here + steps, 0), len(sessions) - 1)]

    def _take_answer(self) -> None:
        found, self._heard = self._heard, None
        if found is None:
            return
        same = self._answer is not None and self._answer.question.is_like(found.question)
        self._answer = found
        if found.rows is not None:
            chosen = self._rows[self._chosen].key if same and self._rows else None
            self._rows = [row for row in found.rows if isinstance(row, (SessionRow, PassageRow))]
            places = (number for number, row in enumerate(self._rows) if row.key == chosen)
            self._chosen = next(places, 0)  # a session stays chosen, wherever it stands now
            self._entries.clear()

    def _entry(self, key: str) -> ListEntry | None:
        if key not in self._entries:
            self._entries |= {entry.summary.key: entry for entry in self._library.index.entries([key])}
        return self._entries.get(key)

    # ------------------------------------------------------------------ drawing

    def _draw(self) -> None:
        columns, lines = self._terminal.size
        height = max(min(HEIGHT, lines - 1), 2)
        canvas = Canvas(max(columns - 3, 8), color=not os.environ.get("NO_COLOR"))
        drawer = RowDrawer(canvas, registry.source_names(), local(now()).date())
        above = [self._head(canvas, columns), *self._remark(canvas, columns, min(_REMARK, height - 2))]
        room = height - len(above)
        self._first = min(max(self._first, self._chosen - room + 1), self._chosen)
        rows = self._rows[self._first : self._first + room]
        drawn = [self._row(canvas, drawer, row, self._first + number) for number, row in enumerate(rows)]
        self._terminal.draw([*above, *drawn], min(2 + width(self._question.text), columns - 1))

    def _head(self, canvas: Canvas, columns: int) -> str:
        """What is typed, and at the right edge how many sessions there are. Of a long text, the end is shown."""
        text = cut_left(self._question.text[-columns:], columns - 3)
        status = self._answer.status if self._answer is not None else ""
        room = columns - 3 - width(text) - _GAP
        words = canvas.paint(pad(status, room, right=True), "dim") if width(status) <= room else ""
        return f"{canvas.paint('❯', 'accent', 'bold')} {text}{' ' * _GAP}{words}"

    def _remark(self, canvas: Canvas, columns: int, most: int) -> list[str]:
        """What there is to say about the answer, in at most so many lines."""
        sentence = one_line(self._answer.remark) if self._answer is not None else ""
        lines = [*wrap(sentence, max(columns - 3, 8))] if sentence else []
        if len(lines) > most:
            lines = [*lines[: most - 1], " ".join(lines[most - 1 :])] if most else []
        return [f"  {canvas.paint(cut(line, columns - 3), 'warn')}" for line in lines]

    def _row(self, canvas: Canvas, drawer: RowDrawer, row: SessionRow | PassageRow, number: int) -> str:
        mark = canvas.paint("❯", "accent") if number == self._chosen else " "
        if isinstance(row, PassageRow):
            return f"{mark} {drawer.passage(row.hit)}"
        entry = self._entry(row.key)
        line = drawer.session(entry, Look(children=row.children, dated=True)) if entry is not None else row.key
        return f"{mark} {line}"
