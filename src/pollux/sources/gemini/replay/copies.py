"""Which listed messages are earlier ones, written again under another id.

Gemini CLI since 0.44 sets a conversation's history from bare turns: after a compression, `/chat resume`, `/restore`,
and since 0.57 after a cancelled turn. They come back as they were sent: neighbours of one speaker run together,
thoughts left out, and with the white space, invisible characters and comments that the first writing had lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pollux.sources.gemini.format.schema import Message
from pollux.sources.gemini.replay.runs import Runs
from pollux.sources.gemini.replay.words import Key, Words


def aligned(
    messages: Sequence[Message], earlier: Sequence[Message], renamed: Sequence[bool], *, backwards: bool
) -> list[list[int]]:
    """For each listed message under a new id the places of those it repeats: same speaker and words, in the same order.

    A compression keeps the end of a conversation, everything else its beginning: from there equal words are paired.
    """
    found: list[list[int]] = [[] for _ in messages]
    if not earlier or not any(renamed):
        return found
    step = -1 if backwards else 1
    words = [Words(message) for message in earlier]
    later = {index: Words(messages[index]) for index in range(len(messages))[::step] if renamed[index]}
    singles, runs = _Singles(words, step), Runs(words, later.values(), step)
    position, end = (len(earlier) - 1, -1) if backwards else (0, len(earlier))
    for index, said in later.items():
        single = singles.find(said, position)
        # The nearest counts; a message of its own before several that say it together.
        nearby = list(runs.find(said, position, end if single is None else single))
        if nearby:
            run = min(nearby, key=lambda run: (run[0] * step, len(run)))
        elif single is not None:
            run = [single]
        else:
            continue
        found[index] = sorted(run)
        position = run[-1] + step
    return found


class _Singles:
    """Where each message stands, by all that a writing of it may be recognised by."""

    def __init__(self, words: list[Words], step: int) -> None:
        self._step = step
        self._places: dict[Key, deque[int]] = {}
        for place in range(len(words))[::step]:
            for key in words[place].answers():
                self._places.setdefault(key, deque()).append(place)

    def find(self, said: Words, position: int) -> int | None:
        """The next place from a position on that says the same. The position never goes back."""
        found = [place for key in said.asks() if (place := self._following(key, position)) is not None]
        return min(found, key=lambda place: place * self._step, default=None)

    def _following(self, key: Key, position: int) -> int | None:
        places = self._places.get(key, deque())
        while places and (places[0] - position) * self._step < 0:
            places.popleft()
        return places[0] if places else None
