"""What two copies of a message have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pollux.sources.gemini_sessions.format.content import lacks_real_id, pieces, plain_text
from pollux.sources.gemini_sessions.format.schema import Call, FunctionCall, FunctionResponse, Message

_INVISIBLE = re.compile("<!--.*?-->|[\\s\u200b-\u200f\ufeff]+", re.DOTALL)
_BLANK = re.compile("[\\s\u200b-\u200f\ufeff]+")
_COMMENT_END = "-->"

Key = tuple[Any, ...]


class MessageKey:
    """The speaker, the words, and the calls made or answered.

    Two messages are copies if speaker and words are the same, and the calls agree: by their ids if both have some, else
    by their names. If one of them has no calls, there must be words.
    """

    def __init__(self, message: Message) -> None:
        self.type = message.type
        self.text = visible_letters(plain_text(message))
        items = pieces(message.content)
        self.pieces = len(items)
        parts = [item for item in items if not isinstance(item, str)]
        content_calls = [
            call for part in parts for call in (part.functionCall, part.functionResponse) if call is not None
        ]
        calls: Sequence[Call | FunctionCall | FunctionResponse] = message.toolCalls or content_calls
        self.names = tuple(sorted(call.name or "" for call in calls))
        self.calls = frozenset(call.id for call in calls if not lacks_real_id(call.id))

    def own_keys(self) -> Iterator[Key]:
        """All keys under which a copy may look for this message."""
        base = (self.type, self.text)
        if self.text:
            yield "words", *base
        if self.text and not self.names:
            yield "nothing but words", *base
        if self.names:
            yield "names", *base, self.names
        if self.calls:
            yield "calls", *base, self.calls
        elif self.names:
            yield "names without ids", *base, self.names

    def search_keys(self) -> Iterator[Key]:
        """The keys to search for a copy of this message."""
        base = (self.type, self.text)
        if self.calls:
            yield "calls", *base, self.calls
        if self.names:
            yield "names without ids" if self.calls else "names", *base, self.names
        if self.text:
            yield "nothing but words" if self.names else "words", *base


def visible_letters(text: str) -> str:
    """A text without white space, invisible characters and comments. A comment without an end stays."""
    end = text.rfind(_COMMENT_END) + len(_COMMENT_END)
    return _INVISIBLE.sub("", text[:end]) + _BLANK.sub("", text[end:])
