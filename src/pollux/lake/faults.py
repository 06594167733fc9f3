"""What a store, a table or an engine says when it fails, as a sentence of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pollux.errors import PolluxError

HINT = "Name a folder, s3://bucket/path, gs://bucket/path or az://container/path."
RIGHTS = "docs/lake.md has the rights that each role needs."
AGAIN = "What was done is kept: the same command goes on from there."

_MISSING_RIGHTS = re.compile(
    "Permission ?denied|lacked the necessary privileges|lacked valid authentication|AccessDenied|InvalidAccessKeyId|"
    "SignatureDoesNotMatch|40[13] (Forbidden|Unauthorized)",
    re.IGNORECASE,
)
_NO_PLACE = re.compile("NoSuchBucket|ContainerNotFound|404 Not Found")
_DRAWN = re.compile("\x1b\\[\\d+m|↳")
_TRACE = re.compile(r"(\d+: |at |Backtrace|stack backtrace)", re.IGNORECASE)
"""How lines begin that tell where in a library something failed."""
_LONGEST = 200


@contextmanager
def explained(what: str, kind: type[PolluxError], theirs: type[Exception]) -> Iterator[None]:
    """Raise an error of ours for one of `theirs`. `what` says what could not be done."""
    try:
        yield
    except (theirs, OSError, ValueError) as error:
        raise _explained(what, kind, error) from error


def _explained(what: str, kind: type[PolluxError], error: Exception) -> PolluxError:
    said = str(error)
    if isinstance(error, PermissionError) or _MISSING_RIGHTS.search(said):
        return kind(f"{what}: the rights are missing.", RIGHTS)
    if isinstance(error, FileNotFoundError) or _NO_PLACE.search(said):
        return kind(f"{what}: there is no such place.", HINT)
    return kind(f"{what}: {reason(error)}.", AGAIN)


def reason(error: Exception) -> str:
    """What failed, and the last cause of it, in the words of who failed."""
    lines = [_DRAWN.sub("", text).strip(" .:?!") for text in str(error).splitlines()]
    lines = [line for line in lines if line and not _TRACE.match(line)]
    return ": ".join(map(_short, dict.fromkeys([*lines[:1], *lines[-1:]]))) or type(error).__name__


def _short(line: str) -> str:
    """A line without its middle, where it is long: what failed stands first, and why at the end."""
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} … {line[-half:]}"
