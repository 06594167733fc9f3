"""Words: they must not get lost, however a reader joins, splits or renames texts."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)"
_TOKEN = re.compile(rf"{_TIME}|\w\w+")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_PLAIN = {'"': '"', "\\": "\\", "/": "/", "b": " ", "f": " ", "n": "\n", "r": "\n", "t": "\t"}
_NESTED = 4
_LONG = 10_000


def words(text: str) -> frozenset[str]:
    """The words of a text (two characters or more) and its times, each time in one normal form."""
    tokens = set(_TOKEN.findall(text))
    times = [token for token in tokens if len(token) >= 20 and token[4] == "-"]
    for token in times:
        tokens.discard(token)
        tokens.add(_moment(token))
    return frozenset(tokens)


def written_words(json: str, *, deep: bool) -> frozenset[str]:
    """The words of a piece of JSON: of its strings and, with `deep`, of JSON inside its strings."""
    return _short(json, deep) if len(json) < _LONG else _long(json, deep)


@lru_cache(maxsize=4_000)
def _short(json: str, deep: bool) -> frozenset[str]:  # noqa: FBT001 (part of the cache's key)
    return _words_in(json, _NESTED if deep else 1)


@lru_cache(maxsize=40)
def _long(json: str, deep: bool) -> frozenset[str]:  # noqa: FBT001 (part of the cache's key)
    return _words_in(json, _NESTED if deep else 1)


def _words_in(json: str, rounds: int) -> frozenset[str]:
    result: frozenset[str] = words(json) if rounds > 1 or "\\" not in json else frozenset()
    text = json
    for _ in range(rounds):
        if "\\" not in text:
            break
        text = _ESCAPE.sub(_unescape, text)
        result |= words(text)
    return result


def _unescape(match: re.Match[str]) -> str:
    code, letter = match.groups()
    return chr(int(code, 16)) if code else _PLAIN[letter]


def _moment(text: str) -> str:
    try:
        return datetime.fromisoformat(text).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return text
