"""Many sessions into a folder, on all cores.

The work is cut into files. A file's sessions are read one after the other and written as they are read, so that memory
is bounded by the largest session however many there are.
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
from pollux.library.jobs import Job, begun
from pollux.model import Session, Summary, Usage, Value, summarize
from pollux.system.progress import Report as Progressing
from pollux.system.sharing import answered
from pollux.transforms.redact import Redactor
from pollux.usage.sums import Bill
from pollux.writers.base import (
    ALONE,
    Binary,
    Dataset,
    Entry,
    Joinable,
    Options,
    Page,
    Parted,
    Report,
    Site,
    Writer,
    WriterContext,
    without_secrets,
)

_NUMBER = re.compile(r"\d+")


class Outcome(msgspec.Struct):
    """What came of an export, or of a part of it.

    `foreign` are files that are not ours to change, `older` those that hold sessions which are gone, `unread` the keys
    of sessions that could not be read. `left` are the keys of sessions none of whose files was written, because one of
    them is `foreign` or `older`; `files` are those that were.
    """

    report: Report = msgspec.field(default_factory=Report)
    entries: list[Entry] = []
    foreign: list[str] = []
    older: list[str] = []
    unread: list[str] = []
    left: list[str] = []
    files: list[str] = []
    problem: str | None = None
    bug: str | None = None

    def add(self, other: Outcome) -> None:
        """Put another part to this one."""
        self.report.add(other.report)
        for name in ("entries", "foreign", "older", "unread", "left", "files"):
            getattr(self, name).extend(getattr(other, name))


Named = dict[str, str]
"""The files of sessions, by key."""


class _Unit(Value, frozen=True, kw_only=True):
    """What one process does at a time: jobs, and of each the sessions that are wanted now, with their files.

    Sessions that are read together go to files of their own, or sessions that are read apart share one file.
    """

    parts: tuple[tuple[Job, Named], ...]

    @property
    def size(self) -> int:
        """How many bytes are read for it."""
        return sum(job.size for job, _ in self.parts)


class Export:
    """One export to a folder."""

    def __init__(  # noqa: PLR0913
        self,
        writer: Writer,
        options: Options,
        folder: Folder,
        *,
        context: WriterContext = ALONE,
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
        """Write them all. Given by key: what each session used with its descendants, and what it cost by itself."""
        self._families, self._bills = families, bills
        if self._redactor is not None:
            self._survey(jobs, self._redactor)
        outcome = Outcome()
        units = self._units(jobs)
        named = {self._hidden(key): name for unit in units for _, inside in unit.parts for key, name in inside.items()}
        self._context = msgspec.structs.replace(self._context, files=named, sessions=lambda: self._again(jobs, outcome))
        for _, part in answered(self._write, units, [unit.size for unit in units], Outcome, self._progress):
            if part is None:
                raise OutputError("A process of the export was killed, perhaps for want of memory.")
            if part.bug is not None:
                raise RuntimeError(part.bug)
            if part.problem is not None:
                raise OutputError(part.problem)
            outcome.add(part)
        outcome.entries.sort(key=lambda entry: begun(entry.summary), reverse=True)
        pages = self._finish(outcome)
        firsts = {file for name in named.values() for file in self._files(name)}
        self._tidy({*firsts, *outcome.files}, pages, outcome)
        if self._redactor is not None:
            outcome.report.add(without_secrets(self._redactor.count))
        return outcome

    # ------------------------------------------------------------------ before

    def _survey(self, jobs: Sequence[Job], redactor: Redactor) -> None:
        """Number the secrets in an order that is the same every time, whichever process will meet them first."""

        def look(job: Job) -> list[tuple[str, bytes]]:
            try:
                return [found for session in job.load() for found in redactor.survey(session)]
            except Exception:  # noqa: BLE001 (it fails again where its file is written, and is told there)
                return []

        sizes = [job.size for job in jobs]
        found = dict(answered(look, jobs, sizes, list[tuple[str, bytes]], self._progress))
        for number in sorted(found):
            redactor.learn(found[number] or ())

    def _units(self, jobs: Sequence[Job]) -> list[_Unit]:
        parts = [(job, {told.key: self._name(told) for told in job.summaries}) for job in jobs]
        if self._layout is Layout.SESSION and not isinstance(self._writer, Dataset):
            return [_Unit(parts=(part,)) for part in parts]
        files: dict[str, list[tuple[Job, Named]]] = {}
        for job, named in parts:
            for file in dict.fromkeys(named.values()):
                mine = {key: name for key, name in named.items() if name == file}
                files.setdefault(file, []).append((job, mine))
        return [_Unit(parts=tuple(parts)) for parts in files.values()]

    def _name(self, told: Summary) -> str:
        if isinstance(self._writer, Dataset):
            return self._writer.part(told.agent, told.started or told.ended)
        if self._layout is Layout.DAY:
            project = self._hidden(told.project) if told.project else None
            return day_name(project, told.started or told.ended, self._writer.suffix)
        return file_name(told.agent, self._hidden(told.id), self._writer.suffix)

    def _hidden(self, text: str) -> str:
        return self._redactor.text(text) if self._redactor is not None else text

    # ------------------------------------------------------------------ each file

    def _write(self, unit: _Unit) -> Outcome:
        """The files of a unit. Whatever goes wrong is told to the process that asked."""
        outcome = Outcome()
        try:
            for name, named in groupby(self._sessions(unit, outcome), key=lambda one: one[0]):
                sessions = (session for _, session in named)
                if isinstance(self._writer, Dataset):
                    self._write_tables(self._writer, name, sessions, outcome)
                else:
                    self._write_file(name, sessions, outcome)
        except OutputError as error:
            return Outcome(problem=str(error))
        except Exception:  # noqa: BLE001 (it is raised again where it can be reported)
            return Outcome(bug=traceback.format_exc())
        return outcome

    def _sessions(self, unit: _Unit, outcome: Outcome) -> Iterator[tuple[str, Session]]:
        for job, named in unit.parts:
            try:
                sessions = {session.key: session for session in job.load()}
            except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions, and it is told)
                sessions = {}
            outcome.unread += [key for key in named if key not in sessions]
            yield from ((name, sessions[key]) for key, name in named.items() if key in sessions)

    def _write_file(self, name: str, sessions: Iterable[Session], outcome: Outcome) -> None:
        """The file of some sessions, and whatever files a session has besides."""
        entries: list[Entry] = []
        drafts: dict[str, Draft] = {}
        with contextlib.ExitStack() as stack:
            draft = drafts[name] = stack.enter_context(self._folder.draft())
            for session in sessions:
                back = draft.mark()
                with self._unread(session, outcome, back):
                    shown, context = self._shown(session)
                    report = self._write_session(shown, draft, context)
                    drafts |= {page.name: self._drafted(page, stack) for page in self._further(shown, context)}
                    known = {"cost_usd": context.cost_usd, "unpriced_requests": context.unpriced_requests}
                    entries.append(Entry(summary=msgspec.structs.replace(summarize(shown), **known), file=name))
                    outcome.report.add(report)
        self._place(drafts, entries, outcome)

    def _write_session(self, session: Session, draft: Draft, context: WriterContext) -> Report:
        if draft.size and isinstance(self._writer, Joinable):
            draft.write(self._writer.between)
        write = self._writer.write_bytes if isinstance(self._writer, Binary) else self._writer.write
        return write(session, draft.write, self._options, context)

    def _further(self, session: Session, context: WriterContext) -> Iterable[Page]:
        return self._writer.further(session, self._options, context) if isinstance(self._writer, Parted) else ()

    def _drafted(self, page: Page, stack: contextlib.ExitStack) -> Draft:
        draft = stack.enter_context(self._folder.draft())
        for piece in page.pieces:
            draft.write(piece)
        return draft

    def _write_tables(self, writer: Dataset, name: str, sessions: Iterable[Session], outcome: Outcome) -> None:
        """The files of all tables side by side, so that each session is read once and is in all of them or in none."""
        entries: list[Entry] = []
        files = self._files(name)
        with contextlib.ExitStack() as stack:
            drafts = {file: stack.enter_context(self._folder.draft()) for file in files}
            tables = [writer.open(table, drafts[file].write) for table, file in zip(writer.tables, files, strict=True)]
            for session in sessions:
                made: list[tuple[Any, Report]] = []
                with self._unread(session, outcome, made.clear):
                    shown, _ = self._shown(session)
                    made += [table.rows(shown, self._options) for table in tables]
                    entries.append(Entry(summary=summarize(shown), file=files[0]))
                for table, (rows, report) in zip(tables, made, strict=False):
                    table.add(rows)
                    outcome.report.add(report)
            for table in tables:
                table.close()
        self._place(drafts, entries, outcome)

    @contextlib.contextmanager
    def _unread(self, session: Session, outcome: Outcome, back: Callable[[], None]) -> Iterator[None]:
        """Whatever is wrong with a session must not cost the others: it is told, and `back` undoes what there is."""
        try:
            yield
        except (OutputError, OSError):
            raise
        except Exception:  # noqa: BLE001 (it is told)
            back()
            outcome.unread.append(session.key)

    def _files(self, name: str) -> list[str]:
        """The files of sessions that share a name: one, or one a table."""
        return [f"{table}/{name}" for table in self._writer.tables] if isinstance(self._writer, Dataset) else [name]

    def _shown(self, session: Session) -> tuple[Session, WriterContext]:
        """A session as it is written, and what its writer may ask."""
        shown = session if self._redactor is None else self._redactor(session)
        context = msgspec.structs.replace(self._context, family_usage=self._families.get(session.key))
        bill = self._bills.get(session.key)
        if bill is not None:
            context = msgspec.structs.replace(context, cost_usd=bill.usd, unpriced_requests=bill.unpriced)
        return shown, context

    def _place(self, drafts: dict[str, Draft], entries: list[Entry], outcome: Outcome) -> None:
        """Put the files of some sessions in their places: all of them, or none where one must be left alone."""
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
            outcome.left += keys
            return
        for name, draft in drafts.items():
            self._folder.keep(draft, name, self._writer.name, keys)
        outcome.files += drafts

    def _holds_others(self, name: str, keys: tuple[str, ...]) -> bool:
        """Does a file of ours hold a session that this export does not know?"""
        before = self._folder.held(self._writer.name).get(name)
        return before is not None and any(key not in self._context.files and key not in keys for key in before.keys)

    # ------------------------------------------------------------------ after

    def _finish(self, outcome: Outcome) -> set[str]:
        """Write the pages of a site besides the sessions' own. Their names."""
        names: set[str] = set()
        for page in self._writer.finish(outcome.entries, self._context) if isinstance(self._writer, Site) else ():
            names.add(page.name)
            with self._folder.draft() as draft:
                for piece in page.pieces:
                    draft.write(piece)
            if not self._folder.keep(draft, page.name, self._writer.name, page.keys):
                outcome.foreign.append(page.name)
        return names

    def _again(self, jobs: Sequence[Job], outcome: Outcome) -> Iterator[Session]:
        """Every session of the export once more, as it was written."""
        for job in jobs:
            sessions: dict[str, Session] = {}
            with contextlib.suppress(Exception):  # what cannot be read is told
                sessions = {one.key: one if self._redactor is None else self._redactor(one) for one in job.load()}
            known = sessions.keys() | set(outcome.unread)
            outcome.unread += [told.key for told in job.summaries if told.key not in known]
            yield from sessions.values()

    def _tidy(self, names: set[str], pages: set[str], outcome: Outcome) -> None:
        """Take away the files of ours that this export does without, but none with a session that it did not write."""
        written = {entry.summary.key for entry in outcome.entries}
        written -= {*outcome.left, *(self._hidden(key) for key in outcome.unread)}
        kinds = {_NUMBER.sub("", name) for name in pages}
        for name, held in self._folder.held(self._writer.name).items():
            # A page of no session goes where this export wrote others of its kind.
            done = written.issuperset(held.keys) if held.keys else _NUMBER.sub("", name) in kinds
            if done and name not in names | pages:
                self._folder.remove(name)
        self._folder.close()
