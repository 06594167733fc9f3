from __future__ import annotations

import pytest

from pollux.index.search.prepare.stored_text import pack, unpack


@pytest.mark.parametrize("text", ["", "x", "(µ", "架构 " * 3000, "line of a log\n" * 200, "\x00" * 5000])
def test_a_stored_text_comes_back(text: str) -> None:
    assert unpack(pack(text.encode())) == text


def test_a_long_text_is_compressed() -> None:
    assert len(pack(b"line of a log\n" * 200)) < 200
