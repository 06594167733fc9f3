"""The rows of the files that a session was to change, and of the prompts that asked for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from pollux.index.catalogue.rollups import Row, micros
from pollux.model import Message, Session, ToolCall, first_words, is_prompt
from pollux.writers.changed_files import changed_files, located

WORDS = 200
"""How many characters of a prompt are stored."""


def edit_rows(session: Session) -> tuple[list[Row], list[Row]]:
    """The rows of all edits in order, and those of the prompts that they follow."""
    edits: list[Row] = []
    turns: list[Row] = []
    prompt, is_stored, moment = None, False, session.started
    for place, message in enumerate(session.messages):
        moment = message.at or moment
        if is_prompt(message):
            prompt, is_stored = place, False
        own = list(_of_message(session, (place, message), prompt, moment))
        if own and prompt is not None and not is_stored:
            asked = session.messages[prompt]
            turns.append((prompt, asked.id, first_words(asked.text, WORDS)))
            is_stored = True
        edits += own
    return edits, turns


def _of_message(
    session: Session, at_place: tuple[int, Message], prompt: int | None, moment: datetime | None
) -> Iterator[Row]:
    """The rows of a message, one for each file of each call. `moment` is the last time that is known."""
    place, message = at_place
    for number, call in enumerate(message.parts):
        if type(call) is not ToolCall:
            continue
        at = call.at or message.at
        for path, change in _files(call, session.project).items():
            yield (
                *(path, change, message.id, place, number, prompt),
                *(call.name, call.status, micros(at), micros(at or moment), message.fate, message.inherited),
            )


def _files(call: ToolCall, project: str | None) -> dict[str, str]:
    """The files of a call by their whole paths, and what was to be done with each."""
    return {located(file.path, call, project): file.change for file in changed_files(call)}
