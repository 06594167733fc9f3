"""A filter as a term of a query."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"(?!:|//|\\)[^\s\"'(),*?]+")


def filter_term(name: str, value: str) -> str:
    """The term that names a value. A query has no way to write a quotation mark within quotes: it is left out."""
    if _PLAIN.fullmatch(value):
        return f"{name}:{value}"
    return f'{name}:"{value.replace(chr(34), "")}"'
