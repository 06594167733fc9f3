"""`/friction`: where the work did not go smoothly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.answers.friction import friction_document
from pollux.errors import RequestError
from pollux.library.friction.values import FrictionKind
from pollux.text.suggest import did_you_mean
from pollux.web.pages.friction import friction_page
from pollux.web.replies import json_reply, page_reply
from pollux.web.reports.common import entry_of, project_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked

PER_PAGE = 50


def friction(library: Library, asked: Asked) -> Response:
    """The newest cases of all sessions, or those of one. Raises `NotFound` and `RequestError`."""
    kinds, page, key = _kinds(asked), asked.number("page"), asked.get("key")
    entry = None
    if key is not None:
        entry = entry_of(library, key)
        report = library.friction.of(library.session(key), kinds)
        report = replace(report, more=len(report.cases) > page * PER_PAGE, cases=report.cases[: page * PER_PAGE])
    else:
        report = library.friction.newest(asked.filter(library), kinds, page * PER_PAGE)
    report = replace(report, cases=report.cases[(page - 1) * PER_PAGE :])
    if asked.is_json:
        return json_reply(friction_document(report))
    return page_reply(friction_page(asked, report, kinds, entry, project_names(library)))


def _kinds(asked: Asked) -> tuple[FrictionKind, ...]:
    """The kinds that are wanted, between commas."""
    known = [kind.value for kind in FrictionKind]
    words = (asked.get("kind") or ",".join(known)).split(",")
    for word in words:
        if word not in known:
            hint = did_you_mean(word, known, f"It can be {', '.join(known)}.")
            raise RequestError(f"kind cannot be {word[:40]!r}.", hint)
    return tuple(kind for kind in FrictionKind if kind.value in words)
