"""Searches many sessions for secrets, on all cores."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pollux.index.catalogue.prefixes import ShortIds
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

    def search(job: Job) -> Secrets:
        missing = {summary.key for summary in job.summaries}
        try:
            sessions = [session for session in job.load() if session.key in missing]
        except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions; it is reported)
            sessions = []
        result = Secrets()
        for session in sessions:
            try:
                result.findings += _named(session, redactor)
                result.sessions += 1
                missing.discard(session.key)
            except Exception:  # noqa: BLE001, S110 (as above: its key stays among the missing)
                pass
        result.unread = sorted(missing)
        return result

    results = dict(map_in_processes(search, jobs, [job.size for job in jobs], Secrets, report))
    total = Secrets()
    for number, job in enumerate(jobs):
        part = results.get(number) or Secrets(unread=[summary.key for summary in job.summaries])
        total.findings += part.findings
        total.sessions += part.sessions
        total.unread += part.unread
    return total


def _named(session: Session, redactor: Redactor) -> list[Finding]:
    """The findings, each with the shortest prefix of its message's id that is unique."""
    findings = list(redactor.findings(session))
    ids = {message.id for message in session.messages} if findings else set()
    short = ShortIds(sorted(ids))
    return [
        msgspec.structs.replace(
            finding, short_message=short.of(finding.message) if finding.message in ids else finding.message
        )
        for finding in findings
    ]
