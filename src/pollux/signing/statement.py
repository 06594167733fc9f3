"""Signing and verifying: who states what about which session, and how much of that is proved."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pollux.errors import Unreadable
from pollux.model import Value
from pollux.signing import cose
from pollux.signing.keys import algorithm_of, key_id
from pollux.signing.salted import SCHEME
from pollux.signing.subject import RECORD, Subject

if TYPE_CHECKING:
    from pollux.signing.keys import Private, Public

ISSUER, SUBJECT = 1, 2
METADATA = 100
METADATA_HASH = "trace-metadata-sha-256"
"""A protected label of ours, with a hash of the metadata, because the signature does not cover the metadata."""
_UNDERSTOOD = (cose.ALG, cose.CONTENT_TYPE, cose.KID, cose.CLAIMS, METADATA_HASH)


WHAT = {RECORD: "this record", SCHEME: "this salted record"}


class Refuted(Unreadable):
    """A signature is not valid, or not for this file."""


class Verdict(Value, frozen=True, kw_only=True):
    """What a signature proves."""

    issuer: str
    subject: str
    algorithm: str
    key: str
    content_type: str | None
    content_hash: str
    trace_format: str | None
    hidden: int

    @property
    def proved(self) -> str:
        """What the signature proves, in one sentence."""
        what = WHAT.get(self.trace_format, "this session file") if self.trace_format is not None else "this file"
        values = f"; {self.hidden:,} of its values are hidden" if self.hidden else ""
        return f"the holder of the key signed {what} of session {self.subject}, in the name of {self.issuer}{values}."

    @property
    def not_proved(self) -> str:
        """What the signature does not prove, in one sentence."""
        more = ["what the hidden values are"] if self.hidden else []
        points = [f"that the key is that of {self.issuer}", "when it was signed", *more]
        return f"{', '.join(points)}, or that the record is true."


def sign(subject: Subject, issuer: str, key: Private, *, attach: bool = False) -> bytes:
    """A signature in the issuer's name."""
    if subject.session_id is None:
        raise Unreadable("The file does not say which session it is about.")
    protected: dict[Any, Any] = {
        cose.CONTENT_TYPE: subject.content_type,
        cose.KID: key_id(key.public_key()),
        cose.CLAIMS: {ISSUER: issuer, SUBJECT: subject.session_id},
    }
    unprotected: dict[Any, Any] = {}
    if (metadata := subject.metadata) is not None:
        digest = hashlib.sha256(subject.payload).hexdigest()
        unprotected[METADATA] = {**metadata, "content-hash": digest, "content-hash-alg": "sha-256"}
        protected[METADATA_HASH] = hashlib.sha256(cose.encode(unprotected[METADATA])).digest()
    return cose.sign_payload(subject.payload, protected, unprotected, key, attach=attach)


def verify(envelope: cose.Envelope, payload: bytes, subject: Subject | None, key: Public) -> Verdict:
    """What the signature proves about a payload. Raises `Refuted` where it is not valid, or its facts contradict it."""
    if not cose.is_valid(envelope, payload, key):
        raise Refuted(
            "The signature does not hold: the file, the signature or the key is another than when it was signed."
        )
    header = envelope.protected
    _check_critical(header)
    issuer, sub = _claims(header)
    digest = hashlib.sha256(payload).hexdigest()
    trace_format = _metadata(envelope, header, digest, sub)
    if subject is not None and subject.session_id not in (None, sub):
        raise Refuted(f"The signature is about session {sub}, and the file about {subject.session_id}.")
    content = header.get(cose.CONTENT_TYPE)
    return Verdict(
        issuer=issuer,
        subject=sub,
        algorithm=algorithm_of(key),
        key=key_id(key).hex(),
        content_type=content if isinstance(content, str) else None,
        content_hash=digest,
        trace_format=trace_format,
        hidden=subject.hidden if subject is not None else 0,
    )


def _check_critical(header: Mapping[Any, Any]) -> None:
    """Refute a signature with a critical label that pollux does not understand."""
    if cose.CRITICAL not in header:
        return
    labels = header[cose.CRITICAL]
    if not isinstance(labels, list | tuple) or not labels:
        raise Refuted("The signature does not say which of its labels are critical.")
    for label in labels:
        if not isinstance(label, int | str) or label not in _UNDERSTOOD or label not in header:
            raise Refuted(f"The signature needs a reader that understands its label {label!r}, and pollux does not.")


def key_named(envelope: cose.Envelope) -> bytes | None:
    """The id of the key that the signature names."""
    key = envelope.protected.get(cose.KID)
    return key if isinstance(key, bytes) else None


def _claims(header: Mapping[Any, Any]) -> tuple[str, str]:
    match header.get(cose.CLAIMS):
        case {1: str(issuer), 2: str(sub)}:
            return issuer, sub
    raise Refuted("The signature does not name its issuer and its session.")


def _metadata(envelope: cose.Envelope, header: Mapping[Any, Any], digest: str, sub: str) -> str | None:
    """The trace format, if the signature covers it. The facts beside the signature must not contradict it."""
    metadata = envelope.unprotected.get(METADATA)
    signed_hash = header.get(METADATA_HASH)
    if metadata is None and signed_hash is None:
        return None
    if not isinstance(metadata, Mapping):
        raise Refuted("The facts that were signed with the session are missing.")
    if signed_hash is not None and hashlib.sha256(cose.encode(metadata)).digest() != signed_hash:
        raise Refuted("The facts beside the signature were changed after it was signed.")
    if metadata.get("content-hash", digest) != digest:
        raise Refuted("The facts beside the signature are about another file.")
    if (session := metadata.get("session-id")) != sub:
        about = f"session {session}" if isinstance(session, str) else "no session"
        raise Refuted(f"The facts beside the signature are about {about}, not {sub}.")
    trace = metadata.get("trace-format") if signed_hash is not None else None  # otherwise anybody can have added it
    return trace if isinstance(trace, str) else None
