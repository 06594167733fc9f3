"""What a search found: `search`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.writers.json import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.library.library import Hit, SearchResult


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
    }


def search_remarks(result: SearchResult) -> Iterator[str]:
    """What a person should know of the hits: what was searched for instead of the query, and what may help."""
    if result.widened:
        changes = [
            f"{one.typed} as {', '.join([*(['words near one another'] if one.near else []), *one.instead])}"
            for one in result.widened
        ]
        yield f"Nothing holds exactly that. Looked for {'; '.join(changes)}. --exact looks for what you typed only."
    yield from result.hints
