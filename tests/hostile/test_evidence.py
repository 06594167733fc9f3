"""Records and signatures that somebody wrote who means harm: a sentence, and nothing that was not signed counts."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import cbor2
import msgspec
import pytest

from pollux.errors import Unreadable
from pollux.signing import cose
from pollux.signing.cbor_length import DEEPEST
from pollux.signing.keys import key_id
from pollux.signing.salted import parse_salted, salt
from pollux.signing.statement import METADATA, Refuted, verify
from pollux.signing.subject import parse_document
from pollux.writers.vac.check import check, entries_in
from tests.hostile.conftest import World
from tests.unit.signing.records_and_keys import key, record, subject

HASH = "00" * 32
DEEP = 900
"""As deep as a reader of JSON goes."""


def _session(value: str) -> bytes:
    return b"\xa1\x67session" + bytes.fromhex(value)


CBOR = {
    "a map in itself": bytes.fromhex("d81ca1") + b"\x67session" + bytes.fromhex("d81d00"),
    "a list in itself": bytes.fromhex("d81c82d81d00d81d00"),
    "a large float": _session("c5821a7fffffff03"),
    "a large fraction": _session("c4821a7fffffff03"),
    "a larger fraction": _session("c4821b7fffffffffffffff03"),
    "a ratio without end": _session("d81e820100"),
    "a pattern": _session("d823") + b"\x65(a*)*",
    "a time beyond time": _session("c1fb7ff0000000000000"),
    "a date": _session("c11a00000000"),
    "an address": _session("d9010441ff"),
    "a set": _session("d9010281a0"),
    "the same text again": bytes.fromhex("d9010082d81900d81900"),
    "nothing known": _session("f7"),
    "a simple value": _session("f8ff"),
    "lists in lists": b"\x81" * 100_000 + b"\x00",
    "lists in a session": _session("81" * DEEP + "00"),
    "a list without end": b"\x9b" + struct.pack(">Q", 1 << 40),
}


@pytest.mark.parametrize("data", CBOR.values(), ids=CBOR)
def test_cbor_that_no_record_needs_is_refused(data: bytes) -> None:
    assert parse_document(data) == (None, "")


def test_cbor_as_records_have_it_is_read() -> None:
    for value in (2**100, -(2**100), 1.5, None, True, "a", [{"a": [b"b"]}], cbor2.CBORTag(55799, {"a": 1})):
        data = cbor2.dumps(value)
        assert parse_document(data) == (value.value if isinstance(value, cbor2.CBORTag) else value, "application/cbor")
    deep = b"\x81" * (DEEPEST - 1) + b"\x00"
    assert parse_document(deep)[1]
    assert not parse_document(b"\x81" + deep)[1]


def _nested(depth: int) -> dict[str, Any]:
    """A record whose entries stand in one another."""
    whole: dict[str, Any] = json.loads(record())
    entry: dict[str, Any] = {"type": "user", "content": "a"}
    for _ in range(depth):
        entry = {"type": "user", "children": [entry]}
    whole["session"]["entries"] = [entry]
    return whole


def test_a_record_is_checked_however_deep() -> None:
    assert check(_nested(2_000)) == []
    assert entries_in(_nested(5_000)) == 5_001
    broken = _nested(50)
    broken["session"]["entries"][0]["children"][0]["type"] = 1
    assert [problem.place for problem in check(broken)] == ["session.entries[0].children[0].type"]


def test_leaves_are_taken_and_put_together_however_deep() -> None:
    whole = _nested(2_000)
    result = parse_salted(salt(whole).document().encode()).record()
    for _ in range(2_000):  # two deep values cannot be compared at once
        whole, result = [one["session"]["entries"][0] if "session" in one else one for one in (whole, result)]
        assert result.keys() == whole.keys()
        whole, result = whole["children"][0], result["children"][0]
    assert result == whole == {"type": "user", "content": "a"}


def _salted(*leaves: dict[str, Any]) -> bytes:
    return json.dumps({"scheme": "pollux-salted-1", "leaves": leaves}).encode()


FILES = {
    "deep.json": b'{"session":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "deeper.json": b"[" * 100_000,
    "large.json": b'{"session":' + b"9" * 100_000 + b"}",
    "two.json": _salted({"path": ["a"] * 5_000, "hidden": HASH}, {"path": ["a"] * 5_001, "hidden": HASH}),
    "wide.json": _salted(*({"path": ["a"] * count, "hidden": HASH} for count in range(1, 400))),
    "none.json": _salted(),
    "leaf.json": _salted({"path": ["a"], "shown": '["salt",' + "[" * DEEP + "]" * DEEP + "]"}),
    "broken.json": _salted({"path": ["a"], "shown": "[" * 100_000}),
    "step.json": b'{"scheme":"pollux-salted-1","leaves":[{"path":[%s],"hidden":"%s"}]}' % (b"9" * 30, HASH.encode()),
    **{f"{name.replace(' ', '-')}.cbor": data for name, data in CBOR.items()},
}


def test_check_and_verify_answer_with_a_sentence(tmp_path: Path) -> None:
    world = World(tmp_path, ())
    (tmp_path / "other.cose").write_bytes(_signed({}))
    for name, data in FILES.items():
        file = tmp_path / name
        file.write_bytes(data)
        for command in (
            ("check", str(file)),
            ("verify", str(file), "--signature", str(tmp_path / "other.cose"), "--key", _public(tmp_path)),
            ("verify", str(_attached(file)), "--key", _public(tmp_path)),
            ("hide", str(file), "--text", "a", "-o", str(tmp_path / "copy.json"), "--force"),
        ):
            answer = world.command(*command)
            wanted = {0, 1, 3} if command[0] == "hide" or command[1].endswith("attached") else {3}
            assert answer.returncode in wanted, (name, command[0], answer.stdout, answer.stderr)
            assert answer.returncode == 0 or answer.stderr.startswith("pollux: "), (name, command[0], answer.stderr)


def _public(folder: Path) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    file = folder / "key.pub"
    file.write_bytes(key("ed25519").public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return str(file)


def _attached(file: Path) -> Path:
    """A signature that holds the file's bytes."""
    target = file.with_suffix(".attached")
    target.write_bytes(_signed({}, payload=file.read_bytes(), attach=True))
    return target


def _signed(unprotected: dict[Any, Any], payload: bytes | None = None, *, attach: bool = False) -> bytes:
    """A signature as another program makes it: without a hash of the facts beside it."""
    content = key("ed25519")
    protected = {
        cose.CONTENT_TYPE: "application/json",
        cose.KID: key_id(content.public_key()),
        cose.CLAIMS: {1: "Ada", 2: "kitchen-sink"},
    }
    return cose.sign_payload(record() if payload is None else payload, protected, unprotected, content, attach=attach)


def test_facts_that_are_not_signed_are_not_proved() -> None:
    """Anybody can put them beside a signature that does not cover them."""
    answer = {"session-id": "kitchen-sink", "trace-format": "claude-jsonl"}
    bare = cose.parse_envelope(_signed({}))
    added = msgspec.structs.replace(bare, unprotected={METADATA: answer})
    public = key("ed25519").public_key()
    assert verify(added, record(), subject(), public) == verify(bare, record(), subject(), public)
    assert verify(added, record(), subject(), public).trace_format is None


@pytest.mark.parametrize(
    "told",
    [
        {"session-id": "another"},
        {"session-id": 1 << 100_000},
        {"session-id": "kitchen-sink", "content-hash": "0"},
        {},
        "facts",
    ],
    ids=["another", "large", "hash", "none", "text"],
)
def test_facts_that_contradict_what_was_signed_refute_it(told: object) -> None:
    envelope = cose.parse_envelope(_signed({METADATA: told}))
    with pytest.raises(Refuted):
        verify(envelope, record(), subject(), key("ed25519").public_key())


def test_facts_as_deep_as_they_can_be_are_compared() -> None:
    value: Any = 0
    for _ in range(DEEPEST - 10):
        value = [value]
    envelope = cose.parse_envelope(_signed({METADATA: {"session-id": value}}))
    covered = msgspec.structs.replace(envelope, raw=cose.encode({**envelope.protected, "trace-metadata-sha-256": b""}))
    with pytest.raises(Unreadable):
        verify(covered, record(), subject(), key("ed25519").public_key())
    assert cose.encode(envelope.unprotected)
