"""What was said twice: the user interface's version of words that also stand in the conversation.

Releases write the two in either order, so that words are matched by what they say, never by where they stand.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from pollux.model import Part, Text, Thinking
from pollux.sources.codex.content import words_of
from pollux.sources.codex.entries import Entry


class Heard(NamedTuple):
    """Words that were shown and do not stand in the conversation so far: before which entry, and what they are."""

    place: int
    line: int
    ordinal: int
    at: datetime | None
    part: Text | Thinking
    model: str | None


class Echoes:
    """The model's words and thoughts, said and shown."""

    def __init__(self) -> None:
        self._said: dict[str, int] = {}
        self._heard: dict[str, list[Heard]] = {}
        self._all: set[str] = set()

    def say(self, text: str) -> None:
        """Words of the conversation."""
        self._all.add(text)
        waiting = self._heard.get(text)
        if waiting:
            waiting.pop()
        else:
            self._said[text] = self._said.get(text, 0) + 1

    def hear(self, text: str, heard: Heard) -> None:
        """Words that were shown."""
        self._all.add(text)
        if self._said.get(text):
            self._said[text] -= 1
        else:
            self._heard.setdefault(text, []).append(heard)

    def knows(self, text: str) -> bool:
        """Was this said or shown?"""
        return text in self._all

    def alone(self) -> list[Heard]:
        """What was only shown: its place in the conversation was never written."""
        return [heard for waiting in self._heard.values() for heard in waiting]


class Prompts:
    """The human's prompts, typed and sent."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, Entry]] = []
        self._typed: list[tuple[str, Entry]] = []

    def send(self, entry: Entry, parts: list[Part]) -> Entry | None:
        """A prompt in the conversation: the entry of its echo where that came first."""
        words = words_of(parts)
        known = _taken(self._typed, words)
        if known is None:
            self._sent.append((words, entry))
        return known

    def type(self, entry: Entry, parts: list[Part]) -> Entry | None:
        """A prompt as it was typed: the entry of the one that was sent where that came first."""
        words = words_of(parts)
        known = _taken(self._sent, words)
        if known is None:
            self._typed.append((words, entry))
        return known

    def forget(self) -> None:
        """The model answers: what found no echo by now will find none."""
        self._sent.clear()
        self._typed.clear()


def _taken(waiting: list[tuple[str, Entry]], words: str) -> Entry | None:
    """The waiting entry with these words; else the newest that says the same and more, or less."""
    found = next((n for n, (said, _) in enumerate(waiting) if said == words), None)
    if found is None and words:
        alike = (n for n in reversed(range(len(waiting))) if waiting[n][0] and _holds(waiting[n][0], words))
        found = next(alike, None)
    return waiting.pop(found)[1] if found is not None else None


def _holds(one: str, other: str) -> bool:
    return one in other or other in one
