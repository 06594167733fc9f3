"""What could not be read, or not completely."""

from __future__ import annotations

from pollux.index.catalogue.rows import notices_of, summary_of
from pollux.index.catalogue.scope import CatalogueScope
from pollux.index.catalogue.values import BundleOutcome
from pollux.model import Notice
from pollux.system.link_bounds import path_in_home


class GapQueries(CatalogueScope):
    """Says what is missing, and why."""

    def unread(self) -> int:
        """How many sessions could not be read, and are not in the archive either."""
        return len(self._unread())

    def _unread(self) -> list[str]:
        """The agent of each session that could not be read."""
        same = "s.id=substr(b.key, instr(b.key, ':') + 1) AND s.key=b.key AND s.kind != 'prompts'"
        rows = self.catalogue.rows(
            "SELECT agent, b.notices FROM bundles b JOIN roots r ON r.id=b.root WHERE b.problem IS NOT NULL "
            f"AND b.{self.here} AND NOT EXISTS (SELECT 1 FROM sessions s WHERE {same} AND +s.{self.here})"
        )
        kept = self._kept_files() if rows else set()
        damaged = [(agent, {notice.file for notice in notices_of(blob)}) for agent, blob in rows]
        return [agent for agent, files in damaged if not files or not files <= kept]

    def _kept_files(self) -> set[str]:
        """The agents' files whose copies in the archive were read."""
        trees = [no for no, path in self.catalogue.rows("SELECT id, path FROM roots") if path_in_home(path) is not None]
        rows = self.catalogue.rows_with(f"SELECT summary FROM sessions WHERE {self.here}", "root", trees)
        files = {file for (blob,) in rows for file in summary_of(blob).files}
        return {original for file in files if (original := path_in_home(file)) is not None}

    def closed(self) -> list[str]:
        """Folders and files that the system did not let pollux read at the last sync."""
        return [path for (path,) in self.catalogue.rows(f"SELECT path FROM closed WHERE {self.here} ORDER BY path")]

    def agents_with_unread_files(self) -> set[str]:
        """The agents with unreadable files: they may have more sessions than the catalogue."""
        rows = self.catalogue.rows(f"SELECT DISTINCT agent FROM closed JOIN roots ON id=root WHERE {self.here}")
        return {agent for (agent,) in rows}.union(self._unread())

    def cut(self) -> int:
        """How many outputs of tools are too long to be indexed completely."""
        statement = f"SELECT MAX(cut) AS cut FROM sessions WHERE {self.here} GROUP BY key"
        return int(self.catalogue.rows(f"SELECT COALESCE(SUM(cut), 0) FROM ({statement})")[0][0])

    def outcomes(self, agent: str, root: str) -> dict[str, BundleOutcome]:
        """The outcome of reading each bundle of a root, by key."""
        number = self.catalogue.root(agent, root)[0]
        by_bundle: dict[int, list[tuple[str, tuple[str, ...], tuple[Notice, ...]]]] = {}
        statement = "SELECT bundle, summary, notices FROM sessions WHERE root=? ORDER BY no"
        for bundle, blob, notices in self.catalogue.rows(statement, number):
            summary = summary_of(blob)
            by_bundle.setdefault(bundle, []).append((summary.key, summary.files, notices_of(notices)))
        bundles = "SELECT id, key, problem, notices FROM bundles WHERE root=?"
        return {
            key: BundleOutcome(problem=problem, notices=notices_of(notices), sessions=tuple(by_bundle.get(id, ())))
            for id, key, problem, notices in self.catalogue.rows(bundles, number)
        }
