"""One bad file among good ones: a notice or a clear reason, and everything else is served."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pollux import Session
from pollux.writers import Options
from pollux.writers.json import WRITER
from tests.properties.small import BAD, GOOD, PROJECT, Small, conversation, header, lines, prompt, reply


@pytest.fixture
def small(tmp_path: Path) -> Small:
    return Small(tmp_path)


def codes(session: Session) -> set[str]:
    return {notice.code for notice in session.notices}


def words(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def written(session: Session) -> str:
    out: list[str] = []
    WRITER.write(session, out.append, Options())
    return "".join(out)


SAID = ["When do I sow the peas?", "In March.", "And beans?", "In May."]


def test_empty_file(small: Small) -> None:
    small.bad.write_bytes(b"")
    assert small.read_bad() is None
    status, reason = small.line_of_bad()
    assert status == "ignored"
    assert reason


@pytest.mark.parametrize("blank", [b"\n\n\n", b" \t\r\n", b"\x00" * 4096, b"\xef\xbb\xbf"])
def test_file_of_nothing(small: Small, blank: bytes) -> None:
    small.bad.write_bytes(blank)
    assert small.read_bad() is None
    status, reason = small.line_of_bad()
    assert status in ("ignored", "unreadable")
    assert reason


GARBAGE = (
    b"not json",
    b"{",
    b'{"id": }',
    b"\x00\x01\x02",
    b"[1, 2",
    b'"\xff\xfe"x',
    b"{]}" * 1000,
)


@pytest.mark.parametrize("garbage", GARBAGE, ids=range(len(GARBAGE)))
def test_line_of_garbage_in_the_middle(small: Small, garbage: bytes) -> None:
    first, *rest = conversation(BAD)
    small.bad.write_bytes(lines(first, rest[0]) + garbage + b"\n" + lines(*rest[1:]))
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID
    assert "line.invalid" in codes(session)
    assert any(notice.line == 3 for notice in session.notices)


@pytest.mark.parametrize("value", ["null", "7", '"text"', "[]", "[[1]]", "true"])
def test_line_that_is_no_object(small: Small, value: str) -> None:
    first, *rest = conversation(BAD)
    small.bad.write_bytes(lines(first, rest[0]) + value.encode() + b"\n" + lines(*rest[1:]))
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID
    assert "line.not-object" in codes(session)


def test_duplicate_key(small: Small) -> None:
    records = lines(*conversation(BAD)).replace(b'"type": "user"', b'"type": "info", "type": "user"', 1)
    small.bad.write_bytes(records)
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID


def test_duplicate_key_that_is_unknown(small: Small) -> None:
    small.bad.write_bytes(
        lines(*conversation(BAD)).replace(b'"type": "user"', b'"new": 1, "new": 2, "type": "user"', 1)
    )
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID
    assert "field.unknown" in codes(session)


def test_nul_bytes(small: Small) -> None:
    first, *rest = conversation(BAD)
    torn = lines(*rest).replace(b"peas", b"peas\x00")
    small.bad.write_bytes(lines(first) + torn + b"\x00" * 512)
    session = small.read_bad()
    assert session is not None
    assert words(session)[1:] == SAID[1:]
    assert session.notices


def test_invalid_utf8(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)).replace(b"peas", b"p\xe9as \xff\xc0\x80"))
    session = small.read_bad()
    assert session is not None
    assert words(session)[1:] == SAID[1:]
    assert words(session)[0].startswith("When do I sow the p")
    assert "text.encoding" in codes(session)
    json.loads(written(session))


def test_half_a_surrogate(small: Small) -> None:
    small.bad.write_bytes(lines(*conversation(BAD)).replace(b"peas", rb"\ud83d peas \ude00"))
    session = small.read_bad()
    assert session is not None
    assert "peas" in words(session)[0]
    written(session).encode("utf-8")


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
@pytest.mark.parametrize("whole", [True, False])
def test_nested_100000_deep(small: Small, opening: bytes, whole: bool) -> None:
    closing = (b"]" if opening == b"[" else b"}") if whole else b""
    deep = opening * 100_000 + b"1" + closing * 100_000
    small.bad.write_bytes(lines(*conversation(BAD)) + deep + b"\n")
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID
    assert session.notices
    small.bad.write_bytes(deep)
    assert small.read_bad() is None
    assert small.line_of_bad()[0] == "unreadable"


def test_nested_100000_deep_inside_a_message(small: Small) -> None:
    first, *rest = conversation(BAD)
    deep = b'{"id":"deep","type":"user","content":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    small.bad.write_bytes(lines(first, *rest[:2]) + deep + lines(*rest[2:]))
    session = small.read_bad()
    assert session is not None
    assert [text for text in words(session) if text] == SAID
    assert session.notices


NUMBERS = (
    "9" * 400,
    "-" + "9" * 400,
    "1e400",
    "0." + "1" * 400,
    "9" * 5000,
    "NaN",
    "-Infinity",
)


@pytest.mark.parametrize("number", NUMBERS, ids=range(len(NUMBERS)))
def test_huge_numbers(small: Small, number: str) -> None:
    raw = lines(*conversation(BAD)).replace(b'"input": 10', b'"input": ' + number.encode(), 1)
    small.bad.write_bytes(raw.replace(b'"type": "user"', b'"odd": ' + number.encode() + b', "type": "user"', 1))
    session = small.read_bad()
    assert session is not None
    assert words(session) == SAID
    json.loads(written(session), parse_int=str)


NAMES = (
    "../../../etc/passwd",
    "a/b",
    "/etc/passwd",
    "..",
    "a\\b",
    "nul\x00byte",
    "x" * 5000,
    "line\nbreak",
)


@pytest.mark.parametrize("identity", NAMES, ids=range(len(NAMES)))
def test_ids_with_path_separators(small: Small, identity: str) -> None:
    small.bad.write_bytes(lines(header(identity), prompt(1, "Where am I?"), reply(2, "Here.")))
    library = small.library()
    result = small.listed(library)
    assert len(result) == 4
    session = next(session for session in library.sessions() if "Where am I?" in words(session))
    assert library.session(session.key).key == session.key


def test_terminal_escapes_are_kept_as_text(small: Small) -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\x9b31m red"
    small.bad.write_bytes(lines(header(BAD), prompt(1, evil), reply(2, evil)))
    session = small.read_bad()
    assert session is not None
    assert words(session) == [evil, evil]


def test_file_of_another_kind(small: Small) -> None:
    small.bad.write_bytes(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    assert small.read_bad() is None
    assert small.line_of_bad()[0] in ("unreadable", "unknown")


LIES = (
    "",
    "not json",
    "[]",
    "null",
    '{"projects": []}',
    '{"projects": {"/tmp/other": "garden"}}',
    '{"projects": {"garden": 7, "": "", "/x": ["garden"]}}',
    '{"projects": {"' + "/x" * 50_000 + '": "garden"}}',
    "[" * 100_000,
)


@pytest.mark.parametrize("lie", LIES, ids=range(len(LIES)))
def test_projects_json_that_lies(small: Small, lie: str) -> None:
    small.registry.write_text(lie)
    result = small.listed(small.library())
    for session, value in result.items():
        # The folder named by a hash has no witness left but the sessions themselves.
        assert value.summary.project in ((PROJECT,) if session in sorted(GOOD)[:2] else (PROJECT, None))
