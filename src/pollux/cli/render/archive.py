"""What is kept, and what will be deleted, as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.cli.terminal.table import Column, table
from pollux.cli.terminal.times import full
from pollux.cli.terminal.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import plural, size, tilde

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.archive.history import Change
    from pollux.archive.verify import Verdict
    from pollux.cli.terminal.screen import Screen
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


def holding(screen: Screen, held: ArchiveStatus, home: str) -> Iterator[str]:
    """The archive's state as a table, then what the agents are about to delete."""
    name, value = Column(""), Column("", flexible=True, least=20, path=True)
    saved = f", {held.bytes / held.stored:.0f} times as much unpacked" if held.states and held.stored else ""
    for what, told in (
        ("keeping", "with every sync" if held.keeping else "only when asked: pollux archive on"),
        ("last run", full(held.ran) if held.ran is not None else "never"),
        ("folder", one_line(tilde(held.folder, home)) if held.folder is not None else "none: the sample is not kept"),
        ("files", f"{held.files:,} in {plural(held.states, 'state')}"),
        ("size", f"{size(held.stored)}{saved}"),
        ("sessions", f"{held.sessions:,}, {held.kept:,} of them only because they were kept"),
    ):
        name.add(what, "dim")
        value.add(told)
    yield from table(screen, [name, value])
    if held.busy:
        yield screen.paint("Another pollux is keeping just now: there will be more.", "warn")
    yield from retention(screen, held.due, home)


def retention(screen: Screen, due: Iterable[Due], home: str) -> Iterator[str]:
    """Which agents delete sessions, when, and what to write where so that they do not."""
    for one in due:
        told = one.retention
        if told.days is None:
            continue
        yield ""
        why = "as you set it" if told.stated else "by default"
        soon = f"{plural(len(one.sessions), 'session')} within a week" if one.sessions else "none within a week"
        text = f"{told.agent} deletes sessions {told.days:g} days after they were left, {why}: {soon}."
        for line in wrap(text, screen.columns):
            yield screen.paint(line, "warn" if one.sessions else "dim")
        advice = f"To keep them, write {told.advice} into {one_line(tilde(told.file, home))} ({told.setting})."
        for line in wrap(advice, screen.columns):
            yield screen.paint(line, "dim")


def verdict_lines(screen: Screen, verdict: Verdict, home: str) -> Iterator[str]:
    """Whether everything is sound, else what is not."""
    amount = f"{plural(verdict.objects, 'object')}, {plural(verdict.states, 'state')}, {size(verdict.bytes)} unpacked"
    if verdict.sound:
        yield f"{screen.paint('✓', 'good')} {amount}: everything is as it was kept."
        return
    wrong = []
    if verdict.damaged or verdict.stretches:
        wrong.append(f"damaged in {plural(verdict.damaged + verdict.stretches, 'place')}")
    if verdict.missing:
        wrong.append(f"{size(verdict.missing)} of the packs are missing")
    if verdict.lost:
        wrong.append(f"{plural(len(verdict.lost), 'state')} lost")
    yield f"{screen.paint('✗', 'bad')} {amount}: {', '.join(wrong)}."
    for loss in verdict.lost:
        yield f"  {one_line(tilde(loss.file, home))}, as of {full(loss.at)}"
    yield "What the agents still have is kept again by: pollux archive run"
    yield "What a backup has comes back with the packs, or by: pollux archive import FILE"
    yield "What is lost for good is spoken of no more after: pollux archive prune --lost"


def changes(screen: Screen, found: list[Change], home: str) -> Iterator[str]:
    """What became of files."""
    at, what, bytes_ = Column("when", whole=True), Column("what"), Column("size", right=True)
    file = Column("file", flexible=True, least=16, path=True)
    for one in found:
        at.add(full(one.at), "dim")
        what.add(CHANGES.get(one.change) or one_line(one.change), "warn" if one.change in ("cut", "gone") else None)
        bytes_.add(size(one.bytes) if one.bytes is not None else "")
        file.add(one_line(tilde(one.file, home)), "dim")
    return table(screen, [at, what, bytes_, file])
