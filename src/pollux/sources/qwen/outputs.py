"""Large tool output in files of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pollux.sources.offloaded_output import output_at
from pollux.wire import Notes, display_path

SHORTENED = "Tool output was too large and has been truncated."
_SAVED = re.compile(r"The full output has been saved to: ([^\n]+)")
_PLACE = re.compile(r"[/\\]tmp[/\\]([^/\\]+)[/\\]((?:tool-results[/\\])?[^/\\]+)\Z")


class Outputs:
    """Fetches full outputs from the agent's own folder, even in a moved home, and notes their files.

    `stamps` has the stamps of the files under the root.
    """

    def __init__(self, root: str | None, stamps: Mapping[str, str], notes: Notes) -> None:
        self._root = root
        self._stamps = stamps
        self._notes = notes
        self.asked: dict[str, str] = {}
        self.used: list[str] = []

    def fetch(self, shown: str) -> str | None:
        """The full output that a shortened one names; None if it is gone."""
        named = _SAVED.search(shown) if shown.startswith(SHORTENED) else None
        place = _PLACE.search(named[1].strip()) if named is not None else None
        if place is None or self._root is None or ".." in place.groups():
            return None
        path = os.path.join(self._root, "tmp", place[1], *re.split(r"[/\\]", place[2]))  # noqa: PTH118
        self.asked[display_path(path)] = self._stamps.get(path, "")
        text = output_at(path, self._root, self._notes)
        if text is not None:
            self.used.append(path)
        return text
