"""The file of the catalogue."""

from __future__ import annotations

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
