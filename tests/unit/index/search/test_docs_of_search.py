"""docs/search.md says what the query language does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from pollux.index.search.passages import OUTPUT_HEAD, OUTPUT_TAIL
from pollux.index.search.query import FILTERS, PLACES, parse

PAGE = (Path(__file__).parents[4] / "docs" / "search.md").read_text("utf-8")


def test_every_filter_and_place_has_a_row() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`([a-z]+):", row)} == set(FILTERS)
    assert {name for row in rows for name in re.findall(r"`in:([a-z]+)`", row)} == set(PLACES)


def test_every_example_is_understood() -> None:
    names = re.findall(r"`([^`\n]+)`", PAGE)
    for text in names:
        if text not in ("*", "?", "**", "~", "./", "../", "-", "OR", "-agent:gemini") and not text.endswith(
            (":", ":…")
        ):
            parse(text)
    assert len(names) > 60


def test_the_sizes_are_right() -> None:
    assert f"{(OUTPUT_HEAD + OUTPUT_TAIL) // 1024} kB" in PAGE
    assert f"first {OUTPUT_HEAD // 1024} kB and its last {OUTPUT_TAIL // 1024} kB" in PAGE


def test_nobody_pays_for_search_who_does_not_search() -> None:
    program = "import sys, pollux, pollux.library.library, pollux.cli.app; sys.exit('tantivy' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
