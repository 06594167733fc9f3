"""Searches many sessions for secrets, on all cores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pollux.index.catalog.prefixes import ShortIds
from pollux.library.jobs import Job
from pollux.model import Session
from pollux.system.parallel import map_in_processes
from pollux.system.progress import Report
from pollux.transforms.redact import Finding, Redactor


class Secrets(msgspec.Struct):
    """The findings, how many sessions were searched, and the keys of those that could not be read."""

    findings: list[Finding] = []
    sessions: int = 0
    unread: list[str] = []


def secrets(jobs: Sequence[Job], redactor: Redactor, report: Report = lambda _: None) -> Secrets:
    """The secrets of all these sessions, in the order of the jobs. `report` hears how far it is."""

    def look(job: Job) -> Secrets:
        wanted = {summary.key for summary in job.summaries}
        try:
            sessions = [session for session in job.load() if session.key in wanted]
        except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions; it is reported)
            sessions = []
        result = Secrets()
        for session in sessions:
            try:
                result.findings += _named(session, redactor)
                result.sessions += 1
                wanted.discard(session.key)
            except Exception:  # noqa: BLE001, S110 (as above: its key stays among the wanted)
                pass
        result.unread = sorted(wanted)
        return result

    results = dict(map_in_processes(look, jobs, [job.size for job in jobs], Secrets, report))
    every = Secrets()
    for number, job in enumerate(jobs):
        part = results.get(number) or Secrets(unread=[summary.key for summary in job.summaries])
        every.findings += part.findings
        every.sessions += part.sessions
        every.unread += part.unread
    return every


def _named(session: Session, redactor: Redactor) -> list[Finding]:
    """The findings, each with the beginning of its message's id that suffices."""
    findings = list(redactor.findings(session))
    ids = {message.id for message in session.messages} if findings else set()
    short = ShortIds(sorted(ids))
    return [
        msgspec.structs.replace(
            finding, short_message=short.of(finding.message) if finding.message in ids else finding.message
        )
        for finding in findings
    ]
