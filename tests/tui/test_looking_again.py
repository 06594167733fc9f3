"""What changes while somebody looks for changes is looked for once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.library.index import IndexService
from tests.tui.driving import Driver, drive


class Look:
    """A sync that ends when it is told."""

    def __init__(self) -> None:
        self.status: int | None = None

    def poll(self) -> int | None:
        return self.status

    def wait(self) -> int:
        return 0

    def terminate(self) -> None:
        self.status = 0


def test_a_second_look_follows_one_that_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Look] = []

    def start(_: IndexService) -> Look:
        looks.append(Look())
        return looks[-1]

    async def steps(driver: Driver) -> None:
        monkeypatch.setattr(IndexService, "start_sync", start)
        await driver.press("f5", "f5", "f5")
        assert len(looks) == 1
        looks[0].status = 0
        await driver.until(lambda: len(looks) == 2)
        assert driver.app.keeping_up.is_looking
        looks[1].status = 0
        await driver.until(lambda: not driver.app.keeping_up.is_looking)
        assert len(looks) == 2

    drive(steps, tmp_path)
