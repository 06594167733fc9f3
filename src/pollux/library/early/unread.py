"""How far a catalogue is that does not hold everything yet."""

from __future__ import annotations

from collections.abc import Iterable

from pollux.index.catalogue.catalogue import Catalogue
from pollux.sources.base import Root, Source
from pollux.text.figures import plural
from pollux.wire import display_path


def count_unread_files(catalogue: Catalogue, roots: Iterable[tuple[Source, Root]]) -> int:
    """How many files under these roots are still to be read. Of a root that nobody looked at yet, that is every file.

    It is 0 where only a process that has just begun could say.
    """
    unread = 0
    for source, root in roots:
        name = display_path(root.path)
        if catalogue.root(source.name, name)[1]:
            continue
        due = catalogue.due(source.name, name)
        unread += sum(1 for _ in source.find(root.path)) if due is None else due
    return unread


def incomplete_sentence(unread_files: int) -> str:
    """What is said of answers from a cache that is used as it is."""
    files = f"{plural(unread_files, 'file')} {'is' if unread_files == 1 else 'are'} not read yet"
    far = f": {files}" if unread_files else ""
    return f"The cache does not hold everything yet{far}. This answer may lack sessions. Try it without --no-sync."
