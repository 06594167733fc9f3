"""`pollux sign`: a signature over a record or a session file."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError


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
@click.option("--attach", is_flag=True, help="Include the signed file in the signature's file.")
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
    from pollux.cli.terminal.screen import talk
    from pollux.text.escape import visible

    if not issuer.strip():
        raise RequestError("Name the issuer.", "Try: --issuer NAME")
    if salted and attach:
        raise RequestError("--salted and --attach cannot be combined.", "Leave out --attach.")
    library = open_library(ctx)
    signature = library.signing.sign(file, issuer, key=key, output=output, attach=attach, salted=salted, force=force)
    talk(f"Signed: {visible(signature)}")
