"""What must stay at home is in no byte of a lake: neither in documents nor in tables, their logs and their names."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from pollux.lake.documents import Level
from pollux.lake.load import Loader
from pollux.lake.store import Store
from pollux.lake.tidy import tidy
from pollux.transforms.redact import RULES
from pollux.transforms.redact.find import Finder
from tests.lake.making import contents
from tests.lake.push.pushing import Machine


def test_what_must_stay_at_home_is_in_no_byte(store: Store, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m")
    secrets = []
    for number, rule in enumerate(RULES):
        (span,) = Finder(RULES).find(rule.example)
        secrets.append(rule.example[span.start : span.end])
        machine.talk(f"a{number:03x}", f"Look at this:\n{rule.example}\nwhat is it? quagmire", project="shop")
    machine.talk("f1", "zanzibar", project="bank")
    machine.talk("f2-plan-of-zanzibar", "another zanzibar", project="bank")
    machine.talk("n1", "timbuktu", project="diary")
    machine.allow("/home/ada/code/shop")
    machine.allow("/home/ada/code/bank")
    machine.push(store.url)
    assert Loader(store).load().sessions == len(RULES) + 2
    assert any(b"zanzibar" in data for _, data in contents(store))
    machine.allow("/home/ada/code/bank", level=Level.FIGURES)
    machine.push(store.url)
    assert Loader(store).load().sessions == 2
    tidy(store, grace=timedelta(0))
    every = b"\n".join(piece for path, data in contents(store) for piece in (str(path.name).encode(), data)).lower()
    assert b"quagmire" in every
    assert b"month=2026-11" in b"".join(str(path).encode() for path, _ in contents(store))
    for word in ("zanzibar", "bank", "timbuktu", "diary", "/home/ada", str(machine.home).lower()):
        assert word.encode() not in every, word
    assert [secret for secret in secrets if secret.lower().encode() in every] == []
