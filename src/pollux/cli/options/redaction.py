"""The options of redaction, the same for every command that has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.transforms.redact import Redactor

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def private(function: Decorated) -> Decorated:
    """Add `--redact-word` and `--redact-emails`."""
    words = click.option(
        "--redact-word",
        "words",
        metavar="WORD",
        multiple=True,
        help="Also this word or name, however it is written. May be given more than once.",
    )
    emails = click.option("--redact-emails", "emails", is_flag=True, help="Also e-mail addresses.")
    return words(emails(function))


def redactor(library: Library, words: tuple[str, ...], *, emails: bool) -> Redactor:
    """The redactor that the options and the settings ask for. Raises `RequestError`."""
    from pollux.library import redaction

    if not all(words):
        raise RequestError("No word is empty.", "Leave out --redact-word, or name one.")
    return redaction.redactor(library.settings_file, library.user_home, words, emails=emails)
