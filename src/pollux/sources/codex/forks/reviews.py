"""Which session a reviewer worked for, where its own file does not say so (up to 0.135).

The other file tells when a review began and ended. In between, releases from 0.100 on write the turn that stands in the
reviewer's file, too; all of them show the reviewer's prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import dropwhile
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Text
from pollux.sources.codex.forks.chain import Part
from pollux.sources.codex.forks.threads import Shelf, identity
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.format.schema import UserEvent
from pollux.wire import Notes

_BEGINS, _ENDS = ("entered_review_mode", "EnteredReviewMode"), ("exited_review_mode", "ExitedReviewMode")
_MARKS = tuple(kind.encode() for kind in _BEGINS)
# The two files are written by two tasks of one program.
_SLACK = timedelta(seconds=5)
_NEVER = datetime.max.replace(tzinfo=UTC) - _SLACK


class Review(msgspec.Struct):
    """A review in the file of the session that asked for it: when it was, its turns, and what was asked."""

    began: datetime
    ended: datetime = _NEVER
    turns: set[str] = msgspec.field(default_factory=set)
    prompts: set[str] = msgspec.field(default_factory=set)


def asked_by(reviewer: Part, shelf: Shelf) -> tuple[str, str] | None:
    """The session that asked for a review, and how we know; None where no file tells."""
    begun = reviewer.started
    if begun is None:
        return None
    turns = {turn for _, turn in reviewer.books.turns}
    prompts = {words_of(entry.parts) for entry in reviewer.walk.entries if entry.sure}
    found: list[tuple[datetime, str]] = []
    for file in shelf.around(reviewer.file, begun):
        if (name := identity(file.path)) is None:
            continue
        for review in _reviews(file.path):
            if review.turns & turns:
                return name, "its turn stands there in a review"
            is_then = review.began - _SLACK <= begun <= review.ended + _SLACK
            if is_then and not review.turns and review.prompts & prompts:
                found.append((review.began, name))
    return (max(found)[1], "its prompt is shown there in a review") if found else None


def _reviews(path: str) -> list[Review]:
    """The reviews in a file."""
    found: list[Review] = []
    review: Review | None = None
    try:
        with unpacked(path, Notes()) as file:
            for _, record in records(_from_first_mark(file), Notes()):
                told, at = _told(record.payload), record.timestamp
                kind = told.get("type")
                if kind in _BEGINS and at is not None:
                    review = Review(at, prompts=_asked(told))
                    found.append(review)
                elif review is None:
                    continue
                elif kind in _ENDS:
                    review.ended, review = at or _NEVER, None
                elif kind == "UserMessage":
                    review.prompts |= _asked(told)
                elif kind in ("task_started", "turn_started") and type(turn := told.get("turn_id")) is str:
                    review.turns.add(turn)
    except Unreadable:
        pass
    return found


def _from_first_mark(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines from the first one on that tells of a review."""
    return dropwhile(lambda line: not any(mark in line for mark in _MARKS), lines)


def _told(payload: Any) -> dict[str, Any]:
    """An event as the newer releases write it."""
    if type(payload) is UserEvent:
        return {"type": "UserMessage", "content": [{"text": payload.message}]}
    if type(payload) is not dict:
        return {}
    return item if type(item := payload.get("item")) is dict else payload


def _asked(told: dict[str, Any]) -> set[str]:
    """What a reviewer was asked, in words without white space."""
    target, content = told.get("target"), told.get("content")
    texts = [told.get("prompt"), target.get("instructions") if type(target) is dict else None]
    texts += [piece.get("text") for piece in content if type(piece) is dict] if type(content) is list else []
    return {words_of([Text(text=text)]) for text in texts if type(text) is str} - {""}
