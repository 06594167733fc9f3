"""A session that is too large for one page: every message stands in one part, and all links lead somewhere."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from pollux.model import Session, Text
from pollux.writers.base import Options, WriterContext
from pollux.writers.html import WRITER, page_parts
from tests.unit.writers.html.page_parser import Page
from tests.unit.writers.kitchen_sink import ASSISTANT, HUMAN, MODEL, USER, message

LARGE = Session(
    agent="a",
    id="s1",
    messages=tuple(
        message(n, ASSISTANT if n % 2 else USER, MODEL if n % 2 else HUMAN, Text(text=f"said{n} " + "x" * 400))
        for n in range(12)
    ),
)
CONTEXT = WriterContext(files={LARGE.key: "s1.html"}, sessions=lambda: [LARGE])


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files of the site."""
    monkeypatch.setattr(page_parts, "LIMIT", 3_000)
    return files()


def files() -> dict[str, str]:
    first: list[str] = []
    report = WRITER.write(LARGE, first.append, Options(), CONTEXT)
    assert report.kept == len(LARGE.messages)
    rest = WRITER.further_pages(LARGE, Options(), CONTEXT)
    return {"s1.html": "".join(first)} | {name: "".join(pieces) for name, pieces, _ in rest}


def test_every_message_stands_in_one_part(pages: dict[str, str]) -> None:
    assert list(pages) == ["s1.html", *(f"s1.part-{n}.html" for n in range(2, len(pages) + 1))]
    assert len(pages) > 2
    for n in range(12):
        assert sum(f"said{n} x" in text.partition("<main")[2].partition("</header>")[2] for text in pages.values()) == 1


def test_the_links_lead_somewhere(pages: dict[str, str]) -> None:
    parsed = {name: Page(text) for name, text in pages.items()}
    for name, page in parsed.items():
        for target in page.targets:
            file, _, anchor = target.removeprefix("./").partition("#")
            if target != "./index.html":
                assert not anchor or anchor in parsed[file or name].ids
        assert {PurePosixPath(target).name for target in page.targets if "part" in target and "#" not in target} >= {
            other for other in pages if "part" in other and other != name
        }
        assert f"part {list(pages).index(name) + 1} of {len(pages)}" in " ".join(page.words)


def test_only_the_first_part_has_the_facts(pages: dict[str, str]) -> None:
    assert [name for name, text in pages.items() if "<dt>Session</dt>" in text] == ["s1.html"]
    assert all(re.search("<h1[ >]", text) for text in pages.values())


def test_one_file_is_one_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_parts, "LIMIT", 3_000)
    pieces: list[str] = []
    WRITER.write(LARGE, pieces.append, Options())
    assert all(f"said{n} x" in "".join(pieces) for n in range(12))
    assert 'class="parts"' not in "".join(pieces)


def test_an_ordinary_session_is_one_page() -> None:
    assert list(files()) == ["s1.html"]
