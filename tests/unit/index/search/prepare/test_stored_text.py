from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pollux.index.search.prepare.stored_text import pack, unpack


@pytest.mark.parametrize("text", ["", "x", "(µ", "架构 " * 3000, "line of a log\n" * 200, "\x00" * 5000])
def test_a_stored_text_comes_back(text: str) -> None:
    assert unpack(pack(text.encode())) == text


def test_a_long_text_is_compressed() -> None:
    assert len(pack(b"line of a log\n" * 200)) < 200


def test_threads_do_not_disturb_each_other() -> None:
    """While zstandard works, it lets other threads go on; its objects bear only one at a time."""
    texts = [f"{number} {number * 7919} line of a log\n" * 20_000 for number in range(8)]

    def there_and_back(number: int) -> bool:
        text = texts[number % len(texts)]
        return unpack(pack(text.encode())) == text

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(there_and_back, range(200)))
