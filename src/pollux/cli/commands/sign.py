"""`pollux sign`: a signature over a record or a session file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library


@click.command("sign", cls=Command, short_help="Sign a record, or a session file.")
@click.argument("file", type=NamedPath())
@click.option("--issuer", metavar="NAME", required=True, help="In whose name you sign.")
@click.option("--key", metavar="NAME-OR-FILE", help="The private key; not needed where you have only one.")
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=NamedPath(),
    help="The signature's file. By default FILE.cose.",
)
@click.option("--attach", is_flag=True, help="Put what is signed into the signature's file.")
@click.option("--salted", is_flag=True, help="Sign a copy of the record in which you can hide values later.")
@click.option("--force", is_flag=True, help="Overwrite the signature's file.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    issuer: str,
    key: str | None,
    output: str | None,
    attach: bool,
    salted: bool,
    force: bool,
) -> None:
    """Sign a verifiable agent record, or a session file as the agent wrote it.

    \b
    pollux sign session.vac.json --issuer "Ada Lovelace"
    pollux sign session.vac.json --issuer ada@example.com --salted
    """
    from pollux.cli.evidence import bytes_of, keys, subject_of
    from pollux.cli.terminal.screen import talk
    from pollux.signing.statement import sign
    from pollux.text.escape import visible

    if not issuer.strip():
        raise RequestError("In whose name?", "Try: --issuer NAME")
    if salted and attach:
        raise RequestError("A salted copy and its signature are two files.", "Leave out --attach.")
    library = open_library(ctx)
    private = keys(library).private(key)
    data = bytes_of(file)
    if salted:
        file, data = _salted(file, data, library, force=force)
    envelope = sign(subject_of(data, file, library), issuer, private, attach=attach)
    target = output or _target(file, library)
    _write(target, envelope, library, force=force)
    talk(f"Signed: {visible(target)}")


def _target(file: str, library: Library) -> str:
    """Beside the file, but not among an agent's own."""
    from pollux.cli.evidence import places
    from pollux.errors import OutputError

    beside, here = places(file)
    try:
        library.homes.protect(beside)
    except OutputError:
        return str(here)
    return str(beside)


def _salted(file: str, data: bytes, library: Library, *, force: bool) -> tuple[str, bytes]:
    """Write the salted copy; its name and its bytes."""
    from pollux.signing.salted import SCHEME, salt
    from pollux.signing.subject import parse_document
    from pollux.writers.vac.check import check
    from pollux.writers.vac.plain import plain

    record, _ = parse_document(data)
    if isinstance(record, dict) and record.get("scheme") == SCHEME:
        raise RequestError(f"{file} is salted already.", "Leave out --salted.")
    if check(record):
        raise RequestError(f"{file} is no valid record.", f"Try: pollux check {file}")
    copy = f"{file.removesuffix('.json').removesuffix('.cbor')}.salted.json"
    made = salt(plain(record)).document().encode()
    _write(copy, made, library, force=force)
    return copy, made


def _write(path: str, data: bytes, library: Library, *, force: bool) -> None:
    from pollux.export import Target

    with Target(path, forbidden=library.homes.own(), force=force).open() as write:
        write(data)
