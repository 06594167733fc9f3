"""Answers as JSON, the same text as the commands print."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse, Response

from pollux.text.escape import visible
from pollux.writers.json import encode


def json_bytes(document: Any) -> bytes:
    """A document as a line of JSON."""
    return f"{encode(document)}\n".encode()


def json_reply(document: Any) -> Response:
    """A document for a program."""
    return Response(json_bytes(document), media_type="application/json")


def page_reply(page: str) -> Response:
    """A page for a person."""
    return HTMLResponse(page.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))


def problem_document(sentence: str, hint: str | None) -> bytes:
    """What went wrong, as every command says it with `--json`."""
    return json_bytes({"error": visible(sentence), "hint": visible(hint) if hint is not None else None})


def csv_reply(text: str, name: str) -> Response:
    """A file of comma-separated values, to keep."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text.encode("utf-8", "replace"), media_type="text/csv; charset=utf-8", headers=headers)
