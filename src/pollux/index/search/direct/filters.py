"""The filters of a query, compared with the facts of a session and of its passages themselves.

They match the same values as in the index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pollux.index.search.compile import KNOWN_VALUES, file_patterns, value_matches
from pollux.index.search.fields import microseconds, path_tokens
from pollux.index.search.passages import Facts, PassageKind, Piece
from pollux.index.search.patterns import regex
from pollux.index.search.prepare.prepare_text import normalize_name
from pollux.index.search.query import ABOUT, PLACES, FieldFilter, Marked
from pollux.model import Fate, Message
from pollux.text.folding import fold


class PassageFacts(NamedTuple):
    """The facts of a passage that filters ask for. A title has neither message nor piece."""

    kind: PassageKind
    at: datetime | None
    model: str | None
    message: Message | None = None
    piece: Piece | None = None


PassageTest = Callable[[PassageFacts], bool]
SessionTruth = bool | frozenset[int]
"""Does a session match a filter? Where only some of its messages do: their places."""
SessionTest = Callable[[Facts, int], SessionTruth]
"""The test of a session with these facts and this number."""


def session_test(only: FieldFilter) -> SessionTest | None:
    """The test of a filter that asks for the whole session; None for other filters."""
    name, value = only.name, only.value
    if isinstance(value, Marked):
        return lambda _, number: _marked(value, number)
    if not isinstance(value, str):
        return None
    typed = _typed(value)
    if name == "agent":
        return lambda facts, _: facts.agent == fold(typed)
    if name == "kind":
        return lambda facts, _: facts.kind == typed
    if name == "project":
        return lambda facts, _: any(value_matches(name, typed, term) for term in _projects(facts))
    if name in ABOUT:
        return lambda facts, _: any(value_matches(name, typed, _term(value)) for value in facts.others.get(name, ()))
    return None


def _marked(marked: Marked, number: int) -> SessionTruth:
    messages = marked.places.get(number, frozenset())
    return True if messages is None else messages or False


def passage_test(only: FieldFilter) -> PassageTest:  # noqa: PLR0911 (one for each filter)
    """The test of a filter that asks for a passage."""
    name, value = only.name, only.value
    if isinstance(value, datetime):
        return _time(name, value)
    if isinstance(value, bool):
        return lambda facts: facts.piece is not None and facts.piece.failed is value
    assert isinstance(value, str)  # noqa: S101 (marks are asked of the session)
    typed = _typed(value)
    match name:
        case "in":
            kinds = frozenset(PLACES[typed])
            return lambda facts: facts.kind in kinds
        case "file":
            return _file(typed)
        case "model":
            matches = _known("model", typed)
            return lambda facts: bool(facts.model) and matches(facts.model)
        case "tool":
            matches = _known("tool", typed)
            return lambda facts: facts.piece is not None and any(map(matches, facts.piece.tools))
        case "role":
            return lambda facts: facts.message is not None and facts.message.role == fold(typed)
        case "fate":
            return lambda facts: (Fate.LIVE if facts.message is None else facts.message.fate) == fold(typed)
        case "exit":
            return lambda facts: facts.piece is not None and _exit_code(facts.piece) == fold(typed)
        case _:
            raise AssertionError(name)


def _exit_code(piece: Piece) -> str | None:
    return None if piece.exit_code is None else str(piece.exit_code)


def _typed(value: str) -> str:
    return normalize_name(value).replace("\0", "")


def _term(value: str) -> str:
    """A value as the index has it."""
    return fold(normalize_name(value))


def _projects(facts: Facts) -> Iterable[str]:
    if facts.project:
        yield normalize_name(facts.project)
    if facts.project_hash:
        yield f"#{facts.project_hash}"


def _known(name: str, typed: str) -> Callable[[str | None], bool]:
    """Does a value match what was typed? Few different values occur, so each is compared once."""
    assert name in KNOWN_VALUES  # noqa: S101

    @lru_cache(maxsize=1 << 12)
    def matches(value: str | None) -> bool:
        return value is not None and value_matches(name, typed, _term(value))

    return matches


def _time(name: str, moment: datetime) -> PassageTest:
    limit = microseconds(moment)
    if name == "since":
        return lambda facts: facts.at is not None and microseconds(facts.at) >= limit
    if name == "until":
        return lambda facts: facts.at is not None and microseconds(facts.at) <= limit
    return lambda facts: facts.at is not None and microseconds(facts.at) < limit


Match = Callable[[str], object]
_PLAIN = re.compile(r"[\w.~+-]+", re.ASCII)
"""A part of a path that is no pattern, and is compared letter by letter."""


def _file(typed: str) -> PassageTest:
    """Paths with folders and names in rows. See `file_patterns`."""
    fits = _paths_test(typed)

    def test(facts: PassageFacts) -> bool:
        files = facts.piece.files if facts.piece is not None else ()
        return bool(files) and fits(files)

    return test


def path_test(typed: str) -> Callable[[str], bool]:
    """Does a path match what was typed, as in `file:`? Most paths lack a part of it, which is soon seen."""
    fits = _paths_test(typed)
    plain = [globs[0] for row in file_patterns(typed) for globs in row if _PLAIN.fullmatch(globs[0])]

    def test(path: str) -> bool:
        if path.isascii() and any(part not in path.lower() for part in plain):
            return False
        return fits((path,))

    return test


def _paths_test(typed: str) -> Callable[[Sequence[str]], bool]:
    """The test of the paths of one passage."""
    rows = [[_part(globs) for globs in row] for row in file_patterns(typed)]
    tokens = lru_cache(maxsize=1 << 12)(path_tokens)

    def fits(paths: Sequence[str]) -> bool:
        parts: list[str | None] = []
        for path in paths:  # the index leaves one place free between two paths
            parts += [*([None] if parts else []), *tokens(path)]
        return all(_has_row(parts, row) for row in rows)

    return fits


def _part(globs: Sequence[str]) -> Match | None:
    """The test of one part of a path; None for any part."""
    return None if list(globs) == ["*"] else re.compile(regex(globs), re.DOTALL).fullmatch


def _has_row(parts: Sequence[str | None], row: Sequence[Match | None]) -> bool:
    """Stand parts that match somewhere in a row? A `*` between two others stands for anything, even a free place."""
    last = len(row) - 1
    return any(
        all(
            (match is None and 0 < place < last)
            or ((part := parts[start + place]) is not None and (match is None or bool(match(part))))
            for place, match in enumerate(row)
        )
        for start in range(len(parts) - last)
    )
