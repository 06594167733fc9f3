"""What a rule is: a few letters that every secret of a kind has, and a pattern that is tried only where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable

from pollux.model import Value

Check = Callable[[re.Match[str]], bool]

START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtfvb]))"
"""Not in the middle of a word, but for `token_…`; `\\n` in a text inside a text is no letter of it."""

_VARIED = 8
_ENOUGH = 120


class Rule(Value, frozen=True, kw_only=True):
    """One kind of secret.

    The pattern is tried at every place of one of the `letters`, or where that begins which ends `before` them. The
    group `secret` is what must not be seen, the whole match where there is none. `any_case` letters are written in
    lower case. A secret that `wraps` is also found where a terminal broke it into lines; one that `grows` has no
    certain length. Whether something is a secret is decided by its first `reach` characters.
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
    """A rule for a key that begins with letters of its own. Both `begins` and `body`, what follows, are expressions.

    `letters` are needed where `begins` is not a plain text.
    """
    pattern = re.compile(f"{START}(?:{begins})(?P<body>{body})(?!{body[body.rindex('[') : body.rindex(']') + 1]})")
    told = letters or (begins.replace("\\", ""),)
    return Rule(
        name=name,
        what=what,
        letters=told,
        pattern=pattern,
        example=example,
        wraps=True,
        grows=body.endswith(",}"),
        reach=250,
        check=varied,
    )


def varied(found: re.Match[str]) -> bool:
    """Is this no row of x's, as in a manual?"""
    start, end = found.span("body")
    return len(set(found.string[start : min(end, start + _ENOUGH)])) >= _VARIED
