"""Errors and remarks, which go to the standard error."""

from __future__ import annotations

from typing import Any

from pollux.errors import BadQuery, PolluxError
from pollux.text.escape import visible


def error_document(error: PolluxError) -> dict[str, Any]:
    """What any command says with `--json` where it fails."""
    hint = visible(error.hint) if error.hint is not None else None
    if isinstance(error, BadQuery):
        return {"error": visible(error.sentence), "hint": hint, "place": error.place}
    return {"error": visible(str(error)), "hint": hint}


def warning_document(sentence: str) -> dict[str, Any]:
    """A remark that is no error."""
    return {"warning": sentence}
