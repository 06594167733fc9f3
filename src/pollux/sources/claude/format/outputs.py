"""Large tool output in files of its own."""

from __future__ import annotations

import os
import re

from pollux.sources.offloaded_output import output_at
from pollux.sources.walk import stamp_of
from pollux.wire import Notes, display_path

PERSISTED = "<persisted-output>"
_PLACE = re.compile(r"Full output saved to: ([^\n]+)")
_STEPS = re.compile(r"[/\\]")


class Outputs:
    """Fetches full outputs from the session's own folder, even in a moved home, and notes their files.

    `asked` are the paths that were tried, with the stamps of the files there.
    """

    def __init__(self, folders: list[str], notes: Notes) -> None:
        self._folders = folders
        self._notes = notes
        self.used: list[str] = []
        self.asked: dict[str, str] = {}

    def fetch(self, recorded_path: str) -> str | None:
        """The full output by the last part of the path that the result names; None if it is gone."""
        name = _STEPS.split(recorded_path.strip())[-1]
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
    """The path that a shortened output names."""
    match = _PLACE.search(text) if text.startswith(PERSISTED) else None
    return match.group(1) if match is not None else None
