"""The option by which a chart goes to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.system.target import Target


def picture(library: Library, output: str, *, force: bool) -> Target:
    """The file of a picture. Raises `RequestError` where its name says that it is something else."""
    from pollux.system.target import Target

    if Path(output).suffix.lower() != ".svg":
        raise RequestError("A chart is an SVG picture.", "Try: -o chart.svg")
    return Target(output, forbidden=library.homes.own(), force=force)
