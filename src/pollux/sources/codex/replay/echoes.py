"""What was said twice: the user interface's version of words that also stand in the conversation.

Releases write the two in either order, so that words are matched by what they say, never by where they stand.
"""

from __future__ import annotations

from collections import deque
from datetime import datetime

import msgspec

from pollux.model import Fate, Text, Thinking
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.replay.entries import ASSISTANT, CLIENT, MODEL, SYSTEM, Entry
from pollux.wire import untagged

# Plans and citations, which are shown elsewhere than in the words around them; and whatever else may be marked so.
_MARKED = (("proposed_plan", "oai-mem-citation"), None)
# A prompt and its echo in other words stand close together: no more than so many are compared.
_NEAR = 64


class Heard(msgspec.Struct, gc=False):
    """Words that were shown and do not stand in the conversation so far: before which entry, and what they are."""

    place: int
    line: int
    ordinal: int
    at: datetime | None
    kind: type[Text | Thinking]
    text: str
    model: str | None

    def entry(self) -> Entry:
        """The message, where the words were only shown: a run was killed before the conversation had them."""
        if self.kind is Text and self.text == "Compact task completed":
            return Entry(SYSTEM, CLIENT, self.line, self.ordinal, self.at, [Text(text=self.text)])
        part = self.kind(text=self.text)
        return Entry(ASSISTANT, MODEL, self.line, self.ordinal, self.at, [part], model=self.model, fate=Fate.CANCELLED)


class Echoes:
    """The model's words and thoughts, said and shown.

    Nearly always the two follow each other: the words shown last are compared before any others are looked for.
    """

    __slots__ = ("_heard", "_last", "_paired", "_said")

    def __init__(self) -> None:
        self._said: dict[str, int] = {}
        self._last: Heard | None = None
        self._heard: dict[str, list[Heard]] = {}
        self._paired: list[str] = []

    def say(self, text: str) -> None:
        """Words of the conversation."""
        last = self._last
        if last is not None and last.text == text:
            self._last = None
            self._paired.append(text)
            return
        waiting = self._heard.get(text)
        if waiting:
            waiting.pop()
        else:
            self._said[text] = self._said.get(text, 0) + 1

    def hear(self, heard: Heard) -> None:
        """Words that were shown: the echo of words said before, or not said yet."""
        said, text = self._said, heard.text
        if said and (left := said.get(text)):
            said[text] = left - 1
            return
        if self._last is not None:
            self._heard.setdefault(self._last.text, []).append(self._last)
        self._last = heard

    def knows(self, text: str) -> bool:
        """Was this said or shown?"""
        for paired in self._paired:
            self._said.setdefault(paired, 0)
        self._paired.clear()
        return text in self._said or text in self._heard or (self._last is not None and self._last.text == text)

    def alone(self) -> list[Heard]:
        """What was only shown: its place in the conversation was never written."""
        waiting = [heard for waiting in self._heard.values() for heard in waiting]
        if self._last is not None:
            waiting.append(self._last)
        if not waiting:
            return waiting
        unheard = {_dense(untagged(text, names)) for text, left in self._said.items() if left for names in _MARKED} - {
            ""
        }
        return [heard for heard in waiting if _dense(heard.text) not in unheard]


def _dense(text: str) -> str:
    """Words without white space."""
    return "".join(text.split())


class _Waiter(msgspec.Struct, gc=False):
    """A prompt that waits for its other version, and its words once they were asked for."""

    entry: Entry
    words: str = ""
    is_taken: bool = False


class _Queue:
    """Prompts that wait for their other versions. The last one is never taken."""

    __slots__ = ("_new", "_same", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[_Waiter] = []
        self._new: list[_Waiter] = []
        self._same: dict[str, deque[_Waiter]] = {}

    def add(self, entry: Entry) -> None:
        """One more."""
        waiter = _Waiter(entry)
        self._waiting.append(waiter)
        self._new.append(waiter)

    def take(self, entry: Entry) -> Entry | None:
        """The waiting entry with the same words; else the newest that says the same and more, or less."""
        waiting = self._waiting
        if not waiting:
            return None
        # Nearly always the last one says exactly this.
        waiter = waiting[-1] if waiting[-1].entry.parts == entry.parts else self._find(words_of(entry.parts))
        if waiter is None:
            return None
        waiter.is_taken = True
        while waiting and waiting[-1].is_taken:
            waiting.pop()
        return waiter.entry

    def clear(self) -> None:
        """None waits any more."""
        self._waiting.clear()
        self._new.clear()
        self._same.clear()

    def _find(self, words: str) -> _Waiter | None:
        for waiter in self._new:
            waiter.words = words_of(waiter.entry.parts)
            self._same.setdefault(waiter.words, deque()).append(waiter)
        self._new.clear()
        same = self._same.get(words, ())
        while same:
            if not (waiter := same.popleft()).is_taken:
                return waiter
        near = reversed(self._waiting[-_NEAR:]) if words else ()
        alike = (one for one in near if not one.is_taken and one.words and (one.words in words or words in one.words))
        return next(alike, None)


class Prompts:
    """The human's prompts, typed and sent."""

    def __init__(self) -> None:
        self._sent = _Queue()
        self._typed = _Queue()
        self._has_waiters = False

    def send(self, entry: Entry) -> Entry | None:
        """A prompt in the conversation: the entry of its echo where that came first."""
        echo = self._typed.take(entry)
        if echo is None:
            self._sent.add(entry)
            self._has_waiters = True
        return echo

    def type(self, entry: Entry) -> Entry | None:
        """A prompt as it was typed: the entry of the one that was sent where that came first."""
        original = self._sent.take(entry)
        if original is None:
            self._typed.add(entry)
            self._has_waiters = True
        return original

    def forget(self) -> None:
        """The model answers: what found no echo by now will find none."""
        if self._has_waiters:
            self._sent.clear()
            self._typed.clear()
            self._has_waiters = False
