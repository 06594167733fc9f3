"""A large output that an agent keeps in its own file."""

from __future__ import annotations

import os

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.system.link_bounds import LEADS_OUT, leads_out
from pollux.wire import Notes, display_path, read_bytes


def output_at(path: str, root: str, notes: Notes) -> str | None:
    """The text of such a file; None if it is missing, or where a notice says why it was not read.

    A session may name any path. Only regular files below the root are opened, and none that is too large.
    """
    if not os.path.lexists(path):
        return None
    if leads_out(path, root):
        problem = f"{display_path(path)}: {LEADS_OUT}."
    else:
        try:
            return read_bytes(path).decode("utf-8", "replace")
        except Unreadable as error:
            problem = str(error)
    notes.add("output.unreadable", f"A large output was not read. {problem}", Severity.WARNING)
    return None
