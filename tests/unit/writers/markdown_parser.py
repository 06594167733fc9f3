"""What a Markdown parser sees in a transcript, for tests to compare with what was meant."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pyarrow.parquet import read_table

from pollux.model import Session
from pollux.writers.base import Options, Report
from pollux.writers.calls import Bounds
from pollux.writers.loss import MESSAGES
from pollux.writers.markdown import WRITER as MARKDOWN
from pollux.writers.text import WRITER as TEXT
from pollux.writers.transcript import Heading
from pollux.writers.transcript.document import DocumentTranscript

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
OUR_HTML = re.compile(r"<details><summary>[^<>]*</summary>|</details>|<!-- -->")

EVERYTHING = Options(thinking=True, tools="full", tokens=True, notices=True, content=True, ids="short")
WAYS = (Options(), EVERYTHING, Options(tools="none"), Options(live_only=True, thinking=True))


def joined(pieces: list[Any]) -> str:
    """What a writer gave, as text; a table that is none, row by row."""
    if not any(isinstance(piece, bytes) for piece in pieces):
        return "".join(pieces)
    table = read_table(io.BytesIO(b"".join(pieces)))
    return "".join(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in table.to_pylist())


class Written(NamedTuple):
    text: str
    report: Report


def markdown(session: Session, options: Options | None = None) -> Written:
    pieces: list[str] = []
    report = MARKDOWN.write(session, pieces.append, options or Options())
    return Written("".join(pieces), report)


def text(session: Session, options: Options | None = None) -> Written:
    pieces: list[str] = []
    report = TEXT.write(session, pieces.append, options or Options())
    return Written("".join(pieces), report)


def check(session: Session, options: Options) -> None:
    """Everything that must hold for any session."""
    answer, page = text(session, options), markdown(session, options)
    for written in (answer, page):
        assert CONTROLS.search(written.text) is None
        missing = sum(entry.count for entry in written.report.dropped if entry.what in MESSAGES)
        assert written.report.kept + missing == len(session.messages)
        assert all(entry.count > 0 for entry in written.report.dropped)
    tokens = MarkdownIt("commonmark", {"maxNesting": 300}).parse(page.text)
    paper = DocumentTranscript(session, options, Bounds(head=1, tail=1, width=9))
    speakers = [block.speaker for block in paper.blocks() if isinstance(block, Heading)]
    ours = [("h1", "")] + [("h3" if speaker == "Assistant" else "h2", speaker) for speaker in speakers]
    entries = [(t.tag, t.level, tokens[n + 1].content) for n, t in enumerate(tokens) if t.type == "heading_open"]
    entries = [heading for heading in entries if heading[0] in ("h1", "h2", "h3")]
    assert [(tag, level) for tag, level, _ in entries] == [(tag, 0) for tag, _ in ours]
    assert all(words.startswith(speaker) for (_, _, words), (_, speaker) in zip(entries, ours, strict=True))
    _check_html(tokens)


def _check_html(tokens: list[Token]) -> None:
    """No HTML but ours; what we open we close."""
    opened = 0
    for token in _inner(tokens):
        if not token.type.startswith("html"):
            continue
        assert OUR_HTML.fullmatch(token.content.strip()), token.content
        assert token.level == 0
        opened += token.content.startswith("<details>") - token.content.startswith("</details>")
        assert opened in (0, 1)
    assert opened == 0


def _inner(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()
