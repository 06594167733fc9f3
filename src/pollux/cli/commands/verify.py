"""`pollux verify`: does a signature hold, and what does that prove?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError, Unreadable

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.signing.cose import Envelope
    from pollux.signing.subject import Subject


@click.command("verify", cls=Command, short_help="Verify a signature.")
@click.argument("file", type=NamedPath())
@click.option(
    "--signature",
    metavar="FILE",
    type=NamedPath(),
    help="The signature's file. By default FILE.cose.",
)
@click.option("--key", metavar="NAME-OR-FILE", help="The public key. By default the own key that the signature names.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, file: str, signature: str | None, key: str | None, as_json: bool) -> None:
    """Verify the signature over a record, a session file, or a copy of a salted record.

    \b
    pollux verify session.vac.json --key ada.pub
    pollux verify signed.cose --key ada.pub
    """
    from pollux.answers.signing import signature_document
    from pollux.cli.evidence import bytes_of, keys
    from pollux.cli.terminal.screen import Screen
    from pollux.signing import cose
    from pollux.signing.statement import key_named, verify
    from pollux.text.escape import visible

    screen, library = Screen(ctx), open_library(ctx, quiet=as_json)
    data = bytes_of(file)
    if signature is None and _is_envelope(data):
        envelope = cose.parse_envelope(data)
        if envelope.payload is None:
            raise RequestError("The signature is detached.", f"Try: pollux verify FILE --signature {file}")
        data = envelope.payload
        subject = _subject(data, None, library)
    else:
        envelope = cose.parse_envelope(_signature(signature, file))
        subject = _subject(data, file, library)
    payload = subject.payload if subject is not None else data
    public = keys(library).public(key, key_named(envelope))
    verdict = verify(envelope, _same(envelope, payload), subject, public)
    if as_json:
        screen.json(signature_document(verdict))
        return
    sentences = {"Proved": verdict.proved, "Not proved": verdict.not_proved, "Key": verdict.key}
    screen.lines(visible(f"{name}: {sentence}") for name, sentence in sentences.items())


def _signature(named: str | None, file: str) -> bytes:
    """The signature: in the file that was named, beside what it is about, or here."""
    from pollux.cli.evidence import SUFFIX, bytes_of, places

    if named is not None:
        return bytes_of(named)
    found = [place for place in places(file) if place.exists()]
    if not found:
        raise Unreadable(f"There is no signature {Path(file).name}{SUFFIX}, there or here.", "Try: --signature FILE")
    return bytes_of(str(found[0]))


def _is_envelope(data: bytes) -> bool:
    return data[:1] == b"\xd2"


def _same(envelope: Envelope, payload: bytes) -> bytes:
    """What is attached and what is beside it are one."""
    from pollux.signing.statement import Refuted

    if envelope.payload not in (None, payload):
        raise Refuted("The signature holds another file than this one.")
    return payload


def _subject(data: bytes, file: str | None, library: Library) -> Subject | None:
    """What the file says of itself; None where it says nothing that we understand."""
    from pollux.cli.evidence import subject_of
    from pollux.signing.subject import of_record

    if file is None:
        return of_record(data)
    try:
        return subject_of(data, file, library)
    except Unreadable:
        return None
