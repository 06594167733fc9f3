"""Large tool output in files of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cached_property

from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.gemini_sessions.format.content import answer
from pollux.sources.gemini_sessions.format.schema import Call, FunctionResponse
from pollux.sources.offloaded_output import output_at
from pollux.wire import Malformed, Notes, display_path, plain

# A shortened result names the file with the full output; a masked one (0.29+) does so in its last words.
MASKED = "<tool_output_masked>"
STUBS = ("Output too large.", "Tool output was too large", MASKED, "<untrusted_context>\nOutput too large")
OFFLOADED = re.compile(
    r"(?:For full output see|The full output has been saved to|Full (?:output|string) (?:saved to|available at)): "
    r"([^\n]+)"
)
Offloaded = Callable[[str], str | None]
"""Fetches the full output by the path that the result names, if the file still exists."""

_PLACE = re.compile(r"tool-outputs[/\\](?P<session>[^/\\]+)[/\\](?P<name>[^/\\]+)\Z|(?P<plain>[^/\\]+)\Z")


class Outputs:
    """Fetches full outputs from the session's own folder, even in a moved home, and notes their files."""

    def __init__(self, bundle: GeminiBundle, notes: Notes) -> None:
        self._notes = notes
        self._folders = bundle.folder_paths
        self._dependencies = bundle.depends_on.files
        self._bundle = bundle
        self.used: set[str] = set()

    @cached_property
    def _stamps(self) -> dict[str, str]:
        """The stamps of all files in the project's folders. Most sessions need none."""
        return {file.path: file.stamp for folder in self._bundle.folders for file in folder.files}

    def fetch(self, recorded_path: str) -> str | None:
        """The full output by the path that the result names; None if it is gone."""
        place = _PLACE.search(recorded_path)
        if place is None:
            return None
        inner = [place["plain"]] if place["plain"] else ["tool-outputs", place["session"], place["name"]]
        if ".." in inner:
            return None
        for folder in self._folders:
            path = os.path.join(folder, *inner)  # noqa: PTH118
            self._dependencies[display_path(path)] = self._stamps.get(path, "")
            if (text := output_at(path, folder, self._notes)) is not None:
                self.used.add(path)
                return text
        return None


def full_output(stub: str, call: Call, offloaded: Offloaded) -> str | None:
    """A shortened output in full, from the file that its stub names, or else as it was shown; None if it is gone.

    The file of a masked output holds the object of the tool's answer, which may have been shortened before.
    """
    is_masked = stub.startswith(MASKED)
    match = OFFLOADED.search(stub, max(stub.rfind(" Full "), 0) if is_masked else 0)
    if match is None:
        return None
    output = offloaded(match[1].strip().removesuffix("]"))
    if output is not None and is_masked:
        output = _unwrap(output)
        is_stub = output.startswith(STUBS) and not output.startswith(MASKED)
        return (full_output(output, call, offloaded) or output) if is_stub else output
    if output is None and isinstance(call.resultDisplay, str) and len(call.resultDisplay) > len(stub):
        return call.resultDisplay
    return output


def _unwrap(text: str) -> str:
    try:
        response = plain(text.encode(), Notes())
    except Malformed:
        return text
    return (answer(FunctionResponse(response=response))[0] or "") if isinstance(response, dict) else text
