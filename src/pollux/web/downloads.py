"""Answers for programs, and sessions in other formats."""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from pollux import registry
from pollux.answers.search import hits_document
from pollux.answers.sessions import list_document, session_document
from pollux.errors import RequestError
from pollux.export.names import file_name
from pollux.export.service import Exporter
from pollux.web.replies import json_bytes, problem_document
from pollux.writers.base import Dataset, Options

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.library.library import Library
    from pollux.web.asking import Answer
    from pollux.web.conversation import Wanted
    from pollux.web.reading import Reading

_IN_MEMORY = 8_000_000
_PIECE = 1 << 16


def index_json(library: Library, answer: Answer) -> Response:
    """The list as `pollux list --json` has it, or what was found as `pollux search --json` has it."""
    if answer.problem is not None:
        return Response(problem_document(answer.problem, answer.hint), 400, media_type="application/json")
    if answer.result is not None:
        return Response(json_bytes(hits_document(answer.result.hits)), media_type="application/json")
    document = list_document(library.usage, [row.entry for row in answer.rows])
    return Response(json_bytes(document), media_type="application/json")


def session_json(library: Library, reading: Reading, wanted: Wanted) -> Response:
    """A session as `pollux show KEY --json` has it."""
    session = reading.session(reading.entry(wanted.key))
    return _spooled(
        lambda out: session_document(library, session, out, live_only=wanted.live_only), "application/json", None
    )


def download(library: Library, reading: Reading, name: str, wanted: Wanted) -> Response:
    """A session in another format, as a file to keep. Raises `RequestError`."""
    writer = registry.writer(name)
    if isinstance(writer, Dataset):
        raise RequestError(
            f"{name} is a folder of tables.", f"Try: `pollux export {wanted.key} --to {name} -o FOLDER/`"
        )
    summary = reading.entry(wanted.key).summary
    session = reading.session(reading.entry(wanted.key))
    exporter = Exporter(library, writer, Options(live_only=wanted.live_only))
    file = file_name(summary.agent, summary.id, writer.suffix)
    return _spooled(lambda out: exporter.write(session, out), "application/octet-stream", file)


def _spooled(write: Callable[[Callable[[str | bytes], object]], object], kind: str, name: str | None) -> Response:
    """What is written as an answer. It is written as a whole first, so that a slow browser holds nothing up."""
    file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (it is closed when it was sent)
    try:
        write(lambda piece: file.write(piece.encode() if isinstance(piece, str) else piece))
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    headers = {"content-length": str(size)}
    if name is not None:
        headers["content-disposition"] = f'attachment; filename="{name}"'
    return StreamingResponse(_pieces(file), media_type=kind, headers=headers)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_PIECE):
            yield piece
