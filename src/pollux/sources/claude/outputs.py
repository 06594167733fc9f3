"""Tool output that was too large for the transcript and lies in a file of its own."""

from __future__ import annotations

import os
import re

from pollux.errors import Unreadable
from pollux.sources.walk import stamp_of
from pollux.wire import read_bytes, shown

PERSISTED = "<persisted-output>"
_PLACE = re.compile(r"Full output saved to: ([^\n]+)")
_STEPS = re.compile(r"[/\\]")


class Outputs:
    """Fetches spilled output from the session's own folder, wherever the home was moved to, and remembers which.

    `asked` are the places that were looked at, with the stamps of what lay there.
    """

    def __init__(self, folders: list[str]) -> None:
        self._folders = [os.path.join(folder, "tool-results") for folder in folders]  # noqa: PTH118
        self.used: list[str] = []
        self.asked: dict[str, str] = {}

    def fetch(self, named: str) -> str | None:
        """The whole output by the path that the result names, of which only the last step counts; None if gone."""
        name = _STEPS.split(named.strip())[-1]
        if name in ("", ".", "..") or "\0" in name:
            return None
        for folder in self._folders:
            path = os.path.join(folder, name)  # noqa: PTH118
            self.asked[shown(path)] = stamp_of(path)
            if os.path.dirname(os.path.realpath(path)) != os.path.realpath(folder):  # noqa: PTH120
                continue
            try:
                text = read_bytes(path).decode("utf-8", "replace")
            except Unreadable:
                continue
            self.used.append(path)
            return text
        return None


def place_of(text: str) -> str | None:
    """The path that a cut output names."""
    found = _PLACE.search(text) if text.startswith(PERSISTED) else None
    return found.group(1) if found is not None else None
