"""What a person may not expect of a hand-over, in sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pollux.library.resume.installed import guessed_folder
from pollux.sources.capabilities import instructions_file_of

if TYPE_CHECKING:
    from pollux.model import Session
    from pollux.sources.base import Source
    from pollux.sources.handoff_place import HandoffPlace


class Expected(NamedTuple):
    """What a person asked for: the folder, which one was chosen, and the command so far; and what is there."""

    folder: str
    chosen: str | None
    again: str
    installed: bool
    redacted: bool


def warnings(
    origin: Session, place: HandoffPlace, target: Source, source: Source | None, expected: Expected
) -> Iterator[str]:
    """All of them. `source` is that of the session; None where its agent is not known here."""
    yield from guessed_folder(origin, expected.chosen, expected.again)
    yield from place.warnings
    if origin.agent != target.name and not expected.redacted:
        yield (
            f"With your next prompt, {target.title} sends all of it to another vendor, with every secret that is in "
            "it, unless you take them out (--redact)."
        )
    if source is not None:
        yield from _instructions(source, target, expected.folder)
    if not expected.installed:
        yield f"{target.title} is not installed here: the file can be written, and the command works where it is."


def _instructions(own: Source, other: Source, folder: str) -> Iterator[str]:
    """A sentence where the project has instructions for one agent, but none for the other."""
    had, wanted = instructions_file_of(own), instructions_file_of(other)
    if had is None or wanted is None or had == wanted:
        return
    if os.path.exists(os.path.join(folder, had)) and not os.path.exists(os.path.join(folder, wanted)):  # noqa: PTH110, PTH118
        yield f"The folder has {had}, which {own.title} reads, but no {wanted}, which {other.title} reads."
