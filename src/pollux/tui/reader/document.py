"""A conversation as pieces of lines, each drawn when it is first seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pollux.draw.marks import message_marks
from pollux.draw.transcript.blocks import Show
from pollux.draw.transcript.head import head, remarks
from pollux.draw.transcript.pieces import piece_lines, pieces
from pollux.model import NO_MARKS, Author, Fate, Role, summarize
from pollux.text.escape import one_line
from pollux.tui.canvas import StripCanvas, broken, plain
from pollux.tui.reader.words import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.draw.transcript.pieces import Piece
    from pollux.model import Message, Session, SessionMarks, Summary

_KEPT = 20_000
"""So many drawn lines are remembered."""

LONGEST = 200_000
"""A longer text (characters) is cut, and its last line says so."""

SHORT = Show(diffs=True, most=LONGEST)


class Document:
    """The head of a session, its messages, and remarks about its files, each a piece with a number.

    With `live`, only what the agent would resume is shown. `unfolded` are ids of messages that are shown in full.
    `new_from` is the number of the first message that was not there when the person last looked.
    """

    def __init__(self, session: Session, home: str, show: Show = SHORT, *, live: bool = False) -> None:
        self.session = session
        self.show = show
        self.live = live
        self.unfolded: set[str] = set()
        self.new_from: int | None = None
        self.marks: SessionMarks | None = None
        self._home = home
        self._columns = 0
        self._lines: dict[int, list[str]] = {}
        self._kept = 0
        self.messages = self._choose()
        self._divide()

    def _divide(self, before: Sequence[Piece] = ()) -> None:
        """Divide the messages into pieces; those before are known."""
        self._pieces: list[Piece] = pieces(self.messages, self.show, before)
        self._summary: Summary | None = None
        self._place_marks()
        self._forget()

    def _choose(self) -> Sequence[Message]:
        """The messages that are shown."""
        messages = self.session.messages
        return [message for message in messages if message.fate is Fate.LIVE] if self.live else messages

    def _forget(self) -> None:
        self._lines.clear()
        self._kept = 0

    # ------------------------------------------------------------------ what is shown

    def mark(self, marks: SessionMarks | None, new_from: int | None) -> None:
        """Show what the user marked, and a line above what is new since the session was read."""
        self.marks, self.new_from = marks, new_from
        self._place_marks()
        self._forget()

    def _place_marks(self) -> None:
        """Find the marked messages, and the first new one, among those that are shown."""
        self._marked = self.marks.by_message(self.messages) if self.marks is not None else {}
        new = self.session.messages[self.new_from : self.new_from + 1] if self.new_from is not None else ()
        self._new_id = new[0].id if new else None

    def change(self, show: Show | None = None, *, live: bool | None = None) -> None:
        """Show more or less."""
        self.show = self.show if show is None else show
        self.live = self.live if live is None else live
        self.messages = self._choose()
        self._divide()

    def renew(self, session: Session) -> None:
        """Take the session as it is now. What was drawn of unchanged messages stays."""
        before, drawn = self.messages, dict(self._lines)
        self.session = session
        self.messages = self._choose()
        same = 0
        while same < min(len(before), len(self.messages)) and before[same] == self.messages[same]:
            same += 1
        self._divide([piece for piece in self._pieces if piece.end <= same])
        for number, lines in drawn.items():
            if 0 < number <= len(self._pieces) and self._pieces[number - 1].end < same:
                self._lines[number] = lines
                self._kept += len(lines)

    def unfold(self, number: int) -> bool:
        """Show a piece in full, or in short again. Returns whether it is unfolded now."""
        ids = {message.id for message in self.of(number)}
        is_unfolded = bool(ids & self.unfolded)
        self.unfolded = self.unfolded - ids if is_unfolded else self.unfolded | ids
        self._lines.pop(number, None)
        return not is_unfolded

    # ------------------------------------------------------------------ pieces

    @property
    def count(self) -> int:
        """How many pieces there are, with the head and the remarks."""
        return len(self._pieces) + 2

    @property
    def title(self) -> str:
        """What the session is called."""
        name = self.marks.session.name if self.marks is not None else None
        if self._summary is None:
            self._summary = summarize(self.session)
        return one_line(name or self._summary.title or "A session without a title", 300)

    def position(self, number: int) -> int:
        """The place of a piece among the messages, from 1; 0 for the head."""
        if number > len(self._pieces):
            return len(self.messages)
        return self._pieces[number - 1].start + 1 if number else 0

    def end_of(self, number: int) -> int:
        """How many messages there are up to the end of a piece."""
        if not number:
            return 0
        return len(self.messages) if number > len(self._pieces) else self._pieces[number - 1].end

    def of(self, number: int) -> Sequence[Message]:
        """The messages of a piece; none for the head and the remarks."""
        if not 0 < number <= len(self._pieces):
            return ()
        piece = self._pieces[number - 1]
        return self.messages[piece.start : piece.end]

    def number_of(self, id: str) -> int | None:
        """The piece that has the message of this id."""
        for number, piece in enumerate(self._pieces, 1):
            if any(message.id == id for message in self.messages[piece.start : piece.end]):
                return number
        return None

    def is_prompt(self, number: int) -> bool:
        """Is this piece what a person said to the model?"""
        return any(one.author is Author.HUMAN and one.role is Role.USER for one in self.of(number))

    def lines(self, number: int, columns: int) -> list[str]:
        """The lines of a piece."""
        if columns != self._columns:
            self._columns = columns
            self._forget()
        if number not in self._lines:
            if self._kept > _KEPT:
                self._forget()
            drawn = self._draw(number, StripCanvas(columns)) if not self._is_hidden(number) else ()
            self._lines[number] = [part for line in drawn for part in broken(line, columns)]
            self._kept += len(self._lines[number])
        return self._lines[number]

    def _is_hidden(self, number: int) -> bool:
        """Is nothing of a piece shown, not even a mark? Then it need not be drawn to find that out."""
        if not 0 < number <= len(self._pieces) or not self._pieces[number - 1].is_empty:
            return False
        piece, ids = self._pieces[number - 1], {message.id for message in self.of(number)}
        is_marked = any(place in self._marked for place in range(piece.start, piece.end))
        return not is_marked and self._new_id not in ids and ids.isdisjoint(self.unfolded)

    def _draw(self, number: int, canvas: StripCanvas) -> Iterator[str]:
        if number == 0:
            yield from head(canvas, self.session, self._home, self.marks.session if self.marks else NO_MARKS)
        elif number > len(self._pieces):
            yield from remarks(canvas, self.session, self._home, full=self.show.full)
        else:
            piece, show = self._pieces[number - 1], self.show
            if any(message.id in self.unfolded for message in self.of(number)):
                show = show._replace(full=True, tools="full", thinking=True)
            if self._new_id is not None and any(message.id == self._new_id for message in self.of(number)):
                yield ""
                yield canvas.paint("── new since you looked ", "accent") + canvas.paint("─" * 20, "faint")
            for number_of_message in range(piece.start, piece.end):
                if number_of_message in self._marked:
                    yield from message_marks(canvas, self._marked[number_of_message])
            yield from piece_lines(canvas, self.messages, piece, show)

    # ------------------------------------------------------------------ finding

    def find(self, needle: str, start: int, way: int) -> int | None:
        """The next piece from here on in which the words occur, in one direction, then from the other end."""
        order = [(start + way * step) % self.count for step in range(self.count)]
        return next((number for number in order if self.has(number, needle)), None)

    def has(self, number: int, needle: str) -> bool:
        """Do the words occur in a piece?"""
        fold = str.lower if needle.islower() else str
        return any(needle in fold(text) for message in self.of(number) for text in words_of(message))

    def lines_with(self, number: int, needle: str, columns: int) -> list[int]:
        """The lines of a piece in which the words are seen; a piece that hides them is unfolded."""
        found = self._lines_with(number, needle, columns)
        if not found and self.unfolded.isdisjoint(message.id for message in self.of(number)):
            self.unfold(number)
            found = self._lines_with(number, needle, columns)
        return found

    def _lines_with(self, number: int, needle: str, columns: int) -> list[int]:
        fold = str.lower if needle.islower() else str
        return [place for place, line in enumerate(self.lines(number, columns)) if needle in fold(plain(line))]
