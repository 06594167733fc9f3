"""Texts between two marks."""

from __future__ import annotations

from pollux.text.enclosed import all_enclosed, between


def test_the_first_end_counts() -> None:
    assert between("x<a>1</a>2</a>", "<a>", "</a>") == "1"
    assert between("<a></a>", "<a>", "</a>") == ""


def test_without_a_mark_there_is_nothing() -> None:
    assert between("<a>1", "<a>", "</a>") is None
    assert between("</a>1<a>", "<a>", "</a>") is None
    assert between("-->", "<!--", "-->") is None


def test_all_of_them() -> None:
    text = "<a>1</a><a>2<a></a>3</a><a>"
    assert [text[slice(*place)] for place in all_enclosed(text, "<a>", "</a>")] == ["1", "2<a>"]
