"""What was done with a lake, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.text.figures import plural

if TYPE_CHECKING:
    from pollux.lake.load import Loaded
    from pollux.lake.tidy import Tidied


def load_line(result: Loaded) -> str:
    """What a load did."""
    if not result.news and not result.problems:
        return "nothing new to load"
    known = f", {result.unchanged:,} known already" if result.unchanged else ""
    erased = f", {result.erased:,} erased" if result.erased else ""
    return f"{plural(result.sessions, 'session')} loaded{known}{erased}"


def tidy_line(result: Tidied) -> str:
    """What was tidied up."""
    done = [
        f"{plural(result.sessions, 'session')} deleted" if result.sessions else "",
        f"{plural(result.documents, 'earlier document')} removed" if result.documents else "",
        f"{plural(result.rows, 'hidden row')} removed" if result.rows else "",
        f"{plural(result.joined_files, 'file')} joined" if result.joined_files else "",
    ]
    return ", ".join(filter(None, done)) or "nothing to tidy up"
