"""Links from one page of a site to another."""

from __future__ import annotations

from posixpath import dirname, relpath
from urllib.parse import quote

from pollux.writers.base import WriterContext

INDEX = "index.html"


def session_link(context: WriterContext, here: str, there: str) -> str | None:
    """The address of a session's page from that of another; None where they are not part of one site."""
    return between(context.files[here], context.files[there]) if {here, there} <= context.files.keys() else None


def index_link(context: WriterContext, here: str) -> str | None:
    """The address of the index from a session's page."""
    return between(context.files[here], INDEX) if here in context.files else None


def between(here: str, there: str) -> str:
    """The address of one file from another; `./` keeps a name with a colon from being read as a scheme."""
    return f"./{quote(relpath(there, dirname(here) or '.'))}"
