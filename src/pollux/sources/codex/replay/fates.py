"""What became of messages: taken back by the human, or folded into a summary."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Fate, SummaryPart, Text
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.replay.entries import ASSISTANT, Entry


class Fold(msgspec.Struct):
    """A summary, the new context beside it, what it took the place of, what it left, and how many entries were seen."""

    summary: Entry
    history: Any
    folded: list[Entry]
    left: list[Entry]
    seen: int


def roll_back(entries: list[Entry], turns: int) -> None:
    """Take back the last `turns` prompts and everything after the first of them."""
    standing = [n for n, entry in enumerate(entries) if entry.is_prompt and entry.fate is not Fate.REWOUND]
    prompts = [n for n in standing if not entries[n].is_doubtful]
    if turns <= 0 or not prompts:
        return
    for entry in entries[prompts[-min(turns, len(prompts))] :]:
        entry.fate = Fate.REWOUND


def fold(entries: list[Entry], history: Any) -> list[Entry]:
    """A summary takes the place of what was said so far; the prompts that the new context repeats stay in it."""
    repeated = _texts(history)
    folded = [
        entry
        for entry in entries
        if entry.fate is Fate.LIVE and not (entry.is_prompt and words_of(entry.parts) in repeated)
    ]
    for entry in folded:
        entry.fate = Fate.COMPRESSED
    return folded


def foldable(folds: list[Fold], entries: list[Entry]) -> list[Entry]:
    """What the next summary may take the place of: what the one before left, and what was said since."""
    return [*folds[-1].left, *entries[folds[-1].seen :]] if folds else entries


def unfold(folds: list[Fold]) -> list[Fold]:
    """Where a summary was taken back itself, what it folded is live again. Gives the summaries that still count."""
    for fold_ in folds:
        if fold_.summary.fate is Fate.REWOUND:
            for entry in fold_.folded:
                if entry.fate is Fate.COMPRESSED:
                    entry.fate = Fate.LIVE
    return [fold_ for fold_ in folds if fold_.summary.fate is not Fate.REWOUND]


def _texts(history: Any) -> set[str]:
    """The user's words in a new context."""
    found: set[str] = set()
    for item in history if isinstance(history, list) else ():
        match item:
            case {"role": "user", "content": list(content)}:
                texts = [
                    piece["text"] for piece in content if isinstance(piece, dict) and type(piece.get("text")) is str
                ]
                found.add("".join("".join(text.split()) for text in texts))
    return found - {""}


def absorbed(before: Entry | None, summary: str) -> bool:
    """Is the model's last message the summary itself (0.145+)? Then it is marked as such, and stands once."""
    if before is None or before.role is not ASSISTANT or not summary or before.calls:
        return False
    texts = [part for part in before.parts if type(part) is Text]
    said = "\n".join(part.text for part in texts)
    if not said.strip() or not summary.rstrip().endswith(said.rstrip()):
        return False
    before.parts = [*(part for part in before.parts if type(part) is not Text), SummaryPart(text=summary)]
    for text in texts:
        if text.extra:
            before.note(text=dict(text.extra))
    return True
