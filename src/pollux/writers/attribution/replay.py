"""Files as a session's edits left them, and who wrote each line.

A file is known from the moment on at which a tool wrote it whole, or noted down what it found. What happens to it by
other means, as by a command, nobody tells us: where an edit does not fit, the file is not known any longer.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import groupby

from pollux.model import Value
from pollux.writers.attribution.edits import Edit

LONGEST = 5000
"""Lines: a longer file that was changed by other means is not compared, since that would take too long."""


class Lines(Value, frozen=True, kw_only=True):
    """Adjacent lines of one author, counted from 1."""

    first: int
    last: int
    author: str
    text: str


class File:
    """The lines of a file, each with who wrote it; None where that was not this session."""

    def __init__(self, text: str, author: str | None) -> None:
        self._lines = text.split("\n")
        self._authors: list[str | None] = [author] * len(self._lines)

    def set_text(self, text: str) -> None:
        """Set the present text. Lines that are still there keep their author."""
        lines = text.split("\n")
        if lines == self._lines:
            return
        authors: list[str | None] = [None] * len(lines)
        if max(len(lines), len(self._lines)) <= LONGEST:
            for at, to, size in SequenceMatcher(None, self._lines, lines, autojunk=False).get_matching_blocks():
                authors[to : to + size] = self._authors[at : at + size]
        self._lines, self._authors = lines, authors

    def replace(self, old: str, new: str, author: str | None, *, every: bool) -> bool:
        """Put a text in the place of another; False where that place is not known."""
        text = "\n".join(self._lines)
        starts = [match.start() for match in re.finditer(re.escape(old), text)] if old else []
        if not starts or (len(starts) > 1 and not every):
            return False
        for start in reversed(starts):  # from the end, so that earlier places stay valid
            self._put(text, start, start + len(old), new, author)
        return True

    def _put(self, text: str, start: int, end: int, new: str, author: str | None) -> None:
        first, last = text.count("\n", 0, start), text.count("\n", 0, end)
        head = text[text.rfind("\n", 0, start) + 1 : start]
        rest = self._lines[last][end - (text.rfind("\n", 0, end) + 1) :]
        before, after = self._lines[first : last + 1], (head + new + rest).split("\n")
        same = _alike(before, after)
        tail = _alike(before[same:][::-1], after[same:][::-1])
        fresh = after[same : len(after) - tail]
        self._lines[first + same : last + 1 - tail] = fresh
        self._authors[first + same : last + 1 - tail] = [author] * len(fresh)

    def ranges(self) -> list[Lines]:
        """Who wrote what. What follows the last line break is a line only where something stands there."""
        size = len(self._lines) - (self._lines[-1] == "")
        ranges = []
        for author, numbers in groupby(range(size), key=lambda number: self._authors[number]):
            together = list(numbers)
            if author is not None:
                text = "\n".join(self._lines[together[0] : together[-1] + 1])
                ranges.append(Lines(first=together[0] + 1, last=together[-1] + 1, author=author, text=text))
        return ranges


def _alike(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


class Replay:
    """Repeats edits, as far as that is possible."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}

    def forget(self, path: str) -> None:
        """Forget a file: its text is no longer known."""
        self.files.pop(path, None)

    def do(self, edit: Edit, author: str | None) -> bool:
        """Repeat an edit; False where it is not known which lines it changed."""
        if edit.new is None:
            self.forget(edit.path)
            return False
        if edit.old is None:
            self.files[edit.path] = File(edit.new, author)
            return True
        if edit.before is not None:
            self.files.setdefault(edit.path, File(edit.before, None)).set_text(edit.before)
        file = self.files.get(edit.path)
        if file is not None and file.replace(edit.old, edit.new, author, every=edit.every):
            return True
        self.forget(edit.path)
        return False
