"""A rule: the letters that every secret of a kind has, and a pattern that is tried only where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from pollux.model import Value

Check = Callable[[re.Match[str]], bool]

START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtfvb]))"
"""Not in the middle of a word, except after `_`. An escaped `\\n` before the secret is not part of a word."""

_VARIED = 8
_ENOUGH = 120


class Rule(Value, frozen=True, kw_only=True):
    """One kind of secret.

    The pattern is tried at every place of one of the `letters`, or at the beginning of a match of `before` that ends
    there. The group `secret`, or else the whole match, is the secret. With `any_case` the `letters` are in lower case.
    A secret that `wraps` is also found where a terminal broke it into lines. A secret that `grows` has no fixed length.
    The first `reach` characters decide whether a text is a secret.
    """

    name: str
    what: str
    letters: tuple[str, ...]
    pattern: re.Pattern[str]
    example: str
    any_case: bool = False
    before: re.Pattern[str] | None = None
    wraps: bool = False
    grows: bool = False
    reach: int = 600
    check: Check | None = None


def token(  # noqa: PLR0913 (a row of the table)
    name: str, what: str, begins: str, body: str, example: str, *, letters: tuple[str, ...] = ()
) -> Rule:
    """A rule for a key with letters of its own. `begins` and `body`, the rest, are regular expressions.

    `letters` are needed where `begins` is not a plain text.
    """
    pattern = re.compile(f"{START}(?:{begins})(?P<body>{body})(?!{body[body.rindex('[') : body.rindex(']') + 1]})")
    roots = letters or (begins.replace("\\", ""),)
    return Rule(
        name=name,
        what=what,
        letters=roots,
        pattern=pattern,
        example=example,
        wraps=True,
        grows=body.endswith(",}"),
        reach=250,
        check=is_varied,
    )


def is_varied(match: re.Match[str]) -> bool:
    """Does the key have many different characters, unlike a row of x's in a manual?"""
    start, end = match.span("body")
    return len(set(match.string[start : min(end, start + _ENOUGH)])) >= _VARIED
