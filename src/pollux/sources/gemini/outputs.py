"""Tool output that was too large for the session file and lies in a file of its own."""

from __future__ import annotations

import os
import re

from pollux.errors import Unreadable
from pollux.sources.gemini.bundle import GeminiBundle
from pollux.sources.gemini.find import OUTPUT
from pollux.wire import read_bytes, shown

_PLACE = re.compile(r"tool-outputs[/\\](?P<session>[^/\\]+)[/\\](?P<name>[^/\\]+)\Z|(?P<plain>[^/\\]+)\Z")


class Outputs:
    """Fetches offloaded output from the session's own folder, wherever the home was moved to, and remembers which."""

    def __init__(self, bundle: GeminiBundle) -> None:
        self._folders = bundle.folder_paths
        self._leant = bundle.leant.files
        held = (file for folder in bundle.folders for file in folder.files)
        self._stamps = {file.path: file.stamp for file in held if file.role == OUTPUT}
        self.used: set[str] = set()

    def fetch(self, named: str) -> str | None:
        """The whole output by the path the result names; None where it is gone."""
        place = _PLACE.search(named)
        if place is None:
            return None
        inner = [place["plain"]] if place["plain"] else ["tool-outputs", place["session"], place["name"]]
        if ".." in inner:
            return None
        for folder in self._folders:
            path = os.path.join(folder, *inner)  # noqa: PTH118
            self._leant[shown(path)] = self._stamps.get(path, "")
            try:
                text = read_bytes(path).decode("utf-8", "replace")
            except Unreadable:
                continue
            self.used.add(path)
            return text
        return None
