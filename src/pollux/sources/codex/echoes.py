"""What was said twice: the user interface's version of words that also stand in the conversation.

Releases write the two in either order, so that words are matched by what they say, never by where they stand.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from pollux.model import Text, Thinking
from pollux.sources.codex.content import words_of
from pollux.sources.codex.entries import Entry


class Heard(msgspec.Struct, gc=False):
    """Words that were shown and do not stand in the conversation so far: before which entry, and what they are."""

    place: int
    line: int
    ordinal: int
    at: datetime | None
    kind: type[Text | Thinking]
    text: str
    model: str | None


class Echoes:
    """The model's words and thoughts, said and shown.

    `due` says that the next words were shown by the line before them.
    """

    __slots__ = ("_heard", "_paired", "_said", "due")

    def __init__(self) -> None:
        self.due = False
        self._paired: list[str] = []
        self._said: dict[str, int] = {}
        self._heard: dict[str, list[Heard]] = {}

    def say(self, text: str) -> None:
        """Words of the conversation."""
        if self.due:
            self.due = False
            self._paired.append(text)
            return
        waiting = self._heard.get(text)
        if waiting:
            waiting.pop()
        else:
            self._said[text] = self._said.get(text, 0) + 1

    def known(self, text: str) -> bool:
        """Are words that were shown the echo of words said before?"""
        left = self._said.get(text)
        if not left:
            return False
        self._said[text] = left - 1
        return True

    def hear(self, text: str, heard: Heard) -> None:
        """Words that were shown, and are not said yet."""
        waiting = self._heard.get(text)
        if waiting is None:
            self._heard[text] = [heard]
        else:
            waiting.append(heard)

    def knows(self, text: str) -> bool:
        """Was this said or shown?"""
        while self._paired:
            self._said.setdefault(self._paired.pop(), 0)
        return text in self._said or text in self._heard

    def alone(self) -> list[Heard]:
        """What was only shown: its place in the conversation was never written."""
        return [heard for waiting in self._heard.values() for heard in waiting]


class Prompts:
    """The human's prompts, typed and sent."""

    def __init__(self) -> None:
        self._sent: list[Entry] = []
        self._typed: list[Entry] = []

    def send(self, entry: Entry) -> Entry | None:
        """A prompt in the conversation: the entry of its echo where that came first."""
        known = _taken(self._typed, entry) if self._typed else None
        if known is None:
            self._sent.append(entry)
        return known

    def type(self, entry: Entry) -> Entry | None:
        """A prompt as it was typed: the entry of the one that was sent where that came first."""
        known = _taken(self._sent, entry) if self._sent else None
        if known is None:
            self._typed.append(entry)
        return known

    def forget(self) -> None:
        """The model answers: what found no echo by now will find none."""
        if self._sent:
            self._sent.clear()
        if self._typed:
            self._typed.clear()


def _taken(waiting: list[Entry], entry: Entry) -> Entry | None:
    """The waiting entry with the same words; else the newest that says the same and more, or less."""
    # Nearly always the last one says exactly this.
    if waiting[-1].parts == entry.parts:
        return waiting.pop()
    words = words_of(entry.parts)
    said = [words_of(other.parts) for other in waiting]
    found = next((n for n, other in enumerate(said) if other == words), None)
    if found is None and words:
        alike = (n for n in reversed(range(len(said))) if said[n] and (said[n] in words or words in said[n]))
        found = next(alike, None)
    return waiting.pop(found) if found is not None else None
