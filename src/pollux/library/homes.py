"""Where sessions lie: every agent's files, and those that pollux kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pollux import registry
from pollux.errors import UnknownName
from pollux.index.catalog.catalog import Peeks
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import MovedSource, Moves
from pollux.projects.resolve import ResolvingSource
from pollux.sources.base import Bundle, OtherFiles, Root, Source, SourceContext, other_files
from pollux.sources.walk import refusal
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.archive.checkout import Checkouts


class Homes:
    """The files of all sessions, and the sources that read them.

    `heads` tells what is known of the files under an agent's root, so that they are not opened for that again.
    """

    def __init__(self, places: Places, moves: Moves, hashes: ProjectHashes, heads: Callable[[str, str], Peeks]) -> None:
        self._places = places
        self._moves = moves
        self._hashes = hashes
        self._heads = heads

    # ------------------------------------------------------------------ agents

    def sources(self) -> list[Source]:
        """Every agent pollux can read."""
        return [self.source(name) for name in registry.source_names()]

    def source(self, name: str) -> Source:
        """One agent. It knows the paths of hashed projects, and says where projects are now that were moved."""
        resolved = ResolvingSource(registry.source(name), self._hashes)
        return MovedSource(resolved, self._moves) if self._moves.all() else resolved

    def require_agent(self, agent: str | None) -> None:
        """Raise `UnknownName` where an agent was named that pollux cannot read."""
        if agent is not None:
            registry.source(agent)

    # ------------------------------------------------------------------ folders

    def roots(self) -> list[tuple[Source, Root]]:
        """Where each agent's sessions are looked for."""
        return [(s, root) for s in self.sources() for root in s.roots(self._places.environ, self._places.home)]

    def every_root(self) -> list[tuple[Source, Root]]:
        """Where each agent's sessions are looked for, and where those lie that pollux kept."""
        return [*self.roots(), *self.kept_roots()]

    def kept_roots(self) -> list[tuple[Source, Root]]:
        """Where those sessions lie that pollux kept."""
        return self.trees.roots() if folder_at(self._places.kept) else []

    @cached_property
    def trees(self) -> Checkouts:
        """What the agents deleted, laid out as they had it. Most have nothing there, so it is imported when needed."""
        from pollux.archive.checkout import Checkouts
        from pollux.projects.folder_aliases import FolderAliases

        return Checkouts(self._places.kept, FolderAliases(self._places.relocations / "renamed"), self.source)

    def own(self) -> list[Path]:
        """The agents' own folders, which are only ever read, also those that a variable leads away from."""
        home = self._places.home
        roots = {root.path for source in self.sources() for root in source.roots({}, home)}
        roots |= {root.path for _, root in self.roots()}
        # Around its sessions an agent keeps logs, names and settings. A person's home is nobody's own.
        around = {path.parent for path in roots if not home.is_relative_to(path.parent)}
        return sorted(roots | around)

    def protect(self, *paths: str | Path) -> None:
        """Raise `OutputError` where something is to be written among the agents' own files."""
        from pollux.system.output_file import protect

        for path in paths:
            protect(Path(path), self.own())

    @staticmethod
    def refused(root: Root) -> str | None:
        """Why the system does not let pollux look into a root; None where it does, or where there is no such folder."""
        return refusal(str(root.path))

    # ------------------------------------------------------------------ files of sessions

    def bundles(self, agent: str | None = None) -> list[tuple[Source, Bundle]]:
        """The files of every session as they are now, those that changed last first."""
        if agent is not None and agent not in registry.source_names():
            raise UnknownName("agent", agent, registry.source_names())
        found: list[tuple[Source, Bundle]] = []
        for source, root in self.every_root():
            if agent in (None, source.name):
                found += [(source, bundle) for bundle in self.bundles_of(source, root)]
        return sorted(found, key=lambda pair: pair[1].changed_ns, reverse=True)

    def bundles_of(self, source: Source, root: Root) -> list[Bundle]:
        """One root's; a file that the index knows is not opened for its head again."""
        files = list(source.find(root.path))
        context = SourceContext(peeks=self._heads(source.name, display_path(root.path)))

        def others() -> OtherFiles:
            every = [(s, other) for s, other in self.every_root() if s.name == source.name]
            mine = any(other == root for _, other in every)  # not one that was made for a moment
            found = [(s, other) for s, other in every if other != root] if mine else []
            for _, other in found:
                context.peeks |= self._heads(source.name, display_path(other.path))
            return other_files(root, files, [(other, s.find(other.path)) for s, other in found])

        context.other_files = others
        return source.bundles(root.path, files, context)
