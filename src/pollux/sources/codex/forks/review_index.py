"""The reviews in the files of a home. Each file is read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import dropwhile
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Text
from pollux.sources.base import File
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.content import words_of
from pollux.sources.codex.format.lines import records
from pollux.sources.codex.format.schema import UserEvent
from pollux.wire import Notes

_BEGINS, _ENDS = ("entered_review_mode", "EnteredReviewMode"), ("exited_review_mode", "ExitedReviewMode")
_MARKS = tuple(kind.encode() for kind in _BEGINS)
# Two tasks of one program write the two files, so their times differ a little.
SLACK = timedelta(seconds=5)
_NEVER = datetime.max.replace(tzinfo=UTC) - SLACK


class Review(msgspec.Struct):
    """A review in the file of the session that asked for it: its times, its turns, and its prompts."""

    path: str
    began: datetime
    session: str = ""
    ended: datetime = _NEVER
    turns: set[str] = msgspec.field(default_factory=set)
    prompts: set[str] = msgspec.field(default_factory=set)


class Reviews:
    """The reviews of all files that were asked for so far, by their turns and by their prompts.

    `name` gives the session of a file. Reviews in a file without a session are ignored.
    """

    def __init__(self, name: Callable[[str], str | None]) -> None:
        self._name = name
        self._read: set[str] = set()
        self._by_turn: dict[str, list[Review]] = {}
        self._by_prompt: dict[str, list[Review]] = {}

    def add(self, files: Iterable[File]) -> None:
        """Read the files that were not read yet."""
        for file in files:
            if file.path not in self._read:
                self._read.add(file.path)
                reviews = _reviews(file.path)
                session = self._name(file.path) if reviews else None
                for review in reviews if session is not None else ():
                    review.session = session or ""
                    self._enter(review)

    def with_turn(self, turns: Iterable[str]) -> Iterator[Review]:
        """The reviews that contain one of these turns."""
        return (review for turn in turns for review in self._by_turn.get(turn, ()))

    def with_prompt(self, prompts: Iterable[str]) -> Iterator[Review]:
        """The reviews without turns that show one of these prompts."""
        return (review for prompt in prompts for review in self._by_prompt.get(prompt, ()))

    def _enter(self, review: Review) -> None:
        for turn in review.turns:
            self._by_turn.setdefault(turn, []).append(review)
        for prompt in review.prompts if not review.turns else ():
            self._by_prompt.setdefault(prompt, []).append(review)


def _reviews(path: str) -> list[Review]:
    """The reviews in a file."""
    reviews: list[Review] = []
    review: Review | None = None
    try:
        with unpacked(path, Notes()) as file:
            for _, record in records(_from_first_mark(file), Notes()):
                event, at = _event(record.payload), record.timestamp
                kind = event.get("type")
                if kind in _BEGINS and at is not None:
                    review = Review(path, at, prompts=_prompts(event))
                    reviews.append(review)
                elif review is None:
                    continue
                elif kind in _ENDS:
                    review.ended, review = at or _NEVER, None
                elif kind == "UserMessage":
                    review.prompts |= _prompts(event)
                elif kind in ("task_started", "turn_started") and type(turn := event.get("turn_id")) is str:
                    review.turns.add(turn)
    except Unreadable:
        pass
    return reviews


def _from_first_mark(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines from the first mark of a review on."""
    return dropwhile(lambda line: not any(mark in line for mark in _MARKS), lines)


def _event(payload: Any) -> dict[str, Any]:
    """An event as the newer releases write it."""
    if type(payload) is UserEvent:
        return {"type": "UserMessage", "content": [{"text": payload.message}]}
    if type(payload) is not dict:
        return {}
    return item if type(item := payload.get("item")) is dict else payload


def _prompts(event: dict[str, Any]) -> set[str]:
    """The prompts of a reviewer, without white space."""
    target, content = event.get("target"), event.get("content")
    texts = [event.get("prompt"), target.get("instructions") if type(target) is dict else None]
    texts += [piece.get("text") for piece in content if type(piece) is dict] if type(content) is list else []
    return {words_of([Text(text=text)]) for text in texts if type(text) is str} - {""}
