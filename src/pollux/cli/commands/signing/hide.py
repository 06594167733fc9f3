"""`pollux hide`: a copy of a salted record with values hidden, which still verifies."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import RequestError


@click.command("hide", cls=Command)
@click.argument("file", type=NamedPath())
@click.option(
    "--place",
    "places",
    metavar="PLACE",
    multiple=True,
    help="Hide everything below this place, such as session.entries[3].content.",
)
@click.option("--text", "words", metavar="TEXT", multiple=True, help="Hide every value that contains TEXT.")
@click.option("--secrets", is_flag=True, help="Hide every value in which redaction finds a secret.")
@click.option("--names", is_flag=True, help="Hide the places of hidden values too.")
@click.option("--output", "-o", metavar="FILE", type=NamedPath(), required=True, help="The copy.")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    places: tuple[str, ...],
    words: tuple[str, ...],
    secrets: bool,
    names: bool,
    output: str,
    force: bool,
) -> None:
    """Copy a salted record with some values hidden. The signature over the whole holds for the copy too.

    \b
    pollux hide session.vac.salted.json --text hunter2 --secrets -o public.salted.json
    """
    from pollux.cli.terminal.screen import talk
    from pollux.library.signing import read_file
    from pollux.signing.hiding import hide
    from pollux.signing.salted import parse_salted
    from pollux.system.output_file import OutputFile
    from pollux.text.figures import plural

    if not (places or words or secrets):
        raise RequestError("Choose what to hide.", "Try: --text TEXT, --place PLACE, or --secrets")
    library = open_library(ctx)
    whole = parse_salted(read_file(file))
    copy = hide(whole, places, words, secrets=secrets, names=names)
    OutputFile(output, forbidden=library.homes.protected_folders(), force=force).write(copy.document())
    talk(f"Hid {plural(copy.hidden - whole.hidden, 'value')} of {len(copy.leaves):,}.")
