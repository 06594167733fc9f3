"""Errors and remarks, which go to the standard error."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from pollux.errors import BadQuery, CannotResume, PolluxError, RequestError
from pollux.text.escape import visible
from pollux.text.figures import plural, tilde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.library.library import Library


def error_document(error: PolluxError) -> dict[str, Any]:
    """What any command says with `--json` where it fails."""
    hint = visible(error.hint) if error.hint is not None else None
    if isinstance(error, BadQuery):
        return {"error": visible(error.sentence), "hint": hint, "place": error.place}
    if isinstance(error, CannotResume):
        return {"error": visible(str(error)), "hint": hint, "reason": error.reason}
    return {"error": visible(str(error)), "hint": hint}


def warning_document(sentence: str, **fields: Any) -> dict[str, Any]:
    """A remark that is no error, with what a program may want to know of it."""
    return {"warning": sentence, **fields}


def early_sentence(unread_files: int) -> str:
    """What an early answer did not wait for."""
    verb = "is" if unread_files == 1 else "are"
    files = plural(unread_files, "older file")
    return f"{files} {verb} not read yet. Until then, some projects and all sums with sub-agents are not known."


def remarks(library: Library, *, gaps: bool = True) -> Iterator[str]:
    """Why the answers of a library lack something or were slow, in sentences; `gaps` are files that were not read."""
    index = library.index
    unread = gaps_sentence(library) if gaps else None
    for problem in (settings_problem(library), index.cache_problem, index.problem, unread):
        if problem:
            yield problem


def settings_problem(library: Library) -> str | None:
    """What is wrong with the user's settings, which a command that does not need them would not find out."""
    if not os.path.lexists(library.settings_file):
        return None
    from pollux.system.config import load

    try:
        load(library.settings_file)
    except RequestError as error:
        return str(error)
    return None


def gaps_sentence(library: Library) -> str | None:
    """What could not be read, and so is in no answer."""
    unread = library.index.unread() if library.index.is_ready else 0
    if not (library.index.unreadable_paths or unread):
        return None
    places = [tilde(path, str(library.user_home)) for path in library.index.unreadable_paths]
    if len(places) > 1:
        places = [f"{plural(len(places), 'place')} in the agents' folders"]
    if unread:
        places.append(plural(unread, "session"))
    what = " and ".join(places)
    return f"{what} could not be read. Lists may lack sessions, and sums may be too low: see pollux doctor."
