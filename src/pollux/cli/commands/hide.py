"""`pollux hide`: a copy of a salted record with values hidden, which still verifies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.common import common, library
from pollux.errors import NotFound, RequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.evidence.salted import Path

STEP = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")


@click.command("hide")
@click.argument("file", type=click.Path())
@click.option("--at", "places", metavar="PLACE", multiple=True, help="All below it, as session.entries[3].content.")
@click.option("--text", "words", metavar="TEXT", multiple=True, help="Every value in which this text stands.")
@click.option("--secrets", is_flag=True, help="Every value in which the rules of redaction find a secret.")
@click.option("--names", is_flag=True, help="Hide where the values stood as well.")
@click.option("--output", "-o", metavar="FILE", type=click.Path(), required=True, help="The copy.")
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
    from pollux.cli.screen import talk
    from pollux.cli.words import plural
    from pollux.evidence.salted import salted_of
    from pollux.export import Target

    if not (places or words or secrets):
        raise RequestError("Hide what?", "Try: --text TEXT, --at PLACE, or --secrets")
    shelf = library(ctx)
    whole = salted_of(bytes_of(file))
    copy = whole.hide(_wanted(places, words, secrets=secrets), places=names)
    if copy.hidden == whole.hidden:
        raise NotFound("Nothing in the record is like that.")
    forbidden = [root.path for _, root in shelf.roots()]
    with Target(output, forbidden=forbidden, force=force).open() as write:
        write(copy.document())
    talk(f"Hid {plural(copy.hidden - whole.hidden, 'value')} of {len(copy.leaves):,}.")


def _wanted(places: tuple[str, ...], words: tuple[str, ...], *, secrets: bool) -> Callable[[Path, Any], bool]:
    from pollux.transforms.redact import Redactor

    paths = [_path(place) for place in places]
    redactor = Redactor()

    def wanted(path: Path, value: Any) -> bool:
        text = value if isinstance(value, str) else str(value)
        return (
            any(path[: len(start)] == start for start in paths)
            or any(word in text for word in words)
            or (secrets and redactor.text(text) != text)
        )

    return wanted


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
        raise RequestError(f"{place!r} is no place in a record.", "Try: --at session.entries[3].content")
    return tuple(steps)
