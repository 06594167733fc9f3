"""Which pollux wrote an index, down to the last edit: what another build worked out is worked out again."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from pollux.registry import added_sources
from pollux.version import VERSION

_FORMAT = 1
_DECISIVE = ("text", "model", "system", "wire", "writers", "sources", "index")
"""The packages on which depends what an index holds."""


def build_id() -> str:
    """Changes with the version, with the files it is run from, and with the agents that others added."""
    return f"{_FORMAT} {VERSION} {_last_edit()} {' '.join(added_sources())}"


@cache
def _last_edit() -> int:
    """When the newest of the files was edited. An edit that comes later is not in the code that this process runs."""
    package = Path(__file__).parent.parent
    files = (
        entry
        for name in _DECISIVE
        for folder, _, _ in os.walk(package / name)
        for entry in os.scandir(folder)
        if entry.name.endswith(".py")
    )
    return max(file.stat().st_mtime_ns for file in files)
