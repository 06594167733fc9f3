"""What was asked, decided, tried and changed in sessions: `brief`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.answers.search import search_remarks, unsearched_sentence
from pollux.index.search.results import SearchResult
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.library.brief.values import Account, Brief, Line, SessionBrief, Share


def brief_document(brief: Brief) -> dict[str, Any]:
    """`pollux brief --json`."""
    search = brief.search
    return {
        "limit": brief.limit,
        "tokens": brief.tokens,
        "query": search.query if search is not None else None,
        "matched": search.matched if search is not None else None,
        "more": search.more if search is not None else None,
        "widened": bool(search.widened) if search is not None else None,
        "redacted": brief.redacted,
        "sessions": [_session(session) for session in brief.sessions],
        "text": brief.text,
    }


def brief_remarks(brief: Brief) -> Iterator[str]:
    """What a person should know of the search for the sessions."""
    search = brief.search
    if search is not None:
        yield from search_remarks(SearchResult(hits=(), widened=search.widened, hints=search.hints), None)
        if search.unfinished:
            yield unsearched_sentence(search.unfinished)


def _session(session: SessionBrief) -> dict[str, Any]:
    summary = session.summary
    return {
        "key": summary.key,
        "name": session.name,
        "agent": summary.agent,
        "kind": summary.kind,
        "parent": summary.parent,
        "title": summary.title,
        "project": summary.project,
        "started": stamp(summary.started),
        "ended": stamp(summary.ended),
        "models": summary.models,
        "matches": session.matches,
        "tokens": session.tokens,
        "lines": [_line(line) for line in session.lines],
        "account": _account(session.account),
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "section": line.section,
        "what": line.what,
        "text": line.text,
        "note": line.note or None,
        "detail": line.detail or None,
        "citations": line.citations,
        "message_ids": line.message_ids,
        "at": stamp(line.at),
        "fate": line.fate,
        "shortened": line.shortened,
    }


def _account(account: Account) -> dict[str, Any]:
    return {
        "lines": {section: _share(share) for section, share in account.sections.items()},
        "pieces": {kind.replace(" ", "_"): _share(share) for kind, share in account.pieces.items()},
        "shortened": account.shortened,
    }


def _share(share: Share) -> dict[str, int]:
    return {"shown": share.shown, "left_out": share.left_out, "total": share.total}
