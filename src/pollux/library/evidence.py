"""Signatures over records and session files: which file, which key, which signature."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import OutputError, RequestError, Unreadable
from pollux.registry import knowledge
from pollux.signing import cose
from pollux.signing.keys import Keys
from pollux.signing.salted import SCHEME, salt
from pollux.signing.statement import Refuted, Verdict, key_named, sign, verify
from pollux.signing.subject import Subject, of_record, of_session, parse_document
from pollux.system.files import read_named
from pollux.system.target import Target
from pollux.writers.base import about
from pollux.writers.vac.check import check
from pollux.writers.vac.plain import plain

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.signing.cose import Envelope

SUFFIX = ".cose"


def bytes_of(path: str) -> bytes:
    """A file as it is. Raises `Unreadable`."""
    try:
        return read_named(path)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from error


def own_keys(library: Library) -> Keys:
    """The user's own keys."""
    return Keys(library.places.keys)


def sign_file(  # noqa: PLR0913
    library: Library,
    file: str,
    issuer: str,
    *,
    key: str | None = None,
    output: str | None = None,
    attach: bool = False,
    salted: bool = False,
    force: bool = False,
) -> str:
    """Sign a record or a session file. Returns the path of the signature.

    `salted` signs a copy of the record in which values can be hidden later, and writes that, too. `attach` puts what is
    signed into the signature's file.
    """
    private = own_keys(library).private(key)
    data = bytes_of(file)
    if salted:
        file, data = _salted(library, file, data, force=force)
    envelope = sign(_subject(library, data, file), issuer, private, attach=attach)
    place = output or _place(library, file)
    _write(library, place, envelope, force=force)
    return place


def verify_file(library: Library, file: str, *, signature: str | None = None, key: str | None = None) -> Verdict:
    """Verify the signature over a file: in its own file, beside it, or attached. Raises `Refuted` and `Unreadable`."""
    data = bytes_of(file)
    if signature is None and _is_envelope(data):
        envelope = cose.parse_envelope(data)
        if envelope.payload is None:
            raise RequestError("The signature is detached.", f"Try: pollux verify FILE --signature {file}")
        data = envelope.payload
        subject = of_record(data)
    else:
        envelope = cose.parse_envelope(_signature(signature, file))
        subject = _known_subject(library, data, file)
    payload = subject.payload if subject is not None else data
    public = own_keys(library).public(key, key_named(envelope))
    return verify(envelope, _same(envelope, payload), subject, public)


def _subject(library: Library, data: bytes, path: str) -> Subject:
    """What a file is about: a record, or a session file of an agent."""
    record = of_record(data)
    if record is not None:
        return record
    session = library.open(Path(path))
    return of_session(data, Path(path).name, session, about(session, knowledge))


def _known_subject(library: Library, data: bytes, path: str) -> Subject | None:
    """What a file is about; None where it is nothing that we understand."""
    try:
        return _subject(library, data, path)
    except Unreadable:
        return None


def _places(file: str) -> tuple[Path, Path]:
    """Where the signature of a file may lie: beside it, or here."""
    return Path(f"{file}{SUFFIX}"), Path(f"{Path(file).name}{SUFFIX}")


def _place(library: Library, file: str) -> str:
    """Where the signature of a file goes: beside it, but not among an agent's own files."""
    beside, here = _places(file)
    try:
        library.homes.protect(beside)
    except OutputError:
        return str(here)
    return str(beside)


def _signature(path: str | None, file: str) -> bytes:
    """The signature: in the file that was named, beside what it is about, or here."""
    if path is not None:
        return bytes_of(path)
    place = next((place for place in _places(file) if place.exists()), None)
    if place is None:
        raise Unreadable(f"There is no signature {Path(file).name}{SUFFIX}, there or here.", "Try: --signature FILE")
    return bytes_of(str(place))


def _is_envelope(data: bytes) -> bool:
    return data[:1] == b"\xd2"


def _same(envelope: Envelope, payload: bytes) -> bytes:
    """What is signed. What is attached and what lies beside must be the same."""
    if envelope.payload not in (None, payload):
        raise Refuted("The signature holds another file than this one.")
    return payload


def _salted(library: Library, file: str, data: bytes, *, force: bool) -> tuple[str, bytes]:
    """Write the salted copy of a record. Its path and its bytes."""
    record, _ = parse_document(data)
    if isinstance(record, dict) and record.get("scheme") == SCHEME:
        raise RequestError(f"{file} is salted already.", "Leave out --salted.")
    if check(record):
        raise RequestError(f"{file} is no valid record.", f"Try: pollux check {file}")
    path = f"{file.removesuffix('.json').removesuffix('.cbor')}.salted.json"
    copy = salt(plain(record)).document().encode()
    _write(library, path, copy, force=force)
    return path, copy


def _write(library: Library, path: str, data: bytes, *, force: bool) -> None:
    Target(path, forbidden=library.homes.own(), force=force).write(data)
