"""`pollux hide`: a copy of a salted record with values hidden, which still verifies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import common, open_library
from pollux.cli.options.group import Command
from pollux.cli.options.paths import NamedPath
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.signing.salted import Path

    Wanted = Callable[[Path, Any], bool]

STEP = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")


@click.command("hide", cls=Command)
@click.argument("file", type=NamedPath())
@click.option("--place", "places", metavar="PLACE", multiple=True, help="All below it, as session.entries[3].content.")
@click.option("--text", "words", metavar="TEXT", multiple=True, help="Every value in which this text stands.")
@click.option("--secrets", is_flag=True, help="Every value in which the rules of redaction find a secret.")
@click.option("--names", is_flag=True, help="Hide where the values stood as well.")
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
    from pollux.cli.evidence import bytes_of
    from pollux.cli.terminal.figures import plural
    from pollux.cli.terminal.screen import talk
    from pollux.export import Target
    from pollux.signing.salted import parse_salted

    if not (places or words or secrets):
        raise RequestError("Hide what?", "Try: --text TEXT, --place PLACE, or --secrets")
    library = open_library(ctx)
    whole = parse_salted(bytes_of(file))
    named = [(f"stands at {place}", _below(place)) for place in places]
    named += [(f"has {word!r} in it", _with(word)) for word in words]
    copy = whole
    for what, wanted in named:
        if whole.hide(wanted).hidden == whole.hidden:  # a slip of the pen must not go unseen
            raise NotFound(f"Nothing that is shown {what}.", "No copy was made.")
        copy = copy.hide(wanted, places=names)
    if secrets:
        copy = copy.hide(_secret(), places=names)
    if copy.hidden == whole.hidden:
        raise NotFound("Nothing that is shown looks like a secret.", "No copy was made.")
    with Target(output, forbidden=library.homes.own(), force=force).open() as write:
        write(copy.document())
    talk(f"Hid {plural(copy.hidden - whole.hidden, 'value')} of {len(copy.leaves):,}.")


def _below(place: str) -> Wanted:
    start = _path(place)
    return lambda path, _: path[: len(start)] == start


def _with(word: str) -> Wanted:
    return lambda _, value: word in str(value)


def _secret() -> Wanted:
    from pollux.transforms.redact import Redactor

    redactor = Redactor()
    return lambda _, value: redactor.text(str(value)) != str(value)


def _path(place: str) -> Path:
    """The steps of a place. A name with a dot or a bracket in it cannot be given; what is around it can."""
    steps: list[str | int] = []
    end = 0
    for step in STEP.finditer(place):
        if step.start() != end:
            break
        steps.append(int(step[1]) if step[1] is not None else step[2])
        end = step.end()
    if end != len(place) or not steps:
        raise RequestError(f"{place!r} is no place in a record.", "Try: --place session.entries[3].content")
    return tuple(steps)
