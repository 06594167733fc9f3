"""Whether a session can match at all: do the letters of the query's words occur anywhere in it?

This looks at the texts as they are, before any of them is joined or prepared.
"""

from __future__ import annotations

from typing import Any

from pollux.index.search.direct.letters import Letters
from pollux.index.search.passages import as_words, pieces_of
from pollux.model import Message, Session, Text, ToolCall


class SessionLetters:
    """All letters of a session. `passages` is about how many passages it has."""

    def __init__(self, session: Session) -> None:
        strings = [session.title or "", *session.facts.get("name", ())]
        self.passages = sum([len(message.parts) for message in session.messages])
        for message in session.messages:
            _collect(message, strings)
        self._plain = "\n".join([text for text in strings if text.isascii()]).lower()
        other = "\n".join([text for text in strings if not text.isascii()])
        self._other = Letters(other.encode(errors="replace"))
        self.characters = len(self._plain) + len(other)

    def has(self, word: str) -> bool:
        """Do the letters of a word occur side by side?"""
        return word in self._plain or self._other.has(word)


def _collect(message: Message, strings: list[str]) -> None:
    """Add the texts of a message."""
    for part in message.parts:
        if isinstance(part, Text):
            strings.append(part.text)
        elif isinstance(part, ToolCall) and not part.attachments:
            strings.append(part.name)
            strings.append(part.canonical)
            if part.output:
                strings.append(part.output)
            _collect_value(part.input, strings)
        else:
            strings.extend(piece.text for piece in pieces_of(part, message.author, cut=False))


def _collect_value(value: Any, strings: list[str]) -> None:
    """Add the keys and texts of a plain JSON value."""
    if isinstance(value, dict):
        strings += value
        for inner in value.values():
            if isinstance(inner, str):
                strings.append(inner)
            else:
                strings.append(as_words(inner))
    else:
        strings.append(as_words(value))
