"""A query while it is being typed, as every view understands it."""

from __future__ import annotations

import re

_BEGUN = re.compile(r"(?:^|\s+)[^\W\u0590-\U0010ffff]$")
"""The first letter of a word, in a script whose words have several: in others, one letter may be a whole word."""

_UNFINISHED = re.compile(r"(?:^|\s)\w{2,}$")


def query_while_typing(text: str) -> str:
    """The query: the word that is being typed is a beginning, and its first letter alone is none yet."""
    words = text.strip()
    if text != text.rstrip():
        return words
    return f"{words}*" if _UNFINISHED.search(words) else _BEGUN.sub("", words)
