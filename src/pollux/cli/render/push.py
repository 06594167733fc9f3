"""What leaves this machine for a lake, for people."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.times import full
from pollux.text.escape import one_line
from pollux.text.figures import NONE, plural, size, tilde

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pollux.draw.canvas import Canvas
    from pollux.lake.documents import Level
    from pollux.lake.prepare import Prepared
    from pollux.lake.push import Preview
    from pollux.lake.status import Allowed, PushStatus

EVERY_PROJECT = "every project"
_WHY = {
    "not_allowed": "of projects that are not allowed",
    "private": "marked as private, or with messages that are",
    "waiting": "pushed less than 15 minutes ago",
    "unchanged": "as they were when they were pushed",
}


def allowed_lines(canvas: Canvas, allowed: Iterable[Allowed], home: str) -> Iterator[str]:
    """What is allowed: a line a folder."""
    project, level, name = Column("allowed", flexible=True, least=16, path=True), Column("level"), Column("called")
    sessions = Column("sessions", right=True)
    for one in allowed:
        project.add(one_line(tilde(one.path, home)) if one.path is not None else EVERY_PROJECT)
        level.add(one.level)
        name.add(one_line(one.name) if one.name is not None else "")
        sessions.add(f"{one.sessions:,}", None if one.sessions else "warn")
    yield from table(canvas, [project, level, *([name] if name.filled else []), sessions])


def preview_lines(canvas: Canvas, preview: Preview) -> Iterator[str]:
    """What would be pushed: a line a project and level, then the secrets that are taken out."""
    groups: dict[tuple[str, Level], list[Prepared]] = {}
    for one in preview.sessions:
        groups.setdefault((one.project or "", one.planned.level), []).append(one)
    project, level = Column("project", flexible=True, least=16, path=True), Column("level")
    sessions, amount, secrets = (Column(title, right=True) for title in ("sessions", "bytes", "secrets"))
    for (name, how), ones in sorted(groups.items()):
        project.add(one_line(name) or NONE)
        level.add(how)
        sessions.add(f"{len(ones):,}")
        amount.add(size(sum(one.entry.bytes for one in ones)))
        secrets.add(f"{sum(one.entry.redactions or 0 for one in ones):,}" if how != "whole" else NONE)
    yield from table(canvas, [project, level, sessions, amount, secrets])
    taken = sum((Counter(one.secrets) for one in preview.sessions), Counter[str]())
    if taken:
        rule, count = Column("taken out"), Column("secrets", right=True)
        for name, number in sorted(taken.items()):
            rule.add(name)
            count.add(f"{number:,}")
        yield ""
        yield from table(canvas, [rule, count])


def held_sentences(held: Mapping[str, int]) -> Iterator[str]:
    """Why other sessions are not pushed."""
    for reason, count in held.items():
        if count:
            yield f"{plural(count, 'session')} {'is' if count == 1 else 'are'} left out: {_WHY[reason]}."


def status_lines(canvas: Canvas, status: PushStatus, home: str) -> Iterator[str]:
    """What is set, what is allowed, and what was pushed."""
    name, value = Column(""), Column("", flexible=True, least=20, path=True)
    limit = f", at most {status.most} on this machine" if status.most != "whole" else ""
    for what, text in (
        ("lake", one_line(tilde(status.lake, home)) if status.lake is not None else "none is set"),
        ("person", status.person),
        ("machine", status.machine or "has no number yet"),
        ("level", f"{status.level}{limit}"),
        ("changed", plural(status.changed, "session") + " to look at with the next push"),
    ):
        name.add(what, "dim")
        value.add(text)
    yield from table(canvas, [name, value])
    if status.allowed:
        yield ""
        yield from allowed_lines(canvas, status.allowed, home)
    if status.pushed:
        yield ""
        yield from _pushed_lines(canvas, status, home)


def _pushed_lines(canvas: Canvas, status: PushStatus, home: str) -> Iterator[str]:
    lake, last = Column("pushed to", flexible=True, least=16, path=True), Column("last")
    sessions, amount, secrets = (Column(title, right=True) for title in ("sessions", "bytes", "secrets"))
    unfinished = Column("unfinished", right=True)
    for one in status.pushed:
        lake.add(one_line(tilde(one.lake, home)))
        sessions.add(f"{one.sessions:,}")
        amount.add(size(one.bytes))
        secrets.add(f"{one.secrets:,}")
        unfinished.add(f"{one.unfinished:,}" if one.unfinished else "", "warn")
        last.add(full(one.last) if one.last is not None else NONE)
    yield from table(canvas, [lake, sessions, amount, secrets, *([unfinished] if unfinished.filled else []), last])
