"""One table of a TOML text changes; every other byte stays, comments included."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pollux.text.editing.toml_text import fragment, parse, render, with_value, without

PATH = ("mcp_servers", "pollux")
ENTRY = {"command": "/usr/bin/pollux", "args": ["mcp"], "env": {"A B": 'x "y"\n\x7f'}}
OTHERS = '''\
# mine
model = "gpt" # the best
notify = [
  "[mcp_servers.pollux]", # not a heading
]
text = """
[mcp_servers.pollux]
command = "no"
"""
raw = \'\'\'
[mcp_servers.pollux]\'\'\'\'

[mcp_servers.other]
command = 'x'
[[profiles]]
name = "a"
[ projects . "/home/a [b]" ]
trust_level = "trusted"
'''


@pytest.mark.parametrize("text", ["", "a = 1\n", "[a]\n\n", OTHERS, OTHERS.replace("\n", "\r\n"), "\ufeffa = 1\n"])
def test_a_table_comes_and_goes(text: str) -> None:
    new = with_value(text, PATH, ENTRY)
    assert new.startswith(text)
    assert parse(new)["mcp_servers"]["pollux"] == ENTRY
    assert without(new, PATH) == text


def test_a_last_line_without_an_end_gets_one() -> None:
    assert with_value("a = 1", PATH, {"command": "x"}) == 'a = 1\n\n[mcp_servers.pollux]\ncommand = "x"\n'


def test_a_value_is_replaced_in_its_place() -> None:
    text = (
        f'[mcp_servers.pollux]\ncommand = "/old"  # here\nargs = [\n "mcp", # c\n]\nenabled = true\n\n[top]\n{OTHERS}'
    )
    assert with_value(text, (*PATH, "command"), "/new") == text.replace("/old", "/new", 1)
    assert 'args = ["mcp", "--also"]\nenabled' in with_value(text, (*PATH, "args"), ["mcp", "--also"])
    assert with_value(text, (*PATH, "cwd"), "/") == text.replace("pollux]\n", 'pollux]\ncwd = "/"\n', 1)
    assert without(text, PATH) == "\n[top]\n" + OTHERS


def test_tables_below_go_with_it() -> None:
    text = 'a = 1\n\n[mcp_servers.pollux]\ncommand = "x"\n# of env\n[mcp_servers.pollux.env]\nA = "b"\n\n# of z\n[z]\n'
    assert without(text, PATH) == "a = 1\n\n# of z\n[z]\n"


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers]\npollux = { command = "x" }\nother = { command = "y" }\n',
        'mcp_servers.pollux.command = "x"\nmcp_servers.other.command = "y"\n',
        '[mcp_servers."pollux"]\ncommand = "x"\n[mcp_servers.other]\ncommand = "y"',
    ],
)
def test_other_ways_to_write_it_are_understood(text: str) -> None:
    for new in (with_value(text, PATH, ENTRY), with_value(text, (*PATH, "command"), "z")):
        assert parse(new)["mcp_servers"]["other"] == {"command": "y"}
    assert parse(with_value(text, PATH, ENTRY))["mcp_servers"]["pollux"] == ENTRY
    assert parse(without(text, PATH)) == {"mcp_servers": {"other": {"command": "y"}}}


def test_what_is_missing_cannot_go() -> None:
    with pytest.raises(ValueError, match=r"no mcp_servers\.pollux"):
        without(OTHERS, PATH)


@pytest.mark.parametrize("text", ["a", "[a", "a = ", "a = 1\na = 2", '"a', "a = [1"])
def test_what_is_not_toml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_a_long_name_takes_no_long_time() -> None:
    with pytest.raises(ValueError, match=r"."):
        with_value("a" * 100_000, PATH, ENTRY)


@given(st.text(max_size=20), st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=8), max_size=3))
def test_any_text_is_written_so_that_it_is_read_again(text: str, table: dict[str, str]) -> None:
    value = {"command": text, "args": [text], "env": table}
    assert parse(fragment(PATH, value))["mcp_servers"]["pollux"] == value
    assert parse(f"x = {render(table)}")["x"] == table
