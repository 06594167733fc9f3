"""Events for people, as they come: several conversations in one stream, each line under its session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.transcript.blocks import BRIEF
from pollux.draw.transcript.messages import FATES, Reader
from pollux.draw.width import cut, short, wrap_facts
from pollux.model.names import project_name
from pollux.text.escape import one_line
from pollux.text.figures import KINDS
from pollux.writers.transcript import heading, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Event
    from pollux.model import Message


class Live:
    """Remembers which session was shown last, and names the session where another one continues."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._shown: str | None = None
        self._reader = Reader(canvas, BRIEF)

    def lines(self, event: Event) -> Iterator[str]:
        """The lines of an event; none where a person would see nothing in it."""
        if event.event == "session":
            yield from self._session(event, "new session")
            return
        assert event.message is not None  # noqa: S101 (only an announcement has none)
        reader = self._reader if event.session.key == self._shown else Reader(self._canvas, BRIEF)
        message = event.message
        lines = list(self._fate(message) if event.event == "fate" else [*reader.lines(walk([message])), *reader.rest()])
        if not lines:
            return
        if event.session.key != self._shown:
            yield from self._session(event)
            self._reader = reader
        yield from lines

    def _session(self, event: Event, *more: str) -> Iterator[str]:
        self._shown, self._reader = event.session.key, Reader(self._canvas, BRIEF)
        session = event.session
        yield ""
        title = f"▌ {one_line(session.title or 'A session without a title')}"
        yield self._canvas.paint(title if self._canvas.columns is None else cut(title, self._canvas.columns), "bold")
        project = project_name(session.project or "")
        facts = [session.agent, one_line(project), KINDS.get(session.kind, ""), one_line(event.short_id), *more]
        room = None if self._canvas.columns is None else self._canvas.columns - 2
        for line in wrap_facts([fact for fact in facts if fact], room):
            yield self._canvas.paint(f"▌ {line}", "dim")

    def _fate(self, message: Message) -> Iterator[str]:
        if (fate := heading(message).fate) is not None:
            lead = f"  · {FATES[fate]}: "
            room = 80 if self._canvas.columns is None else self._canvas.columns - len(lead)
            yield self._canvas.paint(lead + short(message.text, room), "dim")
