"""The archive, and what agents will delete, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import full
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import plural, size, tilde

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.archive.history import Change
    from pollux.archive.verify import Verdict
    from pollux.draw.canvas import Canvas
    from pollux.library.archive import ArchiveStatus
    from pollux.library.doctor import Due

CHANGES = {
    "new": "first kept",
    "grown": "grew",
    "rewritten": "rewritten",
    "mode": "other rights",
    "cut": "shrank",
    "gone": "gone",
    "back": "back again",
}


def status_lines(canvas: Canvas, status: ArchiveStatus, home: str) -> Iterator[str]:
    """The archive's state as a table, then what the agents are about to delete."""
    name, value = Column(""), Column("", flexible=True, least=20, path=True)
    saved = f", {status.bytes / status.stored:.0f} times as much unpacked" if status.states and status.stored else ""
    for what, text in (
        ("keeping", "with every sync" if status.keeping else "only when asked: pollux archive on"),
        ("last run", full(status.ran) if status.ran is not None else "never"),
        (
            "folder",
            one_line(tilde(status.folder, home)) if status.folder is not None else "none: the sample is not kept",
        ),
        ("files", f"{status.files:,} in {plural(status.states, 'state')}"),
        ("size", f"{size(status.stored)}{saved}"),
        ("sessions", f"{status.sessions:,}, {status.kept:,} of them only in the archive"),
    ):
        name.add(what, "dim")
        value.add(text)
    yield from table(canvas, [name, value])
    if status.busy:
        yield canvas.paint("Another pollux is writing to the archive: the figures will grow.", "warn")
    yield from retention(canvas, status.due, home)


def retention(canvas: Canvas, due: Iterable[Due], home: str) -> Iterator[str]:
    """Which agents delete sessions and when, and the setting that stops it."""
    for one in due:
        setting = one.retention
        if setting.days is None:
            continue
        yield ""
        what = f"sessions in {setting.folder!r}" if setting.folder is not None else "sessions"
        why = "as you set it" if setting.stated else "by default"
        soon = f"{plural(len(one.sessions), 'session')} within a week" if one.sessions else "none within a week"
        text = f"{setting.agent} deletes {what} {setting.days:g} days after they were left, {why}: {soon}."
        for line in wrap(text, canvas.columns):
            yield canvas.paint(line, "warn" if one.sessions else "dim")
        advice = f"To keep them, write {setting.advice} into {one_line(tilde(setting.file, home))} ({setting.setting})."
        for line in wrap(advice, canvas.columns):
            yield canvas.paint(line, "dim")


def verdict_lines(canvas: Canvas, verdict: Verdict, home: str) -> Iterator[str]:
    """Whether everything is sound, and what is not."""
    amount = f"{plural(verdict.contents, 'content')}, {plural(verdict.states, 'state')}, {size(verdict.bytes)} unpacked"
    if verdict.sound:
        yield f"{canvas.paint('✓', 'good')} {amount}: everything is as it was kept."
        return
    wrong = []
    if verdict.damaged or verdict.stretches:
        wrong.append(f"damaged in {plural(verdict.damaged + verdict.stretches, 'place')}")
    if verdict.missing:
        wrong.append(f"{size(verdict.missing)} of the packs are missing")
    if verdict.lost:
        wrong.append(f"{plural(len(verdict.lost), 'state')} lost")
    yield f"{canvas.paint('✗', 'bad')} {amount}: {', '.join(wrong)}."
    for loss in verdict.lost:
        yield f"  {one_line(tilde(loss.file, home))}, as of {full(loss.at)}"
    yield "What the agents still have is kept again by: pollux archive run"
    yield "What a backup has comes back with the packs, or by: pollux archive import FILE"
    yield "To hear no more of what is lost for good: pollux archive prune --lost"


def changes(canvas: Canvas, history: list[Change], home: str) -> Iterator[str]:
    """The history of files."""
    at, what, bytes_ = Column("when", whole=True), Column("what"), Column("size", right=True)
    file = Column("file", flexible=True, least=16, path=True)
    for change in history:
        at.add(full(change.at), "dim")
        what.add(
            CHANGES.get(change.change) or one_line(change.change), "warn" if change.change in ("cut", "gone") else None
        )
        bytes_.add(size(change.bytes) if change.bytes is not None else "")
        file.add(one_line(tilde(change.file, home)), "dim")
    return table(canvas, [at, what, bytes_, file])
