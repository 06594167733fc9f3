"""The notices that a reader collects in a file."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pollux.model import Notice, Severity


class Notes:
    """Collects notices. Knows the file and the line that are being read, and counts a repeated remark."""

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self.line: int | None = None
        self._seen: dict[tuple[str | None, str, str], Notice] = {}
        self._counts: dict[tuple[str | None, str, str], int] = {}

    def __bool__(self) -> bool:
        return bool(self._seen)

    def add(self, code: str, text: str, severity: Severity = Severity.WARNING, *, subject: str | None = None) -> None:
        """Note one remark."""
        remark = (self.file, code, subject or text)
        if remark not in self._seen:
            self._seen[remark] = Notice(
                code=code, text=text, severity=severity, file=self.file, line=self.line, subject=subject
            )
            self._counts[remark] = 0
        self._counts[remark] += 1

    def extend(self, other: Notes) -> None:
        """Take over the remarks of another notebook."""
        for again, notice in other._seen.items():
            self._seen.setdefault(again, notice)
            self._counts[again] = self._counts.get(again, 0) + other._counts[again]

    def forget(self, file: str) -> None:
        """Drop the remarks about a file, which adds nothing to what was read."""
        self._seen = {again: notice for again, notice in self._seen.items() if notice.file != file}
        self._counts = {again: self._counts[again] for again in self._seen}

    def move(self, file: str, place: Callable[[int], tuple[str, int]]) -> None:
        """Give the remarks about lines of a file the file and the number at which each line really stands."""
        for again, notice in self._seen.items():
            if notice.file == file and notice.line is not None:
                own, line = place(notice.line)
                self._seen[again] = msgspec.structs.replace(notice, file=own, line=line)

    def all(self) -> tuple[Notice, ...]:
        """Everything noted, in order of first appearance."""
        return tuple(_counted(notice, self._counts[remark]) for remark, notice in self._seen.items())


def _counted(notice: Notice, count: int) -> Notice:
    if count == notice.count:
        return notice
    return Notice(
        code=notice.code,
        text=notice.text,
        severity=notice.severity,
        file=notice.file,
        line=notice.line,
        subject=notice.subject,
        count=count,
    )
