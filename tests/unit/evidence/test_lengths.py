"""Lengths that lie are found before anything believes them."""

from __future__ import annotations

import cbor2
import pytest
from hypothesis import given, strategies as st

from pollux.errors import Unreadable
from pollux.evidence import cose
from pollux.evidence.lengths import fits

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(plain, st.booleans())
def test_what_is_whole_fits(value: object, canonical: bool) -> None:
    assert fits(cbor2.dumps(value, canonical=canonical))


@given(plain)
def test_what_was_cut_does_not(value: object) -> None:
    data = cbor2.dumps(value)
    assert not any(fits(data[:end]) for end in range(len(data)))


@given(plain)
def test_items_without_a_number(value: object) -> None:
    data = cbor2.dumps(value)
    assert fits(b"\x9f" + data + data + b"\xff")
    assert not fits(b"\x9f" + data + data)


@pytest.mark.parametrize(
    "head", [b'{"type":"queue-operation"', b"\x5b" + b"\x22" * 8, b"\x9b" + b"\x7f" * 8, b"\xbb" + b"\x7f" * 8]
)
def test_lengths_beyond_everything(head: bytes) -> None:
    data = head + "naïve — ".encode() * 20_000
    assert not fits(data)
    with pytest.raises(Unreadable):
        cose.decode(data, "The file")
