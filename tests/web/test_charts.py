"""Charts as a browser draws them: every word in the picture, none over another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from pollux.usage.charts import bars, calendar, columns
from tests.web.browser_page import BrowserPage

DAYS = [f"2026-11-{day:02}" for day in range(1, 23)]
NAMES = ["claude:ba57feba-7d21-4e6f-98a2-2a25a7e4c715", "/home/WWW" + "/deep" * 60, "/状态架构设计" * 20, "short"]
PICTURES = {
    "bars": bars("Tokens", "in all", [(name, 5.0 - n) for n, name in enumerate(NAMES)], lambda value: f"${value:.4f}"),
    "days": columns("Tokens", "in all", [(day, {"a": 3.0}) for day in DAYS], str),
    "two days": columns("Tokens", "in all", [(day, {"a": 3.0}) for day in DAYS[:2]], str),
    "models": columns("Tokens", "in all", [("2026", {f"{n}-WIDE-MODEL-名前": 1.0 + n for n in range(9)})], str),
    "calendar": calendar("Tokens", "in all", {date(2026, 1, 1): 1.0, date(2026, 12, 31): 1.0}, str),
    "cut calendar": calendar("Tokens", "in all", {date(1000, 1, 1): 1.0, date(2026, 11, 15): 1.0}, str),
    "cut": columns("Tokens", "in all", [("1000", {"a": 1.0}), (None, {}), ("2026", {"a": 3.0})], str),
}

# Words that are cut at an edge, and words that lie over others.
WRONG = """() => {
  const words = [...document.querySelectorAll("text")].map((e) => [e.textContent, e.getBoundingClientRect()]);
  const { right, bottom } = document.documentElement.getBoundingClientRect();
  const cut = words.filter(([, r]) => r.left < 0 || r.top < 0 || r.right > right || r.bottom > bottom);
  const over = words.filter(([, a], n) => words.slice(n + 1).some(([, b]) =>
    a.left < b.right && b.left < a.right && a.top + 3 < b.bottom && b.top + 3 < a.bottom));
  return [...cut, ...over].map(([text]) => text);
}"""


@pytest.mark.parametrize("name", PICTURES)
def test_every_word_of_a_chart_can_be_read(name: str, visit: Callable[..., BrowserPage], tmp_path: Path) -> None:
    file = tmp_path / "chart.svg"
    file.write_text(PICTURES[name], "utf-8")
    assert visit(file).ask(WRONG) == []
