"""How far CBOR reaches: as far as the decoder reads, and never beyond what is there."""

from __future__ import annotations

from typing import Any

import cbor2
import pytest
from hypothesis import given, strategies as st

from pollux.errors import Unreadable
from pollux.signing import cose
from pollux.signing.cbor_length import cbor_length
from pollux.signing.subject import parse_document

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.builds(cbor2.CBORTag, st.just(18), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(VALUES, st.binary(max_size=4))
def test_a_value_ends_where_it_was_written_to(value: Any, behind: bytes) -> None:
    data = cbor2.dumps(value)
    assert cbor_length(data + behind) == len(data)


@pytest.mark.slow
@given(VALUES, st.data())
def test_what_is_broken_off_has_no_end(value: Any, data: st.DataObject) -> None:
    whole = cbor2.dumps(value)
    assert cbor_length(whole[: data.draw(st.integers(0, len(whole) - 1))]) is None


@pytest.mark.parametrize(
    ("hexed", "ends"),
    [
        ("9f0102ff", 4),  # a list that a break ends
        ("bf616101ff", 5),
        ("7f61616162ff", 6),
        ("ff", None),
        ("81ff", None),
        ("1f", None),  # a number has no end of its own
        ("1c", None),
        ("9f01", None),
        ("bb" + "ff" * 8, None),
    ],
)
def test_lengths_that_are_not_told(hexed: str, ends: int | None) -> None:
    assert cbor_length(bytes.fromhex(hexed)) == ends


@pytest.mark.parametrize("begins", [b'{"line":1}\n', b"\x7b" + b"\x0f" * 8])
def test_a_long_file_that_is_no_cbor_is_refused(begins: bytes) -> None:
    data = begins + b"x" * 200_000
    assert parse_document(data) == (None, "")
    with pytest.raises(Unreadable, match="The file is not CBOR"):
        cose.decode(data, "The file")
