"""Where sessions lie: every agent's files, and those that pollux kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pollux import registry
from pollux.errors import UnknownName
from pollux.index.build_id import build_id
from pollux.index.catalog.queries import Place
from pollux.index.index import Index
from pollux.model import Session
from pollux.projects.hashes import ProjectMemory
from pollux.projects.moves import Moved, Moves
from pollux.sources.base import Beside, Bundle, Root, Source, SourceContext, beside
from pollux.sources.walk import refused
from pollux.system.directories import Places
from pollux.system.progress import Report
from pollux.wire import folder_at, shown

if TYPE_CHECKING:
    from pollux.archive.checkout import Trees
    from pollux.archive.keep import Archive


class Homes:
    """The files of all sessions, and how they are read. What is known beside them is in `memory` and `moves`."""

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        *,
        hunt: bool = True,
        report: Report = lambda _: None,
    ) -> None:
        self._report = report
        self.places = Places(environ)
        self.cwd = Path.cwd() if cwd is None else cwd
        self.memory = ProjectMemory(self.places)
        self.moves = Moves(self.places)
        self.store = self._opened_store()
        self._hunt = hunt
        self._asked: str | None = None

    def _opened_store(self) -> Index:
        """The cache of what was read, as long as pollux reads that way and projects are where they are."""
        return Index(self.places.index, f"{build_id()} {self.moves.stamp}", self._report)

    def sources(self) -> list[Source]:
        """Every agent pollux can read."""
        return [self.source(name) for name in registry.source_names()]

    def source(self, name: str) -> Source:
        """One agent. Where projects were moved, it says where they are now."""
        return Moved(registry.source(name), self.moves) if self.moves.all() else registry.source(name)

    def know(self, agent: str | None) -> None:
        """Raise `UnknownName` where an agent was named that pollux cannot read."""
        if agent is not None:
            registry.source(agent)

    def roots(self) -> list[tuple[Source, Root]]:
        """Where each agent's sessions are looked for."""
        return [(s, root) for s in self.sources() for root in s.roots(self.places.environ, self.places.home)]

    def protect(self, *paths: str | Path) -> None:
        """Raise `OutputError` where something is to be written among the agents' own files."""
        from pollux.system.target import protect

        for path in paths:
            protect(Path(path), self.own())

    def own(self) -> list[Path]:
        """The agents' own folders, which are only ever read, also those that a variable leads away from."""
        home = self.places.home
        roots = {root.path for source in self.sources() for root in source.roots({}, home)}
        roots |= {root.path for _, root in self.roots()}
        # Around its sessions an agent keeps logs, names and settings. A person's home is nobody's own.
        around = {path.parent for path in roots if not home.is_relative_to(path.parent)}
        return sorted(roots | around)

    @staticmethod
    def refused(root: Root) -> str | None:
        """Why the system does not let pollux look into a root; None where it does, or where there is no such folder."""
        return refused(str(root.path))

    def every_root(self) -> list[tuple[Source, Root]]:
        """Where each agent's sessions are looked for, and where those lie that pollux kept."""
        return [*self.roots(), *self._kept_roots()]

    def _kept_roots(self) -> list[tuple[Source, Root]]:
        return self.trees.roots() if folder_at(self.places.kept) else []

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
        """One root's; a file that the store knows is not opened for its head again."""
        files = list(source.find(root.path))
        around = self._around()
        around.heads = self.store.heads(source.name, shown(root.path))

        def others() -> Beside:
            every = [(s, other) for s, other in self.every_root() if s.name == source.name]
            mine = any(other == root for _, other in every)  # not one that was made for a moment
            found = [(s, other) for s, other in every if other != root] if mine else []
            for _, other in found:
                around.heads |= self.store.heads(source.name, shown(other.path))
            return beside(root, files, [(other, s.find(other.path)) for s, other in found])

        around.beside = others
        return source.bundles(root.path, files, around)

    @cached_property
    def archive(self) -> Archive:
        """The states of the agents' files that were kept. Most have none, so it is imported when it is needed."""
        from pollux.archive.keep import Archive

        return Archive(self.places.archive, self.places.archive_index)

    @cached_property
    def trees(self) -> Trees:
        """What the agents deleted, laid out as they had it."""
        from pollux.archive.checkout import Trees
        from pollux.projects.renamed import Renamed

        return Trees(self.places.kept, Renamed(self.places.relocations / "renamed"), self.source)

    def _read(self, *places: Place) -> Iterator[Session]:
        """Sessions from their files."""
        for source, root in self.every_root():
            wanted: dict[str, set[str]] = {}
            for place in places:
                if (place.agent, place.root) == (source.name, shown(root.path)):
                    wanted.setdefault(place.bundle, set()).add(place.key)
            for bundle in self.bundles_of(source, root) if wanted else ():
                if bundle.key in wanted:
                    yield from (one for one in source.read(bundle).sessions if one.key in wanted[bundle.key])

    def _around(self) -> SourceContext:
        return SourceContext(
            home=self.places.home,
            cwd=self.cwd,
            memory=self.memory,
            asked=self._asked,
            hunt=self._hunt,
        )
