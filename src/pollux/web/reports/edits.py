"""`/edits`: the files that agents changed; `/file`: the history of one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.answers.edits import edits_document
from pollux.errors import RequestError
from pollux.web.pages.edits import edits_page, file_page
from pollux.web.replies import json_reply, page_reply
from pollux.web.reports.common import entry_of, project_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.responses import Response

    from pollux.library.edits.values import EditList
    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked
    from pollux.writers.changed_files import Difference

PER_PAGE = 25
"""Edits: for each, its session is read."""


def edits(library: Library, asked: Asked) -> Response:
    """The newest edits of all sessions, or of one. Raises `NotFound` and `RequestError`."""
    key = asked.get("key")
    entry = entry_of(library, key) if key is not None else None
    found, differences = _found(library, asked, asked.get("path"), key)
    if asked.is_json:
        return json_reply(edits_document(found, differences))
    return page_reply(edits_page(asked, found, differences, project_names(library), entry))


def file(library: Library, asked: Asked) -> Response:
    """One file through all agents. Raises `RequestError`."""
    path = asked.get("path")
    if path is None:
        raise RequestError("Which file?", "Its path belongs into the address: /file?path=src/parser.py")
    found, differences = _found(library, asked, path)
    if asked.is_json:
        return json_reply(edits_document(found, differences))
    return page_reply(file_page(asked, found, differences, path))


def _found(
    library: Library, asked: Asked, path: str | None, key: str | None = None
) -> tuple[EditList, Sequence[Difference | None] | None]:
    """The edits of a page, and what changed with each, unless only names are wanted."""
    page = asked.number("page")
    found = library.edits.newest(asked.filter(library), path, page * PER_PAGE, key=key)
    shown = replace(found, edits=found.edits[(page - 1) * PER_PAGE :])
    return shown, None if asked.get("diff") == "no" else library.edits.differences(shown.edits)
