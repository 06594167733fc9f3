"""Pushes sessions to a lake, or tells what would be pushed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property

import msgspec
from msgspec.structs import replace

from pollux.errors import NotFound, StoreError, UnknownName
from pollux.lake.documents import Document
from pollux.lake.journal import Journal
from pollux.lake.permissions import Permissions
from pollux.lake.plan import Plan, Planner, ids_in
from pollux.lake.prepare import Planned, Prepared, Preparer
from pollux.lake.send import PushOutcome, Sender
from pollux.lake.settings import Machine, PushSettings, this_machine
from pollux.lake.store import check_is_lake, lake_name
from pollux.library.jobs import Job
from pollux.library.library import Filter, Library
from pollux.library.redaction import redactor
from pollux.system.directories import Places
from pollux.system.files import make_private_folder
from pollux.system.locks import WriteLock, write_lock
from pollux.system.parallel import map_in_processes
from pollux.system.progress import Progress, Report
from pollux.transforms.redact import RedactionOptions, Redactor


class Preview(msgspec.Struct, kw_only=True):
    """What a push would send, to the byte."""

    lake: str | None
    person: str
    machine: str
    held: Mapping[str, int]
    sessions: list[Prepared] = []
    unread: list[str] = []


class _Result(msgspec.Struct):
    prepared: list[Prepared] = []
    unread: list[str] = []


class Pusher:
    """Pushes what the user allows, from this machine, as one person. Raises `NotFound` where nothing is allowed."""

    def __init__(self, library: Library, places: Places, settings: PushSettings) -> None:
        self._library = library
        self._settings = settings
        self._places = places
        self._journal = Journal(self._places.lake)
        self._permissions = Permissions(places.lake).all()
        if not self._permissions:
            raise NotFound("Nothing may be pushed yet.", "Try: pollux lake allow ~/code/shop")

    @cached_property
    def _machine(self) -> Machine:
        return this_machine(self._places)

    def preview(self, report: Report = lambda _: None, *, again: bool = False) -> Preview:
        """What a push would send. Nothing is sent, and nothing is asked of the lake."""
        url = self._settings.url
        plan, preparer = self._prepare(lake_name(url) if url is not None else "", again=again)
        preview = Preview(lake=url, person=self._settings.person, machine=self._machine.id, held=plan.held)
        for result in self._results(plan, preparer, report, data=False):
            preview.sessions += [one for one in result.prepared if one.is_new or again]
            preview.unread += result.unread
        preview.sessions.sort(key=lambda one: one.entry.seq)
        preview.unread.sort()
        return preview

    def document(self, key: str) -> Document:
        """The document of one session, as a push would send it. Raises `UnknownName` where it would send none."""
        url = self._settings.url
        plan, preparer = self._prepare(lake_name(url) if url is not None else "", again=True)
        session = self._library.session(key)
        planned = next((one for one in plan.sessions if one.key == session.key), None)
        if planned is None:
            raise UnknownName("session that may be pushed", key, hint="pollux lake status tells what is allowed.")
        return preparer.document(session, planned)[0]

    def push(self, report: Report = lambda _: None, *, again: bool = False) -> PushOutcome:
        """Push what is new. A connection is made only if there is something. Raises `OutputError`."""
        url = self._settings.require_url()
        check_is_lake(url)
        lake = lake_name(url)
        with ExitStack() as stack:
            lock = self._lock(stack, report)

            def tell(progress: Progress) -> None:
                lock.report(progress)
                report(progress)

            plan, preparer = self._prepare(lake, again=again)
            outcome = PushOutcome(lake=url, person=self._settings.person, machine=self._machine.id, held=plan.held)
            sender = stack.enter_context(Sender(url, self._journal, outcome))
            for result in self._results(plan, preparer, tell):
                outcome.unread += result.unread
                for prepared in result.prepared:
                    if prepared.is_new or again:
                        sender.send(prepared)
                    else:
                        self._journal.write(lake, [prepared.entry])
            sender.finish()
            outcome.unread.sort()
        return outcome

    def _lock(self, stack: ExitStack, report: Report) -> WriteLock:
        """The right to push, which one process has at a time. Raises `StoreError`."""
        folder = self._places.lake
        try:
            make_private_folder(folder)
            lock = stack.enter_context(write_lock(folder / "lock", report))
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {error.strerror}.") from error
        if lock is None:
            raise StoreError("Another pollux is pushing, and makes no progress.", "Try again when it has ended.")
        return lock

    def _prepare(self, lake: str, *, again: bool) -> tuple[Plan, Preparer]:
        """The plan, and who makes its documents."""
        person, new_redactor = self._settings.person, self._new_redactor
        names = Preparer(person, self._machine, new_redactor)
        journal, seq = self._journal.entries(lake), self._journal.next_seq()
        plan = Planner(self._library, self._settings, self._permissions, names.lake_id).plan(journal, seq, again=again)
        self._journal.close()  # processes are forked, and a database does not like that
        return plan, Preparer(person, self._machine, new_redactor, ids_in(plan, journal))

    @cached_property
    def _private(self) -> RedactionOptions:
        return redactor(self._places.settings, self._places.home).private

    def _new_redactor(self) -> Redactor:
        """A redactor by the user's settings. Each session gets its own, so that its document is always the same."""
        return Redactor(self._private)

    def _results(self, plan: Plan, preparer: Preparer, report: Report, *, data: bool = True) -> Iterator[_Result]:
        """The documents of a plan, made on all cores."""
        wanted = {planned.key: planned for planned in plan.sessions}
        jobs = _jobs(self._library, wanted) if wanted else []

        def prepare(job: Job) -> _Result:
            result = _Result(unread=[summary.key for summary in job.summaries])
            try:
                sessions = {session.key: session for session in job.load()}
            except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions; it is reported)
                return result
            for key in list(result.unread):
                try:
                    result.prepared.append(preparer.prepare(sessions[key], wanted[key], data=data))
                    result.unread.remove(key)
                except Exception:  # noqa: BLE001, S112 (as above: its key stays among the unread)
                    continue
            return result

        for number, result in map_in_processes(prepare, jobs, [job.size for job in jobs], _Result, report):
            yield result or _Result(unread=[summary.key for summary in jobs[number].summaries])
        found = {summary.key for job in jobs for summary in job.summaries}
        if missing := sorted(wanted.keys() - found):
            yield _Result(unread=missing)


def _jobs(library: Library, wanted: dict[str, Planned]) -> list[Job]:
    """The jobs that read the wanted sessions."""
    every = library.jobs(Filter(everything=True))
    chosen = (replace(job, summaries=tuple(s for s in job.summaries if s.key in wanted)) for job in every)
    return [job for job in chosen if job.summaries]
