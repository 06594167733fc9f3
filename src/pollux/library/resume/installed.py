"""The agent's program on this machine, and the folder in which it goes on with a session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pollux.errors import CannotResume
from pollux.sources.capabilities import program_of
from pollux.sources.resume_command import Program, Release
from pollux.system.named_path import named_path
from pollux.system.programs import find_program, release_of
from pollux.text.shell import shell_word

if TYPE_CHECKING:
    from pathlib import Path

    from pollux.model import Session, Summary
    from pollux.sources.base import Source
    from pollux.system.directories import Places


class Installed(NamedTuple):
    """What is known of an agent's program: its path is None if it is not installed."""

    program: Program | None
    path: str | None
    release: Release | None


def installed(source: Source, places: Places) -> Installed:
    """The program of an agent, as the user's environment finds it."""
    program = program_of(source)
    if program is None:
        return Installed(None, None, None)
    path = find_program(program.name, places.environ, [places.home / place for place in program.places])
    return Installed(program, path, release_of(path, program.package) if path is not None else None)


def folder_to_go_on_in(
    session: Session | Summary, chosen: str | None, here: Path, command: str, *, bound: str | None = None
) -> str:
    """The chosen folder, or the session's own. Raises `CannotResume` where that is unknown or gone.

    A relative path says nothing: nobody knows from which folder. `command` is what the user may type again, and
    `bound` is the name of an agent that goes on in no other folder.
    """
    own = session.project if session.project is not None and os.path.isabs(session.project) else None  # noqa: PTH117
    if chosen is not None:
        place = here / named_path(chosen)
        if not os.path.isdir(place):  # noqa: PTH112
            raise CannotResume("folder", f"{chosen} is not a folder.", "Name a folder that exists.")
        folder = os.path.realpath(place)
        is_own = own is not None and os.path.isdir(own) and os.path.realpath(own) == folder  # noqa: PTH112
        return own if own is not None and is_own else folder
    if own is None:
        raise CannotResume(
            "folder",
            f"The folder in which {shell_word(session.key)} was held is not known.",
            f"Name one to go on in: {command} --in DIR",
        )
    if not os.path.isdir(own) and bound is not None:  # noqa: PTH112
        raise CannotResume(
            "elsewhere",
            f"The folder {own} is gone, and {bound} resumes a session only in the folder in which it was held.",
            f"Make the folder again: mkdir -p {shell_word(own)}; "
            f"or go on with a copy elsewhere: pollux handoff {shell_word(session.key)} --to {session.agent} --in DIR",
        )
    if not os.path.isdir(own):  # noqa: PTH112
        raise CannotResume(
            "folder",
            f"The folder {own} is gone.",
            f"Go on in another one: {command} --in DIR; "
            f"or, if it was moved: pollux rehome {shell_word(own)} NEW --in-place",
        )
    return own


def guessed_folder(session: Session | Summary, chosen: str | None, command: str) -> list[str]:
    """A sentence where nobody but pollux says that this is the session's folder."""
    if chosen is not None or session.project_evidence != "guess":
        return []
    other = f"{command} --in DIR goes on in another one."
    return [f"The folder {session.project} is a guess, from the paths in the session. {other}"]
