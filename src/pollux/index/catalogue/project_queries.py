"""Projects: their directories, and what proves them."""

from __future__ import annotations

from typing import Any

from pollux.index.catalogue.conditions import ALWAYS_LISTED
from pollux.index.catalogue.scope import CatalogueScope
from pollux.index.catalogue.values import Cursor, Project
from pollux.model.names import project_name

EVIDENCE_ORDER = ("moved", "recorded", "history", "marker", "registry", "hash", "guess")
"""The kinds of evidence for a project's path, the best first."""


class ProjectQueries(CatalogueScope):
    """Lists projects."""

    def projects(self) -> list[Project]:
        """Every project, by name. Sub-agents work where their parents do."""
        groups: dict[str, list[tuple[Any, ...]]] = {}
        rows = self.catalogue.rows(
            "SELECT agent, kind, project, project_hash, evidence, COUNT(DISTINCT key) FROM sessions "
            f"WHERE kind != 'subagent' AND {self.here} GROUP BY 1, 2, 3, 4, 5",
        )
        for row in rows:
            groups.setdefault(row[2] or row[3] or "", []).append(row)
        known = [_project(group) for group in groups.values()]
        return sorted(known, key=lambda project: (project.path is None, project.name.lower(), project.path or ""))

    def directories(self) -> list[str]:
        """The directories that agents worked in."""
        statement = f"SELECT DISTINCT project FROM sessions WHERE project IS NOT NULL AND {self.here}"
        return [path for (path,) in self.catalogue.rows(statement)]

    def unsettled(self) -> set[str]:
        """The hashes of projects whose path is not certain."""
        statement = f"SELECT DISTINCT unsettled FROM sessions WHERE unsettled IS NOT NULL AND +{self.here}"
        return {digest for (digest,) in self.catalogue.rows(statement)}

    def proved(self, since: Cursor) -> dict[str, str]:
        """The paths that sessions read since a position proved by a hash, by that hash."""
        number = since.number if since.born == self.catalogue.born else 0
        new = f"no>? AND evidence='hash' AND +{self.here}"
        rows = self.catalogue.rows(f"SELECT DISTINCT project_hash, project FROM sessions WHERE {new}", number)
        return {digest: path for digest, path in rows if digest is not None and path is not None}


def _project(group: list[tuple[Any, ...]]) -> Project:
    path = group[0][2]
    hashes = tuple(sorted({row[3] for row in group if row[3]}))
    # Only conversations count, unless a project has none.
    counted = [row for row in group if row[1] in ALWAYS_LISTED] or group
    agents: dict[str, int] = {}
    for agent, _, _, _, _, count in sorted(counted, key=lambda row: str(row[0])):
        agents[agent] = agents.get(agent, 0) + count
    known = {row[4] for row in group if row[4]}
    name = project_name(path) if path else hashes[0][:8] if hashes else "unknown"
    evidence = next((kind for kind in (*EVIDENCE_ORDER, *sorted(known)) if kind in known), None)
    return Project(path=path, name=name, agents=agents, hashes=hashes, evidence=evidence)
