"""The star of the session under the cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import PolluxError
from pollux.library.marks import Edit, Target
from pollux.tui.mark_command import done

if TYPE_CHECKING:
    from pollux.library.library import Library, ListEntry


def toggle_star(library: Library, entry: ListEntry) -> str:
    """Star a session, or take the star away. Returns what to say."""
    starred = entry.marks is None or not entry.marks.session.starred
    target, edit = Target(entry.summary.key), Edit(starred=starred)
    try:
        library.marks.change([target], edit)
    except PolluxError as error:
        return " ".join(filter(None, [str(error), error.hint]))
    return done("Starred." if starred else "No longer starred.", target, edit)
