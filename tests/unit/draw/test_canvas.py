from __future__ import annotations

from pollux.draw.canvas import STYLES, Canvas


def test_styles_begin_in_their_order_and_end_together() -> None:
    assert Canvas(color=True).paint("tide", "bold", "code") == "\x1b[1m\x1b[36mtide\x1b[0m"


def test_nothing_is_painted_without_colours_text_or_styles() -> None:
    for style in STYLES:
        assert Canvas().paint("tide", style) == "tide"
        assert not Canvas(color=True).paint("", style)
    assert Canvas(color=True).paint("tide") == "tide"
