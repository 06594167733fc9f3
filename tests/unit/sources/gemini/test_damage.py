"""Files cut off, overwritten, half garbage: what is left of them is read."""

from __future__ import annotations

import json

import pytest

from pollux.wire.salvage import blocks, close
from tests.unit.sources.gemini.conftest import Home, conversation, document, gemini, header, user

PLACE = "weather/chats/session-2026-11-15T06-00-aaaaaaaa"
TALK = [user("u1", "one"), gemini("g1", "1"), user("u2", "two"), gemini("g2", "2")]


def codes(home: Home) -> set[str]:
    return {notice.code for notice in home.only().notices}


def test_a_torn_last_line_is_no_error(home: Home) -> None:
    file = home.log(PLACE + ".jsonl", header(), *TALK)
    file.write_bytes(file.read_bytes()[:-40])
    assert [text for _, text, _ in conversation(home.only())] == ["one", "1", "two"]
    assert codes(home) == {"line.torn"}
    assert home.library().doctor().sound


def test_garbage_in_the_middle_costs_its_line_only(home: Home) -> None:
    file = home.log(PLACE + ".jsonl", header(), *TALK)
    lines = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([*lines[:2], b"\xff\xfe garbage", *lines[2:]]))
    assert len(conversation(home.only())) == 4
    assert codes(home) == {"line.invalid"}


def test_a_document_cut_off_keeps_what_stands_before_the_cut(home: Home) -> None:
    text = json.dumps(document(TALK), indent=2)
    home.write(PLACE + ".json", text[: text.index('"two"') + 3])
    assert [words for _, words, _ in conversation(home.only())][:2] == ["one", "1"]
    assert "document.damaged" in codes(home)


def test_garbage_in_a_document_costs_one_message(home: Home) -> None:
    lines = json.dumps(document(TALK), indent=2).split("\n")
    place = next(n for n, line in enumerate(lines) if '"g1"' in line)
    home.write(PLACE + ".json", "\n".join([*lines[:place], "@@@ garbage", *lines[place:]]))
    assert [words for _, words, _ in conversation(home.only()) if words] == ["one", "two", "2"]
    assert {"document.damaged", "item.damaged"} <= codes(home)


def test_text_that_is_no_text_is_replaced_and_noted(home: Home) -> None:
    file = home.log(PLACE + ".jsonl", header(), *TALK)
    file.write_bytes(file.read_bytes().replace(b'"one"', b'"o\xffe\\ud800"'))
    assert conversation(home.only())[0][1] == "o\N{REPLACEMENT CHARACTER}e\N{REPLACEMENT CHARACTER}"
    assert codes(home) == {"text.encoding"}


def test_a_line_nested_too_deeply_is_skipped(home: Home) -> None:
    file = home.log(PLACE + ".jsonl", header(), *TALK)
    file.write_bytes(file.read_bytes() + b'{"id": ' + b"[" * 100_000 + b"\n")
    assert len(conversation(home.only())) == 4


def test_a_number_of_400_digits_is_no_figure_but_is_kept(home: Home) -> None:
    turn = gemini("g1", "ok")
    turn["tokens"]["input"] = 10**399
    home.log(PLACE + ".jsonl", header(), user("u1", "x"), turn)
    session = home.only()
    assert session.usage.input is None
    assert session.messages[1].usage is not None
    assert session.messages[1].usage.native["input"] == 10**399
    assert codes(home) == {"field.type"}


def test_a_time_without_a_zone_is_read_as_utc_and_noted(home: Home) -> None:
    home.log(PLACE + ".jsonl", header(), {**user("u1", "x"), "timestamp": "2026-11-15T06:00:01"}, gemini("g1", "ok"))
    first = home.only().messages[0]
    assert first.at is not None
    assert first.at.isoformat() == "2026-11-15T06:00:01+00:00"
    assert codes(home) == {"time.zone"}


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        (b'{"a": [1, 2', b'{"a": [1]}'),
        (b'{"a": [1, 2,', b'{"a": [1, 2]}'),
        (b'{"a": {"b": "c", "d', b'{"a": {"b": "c"}}'),
        (b'{"a": {"b": "c", "d":', b'{"a": {"b": "c"}}'),
        (b'{"a": "x\\', b"{}"),
        (b"[", b"[]"),
        (b"", b""),
        (b'[{"a": true}, {"b": fal', b'[{"a": true}, {}]'),
    ],
)
def test_closing_what_was_cut_off(cut: bytes, whole: bytes) -> None:
    assert close(cut)[0] == whole


def test_every_beginning_of_a_document_closes_to_json() -> None:
    raw = json.dumps({"a": [1, 'two\\"', {"b": None, "c": [True, -1.5e3]}], "d": {"e": "ü"}}).encode()
    for end in range(1, len(raw) + 1):
        json.loads(close(raw[:end])[0])


def test_blocks_are_found_by_their_braces() -> None:
    raw = b'{\n  "messages": [\n    {\n      "id": 1\n    },\n    {\n      "text": "    {"\n'
    assert [(line, json.loads(close(block)[0])) for line, block in blocks(raw, 4)] == [
        (3, {"id": 1}),
        (6, {"text": "    {"}),
    ]
