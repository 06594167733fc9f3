"""Tool output that was too large for the session file and lies in a file of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from pollux.sources.gemini.bundle import GeminiBundle
from pollux.sources.gemini.format.content import answer
from pollux.sources.gemini.format.schema import Call, FunctionResponse
from pollux.sources.outputs import output_at
from pollux.wire import Malformed, Notes, display_path, plain

# A result too large to keep: it names the file that holds all of it, for a masked one (0.29+) in its last words.
MASKED = "<tool_output_masked>"
STUBS = ("Output too large.", "Tool output was too large", MASKED, "<untrusted_context>\nOutput too large")
OFFLOADED = re.compile(
    r"(?:For full output see|The full output has been saved to|Full (?:output|string) (?:saved to|available at)): "
    r"([^\n]+)"
)
Offloaded = Callable[[str], str | None]
"""Fetches the text of an offloaded output by the path that the result names, where the file still exists."""

_PLACE = re.compile(r"tool-outputs[/\\](?P<session>[^/\\]+)[/\\](?P<name>[^/\\]+)\Z|(?P<plain>[^/\\]+)\Z")


class Outputs:
    """Fetches offloaded output from the session's own folder, wherever the home was moved to, and remembers which."""

    def __init__(self, bundle: GeminiBundle, notes: Notes) -> None:
        self._notes = notes
        self._folders = bundle.folder_paths
        self._leant = bundle.depends_on.files
        self._stamps = {file.path: file.stamp for folder in bundle.folders for file in folder.files}
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
            self._leant[display_path(path)] = self._stamps.get(path, "")
            if (text := output_at(path, folder, self._notes)) is not None:
                self.used.add(path)
                return text
        return None


def whole_of(stub: str, call: Call, offloaded: Offloaded) -> str | None:
    """All of an output that was shortened, from the file its stub names, else as it was shown; None where it is gone.

    What was masked lies there as the object that was the tool's answer, and may have been shortened before.
    """
    masked = stub.startswith(MASKED)
    named = OFFLOADED.search(stub, max(stub.rfind(" Full "), 0) if masked else 0)
    if named is None:
        return None
    whole = offloaded(named[1].strip().removesuffix("]"))
    if whole is not None and masked:
        whole = _unwrapped(whole)
        shortened = whole.startswith(STUBS) and not whole.startswith(MASKED)
        return (whole_of(whole, call, offloaded) or whole) if shortened else whole
    if whole is None and isinstance(call.resultDisplay, str) and len(call.resultDisplay) > len(stub):
        return call.resultDisplay
    return whole


def _unwrapped(text: str) -> str:
    try:
        response = plain(text.encode(), Notes())
    except Malformed:
        return text
    return (answer(FunctionResponse(response=response))[0] or "") if isinstance(response, dict) else text
