"""The account of every file: what was read, what was left alone and why, and what no known release writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import BundleOutcome
from pollux.library.fresh_index import FreshIndex
from pollux.library.session_files import SessionFiles
from pollux.model import Notice, Severity, Value
from pollux.sources.base import Bundle, File, FileAccount, Retention, Source, Status
from pollux.system.files import opened
from pollux.system.link_bounds import LEADS_OUT
from pollux.wire import Notes, display_path

__all__ = ["Archiving", "Doctor", "Due", "FileAccount", "Status", "Unfamiliar", "diagnose", "examine", "read_all"]

_PIECE = 1 << 20


def read_all(source: Source, bundles: Iterable[Bundle]) -> dict[str, BundleOutcome]:
    """Read some bundles and keep what an account needs of them."""
    outcomes: dict[str, BundleOutcome] = {}
    for bundle in bundles:
        reading = source.read(bundle)
        sessions = tuple((session.key, session.files, session.notices) for session in reading.sessions)
        outcomes[bundle.key] = BundleOutcome(
            problem=reading.problem, notices=() if sessions else reading.notices, sessions=sessions
        )
    return outcomes


class Due(Value, frozen=True, kw_only=True):
    """The keys of the sessions that an agent will delete within a week, and the setting that says so."""

    retention: Retention
    sessions: tuple[str, ...]


class Archiving(Value, frozen=True, kw_only=True):
    """When the archive last ran, and what runs it regularly.

    `keeping`: every sync does; None where the archive cannot be read. `using` and `every` describe a timer.
    `overdue`: the timer should have run since.
    """

    keeping: bool | None
    ran: datetime | None
    using: str | None
    every: str | None
    overdue: bool


class Unfamiliar(Value, frozen=True, kw_only=True):
    """A record kind, field or word that no known release writes: the first sign that a format changed."""

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


def diagnose(files: SessionFiles, index: FreshIndex, due: Iterable[Due], archive: Archiving) -> Doctor:
    """Account for every file under the agents' roots, and say what the agents will delete."""
    roots = files.homes.roots()
    outcomes = index.ask(
        lambda current: [current.outcomes(source.name, display_path(root.path)) for source, root in roots]
    )
    account = examine(
        (source, list(source.find(root.path)), files.bundles_of(source, root), root_outcomes)
        for (source, root), root_outcomes in zip(roots, outcomes, strict=True)
    )
    account.totals["outputs_cut"] = index.ask(CatalogueQueries.cut)
    return msgspec.structs.replace(account, retention=tuple(due), archive=archive)


def examine(roots: Iterable[tuple[Source, list[File], list[Bundle], Mapping[str, BundleOutcome]]]) -> Doctor:
    """Write down what became of each file when the bundles were read."""
    lines: dict[str, FileAccount] = {}
    notices: list[tuple[str, Notice]] = []
    sessions = 0
    for source, files, bundles, outcomes in roots:
        for file in files:
            lines[display_path(file.path)] = _by_place(source.name, file)
        notices += [(source.name, notice) for notice in _refused(files)]
        for bundle in bundles:
            # A bundle that appeared after the sync is read now.
            outcome = outcomes.get(bundle.key) or read_all(source, [bundle])[bundle.key]
            sessions += len(outcome.sessions)
            _account(bundle, outcome.problem, [key for key, _, _ in outcome.sessions], lines)
            notices += [(source.name, notice) for notice in outcome.notices]
            for key, names, session_notices in outcome.sessions:
                notices += [(source.name, notice) for notice in session_notices]
                _companions(names, key, lines)
    for _, notice in notices:
        if notice.code in ("file.unreadable", "file.damaged") and notice.file in lines:
            lines[notice.file] = msgspec.structs.replace(
                lines[notice.file], status=Status.UNREADABLE, reason=notice.text
            )
    # Several sessions may share a file. Its notices count once.
    unique = {(agent, n.file, n.line, n.code, n.subject or n.text): n for agent, n in notices}
    unfamiliar = _unfamiliar([(agent, notice) for (agent, *_), notice in unique.items()])
    counts = {status.value: sum(line.status is status for line in lines.values()) for status in Status}
    totals = {"files": len(lines), "bytes": sum(line.bytes for line in lines.values()), "sessions": sessions, **counts}
    return Doctor(files=tuple(lines.values()), unknown=tuple(unfamiliar), notices=tuple(unique.values()), totals=totals)


def _by_place(agent: str, file: File) -> FileAccount:
    """The account of a file before any session is read from it: its place alone says what it is."""
    reason = file.reason or ("the file is empty" if not file.size else None)
    return FileAccount(path=display_path(file.path), agent=agent, status=file.status, reason=reason, bytes=file.size)


def _refused(files: Iterable[File]) -> tuple[Notice, ...]:
    """Notices of links that were not followed."""
    notes = Notes()
    for file in files:
        if file.reason == LEADS_OUT:
            notes.file = display_path(file.path)
            text = "A link leads out of the agent's folder. It was not followed: nothing of what lies there is shown."
            notes.add("link.refused", text, Severity.WARNING)
    return notes.all()


def _account(bundle: Bundle, problem: str | None, keys: list[str], lines: dict[str, FileAccount]) -> None:
    """Note what became of the files of a bundle."""
    for index, file in enumerate(bundle.files):
        line = lines.get(display_path(file.path))
        if line is None:
            continue
        sessions = (*line.sessions, *(key for key in keys if key not in line.sessions))
        if keys:
            copy = index > 0 and line.status is not Status.READ and _same(bundle.files[0], file)
            status, reason = (
                (Status.COPY, f"the same as {display_path(bundle.files[0].path)}") if copy else (Status.READ, None)
            )
        elif problem:
            status, reason = Status.UNREADABLE, problem
        else:
            status, reason = line.status, line.reason
        lines[line.path] = msgspec.structs.replace(line, status=status, reason=reason, sessions=sessions)


def _same(one: File, other: File) -> bool:
    if one.size != other.size:
        return False
    try:
        with opened(one.path) as first, opened(other.path) as second:
            return all(piece == second.read(_PIECE) for piece in iter(lambda: first.read(_PIECE), b""))
    except OSError:
        return False


def _companions(files: Iterable[str], key: str, lines: dict[str, FileAccount]) -> None:
    """Note other files that a session was read from: offloaded output, the log of typed prompts."""
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
    counts: dict[tuple[str, str], tuple[int, str]] = {}
    for agent, notice in notices:
        if notice.subject is None or not notice.code.endswith(".unknown"):
            continue
        count, example = counts.get((agent, notice.subject), (0, ""))
        place = f"{notice.file}:{notice.line}" if notice.line is not None else f"{notice.file}"
        counts[agent, notice.subject] = (count + notice.count, example or place)
    return [Unfamiliar(agent=a, what=subject, count=n, example=e) for (a, subject), (n, e) in sorted(counts.items())]
