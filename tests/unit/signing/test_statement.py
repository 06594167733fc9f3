"""Signatures: what holds, what does not, and what another implementation says."""

from __future__ import annotations

import hashlib
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cwt import COSE, COSEHeaders, COSEKey
from hypothesis import given, settings, strategies as st

from pollux.errors import Unreadable
from pollux.signing import cose
from pollux.signing.keys import key_id
from pollux.signing.statement import METADATA, Refuted, sign, verify
from tests.unit.signing.records_and_keys import ALGORITHMS, key, record, subject
from tests.unit.writers.judges_of_records import fits

SIGNED = {
    (name, attach): sign(subject(), "Ada", key(name), attach=attach) for name in ALGORITHMS for attach in (False, True)
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("attach", [False, True])
def test_a_signature_holds(algorithm: str, attach: bool) -> None:
    envelope = cose.parse_envelope(SIGNED[algorithm, attach])
    assert envelope.payload == (record() if attach else None)
    verdict = verify(envelope, record(), subject(), key(algorithm).public_key())
    assert (verdict.issuer, verdict.subject, verdict.algorithm) == ("Ada", "kitchen-sink", algorithm)
    assert verdict.content_hash == hashlib.sha256(record()).hexdigest()
    assert verdict.trace_format == "ietf-vac-v3.0"
    assert verdict.proved == ("the holder of the key signed this record of session kitchen-sink, in the name of Ada.")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_headers_are_as_the_published_schema_wants_them(algorithm: str) -> None:
    envelope = cose.parse_envelope(SIGNED[algorithm, False])
    assert fits(cbor2.loads(envelope.raw), "protected-header")
    assert fits(envelope.unprotected, "unprotected-header")
    assert envelope.protected[1] == {"ed25519": -8, "es256": -7}[algorithm]
    assert envelope.protected[4] == key_id(key(algorithm).public_key())
    assert envelope.unprotected[METADATA]["agent-vendor"] == "google"


@pytest.mark.parametrize("labels", [[99], ["new"], [4, 99], [33], [], 4, [[4]]])
def test_a_critical_label_that_is_not_understood_refutes(labels: Any) -> None:
    protected = {**cose.parse_envelope(SIGNED["ed25519", True]).protected, 99: 1, "new": 1, cose.CRITICAL: labels}
    signed = cose.sign_payload(record(), protected, {}, key("ed25519"), attach=True)
    with pytest.raises(Refuted, match=r"critical|understands"):
        verify(cose.parse_envelope(signed), record(), None, key("ed25519").public_key())


def test_a_critical_label_that_is_understood_is_none_the_worse() -> None:
    envelope = cose.parse_envelope(SIGNED["ed25519", True])
    protected = {**envelope.protected, cose.CRITICAL: [cose.KID, cose.CLAIMS]}
    signed = cose.sign_payload(record(), protected, envelope.unprotected, key("ed25519"), attach=True)
    assert verify(cose.parse_envelope(signed), record(), None, key("ed25519").public_key()).issuer == "Ada"


def holds(data: bytes, payload: bytes, algorithm: str) -> bool:
    try:
        verify(cose.parse_envelope(data), payload, None, key(algorithm).public_key())
    except Unreadable:
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(ALGORITHMS), st.booleans(), st.data())
def test_one_flipped_byte_anywhere_fails(algorithm: str, attach: bool, data: st.DataObject) -> None:
    signed, payload = SIGNED[algorithm, attach], record()
    place = data.draw(st.integers(0, len(signed) - 1 + (0 if attach else len(payload))))
    change = data.draw(st.integers(1, 255))
    whole = bytearray(signed + payload)
    whole[place] ^= change
    forged = bytes(whole[: len(signed)])
    beside = bytes(whole[len(signed) :]) if not attach else _attached(forged)
    assert not holds(forged, beside, algorithm)


def _attached(data: bytes) -> bytes:
    try:
        return cose.parse_envelope(data).payload or b""
    except Unreadable:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_bit_of_the_signature_s_file_counts(algorithm: str) -> None:
    signed = SIGNED[algorithm, False]
    for place in range(len(signed)):
        for bit in range(8):
            forged = bytearray(signed)
            forged[place] ^= 1 << bit
            assert not holds(bytes(forged), record(), algorithm), (place, bit)


def test_another_key_does_not_verify() -> None:
    assert not holds(SIGNED["ed25519", False], record(), "es256")


def test_nothing_may_stand_behind_a_signature() -> None:
    assert not holds(SIGNED["ed25519", False] + b"\x00", record(), "ed25519")


def test_the_session_must_be_the_one_that_was_signed() -> None:
    other = subject(record().replace(b'"session-id":"kitchen-sink"', b'"session-id":"other"'))
    envelope = cose.parse_envelope(SIGNED["ed25519", False])
    with pytest.raises(Refuted, match="about session kitchen-sink, and the file about other"):
        verify(envelope, record(), other, key("ed25519").public_key())


@pytest.mark.parametrize("changed", [{"content-hash": "00"}, {"session-id": "other"}, {"agent-vendor": "nobody"}])
def test_the_facts_beside_the_signature_must_be_those_that_were_signed(changed: dict[str, str]) -> None:
    envelope = cose.parse_envelope(SIGNED["ed25519", False])
    facts = {**envelope.unprotected[METADATA], **changed}
    forged = cose.Envelope(raw=envelope.raw, unprotected={METADATA: facts}, payload=None, signature=envelope.signature)
    with pytest.raises(Refuted):
        verify(forged, record(), None, key("ed25519").public_key())


# ---------------------------------------------------------------------------------------- a second implementation


def theirs(algorithm: str, *, private: bool) -> Any:
    own = key(algorithm)
    pem = (
        own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        if private
        else own.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    return COSEKey.from_pem(pem, kid=key_id(own.public_key()))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("attach", [False, True])
def test_the_other_implementation_verifies_ours(algorithm: str, attach: bool) -> None:
    reader = COSE.new()
    signed = SIGNED[algorithm, attach]
    detached = None if attach else record()
    assert reader.decode(signed, theirs(algorithm, private=False), detached_payload=detached) == record()
    broken = signed[:-1] + bytes([signed[-1] ^ 1])
    with pytest.raises(Exception, match="Failed to verify"):
        reader.decode(broken, theirs(algorithm, private=False), detached_payload=detached)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_ours_verifies_the_other_s(algorithm: str) -> None:
    number = {"ed25519": -8, "es256": -7}[algorithm]
    claims: dict[Any, Any] = {1: "Ada", 2: "kitchen-sink"}
    header: dict[Any, Any] = {COSEHeaders.ALG: number, 15: claims}
    signed = COSE.new().encode_and_sign(record(), theirs(algorithm, private=True), protected=header)
    verdict = verify(cose.parse_envelope(signed), record(), subject(), key(algorithm).public_key())
    assert (verdict.issuer, verdict.trace_format) == ("Ada", None)
    assert not holds(signed, record() + b" ", algorithm)
