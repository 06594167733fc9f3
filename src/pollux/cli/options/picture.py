"""The file of a chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.system.output_file import OutputFile


def picture(library: Library, output: str, *, force: bool) -> OutputFile:
    """The file that a chart is written to. Raises `RequestError` where its name does not end in `.svg`."""
    from pollux.system.output_file import OutputFile

    if Path(output).suffix.lower() != ".svg":
        raise RequestError("A chart is an SVG picture.", "Try: -o chart.svg")
    return OutputFile(output, forbidden=library.homes.protected_folders(), force=force)
