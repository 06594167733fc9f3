"""A lake: `lake load`, `lake tidy`, `lake erase`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.lake.erase import Erased
    from pollux.lake.load import Loaded
    from pollux.lake.tidy import Tidied


def load_document(result: Loaded) -> dict[str, Any]:
    """`pollux lake load --json`."""
    return {
        "news": result.news,
        "sessions": result.sessions,
        "unchanged": result.unchanged,
        "erased": result.erased,
        "problems": [str(problem) for problem in result.problems],
    }


def tidy_document(result: Tidied) -> dict[str, Any]:
    """`pollux lake tidy --json`."""
    return {"sessions": result.sessions, "rows": result.rows, "joined_files": result.joined}


def erase_document(result: Erased) -> dict[str, Any]:
    """`pollux lake erase --json`."""
    return {"sessions": result.sessions, "documents": result.documents}
