"""Writes many sessions into a folder, on all cores.

The work is divided by files. The sessions of a file are read one after the other, and each is written before the next
one is read, so that memory is bounded by the largest session.
"""

from __future__ import annotations

import contextlib
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from pollux.errors import OutputError
from pollux.export.folder import Draft, Folder
from pollux.export.names import Layout, day_name, file_name
from pollux.library.jobs import Job, start_order
from pollux.model import Session, Summary, Usage, Value, summarize
from pollux.system.parallel import map_in_processes
from pollux.system.progress import Report as Progressing
from pollux.transforms.redact import Redactor
from pollux.usage.sums import Bill
from pollux.writers.base import (
    NO_CONTEXT,
    Binary,
    Dataset,
    Entry,
    Joinable,
    MultiFile,
    Options,
    Page,
    Report,
    Site,
    Writer,
    WriterContext,
    without_secrets,
)

_NUMBER = re.compile(r"\d+")


class Outcome(msgspec.Struct):
    """The result of an export, or of a part of it.

    `files` were written. `foreign` files are not ours to change, and `older` files hold sessions that are not in this
    export: neither is touched. `unwritten` has the keys of sessions of which nothing was written, because one of
    their files is `foreign` or `older`; `unread` has the keys of sessions that could not be read.
    """

    report: Report = msgspec.field(default_factory=Report)
    entries: list[Entry] = []
    foreign: list[str] = []
    older: list[str] = []
    unread: list[str] = []
    unwritten: list[str] = []
    files: list[str] = []
    problem: str | None = None
    bug: str | None = None

    def add(self, other: Outcome) -> None:
        """Add another part to this one."""
        self.report.add(other.report)
        for name in ("entries", "foreign", "older", "unread", "unwritten", "files"):
            getattr(self, name).extend(getattr(other, name))


Files = dict[str, str]
"""The file of each session, by key."""


class _Unit(Value, frozen=True, kw_only=True):
    """What one process does at a time: jobs, each with the files of the sessions that it is to write.

    Either a unit has one job, whose sessions go to separate files, or it has all jobs with sessions of one file.
    """

    parts: tuple[tuple[Job, Files], ...]

    @property
    def size(self) -> int:
        """How many bytes it reads."""
        return sum(job.size for job, _ in self.parts)


class FolderExport:
    """One export to a folder."""

    def __init__(  # noqa: PLR0913
        self,
        writer: Writer,
        options: Options,
        folder: Folder,
        *,
        context: WriterContext = NO_CONTEXT,
        redactor: Redactor | None = None,
        layout: Layout = Layout.SESSION,
        progress: Progressing = lambda _: None,
    ) -> None:
        self._writer = writer
        self._options = options
        self._context = context
        self._folder = folder
        self._redactor = redactor
        self._layout = layout
        self._progress = progress
        self._families: dict[str, Usage] = {}
        self._bills: dict[str, Bill] = {}

    def run(self, jobs: Sequence[Job], families: dict[str, Usage], bills: dict[str, Bill]) -> Outcome:
        """Write all sessions of the jobs.

        `families` has what each session used with its descendants, `bills` what each cost by itself, both by key.
        """
        self._families, self._bills = families, bills
        if self._redactor is not None:
            self._survey(jobs, self._redactor)
        outcome = Outcome()
        units = self._units(jobs)
        files = {self._redact(key): name for unit in units for _, part in unit.parts for key, name in part.items()}
        sessions = lambda: self._reread(jobs, outcome)  # noqa: E731
        self._context = msgspec.structs.replace(self._context, files=files, sessions=sessions)
        for _, part in map_in_processes(self._write, units, [unit.size for unit in units], Outcome, self._progress):
            if part is None:
                raise OutputError("A process of the export was killed, perhaps for want of memory.")
            if part.bug is not None:
                raise RuntimeError(part.bug)
            if part.problem is not None:
                raise OutputError(part.problem)
            outcome.add(part)
        outcome.entries.sort(key=lambda entry: start_order(entry.summary), reverse=True)
        pages = self._finish(outcome)
        firsts = {file for name in files.values() for file in self._files(name)}
        self._tidy({*firsts, *outcome.files}, pages, outcome)
        if self._redactor is not None:
            outcome.report.add(without_secrets(self._redactor.count))
        return outcome

    # ------------------------------------------------------------------ before

    def _survey(self, jobs: Sequence[Job], redactor: Redactor) -> None:
        """Number the secrets in the same order every time, whichever process meets them first."""

        def survey(job: Job) -> list[tuple[str, bytes]]:
            try:
                return [secret for session in job.load() for secret in redactor.survey(session)]
            except Exception:  # noqa: BLE001 (it fails again when its file is written, and is reported there)
                return []

        sizes = [job.size for job in jobs]
        secrets = dict(map_in_processes(survey, jobs, sizes, list[tuple[str, bytes]], self._progress))
        for number in sorted(secrets):
            redactor.learn(secrets[number] or ())

    def _units(self, jobs: Sequence[Job]) -> list[_Unit]:
        parts = [(job, {summary.key: self._name(summary) for summary in job.summaries}) for job in jobs]
        if self._layout is Layout.SESSION and not isinstance(self._writer, Dataset):
            return [_Unit(parts=(part,)) for part in parts]
        by_file: dict[str, list[tuple[Job, Files]]] = {}
        for job, files in parts:
            for file in dict.fromkeys(files.values()):
                sessions = {key: name for key, name in files.items() if name == file}
                by_file.setdefault(file, []).append((job, sessions))
        return [_Unit(parts=tuple(parts)) for parts in by_file.values()]

    def _name(self, summary: Summary) -> str:
        if isinstance(self._writer, Dataset):
            return self._writer.part(summary.agent, summary.started or summary.ended)
        if self._layout is Layout.DAY:
            project = self._redact(summary.project) if summary.project else None
            return day_name(project, summary.started or summary.ended, self._writer.suffix)
        return file_name(summary.agent, self._redact(summary.id), self._writer.suffix)

    def _redact(self, text: str) -> str:
        return self._redactor.text(text) if self._redactor is not None else text

    # ------------------------------------------------------------------ each file

    def _write(self, unit: _Unit) -> Outcome:
        """Write the files of a unit. The result tells the main process what went wrong."""
        outcome = Outcome()
        try:
            for name, pairs in groupby(self._sessions(unit, outcome), key=lambda pair: pair[0]):
                sessions = (session for _, session in pairs)
                if isinstance(self._writer, Dataset):
                    self._write_tables(self._writer, name, sessions, outcome)
                else:
                    self._write_file(name, sessions, outcome)
        except OutputError as error:
            return Outcome(problem=str(error))
        except Exception:  # noqa: BLE001 (the main process raises it again)
            return Outcome(bug=traceback.format_exc())
        return outcome

    def _sessions(self, unit: _Unit, outcome: Outcome) -> Iterator[tuple[str, Session]]:
        """Each session of a unit, with the name of its file."""
        for job, files in unit.parts:
            try:
                sessions = {session.key: session for session in job.load()}
            except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions; it is reported)
                sessions = {}
            outcome.unread += [key for key in files if key not in sessions]
            yield from ((name, sessions[key]) for key, name in files.items() if key in sessions)

    def _write_file(self, name: str, sessions: Iterable[Session], outcome: Outcome) -> None:
        """Write the file of some sessions, and the other files that a session has."""
        entries: list[Entry] = []
        drafts: dict[str, Draft] = {}
        with contextlib.ExitStack() as stack:
            draft = drafts[name] = stack.enter_context(self._folder.draft())
            for session in sessions:
                back = draft.mark()
                with self._skip_on_failure(session, outcome, back):
                    copy, context = self._prepare(session)
                    report = self._write_session(copy, draft, context)
                    drafts |= {page.name: self._write_page(page, stack) for page in self._further(copy, context)}
                    cost = {"cost_usd": context.cost_usd, "unpriced_requests": context.unpriced_requests}
                    entries.append(Entry(summary=msgspec.structs.replace(summarize(copy), **cost), file=name))
                    outcome.report.add(report)
        self._place(drafts, entries, outcome)

    def _write_session(self, session: Session, draft: Draft, context: WriterContext) -> Report:
        if draft.size and isinstance(self._writer, Joinable):
            draft.write(self._writer.between)
        write = self._writer.write_bytes if isinstance(self._writer, Binary) else self._writer.write
        return write(session, draft.write, self._options, context)

    def _further(self, session: Session, context: WriterContext) -> Iterable[Page]:
        return (
            self._writer.further_pages(session, self._options, context) if isinstance(self._writer, MultiFile) else ()
        )

    def _write_page(self, page: Page, stack: contextlib.ExitStack) -> Draft:
        draft = stack.enter_context(self._folder.draft())
        for piece in page.pieces:
            draft.write(piece)
        return draft

    def _write_tables(self, writer: Dataset, name: str, sessions: Iterable[Session], outcome: Outcome) -> None:
        """Write the files of all tables together: each session is read once, and is in all of them or in none."""
        entries: list[Entry] = []
        files = self._files(name)
        with contextlib.ExitStack() as stack:
            drafts = {file: stack.enter_context(self._folder.draft()) for file in files}
            tables = [writer.open(table, drafts[file].write) for table, file in zip(writer.tables, files, strict=True)]
            for session in sessions:
                results: list[tuple[Any, Report]] = []
                with self._skip_on_failure(session, outcome, results.clear):
                    copy, _ = self._prepare(session)
                    results += [table.rows(copy, self._options) for table in tables]
                    entries.append(Entry(summary=summarize(copy), file=files[0]))
                for table, (rows, report) in zip(tables, results, strict=False):
                    table.add(rows)
                    outcome.report.add(report)
            for table in tables:
                table.close()
        self._place(drafts, entries, outcome)

    @contextlib.contextmanager
    def _skip_on_failure(self, session: Session, outcome: Outcome, undo: Callable[[], None]) -> Iterator[None]:
        """A session that fails does not affect the others: `undo` removes what it wrote, and it is reported."""
        try:
            yield
        except (OutputError, OSError):
            raise
        except Exception:  # noqa: BLE001 (it is reported)
            undo()
            outcome.unread.append(session.key)

    def _files(self, name: str) -> list[str]:
        """The files under a name: one, or one for each table."""
        return [f"{table}/{name}" for table in self._writer.tables] if isinstance(self._writer, Dataset) else [name]

    def _prepare(self, session: Session) -> tuple[Session, WriterContext]:
        """The session as it is written, without its secrets if that was asked for, and the context of its writer."""
        copy = session if self._redactor is None else self._redactor(session)
        context = msgspec.structs.replace(self._context, family_usage=self._families.get(session.key))
        bill = self._bills.get(session.key)
        if bill is not None:
            context = msgspec.structs.replace(context, cost_usd=bill.usd, unpriced_requests=bill.unpriced)
        return copy, context

    def _place(self, drafts: dict[str, Draft], entries: list[Entry], outcome: Outcome) -> None:
        """Move the files of some sessions to their places: all of them, or none where one must not be touched."""
        outcome.entries += entries
        if not entries:
            return
        keys = tuple(entry.summary.key for entry in entries)
        older = [name for name in drafts if self._holds_others(name, keys)]
        free = {name for name, draft in drafts.items() if self._folder.is_free(name, draft)}
        foreign = [name for name in drafts if name not in free and name not in older]
        if older or foreign:
            outcome.older += older
            outcome.foreign += foreign
            outcome.unwritten += keys
            return
        for name, draft in drafts.items():
            self._folder.keep(draft, name, self._writer.name, keys)
        outcome.files += drafts

    def _holds_others(self, name: str, keys: tuple[str, ...]) -> bool:
        """Does a file of ours hold a session that is not in this export?"""
        before = self._folder.files(self._writer.name).get(name)
        return before is not None and any(key not in self._context.files and key not in keys for key in before.keys)

    # ------------------------------------------------------------------ after

    def _finish(self, outcome: Outcome) -> set[str]:
        """Write the pages of a site that belong to no session. Returns their names."""
        names: set[str] = set()
        for page in self._writer.finish(outcome.entries, self._context) if isinstance(self._writer, Site) else ():
            names.add(page.name)
            with self._folder.draft() as draft:
                for piece in page.pieces:
                    draft.write(piece)
            if not self._folder.keep(draft, page.name, self._writer.name, page.keys):
                outcome.foreign.append(page.name)
        return names

    def _reread(self, jobs: Sequence[Job], outcome: Outcome) -> Iterator[Session]:
        """Every session of the export again, as it was written."""
        for job in jobs:
            sessions: dict[str, Session] = {}
            with contextlib.suppress(Exception):  # what cannot be read is reported
                sessions = {
                    session.key: session if self._redactor is None else self._redactor(session)
                    for session in job.load()
                }
            done_keys = sessions.keys() | set(outcome.unread)
            outcome.unread += [summary.key for summary in job.summaries if summary.key not in done_keys]
            yield from sessions.values()

    def _tidy(self, names: set[str], pages: set[str], outcome: Outcome) -> None:
        """Delete the files of ours that this export has no use for, but none with a session that it did not write."""
        written_keys = {entry.summary.key for entry in outcome.entries}
        written_keys -= {*outcome.unwritten, *(self._redact(key) for key in outcome.unread)}
        kinds = {_NUMBER.sub("", name) for name in pages}
        for name, file in self._folder.files(self._writer.name).items():
            # A page of no session is deleted if this export wrote others of its kind.
            is_replaced = written_keys.issuperset(file.keys) if file.keys else _NUMBER.sub("", name) in kinds
            if is_replaced and name not in names | pages:
                self._folder.remove(name)
        self._folder.close()
