"""Tool output that was too large for the transcript and lies in a file of its own."""

from __future__ import annotations

import os
import re

from pollux.sources.outputs import output_at
from pollux.sources.walk import stamp_of
from pollux.wire import Notes, display_path

PERSISTED = "<persisted-output>"
_PLACE = re.compile(r"Full output saved to: ([^\n]+)")
_STEPS = re.compile(r"[/\\]")


class Outputs:
    """Fetches spilled output from the session's own folder, wherever the home was moved to, and remembers which.

    `asked` are the places that were looked at, with the stamps of what lay there.
    """

    def __init__(self, folders: list[str], notes: Notes) -> None:
        self._folders = folders
        self._notes = notes
        self.used: list[str] = []
        self.asked: dict[str, str] = {}

    def fetch(self, named: str) -> str | None:
        """The whole output by the path that the result names, of which only the last step counts; None if gone."""
        name = _STEPS.split(named.strip())[-1]
        if name in ("", ".", "..") or "\0" in name:
            return None
        for folder in self._folders:
            path = os.path.join(folder, "tool-results", name)  # noqa: PTH118
            project = os.path.dirname(folder)  # noqa: PTH120
            self.asked[display_path(path)] = stamp_of(path, project)
            if (text := output_at(path, project, self._notes)) is not None:
                self.used.append(path)
                return text
        return None


def place_of(text: str) -> str | None:
    """The path that a cut output names."""
    found = _PLACE.search(text) if text.startswith(PERSISTED) else None
    return found.group(1) if found is not None else None
