"""The redactor for what leaves the library, by the user's settings and a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.system.config import load
from pollux.transforms.redact import RedactionOptions, Redactor, user_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def redactor(settings: Path, home: Path, words: Sequence[str] = (), *, emails: bool = False) -> Redactor:
    """A redactor of secrets, home directories and user names; also of these words, and of e-mail addresses if asked.

    `settings` is the file of the user's settings, `home` the user's home directory.
    """
    wanted = load(settings).redact
    user = user_name()
    return Redactor(
        RedactionOptions(
            words=(*wanted.words, *words),
            emails=emails or wanted.emails,
            home=str(home),
            users=(user,) if user is not None else (),
        )
    )
