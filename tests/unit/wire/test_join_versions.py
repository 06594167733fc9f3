"""Files that were cut or rewritten, joined and closed: nothing that was there is missing, and nothing is new."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from pollux.wire.join_versions import close_cut_file, format_document, join_records, object_lines, parse_document
from pollux.wire.salvage import mend

records = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e"]), max_size=8)
texts = st.text(st.characters(codec="utf-8"), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(records, max_size=4))
def test_every_record_is_there_as_often_as_in_the_form_that_has_most(forms: list[list[bytes]]) -> None:
    answer = join_records(forms)
    for record in {record for form in forms for record in form}:
        assert answer.count(record) >= max(form.count(record) for form in forms)
    assert len(answer) <= sum(map(len, forms))
    if forms:
        assert list(filter(None, forms[-1])) == subsequence(forms[-1], answer)


def subsequence(wanted: list[bytes], told: list[bytes]) -> list[bytes]:
    """Those that stand there in the same order."""
    rest = iter(told)
    return [record for record in wanted if any(record == other for other in rest)]


@given(records, st.integers(0, 8))
def test_a_beginning_adds_nothing(form: list[bytes], length: int) -> None:
    assert join_records([form, form[:length]]) == form
    assert join_records([form[:length], form]) == form


def test_what_was_lost_stands_behind_its_predecessor() -> None:
    assert join_records([[b"a", b"b", b"c"], [b"a", b"d"]]) == [b"a", b"b", b"c", b"d"]
    assert join_records([[b"a", b"b"], [b"c"], [b"c", b"d"]]) == [b"a", b"b", b"c", b"d"]
    assert join_records([[b"1 old", b"2"], [b"1 new"]], lambda record: record[:1]) == [b"1 new", b"2"]


def part_of(less: Any, more: Any) -> bool:
    """Is a value the beginning of another?"""
    match less, more:
        case dict(), dict():
            return all(key in more and part_of(value, more[key]) for key, value in less.items())
        case list(), list():
            return len(less) <= len(more) and all(map(part_of, less, more))
        case str(), str():
            return more.startswith(less.rstrip("\ud800")) or more.encode("utf-16", "surrogatepass").startswith(
                less.encode("utf-16", "surrogatepass")
            )
        case _:
            return bool(less == more)


@given(st.dictionaries(texts, values, min_size=1, max_size=4), st.integers(1, 10_000), st.booleans(), st.booleans())
def test_a_document_cut_anywhere_is_closed(value: dict[str, Any], place: int, pretty: bool, plain: bool) -> None:
    raw = json.dumps(value, indent=2 if pretty else None, ensure_ascii=plain).encode()
    cut = raw[: 1 + place % (len(raw) - 1)]
    closed = mend(cut)
    assert closed is not None
    assert part_of(json.loads(closed), value)
    assert mend(raw) is None


def test_the_beginning_of_a_string_is_kept_and_that_of_a_key_is_not() -> None:
    assert mend(b'{"a": "one tw') == b'{"a": "one tw"}'
    assert mend(b'{"a": ["one", "tw') == b'{"a": ["one", "tw"]}'
    assert mend(b'{"a": "one", "b') == b'{"a": "one"}'
    assert mend(b'{"a": "one\\u00') == b'{"a": "one"}'
    assert mend('{"a": "Zü'.encode()[:-1]) == b'{"a": "Z"}'
    assert mend(b'{"a": } "b": 1}') is None


def test_only_the_last_line_is_closed() -> None:
    assert close_cut_file(b'{"a": 1}\n{"b": "tw') == b'{"a": 1}\n{"b": "tw"}\n'
    assert close_cut_file(b'{"a": 1}\n{"b": 2}') is None
    assert close_cut_file(b'{"a": 1}\n') is None
    assert close_cut_file(b'{"a": "on') == b'{"a": "on"}'
    assert object_lines(b'{"a": 1}\r\nrubbish\n[1]\n{"b": 2}\n{"c"') == [b'{"a": 1}\n', b'{"b": 2}\n']


def test_what_is_whole_in_a_cut_item_is_kept_apart() -> None:
    raw = json.dumps({"id": "x", "items": [{"n": 1, "m": [1, 2]}, {"n": 2, "m": [3, 4]}], "end": 1}, indent=2).encode()
    whole = parse_document(raw, "items")
    assert whole is not None
    assert format_document(whole, "items") == raw
    cut = parse_document(raw[: raw.index(b"4")], "items")
    assert cut is not None
    assert (cut.whole, len(cut.items), json.loads(cut.cut or b"")) == (False, 1, {"n": 2})
    assert "end" not in cut.members
    assert parse_document(b"no JSON at all", "items") is None
