from __future__ import annotations

import pytest

from pollux.index.search.query import FieldFilter, parse
from pollux.text.filter_term import filter_term


@pytest.mark.parametrize(
    "value",
    [
        "main",
        "/home/ada/code",
        "two words",
        "it's",
        "half)",
        "(half",
        "a,b",
        "::",
        "//server/x",
        "\\\\server",
        "*",
        "é",
    ],
)
def test_a_query_reads_the_value_again(value: str) -> None:
    (node,) = parse(filter_term("branch", value)).node.nodes
    assert node == FieldFilter(name="branch", value=value)


def test_a_quotation_mark_is_left_out() -> None:
    assert filter_term("branch", 'say "hi" to') == 'branch:"say hi to"'


def test_no_quotes_without_need() -> None:
    assert filter_term("project", "/a/b") == "project:/a/b"
