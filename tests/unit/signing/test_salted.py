"""Salted records: what is hidden can be proved later, what is forged is found out."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import cbor2
import pytest
from hypothesis import given, settings, strategies as st

from pollux.errors import Unreadable
from pollux.signing import cose
from pollux.signing.salted import SCHEME, Leaf, Salted, parse_salted, root, salt
from pollux.signing.statement import Refuted, sign, verify
from pollux.signing.subject import of_record
from tests.unit.signing.records_and_keys import key, record, subject

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def reference(document: str) -> bytes:
    """The root of a file, worked out from the specification and nothing else."""
    hashes = []
    for leaf in json.loads(document)["leaves"]:
        if "leaf" in leaf:
            hashes.append(bytes.fromhex(leaf["leaf"]))
            continue
        value = (
            hashlib.sha256(b"\x02" + leaf["shown"].encode()).digest()
            if "shown" in leaf
            else bytes.fromhex(leaf["hidden"])
        )
        hashes.append(hashlib.sha256(b"\x00" + cbor2.dumps([leaf["path"], value])).digest())
    return tree(hashes)


def tree(hashes: list[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    half = 1
    while half * 2 < len(hashes):
        half *= 2
    return hashlib.sha256(b"\x01" + tree(hashes[:half]) + tree(hashes[half:])).digest()


@settings(deadline=None)
@given(VALUES, st.data())
def test_a_copy_with_anything_hidden_has_the_same_root(value: Any, data: st.DataObject) -> None:
    whole = salt(value)
    assert whole.record() == value
    chosen = {leaf.path for leaf in whole.leaves if data.draw(st.booleans())}
    for places in (False, True):
        copy = whole.hide(lambda path, _: path in chosen, places=places)
        assert copy.payload == whole.payload
        assert copy.hidden == len(chosen)
        assert parse_salted(copy.document().encode()) == copy
        assert reference(copy.document()) == cbor2.loads(whole.payload)["root"]


@settings(deadline=None)
@given(VALUES, VALUES)
def test_another_value_has_another_root(one: Any, other: Any) -> None:
    def same(_count: int) -> bytes:
        return bytes(16)

    if json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True):
        assert salt(one, same).payload != salt(other, same).payload


def test_every_leaf_has_a_salt_of_its_own() -> None:
    salts = [json.loads(leaf.shown or "")[0] for leaf in salt(["same"] * 50).leaves]
    assert len(set(salts)) == 50
    assert {len(base64.urlsafe_b64decode(text + "==")) for text in salts} == {16}


def test_a_hidden_copy_verifies_and_a_forged_one_does_not() -> None:
    whole = salt(json.loads(record()))
    file = whole.document().encode()
    envelope = cose.parse_envelope(sign(subject(file), "Ada", key("ed25519")))
    public = key("ed25519").public_key()
    copy = whole.hide(lambda path, _: path[:2] == ("session", "entries"))
    output = subject(copy.document().encode())
    verdict = verify(envelope, output.payload, output, public)
    assert verdict.hidden == copy.hidden > 50
    assert verdict.trace_format == SCHEME
    for leaves in forgeries(copy):
        forged = Salted(leaves=tuple(leaves))
        with pytest.raises(Refuted):
            verify(envelope, forged.payload, None, public)


def forgeries(copy: Salted) -> list[list[Leaf]]:
    """Another value, another place, a place for what is hidden, one leaf less, one more, two that changed places."""
    first = next(n for n, leaf in enumerate(copy.leaves) if leaf.shown is not None)
    hidden = next(n for n, leaf in enumerate(copy.leaves) if leaf.hidden is not None)
    leaves = list(copy.leaves)

    def with_leaf(number: int, leaf: Leaf) -> list[Leaf]:
        return [*leaves[:number], leaf, *leaves[number + 1 :]]

    output = leaves[first].shown or ""
    return [
        with_leaf(first, Leaf(path=leaves[first].path, shown=output.replace("2026", "2025"))),
        with_leaf(first, Leaf(path=("id",), shown=output)),
        with_leaf(hidden, Leaf(path=("session", "entries", 0, "invented"), hidden=leaves[hidden].hidden)),
        with_leaf(hidden, Leaf(path=leaves[hidden].path, hidden="00" * 32)),
        leaves[:-1],
        [*leaves, leaves[-1]],
        [leaves[1], leaves[0], *leaves[2:]],
    ]


@pytest.mark.parametrize(
    ("leaf", "sentence"),
    [
        ({"path": ["a"]}, "Leaf 0 of the salted record is neither shown nor hidden."),
        ({"path": ["a"], "hidden": "00", "shown": "[]"}, "Leaf 0 of the salted record is neither shown nor hidden."),
        ({"path": ["a"], "shown": '["salt"]'}, "The leaf at a does not hold a salt and a value."),
        ({"path": ["a"], "hidden": "AB" * 32}, "A hidden leaf of the salted record is not a SHA-256 in lower case."),
        ({"more": 1}, "This is not a salted record: Object contains unknown field"),
    ],
)
def test_what_is_no_leaf_is_refused(leaf: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Unreadable, match=sentence):
        of_record(json.dumps({"scheme": SCHEME, "leaves": [leaf]}).encode())


def test_leaves_that_contradict_each_other_are_refused() -> None:
    one, other = salt({"a": 1}).leaves[0], salt({"a": {"b": 1}}).leaves[0]
    with pytest.raises(Unreadable, match="Two leaves"):
        Salted(leaves=(other, one)).record()


def test_the_tree_of_the_vectors() -> None:
    assert root([bytes(32)]) == bytes(32)
    assert root([bytes(32)] * 3).hex() == tree([bytes(32)] * 3).hex()
