"""The oracles: what was really said and done in a home, and which parts of it no file holds."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"
AGENTS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())

AGENTS = sorted(path.name for path in CORPUS.iterdir() if path.is_dir())

Json = dict[str, Any]


class Truth:
    """One session as it happened."""

    def __init__(self, agent: str, home: str, record: Json) -> None:
        self.agent = agent
        self.home = home
        self.record = record

    def __str__(self) -> str:
        name = self.record["id"] or Path(self.record["files"][0]).name
        return f"{self.agent}-{self.home}-{self.record['scenario']}-{name[:8]}"

    def __getitem__(self, name: str) -> Any:
        return self.record[name]

    def get(self, name: str, default: Any = None) -> Any:
        """A fact that not every oracle states."""
        return self.record.get(name, default)

    def is_lost(self, part: str) -> bool:
        """Is at least some of this in no file?"""
        return any(gap["part"] == part for gap in self["not_recorded"])

    def expected(self, part: str) -> list[Any] | None:
        """What a reader can find of a list; None where it is not compared."""
        gaps = [gap for gap in self["not_recorded"] if gap["part"] == part]
        if part in self.get("unchecked", ()) or any("indexes" not in gap for gap in gaps):
            return None
        gone = {index for gap in gaps for index in gap["indexes"]}
        return [item for index, item in enumerate(self[part]) if index not in gone]


@cache
def oracle(agent: str, home: str) -> Json:
    """The whole oracle of a home."""
    document: Json = json.loads((CORPUS / agent / home / "oracle.json").read_text("utf-8"))
    return document


def homes(agent: str) -> list[str]:
    """The homes of an agent in the corpus."""
    return sorted(path.parent.name for path in (CORPUS / agent).glob("*/oracle.json"))


def truths(agent: str) -> list[Truth]:
    """Every session of every home."""
    return [Truth(agent, home, record) for home in homes(agent) for record in oracle(agent, home)["sessions"]]


def normalize_space(text: str) -> str:
    """Text without differences in white space."""
    return re.sub(r"\s+", " ", text).strip()
