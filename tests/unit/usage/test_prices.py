from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.system.beside import Beside
from pollux.system.config import Price
from pollux.usage import prices as pricelist
from pollux.usage.prices import PriceList, own_card
from pollux.usage.rates import Card

OWN = own_card(Price(input=1, output=2))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that the package was asked about."""
    models: list[str] = []

    def card(model: str) -> Card | None:
        models.append(model)
        return OWN if model == "known" else None

    monkeypatch.setattr(pricelist, "listed_card", card)
    return models


def test_the_users_price_comes_first(tmp_path: Path) -> None:
    result = PriceList({"gemini-2.5-pro": OWN}, tmp_path / "prices.json").cards(["gemini-2.5-pro", "gpt-5-codex", ""])
    assert result["gemini-2.5-pro"] is OWN
    assert result["gpt-5-codex"] not in (None, OWN)
    assert len(result) == 2


def test_the_package_is_asked_once_about_a_model(tmp_path: Path, asked: list[str]) -> None:
    for _ in range(3):
        assert PriceList({}, tmp_path / "prices.json").cards(["known", "strange"]) == {"known": OWN, "strange": None}
    assert sorted(asked) == ["known", "strange"]


def test_another_release_is_asked_again(tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    PriceList({}, tmp_path / "prices.json").cards(["known"])
    monkeypatch.setattr(pricelist, "version", lambda _: "99")
    PriceList({}, tmp_path / "prices.json").cards(["known"])
    assert asked == ["known", "known"]


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"edition": 3}', b"\xff\xfe"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, asked: list[str], content: bytes) -> None:
    (tmp_path / "prices.json").write_bytes(content)
    assert PriceList({}, tmp_path / "prices.json").cards(["known"]) == {"known": OWN}
    assert asked == ["known"]


def test_where_nothing_can_be_written_prices_are_still_known(asked: list[str]) -> None:
    assert PriceList({}, Path("/dev/null/prices.json")).cards(["known"]) == {"known": OWN}
    assert asked == ["known"]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path, target: Path) -> Path:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(Path, "replace", full)
    assert PriceList({}, tmp_path / "prices.json").cards(["known"]) == {"known": OWN}
    assert asked == ["known"]
    assert not list(tmp_path.iterdir())


def test_without_the_package_only_the_users_prices_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricelist, "PACKAGE", "no-such-package")
    prices = PriceList({"own": OWN}, tmp_path / "prices.json")
    assert prices.edition is None
    assert prices.cards(["own", "gpt-5-codex"]) == {"own": OWN, "gpt-5-codex": None}


BESIDE = """
import os, sys, threading
from pathlib import Path
from pollux.usage import prices
from pollux.usage.prices import PriceList

models = ["gemini-2.5-pro", "gpt-5-codex", "no-such-model"]
listed = prices.listed_card
alone = PriceList({}, Path(sys.argv[1], "alone.json")).cards(models)
prices.listed_card = lambda model: asked.append(model) or listed(model)
for name, load in ("beside", prices._load), ("dead", lambda: os._exit(1)):
    asked, prices._load = [], load
    beside = PriceList({}, Path(sys.argv[1], f"{name}.json"))
    beside.load_beside()
    assert beside.cards(models) == alone
    print(name, len(asked))
"""


def test_the_package_may_be_loaded_beside(tmp_path: Path) -> None:
    run = subprocess.run([sys.executable, "-c", BESIDE, tmp_path], capture_output=True, text=True, check=True)
    assert run.stdout == "beside 0\ndead 3\n"
    assert (tmp_path / "beside.json").read_bytes() == (tmp_path / "dead.json").read_bytes()


def test_nothing_is_loaded_beside_where_prices_are_kept(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    monkeypatch.setattr(Beside, "begin", started.append)
    PriceList({}, tmp_path / "prices.json").cards(["known"])
    for file in ("prices.json", "others.json"):
        PriceList({}, tmp_path / file).load_beside()
    assert len(started) == 1
    assert asked == ["known"]
