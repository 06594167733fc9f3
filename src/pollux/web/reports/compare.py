"""`/compare/A/B`: two sessions side by side; `/compare`: which ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.answers.compare import comparison_document
from pollux.errors import NotFound, RequestError
from pollux.library.filters import filter_of
from pollux.web.pages.compare import choose_page, comparison_page
from pollux.web.replies import json_reply, page_reply
from pollux.web.reports.common import entry_of

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.web.reports.asked import Asked

CHOICES = 50
"""Sessions to choose from."""


def compare(library: Library, asked: Asked) -> Response:
    """Two sessions. Raises `NotFound`, and `RequestError` where both are the same."""
    named = asked.named["keys"]
    keys = _keys(library, f"{named}.json") if asked.is_json else None
    if keys is not None:  # an id may itself end like a twin
        asked = asked._replace(is_json=False, path=f"{asked.path}.json")
    else:
        keys = _keys(library, named)
    if keys is None:
        raise NotFound("No two sessions have these keys.", "The address is /compare/KEY/KEY, with whole keys.")
    first, second = keys
    comparison = library.compare.sessions(library.session(first), library.session(second))
    if asked.is_json:
        return json_reply(comparison_document(comparison))
    return page_reply(comparison_page(asked, comparison))


def choose(library: Library, asked: Asked) -> Response:
    """The sessions that one can be compared with: those of its project first. Raises `NotFound` and `RequestError`."""
    if asked.is_json:
        raise RequestError("Which sessions?", "Their keys belong into the address: /compare/KEY/KEY.json")
    key, words = asked.get("key"), asked.get("q")
    first = entry_of(library, key) if key is not None else None
    wanted = filter_of(words=words.split() if words else (), everything=False)
    entries = library.list(wanted, limit=CHOICES)
    if first is not None and words is None and first.summary.project:
        near = library.list(filter_of(project=first.summary.project, everything=False), limit=CHOICES)
        known = {entry.summary.key for entry in near}
        entries = [*near, *(entry for entry in entries if entry.summary.key not in known)][:CHOICES]
    return page_reply(choose_page(asked, first, entries, words))


def _keys(library: Library, path: str) -> tuple[str, str] | None:
    """The two keys in an address, if there are such sessions. A key may itself have a slash."""
    pieces = path.split("/")
    for place in range(1, len(pieces)):
        first, second = "/".join(pieces[:place]), "/".join(pieces[place:])
        if {entry.summary.key for entry in library.index.entries([first, second])} == {first, second}:
            return first, second
    return None
