"""What the commands about evidence share: reading what is signed, and saying which key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import Unreadable
from pollux.system.files import read_named

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.signing.keys import Keys
    from pollux.signing.subject import Subject


SUFFIX = ".cose"


def places(file: str) -> tuple[Path, Path]:
    """Where the signature of a file may lie: beside it, or here."""
    return Path(f"{file}{SUFFIX}"), Path(f"{Path(file).name}{SUFFIX}")


def bytes_of(path: str) -> bytes:
    """A file as it is."""
    try:
        return read_named(path)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from error


def keys(library: Library) -> Keys:
    """The user's own keys."""
    from pollux.signing.keys import Keys

    return Keys(library.places.keys)


def subject_of(data: bytes, path: str, library: Library) -> Subject:
    """What a file is about: a record, or a session file of an agent."""
    from pollux.registry import knowledge
    from pollux.signing.subject import of_record, of_session
    from pollux.writers.base import about

    found = of_record(data)
    if found is not None:
        return found
    session = library.open(Path(path))
    return of_session(data, Path(path).name, session, about(session, knowledge))
