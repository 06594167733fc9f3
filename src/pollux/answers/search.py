"""What a search found: `search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.text.escape import one_line
from pollux.text.figures import plural
from pollux.writers.json import marks_document, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pollux.library.library import Hit, SearchResult

_NAMED = 3
"""How many files a sentence names."""


def hits_document(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """`pollux search --json`."""
    return [hit_document(hit) for hit in hits]


def hit_document(hit: Hit) -> dict[str, Any]:
    """A message that was found."""
    return {
        "key": hit.key,
        "short_id": hit.short_id,
        "message_id": hit.message_id,
        "short_message_id": hit.short_message_id,
        "role": hit.role,
        "author": hit.author,
        "kind": hit.kind,
        "at": stamp(hit.at),
        "session_kind": hit.session_kind,
        "project": hit.project,
        "title": hit.title,
        "snippet": hit.snippet,
        "spans": hit.spans,
        "score": hit.score,
        "scattered": hit.scattered,
        "widened": hit.widened,
        "marks": marks_document(hit.marks),
        "message_marks": marks_document(hit.message_marks),
    }


def search_remarks(result: SearchResult, option: str | None = "--exact") -> Iterator[str]:
    """What a person should know of the hits: what was searched for instead of the query, and what may help.

    `option` is what searches for the query alone, where there is such a thing.
    """
    if result.widened:
        changes = [
            f"{one.typed} as {', '.join([*(['words near one another'] if one.near else []), *one.instead])}"
            for one in result.widened
        ]
        advice = f" {option} searches only for what you typed." if option is not None else ""
        yield f"No exact match. Searched for {'; '.join(changes)}.{advice}"
    yield from result.hints


def pending_sentence(pending: int, sessions: int) -> str:
    """How many of all sessions were searched directly."""
    verb, files = ("is", "its files were") if pending == 1 else ("are", "their files were")
    return f"{pending:,} of {plural(sessions, 'session')} {verb} not indexed yet: {files} searched."


def unsearched_sentence(files: Sequence[str]) -> str:
    """The files that changed or vanished before they could be searched."""
    names = ", ".join(files[:_NAMED]) + (", …" if len(files) > _NAMED else "")
    return f"{plural(len(files), 'file')} could not be searched: {one_line(names)}"
