"""What was said twice: the user interface's version of words that also stand in the conversation.

Releases write the two in either order, so that words are matched by what they say, never by where they stand.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from pollux.model import Fate, Text, Thinking
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.replay.entries import ASSISTANT, CLIENT, MODEL, SYSTEM, Entry
from pollux.wire import untagged

# Plans and citations, which are shown elsewhere than in the words around them; and whatever else may be marked so.
_MARKED = (("proposed_plan", "oai-mem-citation"), None)


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
