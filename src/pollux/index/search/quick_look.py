"""Whether a session can match at all: do the letters of the query's words occur anywhere in it?

This looks at the texts as they are, before any of them is joined or prepared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pollux.index.search.passages import as_words, pieces_of
from pollux.index.search.prepare_text import well_formed
from pollux.index.search.snippets import fold_text
from pollux.model import Message, Session, Text, ToolCall


def holds_words(session: Session, choices: Sequence[Sequence[str]] | None) -> bool:
    """Has the session all words of one of these lists, perhaps inside other words? None says that nobody knows."""
    if choices is None:
        return True
    strings = [session.title or "", *session.facts.get("name", ())]
    for message in session.messages:
        _collect(message, strings)
    plain = "\n".join([text for text in strings if text.isascii()]).lower()
    rest = [text for text in strings if not text.isascii()]
    other = fold_text(well_formed("\n".join(rest))).text if rest else ""
    return any(all(word in plain or word in other for word in words) for words in choices)


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
