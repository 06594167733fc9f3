"""Set the fate of messages: a human rolled them back, or a summary replaced them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from pollux.model import Fate, SummaryPart, Text
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.replay.entries import ASSISTANT, Entry


class Compaction(msgspec.Struct):
    """A summary, and the model's new context."""

    summary: Entry
    history: Any


class LiveMessages:
    """The messages of a file that were not rolled back, in their order. Each is checked once."""

    def __init__(self) -> None:
        self._entries: list[tuple[Entry, bool]] = []
        self._seen = 0
        self._prompts = 0

    def roll_back(self, entries: list[Entry], turns: int) -> None:
        """Roll back the last `turns` prompts and everything after the first of them."""
        for entry in entries[self._seen :]:
            is_turn = entry.is_prompt and not entry.is_doubtful
            self._entries.append((entry, is_turn))
            self._prompts += is_turn
        self._seen = len(entries)
        left = max(self._prompts - max(turns, 0), 0)
        while self._prompts > left:
            entry, is_turn = self._entries.pop()
            entry.fate = Fate.REWOUND
            self._prompts -= is_turn


def compress_older(files: Iterable[tuple[list[Entry], list[Compaction]]]) -> None:
    """Mark the messages before each summary as compressed, in files that continue one another.

    Prompts that the new context repeats stay live. A summary that was rolled back itself compresses nothing.
    """
    prompts: dict[str, list[Entry]] = {}
    others: list[Entry] = []
    for entries, compactions in files:
        histories = {
            id(compaction.summary): compaction.history
            for compaction in compactions
            if compaction.summary.fate is not Fate.REWOUND
        }
        for entry in entries:
            if histories and id(entry) in histories:
                _compress(prompts, others, _texts(histories[id(entry)]))
            if entry.fate is not Fate.LIVE:
                continue
            if entry.is_prompt:
                prompts.setdefault(words_of(entry.parts), []).append(entry)
            else:
                others.append(entry)


def _compress(prompts: dict[str, list[Entry]], others: list[Entry], kept_prompts: set[str]) -> None:
    """Mark all messages so far as compressed, except prompts with these words."""
    compressed = [words for words in prompts if words not in kept_prompts]
    for entry in (*others, *(entry for words in compressed for entry in prompts.pop(words))):
        entry.fate = Fate.COMPRESSED
    others.clear()


def _texts(history: Any) -> set[str]:
    """The words of the user's messages in a new context."""
    words: set[str] = set()
    for item in history if isinstance(history, list) else ():
        match item:
            case {"role": "user", "content": list(content)}:
                texts = [
                    piece["text"] for piece in content if isinstance(piece, dict) and type(piece.get("text")) is str
                ]
                words.add("".join("".join(text.split()) for text in texts))
    return words - {""}


def is_summary(before: Entry | None, summary: str) -> bool:
    """Is the model's last message the summary itself (0.145+)? Then it becomes a summary part."""
    if before is None or before.role is not ASSISTANT or not summary or before.calls:
        return False
    texts = [part for part in before.parts if type(part) is Text]
    words = "\n".join(part.text for part in texts)
    if not words.strip() or not summary.rstrip().endswith(words.rstrip()):
        return False
    before.parts = [*(part for part in before.parts if type(part) is not Text), SummaryPart(text=summary)]
    for text in texts:
        if text.extra:
            before.note(text=dict(text.extra))
    return True
