"""The vectors of docs/evidence.md, by our code and by a few lines that know only the specification."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pollux.signing import cose
from pollux.signing.salted import Leaf, Salted, root
from pollux.signing.statement import sign, verify
from pollux.signing.subject import of_record
from tests.unit.signing.records_and_keys import subject

PAGE = (Path(__file__).parents[3] / "docs" / "evidence.md").read_text("utf-8")
VECTORS: dict[str, Any] = json.loads(re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0])
LEAVES = VECTORS["leaves"]


def sha(*pieces: bytes) -> bytes:
    return hashlib.sha256(b"".join(pieces)).digest()


def test_the_hashes_are_as_specified() -> None:
    for leaf in LEAVES:
        hidden = sha(b"\x02", leaf["shown"].encode())
        assert hidden.hex() == leaf["hidden"]
        assert sha(b"\x00", cbor2.dumps([leaf["path"], hidden])).hex() == leaf["leaf"]


def test_every_form_of_a_leaf_has_the_same_payload() -> None:
    for form in (("path", "shown"), ("path", "hidden"), ("leaf",)):
        leaves = (Leaf(**{name: leaf[name] for name in form}) for leaf in LEAVES)
        assert Salted(leaves=tuple(leaves)).payload.hex() == VECTORS["payload"]
    hashes = [bytes.fromhex(leaf["leaf"]) for leaf in LEAVES]
    assert cbor2.loads(bytes.fromhex(VECTORS["payload"])) == {
        "root": root(hashes),
        "leaves": 9,
        "scheme": "pollux-salted-1",
    }
    four = sha(b"\x01", sha(b"\x01", *hashes[:2]), sha(b"\x01", *hashes[2:4]))
    more = sha(b"\x01", sha(b"\x01", *hashes[4:6]), sha(b"\x01", *hashes[6:8]))
    assert root(hashes) == sha(b"\x01", sha(b"\x01", four, more), hashes[8])


def test_the_signature_is_made_and_verified() -> None:
    file = Salted(leaves=tuple(Leaf(path=leaf["path"], shown=leaf["shown"]) for leaf in LEAVES)).document().encode()
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["private_key"]))
    assert sign(subject(file), VECTORS["issuer"], key).hex() == VECTORS["signature_file"]
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(VECTORS["public_key"]))
    payload = bytes.fromhex(VECTORS["payload"])
    verdict = verify(cose.parse_envelope(bytes.fromhex(VECTORS["signature_file"])), payload, of_record(file), public)
    assert (verdict.issuer, verdict.subject, verdict.hidden) == ("Ada", "s1", 0)
    raw, _, none, signature = cbor2.loads(bytes.fromhex(VECTORS["signature_file"])).value
    assert none is None
    public.verify(signature, cbor2.dumps(["Signature1", raw, b"", payload]))
