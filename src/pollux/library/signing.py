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
from pollux.system.output_file import OutputFile
from pollux.text.shell import shell_word
from pollux.writers.base import describe
from pollux.writers.vac.check import check
from pollux.writers.vac.plain import plain

if TYPE_CHECKING:
    from pollux.library.homes import Homes
    from pollux.library.reader import SessionReader
    from pollux.signing.cose import Envelope
    from pollux.system.directories import Places

SUFFIX = ".cose"


def read_file(path: str) -> bytes:
    """A file as it is. Raises `Unreadable`."""
    try:
        return read_named(path)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from error


class SigningService:
    """Signs files and verifies signatures, with the user's own keys."""

    def __init__(self, places: Places, homes: Homes, reader: SessionReader) -> None:
        self.keys = Keys(places.keys)
        self._homes = homes
        self._reader = reader

    def sign(  # noqa: PLR0913
        self,
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

        `salted` makes a copy of the record in which values can be hidden later, and signs that copy. `attach` puts the
        signed bytes into the signature's file.
        """
        private = self.keys.private(key)
        data = read_file(file)
        if salted:
            file, data = self._salt(file, data, force=force)
        envelope = sign(self._subject(data, file), issuer, private, attach=attach)
        place = output or self._place(file)
        self._write(place, envelope, force=force)
        return place

    def verify(self, file: str, *, signature: str | None = None, key: str | None = None) -> Verdict:
        """Verify the signature over a file. Raises `Refuted` and `Unreadable`.

        The signature is the file that is named, or lies beside the signed file, or contains the signed bytes.
        """
        data = read_file(file)
        if signature is None and _is_envelope(data):
            envelope = cose.parse_envelope(data)
            if envelope.payload is None:
                raise RequestError(
                    "The signature is detached.", f"Try: pollux verify FILE --signature {shell_word(str(file))}"
                )
            data = envelope.payload
            subject = of_record(data)
        else:
            envelope = cose.parse_envelope(_signature(signature, file))
            subject = self._known_subject(data, file)
        payload = subject.payload if subject is not None else data
        public = self.keys.public(key, key_named(envelope))
        return verify(envelope, _same(envelope, payload), subject, public)

    def _subject(self, data: bytes, path: str) -> Subject:
        """What a file is about: a record, or a session file of an agent."""
        record = of_record(data)
        if record is not None:
            return record
        session = self._reader.open(Path(path))
        return of_session(data, Path(path).name, session, describe(session, knowledge))

    def _known_subject(self, data: bytes, path: str) -> Subject | None:
        """What a file is about; None where pollux does not understand it."""
        try:
            return self._subject(data, path)
        except Unreadable:
            return None

    def _place(self, file: str) -> str:
        """Where the signature of a file goes: beside it, but not among an agent's own files."""
        beside, here = _places(file)
        try:
            self._homes.protect(beside)
        except OutputError:
            return str(here)
        return str(beside)

    def _salt(self, file: str, data: bytes, *, force: bool) -> tuple[str, bytes]:
        """Write the salted copy of a record. Returns its path and its bytes."""
        record, _ = parse_document(data)
        if isinstance(record, dict) and record.get("scheme") == SCHEME:
            raise RequestError(f"{file} is salted already.", "Leave out --salted.")
        if check(record):
            raise RequestError(f"{file} is no valid record.", f"Try: pollux check {shell_word(str(file))}")
        path = f"{file.removesuffix('.json').removesuffix('.cbor')}.salted.json"
        copy = salt(plain(record)).document().encode()
        self._write(path, copy, force=force)
        return path, copy

    def _write(self, path: str, data: bytes, *, force: bool) -> None:
        OutputFile(path, forbidden=self._homes.protected_folders(), force=force).write(data)


def _places(file: str) -> tuple[Path, Path]:
    """Where the signature of a file may lie: beside it, or here."""
    return Path(f"{file}{SUFFIX}"), Path(f"{Path(file).name}{SUFFIX}")


def _signature(path: str | None, file: str) -> bytes:
    """The signature: in the file that was named, beside what it is about, or here."""
    if path is not None:
        return read_file(path)
    place = next((place for place in _places(file) if place.exists()), None)
    if place is None:
        raise Unreadable(f"There is no signature {Path(file).name}{SUFFIX}, there or here.", "Try: --signature FILE")
    return read_file(str(place))


def _is_envelope(data: bytes) -> bool:
    return data[:1] == b"\xd2"


def _same(envelope: Envelope, payload: bytes) -> bytes:
    """The signed bytes. If the signature contains them, they must be those of the file."""
    if envelope.payload not in (None, payload):
        raise Refuted("The signature holds another file than this one.")
    return payload
