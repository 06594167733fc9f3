"""Agents and formats that other packages add, through entry points."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from pollux.system.files import read

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

SOURCES, WRITERS = "pollux.sources", "pollux.writers"


@cache
def plugins(group: str) -> dict[str, EntryPoint]:
    """What other packages add to a group, by name.

    `importlib.metadata` reads what every package says of itself, and its import alone takes longer than many a whole
    command. So it is asked only where some package's entry points speak of pollux at all.
    """
    if not any(map(_speaks_of_us, sys.path)):
        return {}
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def _speaks_of_us(place: str) -> bool:
    try:
        with os.scandir(place or os.curdir) as entries:
            packages = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:  # an archive: what it holds only `importlib.metadata` can tell
        return True
    except OSError:
        return False
    return any(_names_a_group(os.path.join(package, "entry_points.txt")) for package in packages)  # noqa: PTH118


def _names_a_group(file: str) -> bool:
    try:
        said = read(file)
    except OSError:
        return False
    return f"[{SOURCES}]".encode() in said or f"[{WRITERS}]".encode() in said
