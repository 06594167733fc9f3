"""The files of all sessions: those of the agents, and those that only pollux kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from pollux.index.catalogue.catalogue import Peeks
from pollux.library.homes import Homes
from pollux.sources.base import Bundle, OtherFiles, Root, Source, SourceContext, distinct, other_files
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.archive.checkout import Checkouts
    from pollux.index.sync.sync import RootScan


class SessionFiles:
    """The files of all sessions, as bundles. `homes` are the agents' own folders.

    `peeks_of` gives what is known of the files under an agent's root, so that they need not be opened again.
    """

    def __init__(self, places: Places, homes: Homes, peeks_of: Callable[[str, str], Peeks]) -> None:
        self._places = places
        self.homes = homes
        self.peeks_of = peeks_of

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
        context = SourceContext(peeks=self.peeks_of(source.name, display_path(root.path)))

        def others() -> OtherFiles:
            roots = [(s, other) for s, other in self.every_root() if s.name == source.name]
            is_known = any(other == root for _, other in roots)  # false for a temporary root
            other_roots = [(s, other) for s, other in roots if other != root] if is_known else []
            for _, other in other_roots:
                context.peeks |= self.peeks_of(source.name, display_path(other.path))
            return other_files(root, files, [(other, s.find(other.path)) for s, other in other_roots])

        context.other_files = others
        return distinct(source.bundles(root.path, files, context))
