"""Where sessions lie: in the agents' files, and in those that pollux kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pollux import registry
from pollux.errors import UnknownName
from pollux.index.catalogue.catalogue import Peeks
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import MovedSource, Moves
from pollux.projects.resolve import ResolvedSource
from pollux.sources.base import Bundle, OtherFiles, Root, Source, SourceContext, other_files
from pollux.sources.walk import refusal
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.archive.checkout import Checkouts


class Homes:
    """The files of all sessions, and the sources that read them.

    `peeks_of` gives what is known of the files under an agent's root, so that they need not be opened again.
    """

    def __init__(
        self, places: Places, moves: Moves, hashes: ProjectHashes, peeks_of: Callable[[str, str], Peeks]
    ) -> None:
        self._places = places
        self._moves = moves
        self._hashes = hashes
        self._peeks_of = peeks_of

    # ------------------------------------------------------------------ agents

    def sources(self) -> list[Source]:
        """Every agent pollux can read."""
        return [self.source(name) for name in registry.source_names()]

    def source(self, name: str) -> Source:
        """The source of one agent. It knows the paths of hashed projects, and the present paths of moved ones."""
        source = ResolvedSource(registry.source(name), self._hashes)
        return MovedSource(source, self._moves) if self._moves.all() else source

    def require_agent(self, agent: str | None) -> None:
        """Raise `UnknownName` for an agent that pollux cannot read."""
        if agent is not None:
            registry.source(agent)

    # ------------------------------------------------------------------ folders

    def roots(self) -> list[tuple[Source, Root]]:
        """Where each agent's sessions are looked for."""
        return [(s, root) for s in self.sources() for root in s.roots(self._places.environ, self._places.home)]

    def every_root(self) -> list[tuple[Source, Root]]:
        """The agents' own roots, and the roots of sessions that pollux kept."""
        return [*self.roots(), *self.kept_roots()]

    def kept_roots(self) -> list[tuple[Source, Root]]:
        """The roots of sessions that pollux kept."""
        return self.trees.roots() if folder_at(self._places.kept) else []

    @cached_property
    def trees(self) -> Checkouts:
        """What the agents deleted, laid out as they had it. Few people have any, so it is imported when needed."""
        from pollux.archive.checkout import Checkouts
        from pollux.projects.renamed_folders import RenamedFolders

        return Checkouts(self._places.kept, RenamedFolders(self._places.relocations / "renamed"), self.source)

    def own(self) -> list[Path]:
        """The agents' own folders, into which pollux never writes; also the usual ones if a variable names others."""
        home = self._places.home
        roots = {root.path for source in self.sources() for root in source.roots({}, home)}
        roots |= {root.path for _, root in self.roots()}
        # The folder above may hold an agent's logs, names and settings, unless it is a person's home.
        parents = {path.parent for path in roots if not home.is_relative_to(path.parent)}
        return sorted(roots | parents)

    def protect(self, *paths: str | Path) -> None:
        """Raise `OutputError` for a path among the agents' own files."""
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
        pairs: list[tuple[Source, Bundle]] = []
        for source, root in self.every_root():
            if agent in (None, source.name):
                pairs += [(source, bundle) for bundle in self.bundles_of(source, root)]
        return sorted(pairs, key=lambda pair: pair[1].changed_ns, reverse=True)

    def bundles_of(self, source: Source, root: Root) -> list[Bundle]:
        """The bundles of one root. A file that the index knows need not be opened."""
        files = list(source.find(root.path))
        context = SourceContext(peeks=self._peeks_of(source.name, display_path(root.path)))

        def others() -> OtherFiles:
            roots = [(s, other) for s, other in self.every_root() if s.name == source.name]
            is_known = any(other == root for _, other in roots)  # false for a temporary root
            other_roots = [(s, other) for s, other in roots if other != root] if is_known else []
            for _, other in other_roots:
                context.peeks |= self._peeks_of(source.name, display_path(other.path))
            return other_files(root, files, [(other, s.find(other.path)) for s, other in other_roots])

        context.other_files = others
        return source.bundles(root.path, files, context)
