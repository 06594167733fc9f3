"""The projects that people worked in: all of them, those that were moved, those that the user named."""

from __future__ import annotations

from pollux.index.catalogue.conditions import is_project
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Project
from pollux.library.fresh_index import FreshIndex
from pollux.model.names import project_matches
from pollux.model.project_hash import project_hash
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import Moves


class ProjectsService:
    """The projects of all sessions."""

    def __init__(self, index: FreshIndex, hashes: ProjectHashes, moves: Moves) -> None:
        self._index = index
        self._hashes = hashes
        self._moves = moves

    def all(self, name: str | None = None) -> list[Project]:
        """Every project, by name; a name, or part of it, narrows them down."""
        projects = self._index.ask(CatalogueQueries.projects)
        if name is None:
            return projects
        return [
            project
            for project in projects
            if project_matches(name, project.path) or any(is_project(name, None, digest) for digest in project.hashes)
        ]

    def closest(self, name: str) -> str | None:
        """The project that was probably meant by a name that none has."""
        from pollux.index.search.suggestions import likely_project

        return self._index.ask(lambda current: likely_project(current, name))

    def add(self, path: str) -> str:
        """Remember that this path is a project; returns the hash it will be known by."""
        digest = project_hash(path)
        self._hashes.teach(digest, path)
        return digest

    def moves(self) -> dict[str, str]:
        """The old path and the new one of each project that was moved."""
        return self._moves.all()
