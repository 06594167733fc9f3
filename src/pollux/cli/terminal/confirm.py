"""Files that are written into an agent's folders or elsewhere: what the user sees, and is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.terminal.screen import Screen, talk
from pollux.errors import CannotResume, RequestError
from pollux.text.escape import one_line
from pollux.text.figures import plural, size, tilde

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pollux.archive.restore import Restored
    from pollux.library.library import Library


def one_place(folder: Path | None, *, in_place: bool) -> None:
    """Raise `RequestError` unless exactly one place was named."""
    if in_place == (folder is not None):
        raise RequestError("Choose where to write the files.", "Use -o FOLDER or --in-place.")


def confirm_writing(screen: Screen, files: Iterable[Restored], home: str, *, ask: bool) -> None:
    """Name the files that will be written into the agent's folders, and ask. Raises where nobody can answer."""
    missing = [file for file in files if file.missing]
    if not missing:
        return
    talk(f"{plural(len(missing), 'file')} will be written into the agent's folders:")
    for file in missing:
        talk(f"  {one_line(tilde(file.path, home))}  ({size(file.bytes)})")
    if any(file.refreshed for file in missing):
        talk(
            "They get the present as their last use: as old as they are, the agent would delete them at its next start."
        )
    if not ask or not screen.terminal:
        raise RequestError("Nothing was written.", "Add --yes to write these files.")
    click.confirm("Write them?", abort=True, err=True)


def file_lines(files: Iterable[Restored]) -> Iterator[str]:
    """Each file, and whether it was there."""
    for file in files:
        yield one_line(file.path) + _mark(file)


def tell_how_to_go_on(library: Library, key: str) -> None:
    """Say what stands in the way of going on with a session whose files are back among the agent's, if anything."""
    try:
        library.resume.plan(key)
    except CannotResume as error:
        talk(f"pollux: {error}")
        if error.hint is not None:
            talk(error.hint)


def _mark(file: Restored) -> str:
    if file.there:
        return "  (was there)"
    if file.left:
        return "  (another is there, and was left)"
    return "  (last use: now)" if file.refreshed else ""
