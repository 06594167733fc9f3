"""The file of the catalogue."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from pollux.index.catalogue.catalogue import Catalogue, Peeks


def test_a_large_change_leaves_no_large_log_beside_the_file(tmp_path: Path) -> None:
    large: Peeks = {("start", f"/file-{number}"): ("stamp", bytes(10_000)) for number in range(1000)}
    with closing(Catalogue(tmp_path / "catalogue.db", "1")) as catalogue:
        with catalogue.change():
            catalogue.put_peeks(catalogue.add_root("claude", "/root"), {}, large)
        with catalogue.change():
            catalogue.add_root("claude", "/other")
        assert (tmp_path / "catalogue.db").stat().st_size > 10_000_000
        assert (tmp_path / "catalogue.db-wal").stat().st_size <= 1 << 20


_ANOTHER = """
import sys
from contextlib import closing
from pathlib import Path
from pollux.index.catalogue.catalogue import Catalogue
with closing(Catalogue(Path(sys.argv[1]), "1")) as catalogue, catalogue.change():
    catalogue.add_root("claude", sys.argv[2])
"""


def test_two_connections_of_a_process_see_what_other_processes_add(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.db"
    with closing(Catalogue(path, "1")) as first, closing(Catalogue(path, "1", make=False)) as second:
        added: list[tuple[str]] = []
        for root in ("/new", "/newer"):
            subprocess.run([sys.executable, "-c", _ANOTHER, path, root], check=True)
            added.append((root,))
            assert first.rows("SELECT path FROM roots") == second.rows("SELECT path FROM roots") == added
