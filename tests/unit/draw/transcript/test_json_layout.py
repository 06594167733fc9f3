from __future__ import annotations

import json
import time

import pytest

from pollux.draw.canvas import Canvas
from pollux.draw.transcript.json_layout import is_json, laid_out

PLAIN = Canvas(80)


@pytest.mark.parametrize(
    "value",
    [
        {"id": "a", "content": [{"text": 'with "quotes", {brackets}: [1, 2]\\'}, {}], "none": None, "empty": []},
        [1, -2.5e300, True, [[[]]], {"a": {"b": {"c": "ä\n"}}}],
        {},
    ],
)
def test_it_looks_as_python_would_write_it(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert is_json(text)
    assert "\n".join(laid_out(PLAIN, text)) == json.dumps(value, indent=2, ensure_ascii=False)
    assert "\n".join(laid_out(PLAIN, json.dumps(value, indent=7, ensure_ascii=False))) == "\n".join(
        laid_out(PLAIN, text)
    )


def test_what_python_would_change_stays() -> None:
    text = r'{"n":1.50,"n":1E400,"big":123456789012345678901234567890,"half":"\ud800\u0041"}'
    assert is_json(text)
    assert [line.strip().rstrip(",") for line in laid_out(PLAIN, text)] == [
        "{",
        '"n": 1.50',
        '"n": 1E400',
        '"big": 123456789012345678901234567890',
        r'"half": "\ud800\u0041"',
        "}",
    ]


def test_nothing_of_a_beginning_is_lost() -> None:
    text = json.dumps({"a": [{"b": "c d"}, "e", 5], "f": {"g": [True, "\\"]}})
    for end in range(len(text)):
        lines = "".join(laid_out(PLAIN, text[:end]))
        assert "".join(lines.split()) == "".join(text[:end].split())


@pytest.mark.parametrize("text", ["", "words", '{"a": }', '{"a": 1} {"b": 2}', '"text"', "{" * 99_999])
def test_what_is_no_json(text: str) -> None:
    assert not is_json(text)


def test_a_large_text_takes_no_time() -> None:
    text = json.dumps({"output": "x" * 20_000_000, "list": [{"n": number} for number in range(100_000)]})
    begun = time.process_time()
    assert is_json(text)
    assert len(list(laid_out(PLAIN, text[:100_000]))) == 2
    assert time.process_time() - begun < 0.2
