"""Which pollux this is, down to the last edit: what another edition has worked out is worked out anew."""

from __future__ import annotations

import os
from pathlib import Path

from pollux import plugins
from pollux.version import VERSION

_FORMAT = 1


def edition() -> str:
    """Changes with the version, with the sources it is run from, and with the agents others added."""
    folder = Path(__file__).parent
    files = (
        entry
        for name in ("model", "wire", "store", "sources")
        for place, _, _ in os.walk(folder / name)
        for entry in os.scandir(place)
        if entry.name.endswith(".py")
    )
    newest = max((folder / "folding.py").stat().st_mtime_ns, *(file.stat().st_mtime_ns for file in files))
    others = sorted(f"{name}={point.value}" for name, point in plugins.plugins(plugins.SOURCES).items())
    return f"{_FORMAT} {VERSION} {newest} {' '.join(others)}"
