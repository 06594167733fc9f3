"""`pollux verify`: does a signature hold, and what does that prove?"""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath


@click.command("verify", cls=Command, short_help="Verify a signature.")
@click.argument("file", type=NamedPath())
@click.option(
    "--signature",
    metavar="FILE",
    type=NamedPath(),
    help="The signature's file. By default FILE.cose.",
)
@click.option("--key", metavar="NAME-OR-FILE", help="The public key. Default: your own key that the signature names.")
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
    from pollux.cli.terminal.screen import Screen
    from pollux.text.escape import visible

    screen, library = Screen(ctx), open_library(ctx, quiet=as_json)
    verdict = library.signing.verify(file, signature=signature, key=key)
    if as_json:
        screen.json(signature_document(verdict))
        return
    sentences = {"Proved": verdict.proved, "Not proved": verdict.not_proved, "Key": verdict.key}
    screen.lines(visible(f"{name}: {sentence}") for name, sentence in sentences.items())
