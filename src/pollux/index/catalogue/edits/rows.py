"""The rows of the files that a session was to change, and of the prompts that asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.index.catalogue.rollups import Row, micros
from pollux.model import Message, Session, ToolCall, first_words, is_prompt
from pollux.writers.changed_files import changed_files, located, may_change_files

WORDS = 200
"""How many characters of a prompt are stored."""


def edit_rows(session: Session) -> tuple[list[Row], list[Row]]:
    """The rows of all edits in order, and those of the prompts that they follow."""
    edits: list[Row] = []
    prompts: dict[int, Row] = {}
    turn = _Turn(session)
    for place, message in enumerate(session.messages):
        for number, call in enumerate(message.parts):
            if type(call) is ToolCall and may_change_files(call):
                turn.move_to(place)
                own = list(_rows_of_call(session.project, turn, message, number, call))
                if own and turn.prompt is not None and turn.prompt not in prompts:
                    asked = session.messages[turn.prompt]
                    prompts[turn.prompt] = (turn.prompt, asked.id, first_words(asked.text, WORDS))
                edits += own
    return edits, list(prompts.values())


class _Turn:
    """The last prompt and the last known time at a place. Most sessions have few edits, so it moves only when asked."""

    def __init__(self, session: Session) -> None:
        self.place = -1
        self.prompt: int | None = None
        self.moment: datetime | None = session.started
        self._messages = session.messages

    def move_to(self, place: int) -> None:
        for number in range(self.place + 1, place + 1):
            message = self._messages[number]
            self.moment = message.at or self.moment
            if is_prompt(message):
                self.prompt = number
        self.place = place


def _rows_of_call(project: str | None, turn: _Turn, message: Message, number: int, call: ToolCall) -> Iterator[Row]:
    """One row for each file of a call."""
    at = call.at or message.at
    for path, change in _files(call, project).items():
        yield (
            *(path, change, message.id, turn.place, number, turn.prompt),
            *(call.name, call.status, micros(at), micros(at or turn.moment), message.fate, message.inherited),
        )


def _files(call: ToolCall, project: str | None) -> dict[str, str]:
    """The files of a call by their whole paths, and what was to be done with each."""
    return {located(file.path, call, project): file.change for file in changed_files(call)}
