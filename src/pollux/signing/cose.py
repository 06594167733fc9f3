"""COSE_Sign1 (RFC 9052): one signature over a payload and a protected header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pollux.errors import Unreadable, needs
from pollux.model import Value
from pollux.signing.cbor_length import cbor_length
from pollux.signing.keys import ALGORITHMS, algorithm_of

if TYPE_CHECKING:
    from pollux.signing.keys import Private, Public

TAG = 18
ALG, CRITICAL, CONTENT_TYPE, KID, CLAIMS = 1, 2, 3, 4, 15
HALF = 32  # bytes of each of the two numbers of an ES256 signature


class Envelope(Value, frozen=True, kw_only=True):
    """A signed message. `raw` is the protected header as it was signed; the payload is None where it is detached."""

    raw: bytes
    unprotected: Mapping[Any, Any]
    payload: bytes | None
    signature: bytes

    @property
    def protected(self) -> Mapping[Any, Any]:
        """The header that the signature covers."""
        header: Mapping[Any, Any] = decode(self.raw, "The protected header") if self.raw else {}
        if not isinstance(header, Mapping):
            raise Unreadable("The protected header of the signature is not a map.")
        return header


def sign_payload(
    payload: bytes, protected: Mapping[Any, Any], unprotected: Mapping[Any, Any], key: Private, *, attach: bool
) -> bytes:
    """A signed message in bytes."""
    raw = encode({ALG: ALGORITHMS[algorithm_of(key)], **protected})
    signature = _sign(_covered(raw, payload), key)
    with needs("Signing", "sign"):
        from cbor2 import CBORTag
    return encode(CBORTag(TAG, [raw, dict(unprotected), payload if attach else None, signature]))


def parse_envelope(data: bytes) -> Envelope:
    """The message in these bytes. Its signature is not verified yet."""
    value = decode(data, "The signature")
    from cbor2 import CBORTag

    match value:
        case CBORTag(tag=18, value=[bytes(raw), Mapping() as unprotected, bytes() | None as payload, bytes(signature)]):
            return Envelope(raw=raw, unprotected=unprotected, payload=payload, signature=signature)
    raise Unreadable("This is not a COSE_Sign1 signature.")


def is_valid(envelope: Envelope, payload: bytes, key: Public) -> bool:
    """Did the holder of this key sign this payload under this header?"""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    if envelope.protected.get(ALG) != ALGORITHMS[algorithm_of(key)]:
        return False
    covered, signature = _covered(envelope.raw, payload), envelope.signature
    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            if len(signature) != 2 * HALF:
                return False
            pair = (int.from_bytes(signature[:HALF]), int.from_bytes(signature[HALF:]))
            key.verify(utils.encode_dss_signature(*pair), covered, ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(signature, covered)
    except InvalidSignature:
        return False
    return True


def encode(value: Any) -> bytes:
    """Deterministic CBOR."""
    with needs("Signing", "sign"):
        import cbor2
    return cbor2.dumps(value, canonical=True)


def decode(data: bytes, what: str) -> Any:
    """The one value in these bytes. Raises `Unreadable` where more follows it."""
    with needs("Verifying", "sign"):
        import cbor2
    end = cbor_length(data)
    if end is None:
        raise Unreadable(f"{what} is not CBOR.")
    if end < len(data):
        raise Unreadable(f"{what} is followed by other data.")
    try:
        return cbor2.loads(data)
    except (cbor2.CBORError, ValueError, TypeError, RecursionError, ArithmeticError, MemoryError) as error:
        raise Unreadable(f"{what} is not CBOR.") from error


def _covered(raw: bytes, payload: bytes) -> bytes:
    return encode(["Signature1", raw, b"", payload])


def _sign(covered: bytes, key: Private) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    if isinstance(key, ec.EllipticCurvePrivateKey):
        pair = utils.decode_dss_signature(key.sign(covered, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(HALF) for number in pair)
    return key.sign(covered)
