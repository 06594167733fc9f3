"""`pollux key`: keys to sign with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import NotFound, RequestError, UnknownName
from pollux.system.files import read
from pollux.text.shell import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.cli.terminal.screen import Screen
    from pollux.signing.keys import Keys, NamedKey


@click.command("key", cls=Command)
@click.argument("action", type=Choice(["new", "list", "show"]), default="list")
@click.argument("name", required=False)
@click.option(
    "--algorithm",
    type=Choice(["ed25519", "es256"]),
    default="ed25519",
    show_default=True,
    help="What a new key signs with.",
)
@click.option("--folder", metavar="FOLDER", type=NamedPath(), help="The folder of the keys. Default: pollux's own.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, action: str, name: str | None, algorithm: str, folder: str | None, as_json: bool
) -> None:
    """Make a key, list your keys, or show the public half of one.

    \b
    pollux key new work
    pollux key list
    pollux key show work > work.pub
    """
    from pollux.answers.signing import key_document, keys_document
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.signing.keys import Keys

    if action == "new" and folder is None:
        writing(ctx)
    screen = Screen(ctx)
    own = Keys(Path(folder)) if folder is not None else open_library(ctx, quiet=as_json).signing.keys
    if (action == "list") != (name is None):
        example = f"pollux key {action} NAME" if name is None else f"pollux key show {shell_word(name)}"
        raise RequestError("Which key?" if name is None else "A list is of all keys.", f"Try: {example}")
    if name is None:
        keys = own.all()
        if as_json:
            screen.json(keys_document(keys))
            ctx.exit(0 if keys else NotFound.exit_code)
        if not keys:
            raise NotFound("You have no keys.", "Try: pollux key new NAME")
        _table(screen, keys)
        return
    if action == "new" and folder is not None:
        open_library(ctx, quiet=as_json).homes.protect(folder)
    key = own.new(name, algorithm) if action == "new" else _chosen(own, name)
    if as_json:
        screen.json(key_document(key))
    elif action == "new":
        talk(f"Made the key {key.name}. Others need {key.public} to verify what you sign.")
    else:
        screen.raw(read(key.public).decode("ascii"))


def _chosen(own: Keys, name: str) -> NamedKey:
    known = {key.name: key for key in own.all()}
    if name not in known:
        raise UnknownName("key", name, known)
    return known[name]


def _table(screen: Screen, keys: Sequence[NamedKey]) -> None:
    from pollux.draw.table import Column, table

    columns = [Column("name"), Column("algorithm"), Column("id")]
    for key in keys:
        for column, text in zip(columns, (key.name, key.algorithm, key.id), strict=True):
            column.add(text)
    screen.lines(table(screen, columns))
