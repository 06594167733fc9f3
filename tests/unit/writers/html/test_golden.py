"""The kitchen sink as a page, against the file in tests/golden. POLLUX_UPDATE_GOLDEN=1 renews it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.unit.writers.html.page_parser import written
from tests.unit.writers.kitchen_sink import SESSION

FILE = Path(__file__).parents[3] / "golden" / "html" / "kitchen-sink.html"


def test_is_written_as_before() -> None:
    """Styles and scripts are files of their own, and told apart here by a word each."""
    page = re.sub(r"<(style|script)>.*?</\1>", r"<\1>…</\1>", written(SESSION)[0], flags=re.DOTALL)
    page = re.sub(r"sha256-[\w+/=]+", "sha256-…", page)
    if os.environ.get("POLLUX_UPDATE_GOLDEN"):
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(page, "utf-8", newline="\n")
    assert page == FILE.read_text("utf-8")
