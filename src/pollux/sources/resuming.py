"""What an agent's own files must be so that it can go on with a session of which only pieces are left."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.model import Value


class Form(Value, frozen=True, kw_only=True):
    """One content that a file had, or that a copy of it has: its way from the agent's folder, and its bytes."""

    path: str
    content: bytes


class Resumable(Value, frozen=True, kw_only=True):
    """A file as the agent would have it, and the files whose records it is made of; none where it is only beside them.

    `made` says what of it no record holds word for word, and whence that is.
    """

    path: str
    content: bytes
    sources: tuple[str, ...] = ()
    made: str | None = None


def sources(forms: Iterable[Form]) -> tuple[str, ...]:
    """The files that some forms are of."""
    return tuple(dict.fromkeys(form.path for form in forms))


def fullest(forms: Iterable[Form]) -> dict[str, bytes]:
    """The largest form of each file: what is only beside a session is never joined."""
    best: dict[str, bytes] = {}
    for form in forms:
        if len(form.content) >= len(best.get(form.path, b"")):
            best[form.path] = form.content
    return best
