"""One value of a JSON text changes; every other byte stays, comments included."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pollux.text.editing.json_text import fragment, parse, render, with_value, without

PATH = ("mcpServers", "pollux")
ENTRY = {"command": "/usr/bin/pollux", "args": ["mcp"], "env": {"Ä": 'a "b"\n'}}
COMMENTED = """\
// mine
{
    "ui": {"theme": "x"}, // dark
    /* "mcpServers": {} */
    "url": "http://x/*y*/",
    "mcpServers": {
        "other": {"command": "y"} // last
    }
}
"""


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a":1}',
        '{"a": [1, {"b": "}"}]}\n',
        "{\n  // nothing yet\n}\n",
        '{\n\t"a": 1 // note\n}',
        '{\r\n  "a": {}\r\n}\r\n',
        '\ufeff{\n  "a": 1\n}',
        '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n',
        COMMENTED,
    ],
)
def test_a_member_comes_and_goes(text: str) -> None:
    new = with_value(text, PATH, ENTRY)
    assert parse(new)["mcpServers"]["pollux"] == ENTRY
    assert {**parse(new), "mcpServers": parse(text).get("mcpServers")} == {"mcpServers": None, **parse(text)}
    assert without(new, PATH) == text


def test_an_empty_text_becomes_an_object() -> None:
    assert with_value("", PATH, ENTRY) == fragment(PATH, ENTRY)
    assert parse("") == parse(" // nothing\n") == {}


@pytest.mark.parametrize("text", ["// mine\n", "// mine", "/* mine */", "\ufeff// mine\n"])
def test_a_text_of_comments_becomes_an_object_behind_them(text: str) -> None:
    new = with_value(text, PATH, ENTRY)
    assert new.startswith(text)
    assert parse(new) == {"mcpServers": {"pollux": ENTRY}}


@pytest.mark.parametrize("inside", ["// none yet\n", "/* none yet */\n", "// one\n    // two\n"])
def test_an_object_with_a_comment_stays(inside: str) -> None:
    text = f'{{\n  "ui": 1, // dark\n  "mcpServers": {{\n    {inside}  }}\n}}\n'
    assert without(with_value(text, PATH, ENTRY), PATH) == text


def test_a_comment_stays_in_its_line() -> None:
    new = with_value(COMMENTED, PATH, {"command": "p"})
    assert '        "other": {"command": "y"}, // last\n        "pollux": {\n' in new
    assert new.replace("}, // last", "} // last").replace(
        new[new.index('        "pollux"') : new.index("    }\n}")], ""
    ) == (COMMENTED)


def test_a_value_is_replaced_in_its_place() -> None:
    text = '{\n  "mcpServers": {\n    "pollux": { "command": "/old", "args": [ "mcp" ], "trust": true } // mine\n  }\n}'
    assert with_value(text, (*PATH, "command"), "/new") == text.replace('"/old"', '"/new"')
    assert '"pollux": {"command": "x"} // mine' in with_value(text, PATH, {"command": "x"})


def test_the_last_of_two_members_with_one_name_counts() -> None:
    text = '{"a": 1, "a": 2}'
    assert parse(text) == {"a": 2}
    assert parse(with_value(text, ("a",), 3)) == {"a": 3}


def test_a_member_between_others_goes() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2, // two\n  "c": 3\n}'
    assert without(text, ("b",)) == '{\n  "a": 1, // one // two\n  "c": 3\n}'
    assert without(text, ("a",)) == '{ // one\n  "b": 2, // two\n  "c": 3\n}'
    assert without(text, ("c",)) == '{\n  "a": 1, // one\n  "b": 2 // two\n}'
    with pytest.raises(ValueError, match="no 'd'"):
        without(text, ("d",))


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": 1}', '{"mcpServers": null}'])
def test_another_value_on_the_path_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an object"):
        with_value(text, PATH, ENTRY)


@pytest.mark.parametrize("text", ["{", '{"a": 1,}', "{a: 1}", '{"a": 1} x', "/* {}", '{"a": "', "{'a': 1}"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab/*"\\{}[],:\n ä', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"/ ', max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text('ab/" {', max_size=3), values, max_size=4), values, st.sampled_from([None, 1, 4, "\t"]))
def test_any_document_keeps_its_values(document: dict[str, Any], value: Any, indent: Any) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False)
    new = with_value(text, ("pollux",), value)
    assert parse(new) == {**document, "pollux": value}
    assert parse(without(new, ("pollux",))) == document
    assert parse(render(value)) == value
