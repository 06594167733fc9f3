"""The redactor for a library, by the user's settings and a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.system.config import load
from pollux.transforms.redact import RedactionOptions, Redactor, user_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.library.library import Library


def redactor(library: Library, words: Sequence[str] = (), *, emails: bool = False) -> Redactor:
    """A redactor of secrets, home directories and user names; also of these words, and of e-mail addresses if asked."""
    settings = load(library.settings_file).redact
    user = user_name()
    return Redactor(
        RedactionOptions(
            words=(*settings.words, *words),
            emails=emails or settings.emails,
            home=str(library.user_home),
            users=(user,) if user is not None else (),
        )
    )
