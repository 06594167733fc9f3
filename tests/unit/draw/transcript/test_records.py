from __future__ import annotations

import json
from pathlib import Path

import pytest

from pollux.draw.transcript.records import Records, items_of
from pollux.model import Origin

MESSAGES = [
    {"id": "a", "text": 'with "quotes", [brackets] and \\'},
    {"id": "b", "parts": [1, [2, {"x": "}"}]]},
    {"id": "c"},
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("shape", ["object", "array", "history", "other"])
def test_items_of_a_document(shape: str, indent: int | None) -> None:
    document = {
        "object": {"directories": ["/a", "/b", "/c", "/d"], "messages": MESSAGES, "tail": [1]},
        "array": MESSAGES,
        "history": {"history": MESSAGES, "authType": "x"},
        "other": {"few": [1], "turns": MESSAGES},
    }[shape]
    raw = json.dumps(document, indent=indent).encode()
    assert [json.loads(raw[start:end]) for start, end in items_of(raw)] == MESSAGES


def test_a_torn_document_keeps_its_items() -> None:
    raw = json.dumps({"messages": MESSAGES}, indent=2).encode()
    for cut in range(len(raw)):
        items = items_of(raw[:cut])
        assert len(items) <= len(MESSAGES)
        assert all(json.loads(raw[start:end]) == MESSAGES[n] for n, (start, end) in enumerate(items[:-1]))


def test_line_and_text(tmp_path: Path) -> None:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"x": 1, "messages": MESSAGES}, indent=2), "utf-8")
    records = Records()
    origin = Origin(file=str(file), item=2)
    text = records.text(origin)
    line = records.line(origin)
    assert text is not None
    assert line is not None
    assert text.startswith("{\n  ")
    assert json.loads(text) == MESSAGES[2]
    assert file.read_text("utf-8").split("\n")[line - 1].strip() == "{"


def test_lines_of_a_log(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(b'{"a":1}\n\n{"b":"\xff"}\r\n{"c":3}')
    records = Records()
    assert records.text(Origin(file=str(file), line=3)) == '{"b":"\\xff"}'
    assert records.text(Origin(file=str(file), line=4)) == '{"c":3}'
    assert records.text(Origin(file=str(file), line=9)) is None


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    records = Records()
    gone = str(tmp_path / "gone")
    assert records.text(Origin(file=gone, line=1)) is None
    assert records.text(Origin(file=gone, item=1)) is None
    assert records.line(Origin(file=gone, item=1)) is None
