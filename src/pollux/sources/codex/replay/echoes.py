"""Texts that a file holds twice: in the conversation, and as the user interface showed them.

Releases write the two in either order, so they are matched by their text, never by their position.
"""

from __future__ import annotations

from collections import deque
from datetime import datetime

import msgspec

from pollux.model import Fate, Text, Thinking
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.replay.entries import ASSISTANT, CLIENT, MODEL, SYSTEM, Entry
from pollux.wire import untagged

# Tags around plans and citations, which are shown apart from the text; then any other tag.
_MARKED = (("proposed_plan", "oai-mem-citation"), None)
# A prompt and an echo with another text are close together: only so many are compared.
_NEAR = 64


class ShownText(msgspec.Struct, gc=False):
    """A text that was shown and is not in the conversation so far. `place` is the number of entries before it."""

    place: int
    line: int
    ordinal: int
    at: datetime | None
    kind: type[Text | Thinking]
    text: str
    model: str | None

    def entry(self) -> Entry:
        """The message of a text that was only shown: the run was killed before it was written to the conversation."""
        if self.kind is Text and self.text == "Compact task completed":
            return Entry(SYSTEM, CLIENT, self.line, self.ordinal, self.at, [Text(text=self.text)])
        part = self.kind(text=self.text)
        return Entry(ASSISTANT, MODEL, self.line, self.ordinal, self.at, [part], model=self.model, fate=Fate.CANCELLED)


class Echoes:
    """The model's texts and thoughts, in the conversation and as they were shown.

    Nearly always the two follow each other, so the text that was shown last is compared first.
    """

    __slots__ = ("_last", "_paired", "_said", "_shown")

    def __init__(self) -> None:
        self._said: dict[str, int] = {}
        self._last: ShownText | None = None
        self._shown: dict[str, list[ShownText]] = {}
        self._paired: list[str] = []

    def say(self, text: str) -> None:
        """Add a text of the conversation."""
        last = self._last
        if last is not None and last.text == text:
            self._last = None
            self._paired.append(text)
            return
        waiting = self._shown.get(text)
        if waiting:
            waiting.pop()
        else:
            self._said[text] = self._said.get(text, 0) + 1

    def show(self, shown_text: ShownText) -> None:
        """Add a text that was shown: the echo of one in the conversation, or of one that is still to come."""
        said, text = self._said, shown_text.text
        if said and (left := said.get(text)):
            said[text] = left - 1
            return
        if self._last is not None:
            self._shown.setdefault(self._last.text, []).append(self._last)
        self._last = shown_text

    def knows(self, text: str) -> bool:
        """Was this text written to the conversation, or shown?"""
        for paired in self._paired:
            self._said.setdefault(paired, 0)
        self._paired.clear()
        return text in self._said or text in self._shown or (self._last is not None and self._last.text == text)

    def only_shown(self) -> list[ShownText]:
        """The texts that were only shown, and never written to the conversation."""
        waiting = [shown_text for waiting in self._shown.values() for shown_text in waiting]
        if self._last is not None:
            waiting.append(self._last)
        if not waiting:
            return waiting
        unshown = {_dense(untagged(text, names)) for text, left in self._said.items() if left for names in _MARKED} - {
            ""
        }
        return [shown_text for shown_text in waiting if _dense(shown_text.text) not in unshown]


def _dense(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


class _WaitingEntry(msgspec.Struct, gc=False):
    """A prompt that waits for its other version. Its words are set when they are first needed."""

    entry: Entry
    words: str = ""
    is_taken: bool = False


class _Queue:
    """Prompts that wait for their other versions. The last one is never taken."""

    __slots__ = ("_new", "_same", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[_WaitingEntry] = []
        self._new: list[_WaitingEntry] = []
        self._same: dict[str, deque[_WaitingEntry]] = {}

    def add(self, entry: Entry) -> None:
        """Add a prompt."""
        waiter = _WaitingEntry(entry)
        self._waiting.append(waiter)
        self._new.append(waiter)

    def take(self, entry: Entry) -> Entry | None:
        """The waiting entry with the same words; else the newest whose words contain these or are part of them."""
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
        """Remove all prompts."""
        self._waiting.clear()
        self._new.clear()
        self._same.clear()

    def _find(self, words: str) -> _WaitingEntry | None:
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
        self.has_waiters = False

    def send(self, entry: Entry) -> Entry | None:
        """Add a prompt of the conversation. Returns the entry of its echo if that came first."""
        echo = self._typed.take(entry)
        if echo is None:
            self._sent.add(entry)
            self.has_waiters = True
        return echo

    def type(self, entry: Entry) -> Entry | None:
        """Add a prompt as it was typed. Returns the entry of the sent one if that came first."""
        original = self._sent.take(entry)
        if original is None:
            self._typed.add(entry)
            self.has_waiters = True
        return original

    def forget(self) -> None:
        """Remove all prompts, because the model answers: a prompt without an echo by now gets none."""
        self._sent.clear()
        self._typed.clear()
        self.has_waiters = False
