"""Which listed messages are earlier ones, written again under another id.

Gemini CLI since 0.44 sets a conversation's history from bare turns: after a compression, `/chat resume`, `/restore`,
and since 0.57 after a cancelled turn. They come back as they were sent: neighbours of one speaker run together,
thoughts left out, and with the white space, invisible characters and comments that the first writing had lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pollux.sources.gemini.format.content import is_made_up, pieces, plain_text
from pollux.sources.gemini.format.schema import Call, FunctionCall, FunctionResponse, Message

_UNSEEN = re.compile("<!--.*?-->|[\\s\u200b-\u200f\ufeff]+", re.DOTALL)
_SPEAKERS = ("user", "gemini")


class Words:
    """What two writings of a message have in common: who speaks, the words, and the calls made or answered."""

    def __init__(self, *messages: Message) -> None:
        self.type = messages[0].type
        self.text = "".join(_UNSEEN.sub("", plain_text(message)) for message in messages)
        self.pieces = 0
        self.names: list[str] = []
        self.calls: set[str | None] = set()
        for message in messages:
            found = pieces(message.content)
            self.pieces += len(found)
            parts = [item for item in found if not isinstance(item, str)]
            held = [call for part in parts for call in (part.functionCall, part.functionResponse) if call is not None]
            made: Sequence[Call | FunctionCall | FunctionResponse] = message.toolCalls or held
            self.names += sorted(call.name or "" for call in made)
            self.calls.update(call.id for call in made if not is_made_up(call.id))

    def alike(self, other: Words) -> bool:
        """Do both say the same? Where there are no words the calls must agree: by their ids, else by their names."""
        if self.type != other.type or self.text != other.text:
            return False
        if self.calls and other.calls:
            return self.calls == other.calls
        return self.names == other.names if self.names and other.names else bool(self.text)


def aligned(
    messages: Sequence[Message], earlier: Sequence[Message], renamed: Sequence[bool], *, backwards: bool
) -> list[list[int]]:
    """For each listed message under a new id the places of those it repeats: same speaker and words, in the same order.

    A compression keeps the end of a conversation, everything else its beginning: from there equal words are paired.
    """
    step = -1 if backwards else 1
    found: list[list[int]] = [[] for _ in messages]
    if not earlier or not any(renamed):
        return found
    words = [Words(message) for message in earlier]
    position = len(earlier) - 1 if backwards else 0
    for index in range(len(messages))[::step]:
        if not renamed[index]:
            continue
        said = Words(messages[index])
        for place in range(position, -1 if backwards else len(earlier), step):
            if earlier[place] is messages[index]:
                continue
            if run := _run(said, words, earlier, place, step):
                found[index] = sorted(run)
                position = run[-1] + step
                break
    return found


def _run(said: Words, words: list[Words], earlier: Sequence[Message], place: int, step: int) -> list[int]:
    """The place itself where it says the same; else from there on the neighbours that say it together."""
    if words[place].alike(said):
        return [place]
    if said.pieces < 2 or words[place].type != said.type or words[place].text not in said.text:
        return []
    run = [place]
    for near in range(place + step, -1 if step < 0 else len(earlier), step):
        if words[near].type not in _SPEAKERS:
            continue
        if words[near].type != said.type or words[near].text not in said.text:
            return []
        run.append(near)
        if Words(*(earlier[number] for number in sorted(run))).alike(said):
            return run
    return []
