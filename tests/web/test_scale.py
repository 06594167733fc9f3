"""One scale of sizes and one grid of spaces, for exported pages and the web UI alike."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pollux.web.assets
import pollux.writers.html.assets

STYLES = sorted(
    style
    for package in (pollux.writers.html.assets, pollux.web.assets)
    for style in Path(package.__file__ or "").parent.glob("*.css")
)
_SPACES = re.compile(r"(?<![\w-])((?:margin|padding|gap|row-gap|column-gap)(?:-[a-z]+)*):([^;}]*)")
_STEP = 0.125
_RELATIVE = re.compile(r"var\(--t[1-8]\)|inherit|0|\d*\.?\d+em|10pt")


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_text_has_a_size_of_the_scale(style: Path) -> None:
    for size in re.findall(r"font-size:\s*([^;}]*)", style.read_text("utf-8")):
        assert _RELATIVE.fullmatch(size.strip()), size


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_spaces_lie_on_the_grid(style: Path) -> None:
    for name, value in _SPACES.findall(style.read_text("utf-8")):
        for length in re.findall(r"(\d*\.?\d+)rem", value):
            assert float(length) % _STEP == 0, (name, value)


def test_the_scale_grows() -> None:
    page = next(style for style in STYLES if style.name == "page.css").read_text("utf-8")
    sizes = [float(size) for size in re.findall(r"--t\d: ([\d.]+)rem", page)]
    assert len(sizes) == 8
    assert sizes == sorted(set(sizes))
