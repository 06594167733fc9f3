"""Calls the tools. The library is opened at the first call: until then the server has hardly anything in memory."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.errors import PolluxError, RequestError
from pollux.library.for_agents.texts import LIST, READ, SEARCH, TOOLS, USAGE
from pollux.mcp.answer import answer
from pollux.mcp.arguments import Arguments
from pollux.system.directories import present_folder
from pollux.text.fence import harmless_line

if TYPE_CHECKING:
    from pollux.library.library import Library, Progress
    from pollux.mcp.desk import Desk

_MODULES = {
    SEARCH: "pollux.mcp.tools.search",
    READ: "pollux.mcp.tools.read",
    LIST: "pollux.mcp.tools.list",
    USAGE: "pollux.mcp.tools.usage",
}
_PATIENCE = 20.0
"""So long (seconds) a call waits until all sessions are read. Then it answers with what there is, and says so."""
_LONGEST_SENTENCE = 400


class Toolbox:
    """Calls a tool by its name. Whatever goes wrong becomes a sentence that an agent can act on."""

    def __init__(self, *, redact: bool = True, sample: bool = False) -> None:
        self._redact = redact
        self._sample = sample
        self._deadline = 0.0
        self._resources = ExitStack()

    def __call__(self, name: str, arguments: Mapping[str, Any], meta: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a call, as the protocol has it."""
        self._deadline = time.monotonic() + _PATIENCE
        try:
            checked = Arguments(TOOLS[name], arguments)
            desk = self._desk
            desk.begin(meta)
            text, failed = import_module(_MODULES[name]).call(desk, checked), False
        except PolluxError as error:
            text, failed = _explanation(error), True
        except Exception as error:  # noqa: BLE001 (the server lives on)
            _debug(error)
            text, failed = f"Something went wrong inside pollux ({type(error).__name__}).", True
        return {"content": [{"type": "text", "text": text}], "isError": failed}

    def give_up(self) -> None:
        """End the call that is under way soon: nobody waits for its answer."""
        self._deadline = 0.0

    def close(self) -> None:
        """Let go of all files."""
        self._resources.close()

    @cached_property
    def _desk(self) -> Desk:
        from pollux.mcp.desk import Desk

        library, directory = self._open()
        return Desk(self._resources.enter_context(library), directory, redact=self._redact)

    def _open(self) -> tuple[Library, Path]:
        from pollux.library.library import Library

        if not self._sample:
            here = present_folder()
            return Library(cwd=here, complete_later=True, report=self._go_on), here
        from tempfile import TemporaryDirectory

        from pollux.library.sample import sample_environment

        cache = self._resources.enter_context(TemporaryDirectory(prefix="pollux-"))
        environ, home = sample_environment(cache)
        return Library(environ, home, hunt=False), home

    def _go_on(self, _: Progress) -> None:
        """Hear how far a sync is, and end it where it takes too long."""
        from pollux.library.library import Enough

        if time.monotonic() > self._deadline:
            raise Enough


def _explanation(error: PolluxError) -> str:
    """A sentence for an agent. A hint may quote old words, and so may a sentence about anything but the request."""
    sentence = harmless_line(str(error).partition("\n")[0], _LONGEST_SENTENCE)
    hint = harmless_line(error.hint or "", _LONGEST_SENTENCE)
    if isinstance(error, RequestError):
        return answer(sentence, hint)
    return answer("pollux cannot answer this.", "\n".join(filter(None, (sentence, hint))))


def _debug(error: BaseException) -> None:
    if os.environ.get("POLLUX_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error, file=sys.stderr)
