"""Finds listed messages that are copies of earlier ones under another id.

Since 0.44 Gemini CLI sets a conversation's history from bare turns: after a compression, `/chat resume`, `/restore`,
and since 0.57 after a cancelled turn. The copies are as they were sent: neighbours of one speaker are joined, thoughts
are left out, and white space, invisible characters and comments are back that the first copy had lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from pollux.sources.gemini_sessions.format.schema import Message
from pollux.sources.gemini_sessions.replay.message_key import Key, MessageKey
from pollux.sources.gemini_sessions.replay.message_runs import MessageRuns


def find_originals(
    messages: Sequence[Message], earlier: Sequence[Message], renamed: Sequence[bool], *, backwards: bool
) -> list[list[int]]:
    """For each listed message under a new id, the places of its originals: same speaker and words, in the same order.

    A compression keeps the end of a conversation, everything else keeps its beginning: the pairing starts from there.
    """
    originals: list[list[int]] = [[] for _ in messages]
    if not earlier or not any(renamed):
        return originals
    step = -1 if backwards else 1
    words = [MessageKey(message) for message in earlier]
    later = {index: MessageKey(messages[index]) for index in range(len(messages))[::step] if renamed[index]}
    singles, runs = _Singles(words, step), MessageRuns(words, later.values(), step)
    position, end = (len(earlier) - 1, -1) if backwards else (0, len(earlier))
    for index, copy in later.items():
        single = singles.find(copy, position)
        # The nearest counts; a single message before several joined ones.
        candidates = list(runs.find(copy, position, end if single is None else single))
        if candidates:
            run = min(candidates, key=lambda run: (run[0] * step, len(run)))
        elif single is not None:
            run = [single]
        else:
            continue
        originals[index] = sorted(run)
        position = run[-1] + step
    return originals


class _Singles:
    """The places of single messages, by all keys under which a copy may look for them."""

    def __init__(self, words: list[MessageKey], step: int) -> None:
        self._step = step
        self._places: dict[Key, deque[int]] = {}
        for place in range(len(words))[::step]:
            for key in words[place].own_keys():
                self._places.setdefault(key, deque()).append(place)

    def find(self, copy: MessageKey, position: int) -> int | None:
        """The next place from a position on with the same words. The position never goes back."""
        places = [place for key in copy.search_keys() if (place := self._following(key, position)) is not None]
        return min(places, key=lambda place: place * self._step, default=None)

    def _following(self, key: Key, position: int) -> int | None:
        places = self._places.get(key, deque())
        while places and (places[0] - position) * self._step < 0:
            places.popleft()
        return places[0] if places else None
