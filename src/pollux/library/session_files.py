"""The files of all sessions: those of the agents, and those that only pollux kept."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING

from pollux.index.catalogue.catalogue import Peeks
from pollux.library.homes import Homes
from pollux.sources.base import Bundle, File, OtherFiles, Root, Source, SourceContext, distinct, other_files
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.archive.checkout import Checkouts
    from pollux.index.index import Index
    from pollux.index.sync.sync import RootScan


class SessionFiles:
    """The files of all sessions, as bundles. `homes` are the agents' own folders; an `index` knows most files."""

    def __init__(self, places: Places, homes: Homes, index: Index | None = None) -> None:
        self._places = places
        self.homes = homes
        self._index = index

    def peeks_of(self, agent: str, root: str) -> Peeks:
        """What is known of the files under an agent's root: they need not be opened again."""
        return {} if self._index is None else self._index.peeks_of(agent, root)

    def scan(self, source: Source, root: Root) -> RootScan:
        """One root as it is now. A database of which the index knows enough need not be copied."""
        from pollux.index.sync.sync import RootScan

        return RootScan(source, root, self.peeks_of)

    def every_root(self) -> list[tuple[Source, Root]]:
        """The agents' own roots, and the roots of sessions that pollux kept."""
        return [*self.homes.roots(), *self.kept_roots()]

    def kept_roots(self) -> list[tuple[Source, Root]]:
        """The roots of sessions that pollux kept."""
        return self.checkouts.roots() if folder_at(self._places.kept) else []

    def forget(self) -> None:
        """Look the roots of kept sessions up again."""
        if "checkouts" in vars(self):
            self.checkouts.forget()

    @cached_property
    def checkouts(self) -> Checkouts:
        """What the agents deleted, laid out as they had it. Few people have any, so it is imported when needed."""
        from pollux.archive.checkout import Checkouts
        from pollux.projects.renamed_folders import RenamedFolders

        renamed = RenamedFolders(self._places.relocations / "renamed")
        return Checkouts(self._places.kept, renamed, self.homes.source)

    def bundles(self, agent: str | None = None) -> list[tuple[Source, Bundle]]:
        """The files of every session as they are now, those that changed last first."""
        self.homes.require_agent(agent)
        pairs: list[tuple[Source, Bundle]] = []
        for source, root in self.every_root():
            if agent in (None, source.name):
                pairs += [(source, bundle) for bundle in self.bundles_of(source, root)]
        return sorted(pairs, key=lambda pair: pair[1].changed_ns, reverse=True)

    def bundles_of(self, source: Source, root: Root) -> list[Bundle]:
        """The bundles of one root. A file that the index knows need not be opened."""
        files = list(source.find(root.path))
        return self._group(source, root, files, self._others(source, root))

    def bundles_with(self, source: Source, root: Root, keys: Collection[str]) -> list[Bundle]:
        """The bundles of one root that have these keys. Other files are looked at only where they may matter."""
        files = list(source.find(root.path))
        bundles = self._part(source, root, files, keys)
        if bundles is None:
            bundles = self._group(source, root, files, self._others(source, root))
        return [bundle for bundle in bundles if bundle.key in keys]

    def _part(self, source: Source, root: Root, files: list[File], keys: Collection[str]) -> list[Bundle] | None:
        """The bundles with these keys among some others; None where all files must be grouped."""
        if self._index is None:
            return None
        from pollux.index.sync.parts import some_bundles  # only needed where a session is read

        others, catalogue = self._others(source, root), self._index.catalogue
        # What lies under one root of an agent may depend on another of its roots.
        if not all(self.scan(*other).is_known(catalogue) for other in others):
            return None
        return some_bundles(catalogue, (source, root), files, keys, partial(_files_of, root, files, others))

    def _others(self, source: Source, root: Root) -> list[tuple[Source, Root]]:
        """The agent's other roots; none of a temporary root."""
        roots = [(each, other) for each, other in self.every_root() if each.name == source.name]
        others = [(each, other) for each, other in roots if other != root]
        return others if len(others) < len(roots) else []

    def _group(self, source: Source, root: Root, files: list[File], others: list[tuple[Source, Root]]) -> list[Bundle]:
        context = SourceContext(peeks=self.peeks_of(source.name, display_path(root.path)))

        def other_files() -> OtherFiles:
            for _, other in others:
                context.peeks |= self.peeks_of(source.name, display_path(other.path))
            return _files_of(root, files, others)

        context.other_files = other_files
        return distinct(source.bundles(root.path, files, context))


def _files_of(root: Root, files: list[File], others: list[tuple[Source, Root]]) -> OtherFiles:
    return other_files(root, files, [(other, source.find(other.path)) for source, other in others])
