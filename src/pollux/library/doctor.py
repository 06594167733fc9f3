"""The account of every file: what was read, what was left alone and why, and what is new to us."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from pollux.index.catalog.queries import BundleOutcome, CatalogQueries
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.model import Notice, Severity, Value
from pollux.sources.base import Bundle, File, FileAccount, Retention, Source, Status
from pollux.system.files import opened
from pollux.system.link_bounds import LEADS_OUT
from pollux.wire import Notes, display_path

_PIECE = 1 << 20


def read_all(source: Source, bundles: Iterable[Bundle]) -> dict[str, BundleOutcome]:
    """Read some bundles and keep what an account needs of them."""
    kept: dict[str, BundleOutcome] = {}
    for bundle in bundles:
        reading = source.read(bundle)
        read = tuple((session.key, session.files, session.notices) for session in reading.sessions)
        kept[bundle.key] = BundleOutcome(
            problem=reading.problem, notices=() if read else reading.notices, sessions=read
        )
    return kept


class Due(Value, frozen=True, kw_only=True):
    """What one of an agent's settings will do to its sessions within a week: their keys."""

    retention: Retention
    sessions: tuple[str, ...]


class Archiving(Value, frozen=True, kw_only=True):
    """When what the agents delete was last kept, and what is to keep it without being asked.

    `keeping`: every sync does; None where the archive cannot be read. `using` and `every` are those of a timer.
    `overdue`: it should have run since.
    """

    keeping: bool | None
    ran: datetime | None
    using: str | None
    every: str | None
    overdue: bool


class Unfamiliar(Value, frozen=True, kw_only=True):
    """A record kind, field or word that no known release writes: the alarm for the next change of a format."""

    agent: str
    what: str
    count: int
    example: str


class Doctor(Value, frozen=True, kw_only=True):
    """The whole account."""

    files: tuple[FileAccount, ...]
    unknown: tuple[Unfamiliar, ...]
    notices: tuple[Notice, ...]
    totals: dict[str, Any]
    retention: tuple[Due, ...] = ()
    archive: Archiving | None = None

    @property
    def sound(self) -> bool:
        """Is every file accounted for, and nothing unreadable or unknown?"""
        bad = any(file.status in (Status.UNREADABLE, Status.UNKNOWN) for file in self.files)
        return not bad and not self.unknown and not any(n.severity is Severity.ERROR for n in self.notices)


def diagnose(homes: Homes, index: FreshIndex, due: Iterable[Due], archive: Archiving) -> Doctor:
    """Account for every file under the agents' roots, and say what the agents will delete."""
    roots = homes.roots()
    kept = index.ask(lambda current: [current.outcomes(source.name, display_path(root.path)) for source, root in roots])
    account = examine(
        (source, list(source.find(root.path)), homes.bundles_of(source, root), every)
        for (source, root), every in zip(roots, kept, strict=True)
    )
    account.totals["outputs_cut"] = index.ask(CatalogQueries.cut)
    return msgspec.structs.replace(account, retention=tuple(due), archive=archive)


def examine(found: Iterable[tuple[Source, list[File], list[Bundle], Mapping[str, BundleOutcome]]]) -> Doctor:
    """Write down what became of each file when the bundles were read."""
    lines: dict[str, FileAccount] = {}
    notices: list[tuple[str, Notice]] = []
    sessions = 0
    for source, files, bundles, every in found:
        for file in files:
            lines[display_path(file.path)] = _by_place(source.name, file)
        notices += [(source.name, notice) for notice in _refused(files)]
        for bundle in bundles:
            # One that came since the others were read is read now: nothing is said of what nobody looked at.
            kept = every.get(bundle.key) or read_all(source, [bundle])[bundle.key]
            sessions += len(kept.sessions)
            _account(bundle, kept.problem, [key for key, _, _ in kept.sessions], lines)
            notices += [(source.name, notice) for notice in kept.notices]
            for key, names, noticed in kept.sessions:
                notices += [(source.name, notice) for notice in noticed]
                _companions(names, key, lines)
    for _, notice in notices:
        if notice.code in ("file.unreadable", "file.damaged") and notice.file in lines:
            lines[notice.file] = msgspec.structs.replace(
                lines[notice.file], status=Status.UNREADABLE, reason=notice.text
            )
    # A file that several sessions share is noticed by each of them: its remarks count once.
    unique = {(agent, n.file, n.line, n.code, n.subject or n.text): n for agent, n in notices}
    unfamiliar = _unfamiliar([(agent, notice) for (agent, *_), notice in unique.items()])
    counts = {status.value: sum(line.status is status for line in lines.values()) for status in Status}
    totals = {"files": len(lines), "bytes": sum(line.bytes for line in lines.values()), "sessions": sessions, **counts}
    return Doctor(files=tuple(lines.values()), unknown=tuple(unfamiliar), notices=tuple(unique.values()), totals=totals)


def _by_place(agent: str, file: File) -> FileAccount:
    """What a file's place alone says of it, until a session is read from it."""
    reason = file.reason or ("the file is empty" if not file.size else None)
    return FileAccount(path=display_path(file.path), agent=agent, status=file.status, reason=reason, bytes=file.size)


def _refused(files: Iterable[File]) -> tuple[Notice, ...]:
    """Say which links were not followed."""
    notes = Notes()
    for file in files:
        if file.reason == LEADS_OUT:
            notes.file = display_path(file.path)
            text = "A link leads out of the agent's folder. It was not followed: nothing of what lies there is shown."
            notes.add("link.refused", text, Severity.WARNING)
    return notes.all()


def _account(bundle: Bundle, problem: str | None, keys: list[str], lines: dict[str, FileAccount]) -> None:
    for index, file in enumerate(bundle.files):
        line = lines.get(display_path(file.path))
        if line is None:
            continue
        held = (*line.sessions, *(key for key in keys if key not in line.sessions))
        if keys:
            copy = index > 0 and line.status is not Status.READ and _same(bundle.files[0], file)
            status, reason = (
                (Status.COPY, f"the same as {display_path(bundle.files[0].path)}") if copy else (Status.READ, None)
            )
        elif problem:
            status, reason = Status.UNREADABLE, problem
        else:
            status, reason = line.status, line.reason
        lines[line.path] = msgspec.structs.replace(line, status=status, reason=reason, sessions=held)


def _same(one: File, other: File) -> bool:
    if one.size != other.size:
        return False
    try:
        with opened(one.path) as first, opened(other.path) as second:
            return all(piece == second.read(_PIECE) for piece in iter(lambda: first.read(_PIECE), b""))
    except OSError:
        return False


def _companions(files: Iterable[str], key: str, lines: dict[str, FileAccount]) -> None:
    """Files beside the session's own that it was read from: offloaded output, the log of prompts."""
    for path in files:
        line = lines.get(path)
        if line is not None and (line.status is Status.IGNORED or key not in line.sessions):
            status = line.status if line.status is Status.COPY else Status.READ
            lines[path] = msgspec.structs.replace(
                line,
                status=status,
                reason=None if status is Status.READ else line.reason,
                sessions=(*line.sessions, key),
            )


def _unfamiliar(notices: list[tuple[str, Notice]]) -> list[Unfamiliar]:
    counted: dict[tuple[str, str], tuple[int, str]] = {}
    for agent, notice in notices:
        if notice.subject is None or not notice.code.endswith(".unknown"):
            continue
        count, example = counted.get((agent, notice.subject), (0, ""))
        place = f"{notice.file}:{notice.line}" if notice.line is not None else f"{notice.file}"
        counted[agent, notice.subject] = (count + notice.count, example or place)
    return [Unfamiliar(agent=a, what=what, count=n, example=e) for (a, what), (n, e) in sorted(counted.items())]
