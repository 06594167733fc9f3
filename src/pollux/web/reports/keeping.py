"""`/doctor`: the account of every file; `/archive`: what is kept, and the states of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.answers.archive import history_document, status_document
from pollux.answers.doctor import doctor_document
from pollux.library.doctor import Status
from pollux.web.pages.archive import archive_page, history_page
from pollux.web.pages.doctor import doctor_page
from pollux.web.replies import json_reply, page_reply
from pollux.web.reports.common import entry_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked


def doctor(library: Library, asked: Asked) -> Response:
    """The account of every file, or of those with a status or of an agent. Raises `RequestError` and `UnknownName`."""
    agent, status = asked.get("agent"), asked.word("status", Status, Status.READ) if asked.get("status") else None
    library.homes.require_agent(agent)
    report = library.doctor()
    if asked.is_sample:  # no agent works in the sample, so nothing will be deleted
        report = replace(report, retention=())
    files = tuple(file for file in report.files if agent in (None, file.agent) and status in (None, file.status))
    if asked.is_json:
        return json_reply(doctor_document(replace(report, files=files)))
    return page_reply(doctor_page(asked, report, files))


def archive(library: Library, asked: Asked) -> Response:
    """What is kept, or what became of the files of one session. Raises `NotFound`."""
    key = asked.get("key")
    if key is not None:
        entry = entry_of(library, key)
        changes = library.archive.history(library.session(key))
        if asked.is_json:
            return json_reply(history_document(changes))
        return page_reply(history_page(asked, entry, changes))
    status = library.archive.status()
    if asked.is_sample:
        status = replace(status, folder=None, due=())
    if asked.is_json:
        return json_reply(status_document(status))
    due = {
        entry.summary.key: entry for entry in library.index.entries([key for one in status.due for key in one.sessions])
    }
    kept = [entry for entry in library.list() if entry.summary.kept] if status.kept else []
    return page_reply(archive_page(asked, status, due, kept))
