"""Where the agents keep their files, and the sources that read them."""

from __future__ import annotations

from pathlib import Path

from pollux import registry
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import MovedSource, Moves
from pollux.projects.resolve import ResolvedSource
from pollux.sources.base import Root, Source
from pollux.sources.walk import refusal
from pollux.system.directories import Places


class Homes:
    """The agents' folders, and the sources that read them."""

    def __init__(self, places: Places, moves: Moves, hashes: ProjectHashes) -> None:
        self._places = places
        self._moves = moves
        self._hashes = hashes

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

    def protected_folders(self) -> list[Path]:
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
            protect(Path(path), self.protected_folders())

    @staticmethod
    def refused(root: Root) -> str | None:
        """Why the system does not let pollux look into a root; None where it does, or where there is no such folder."""
        return refusal(str(root.path))
