"""All queries on the catalogue."""

from __future__ import annotations

from pollux.index.catalogue.gaps import GapQueries
from pollux.index.catalogue.lists import ListQueries
from pollux.index.catalogue.look_ups import LookUps
from pollux.index.catalogue.project_queries import ProjectQueries


class CatalogueQueries(ListQueries, LookUps, ProjectQueries, GapQueries):
    """Queries on the sessions under some roots."""
