"""What two writings of a message have in common."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pollux.sources.gemini.format.content import is_made_up, pieces, plain_text
from pollux.sources.gemini.format.schema import Call, FunctionCall, FunctionResponse, Message

_UNSEEN = re.compile("<!--.*?-->|[\\s\u200b-\u200f\ufeff]+", re.DOTALL)
_BLANK = re.compile("[\\s\u200b-\u200f\ufeff]+")
_COMMENT_END = "-->"

Key = tuple[Any, ...]


class Words:
    """Who speaks, the words, and the calls made or answered.

    Two writings are alike where speaker and words are the same, and the calls agree: by their ids where both have
    some, else by their names. Where one of them has no calls at all, there must be words.
    """

    def __init__(self, message: Message) -> None:
        self.type = message.type
        self.text = seen(plain_text(message))
        found = pieces(message.content)
        self.pieces = len(found)
        parts = [item for item in found if not isinstance(item, str)]
        held = [call for part in parts for call in (part.functionCall, part.functionResponse) if call is not None]
        made: Sequence[Call | FunctionCall | FunctionResponse] = message.toolCalls or held
        self.names = tuple(sorted(call.name or "" for call in made))
        self.calls = frozenset(call.id for call in made if not is_made_up(call.id))

    def answers(self) -> Iterator[Key]:
        """All that a message alike may ask for."""
        said = (self.type, self.text)
        if self.text:
            yield "words", *said
        if self.text and not self.names:
            yield "nothing but words", *said
        if self.names:
            yield "names", *said, self.names
        if self.calls:
            yield "calls", *said, self.calls
        elif self.names:
            yield "names without ids", *said, self.names

    def asks(self) -> Iterator[Key]:
        """What a message alike is to be found under."""
        said = (self.type, self.text)
        if self.calls:
            yield "calls", *said, self.calls
        if self.names:
            yield "names without ids" if self.calls else "names", *said, self.names
        if self.text:
            yield "nothing but words" if self.names else "words", *said


def seen(text: str) -> str:
    """A text without white space, invisible characters and comments; one that nothing ends is no comment."""
    end = text.rfind(_COMMENT_END) + len(_COMMENT_END)
    return _UNSEEN.sub("", text[:end]) + _BLANK.sub("", text[end:])
