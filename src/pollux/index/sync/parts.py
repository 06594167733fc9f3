"""Groups only a part of a root's files, by what the catalogue knows of all groups."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial

from pollux.index.catalogue.catalogue import Catalogue, Peeks
from pollux.index.sync.groups import Layout, Part
from pollux.sources.base import Bundle, File, OtherFiles, Root, Source, SourceContext, distinct
from pollux.wire import display_path


def known_part(catalogue: Catalogue, root: int, files: list[File], keys: Collection[str] | None = None) -> Part | None:
    """What changed of a root's files since they were grouped, and the groups of these keys.

    Without `keys` also of all bundles that may depend on what changed. None: all files must be grouped.
    """
    with catalogue.frozen():
        layout = catalogue.layout(root)
        if layout is None:
            return None
        known = Layout(layout, catalogue.news(root), partial(catalogue.layout, root))
        if keys is None:
            keys = catalogue.asking(root) if known.files.asks_all else ()
        return known.part(files, keys)


def part_peeks(catalogue: Catalogue, root: int, part: Part) -> Peeks:
    """What is known of the files of a part."""
    return catalogue.peeks(root, (display_path(file.path) for file in part.files))


def give_rest(context: SourceContext, catalogue: Catalogue, root: int, files: list[File]) -> None:
    """Let a source that gets a part of a root see which other files there are, and what is known of them."""

    def stored_peeks(kind: str, files: Iterable[File]) -> Peeks:
        return catalogue.peeks(root, [display_path(file.path) for file in files], kind)

    context.root_files = files
    context.stored_peeks = stored_peeks


def some_bundles(
    catalogue: Catalogue,
    place: tuple[Source, Root],
    files: list[File],
    keys: Collection[str],
    other_files: Callable[[], OtherFiles],
) -> list[Bundle] | None:
    """The bundles with these keys, and others of their groups; None where that cannot be said of a part."""
    source, root = place
    number, _ = catalogue.root(source.name, display_path(root.path))
    part = known_part(catalogue, number, files, keys)
    while part is not None:
        context = SourceContext(peeks=part_peeks(catalogue, number, part), other_files=other_files)
        give_rest(context, catalogue, number, files)
        bundles = part.bundles(distinct(source.bundles(root.path, part.files, context)))
        match part.complete(bundles):
            case Part() as wider:
                part = wider
            case None:
                part = None
            case _:
                return bundles
    return None
