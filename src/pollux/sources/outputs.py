"""Output that was too large for a session file and lies in a file of its own."""

from __future__ import annotations

import os

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.system.bounds import LEADS_OUT, leads_out
from pollux.wire import Notes, display_path, read_bytes


def output_at(path: str, root: str, notes: Notes) -> str | None:
    """The text of such a file; None where there is none, or where a notice says why it was not read.

    A session may name any path. What is no regular file below the root, or is too large, is not opened.
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
