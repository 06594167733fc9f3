"""A model's Markdown in a terminal: it looks like what it means, and no word of it is lost."""

from __future__ import annotations

import re
import time
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from pollux.draw.canvas import Canvas
from pollux.draw.transcript.markdown import markdown
from pollux.draw.width import width
from pollux.text.escape import visible

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
TEXT = """# Tides

The **week** view is in `tides.py`, see [the docs](https://example.org/tides "Docs") and *do* read them all.

- one item which is longer than the line is wide, so that it goes on below itself
  1. first

> quoted words

| file | what it does |
|:--|---|
| `a.py` | reads the table of the harbour and keeps it for a day |
| 架构.py | nothing |

```python
def tide(at: int) -> str:
    return "high"  # or low
```

---
"""


def lines(text: str, columns: int | None = 60, *, color: bool = True) -> list[str]:
    return list(markdown(Canvas(color=color), text, columns))


def plain(text: str, columns: int | None = 60) -> list[str]:
    return [COLOUR.sub("", line) for line in lines(text, columns)]


def letters(text: str) -> Counter[str]:
    return Counter(letter for letter in text if letter.isalnum())


def test_it_looks_like_what_it_means() -> None:
    seen = plain(TEXT)
    assert seen[0] == "Tides"
    assert "• one item which is longer than the line is wide, so that it" in seen
    assert "  goes on below itself" in seen
    assert "▌ quoted words" in seen
    assert [line for line in seen if "│" in line or "┼" in line] == [
        "file    │ what it does",
        "────────┼───────────────────────────────────────────────────",
        "a.py    │ reads the table of the harbour and keeps it for a",
        "        │ day",
        "架构.py │ nothing",
    ]
    assert 'the docs (https://example.org/tides "Docs")' in " ".join(seen)
    assert all(width(line) <= 60 for line in seen)


def test_the_columns_of_a_table_stand_where_their_marks_say() -> None:
    seen = plain("| name | tokens | share |\n|:---|--:|:-:|\n| a | 1 | x |\n| bb | 1,234 |")
    assert [line.rstrip() for line in seen] == [
        "name │ tokens │ share",
        "─────┼────────┼──────",
        "a    │      1 │   x",
        "bb   │  1,234 │",
    ]


def test_entities_are_letters_in_prose_only() -> None:
    assert plain("Salt &amp; pepper, 1 &lt; 2, caf&#233; &#x26; `&amp;`") == ["Salt & pepper, 1 < 2, café & &amp;"]
    assert "\x1b" not in plain("&#27;[31m &#x1b;]0;")[0]


def test_every_line_of_a_diff_has_its_colour() -> None:
    seen = lines("```diff\n-old\n+new\n```")
    assert seen[1:3] == ["\x1b[31m-old\x1b[0m", "\x1b[32m+new\x1b[0m"]


def test_an_emoji_does_not_shift_its_row() -> None:
    seen = plain("| sky | day |\n|---|---|\n| 🌦️ | Mon |\n| ab | Tue |")
    assert [line.index("│") for line in seen if "│" in line] == [4, 4, 4]


def test_styles() -> None:
    seen = "\n".join(lines(TEXT))
    for painted in (
        "\x1b[1mTides\x1b[0m",
        "\x1b[1mweek\x1b[0m",
        "\x1b[36mtides.py\x1b[0m",
        "\x1b[3mdo\x1b[0m",
        "\x1b[4mthe docs\x1b[0m",
        "\x1b[35mdef\x1b[0m",
        '\x1b[32m"high"\x1b[0m',
    ):
        assert painted in seen, painted


def test_without_colours_the_marks_stay() -> None:
    seen = lines(TEXT, color=False)
    assert "\x1b" not in "".join(seen)
    assert seen[0] == "# Tides"
    assert any("The **week** view is in `tides.py`" in line for line in seen)
    assert "> quoted words" in seen
    assert "file    │ what it does" in [line.rstrip() for line in seen]


@pytest.mark.parametrize(
    "text",
    [
        "__init__ and snake_case_name and 2 * 3 * 4 and *.py or *.js",
        "a*b*c and x ** y and **not closed and `not closed",
        "[no link] and [x]: y and [a](not a link) and f(x)[0](1)",
        "C:\\Users\\ada and \\d+ and <b>html</b> &nothing; &amp more & so on",
        "| a lone bar\nand words",
        "1) yes\n10. no",
    ],
)
def test_what_is_no_mark_stays_as_it_is(text: str) -> None:
    assert "\n".join(plain(text, None)) == text


@pytest.mark.parametrize("color", [True, False])
@settings(max_examples=300)
@given(text=st.text(alphabet="ab 1*_`~|[]()#>-+.\\!\n\t:架́"), columns=st.sampled_from([20, 33, 60]))
def test_no_word_is_lost(color: bool, text: str, columns: int) -> None:
    shown = COLOUR.sub("", "\n".join(lines(text, columns, color=color)))
    assert letters(text) <= letters(shown)


WORST = {
    "brackets": "[",
    "links": "[a](b",
    "pictures": "![a",
    "stars": "*a ",
    "stars and words": "**a*",
    "underscores": "_a_",
    "underscores apart": "_a ",
    "ticks": "`a",
    "ticks of all lengths": "`" * 7 + "a" + "`" * 3,
    "strikes": "~~a",
    "quotes": ">",
    "escapes": "\\*",
    "bars": "|a",
    "rows": "|a|b|\n|-|-|\n",
    "fences": "```\n",
    "lines": "\n",
    "blanks": " ",
    "dashes": "- ",
    "html": "<b>",
}


@pytest.mark.slow
@pytest.mark.parametrize("piece", WORST.values(), ids=WORST)
def test_nothing_hangs(piece: str) -> None:
    """Ten times as much takes about ten times as long, not a hundred times."""

    def taken(size: int) -> float:
        text = f"x|\n{piece * (size // len(piece))}x"
        begun = time.process_time()
        for _ in markdown(Canvas(color=True), text, 60):
            pass
        return time.process_time() - begun

    assert taken(200_000) < max(40 * taken(20_000), 1)


def test_deep_lists_and_giant_tables_are_shown() -> None:
    deep = "".join(f"{'  ' * depth}- level{depth}\n" for depth in range(300))
    assert "level299" in "".join(plain(deep))
    giant = "|" + "cell|" * 3000 + "\n|" + "-|" * 3000 + "\n|" + "other|" * 3000
    assert "".join(plain(giant)).count("other") == 3000


def test_without_colours_nothing_steers_a_terminal() -> None:
    evil = (
        "**\x1b]0;title\x07** `\x1b[2J` [a](\x1b[31mb) \u202e\n\n| \x1b[1m |\n|--|\n| \x9b31m |\n\n```py\n\x1b[5m\n```"
    )
    assert "\x1b" not in "".join(lines(visible(evil), color=False))
