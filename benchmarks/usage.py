"""Usage and cost: questions over the roll-ups of many sessions, beside a bare fetch of the same rows.

python -m benchmarks.usage [--sessions N] [--requests N]: the catalogue is made of rows, no file is read.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pollux.index.catalogue.catalogue import Catalogue
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import BundleRows, entry
from pollux.model import Author, Message, Role, Session, Usage
from pollux.usage.service import Grouping, UsageService

MODELS = ("gemini-2.5-pro", "gemini-2.5-flash", "claude-opus-4-6", "claude-haiku-4-5", "gpt-5-codex", "gpt-5.4")
START = datetime(2025, 6, 1, tzinfo=UTC)
# A price that changes at a size no roll-up was made for, so that every request is priced by itself.
ODD = '[prices."gpt-5.4"]\ninput = 1\noutput = 2\ntiers = [{ above = 77777, input = 2 }]\n'


def session(number: int, requests: int) -> Session:
    chance = random.Random(number)
    at = START + timedelta(minutes=chance.randrange(500 * 24 * 60))
    messages, size = [], 8_000
    for count in range(requests):
        at += timedelta(seconds=chance.randrange(5, 120))
        size += chance.randrange(100, 5_000)
        used = Usage(input=size, cached=size * 3 // 4, output=chance.randrange(20, 900), requests=1, exact=True)
        role, model = Role.ASSISTANT, chance.choice(MODELS[number % 3 * 2 :][:2])
        messages.append(Message(id=str(count), role=role, author=Author.MODEL, at=at, model=model, usage=used))
    agent = ("gemini", "claude", "codex")[number % 3]
    project = f"/code/project-{number % 40}"
    return Session(
        agent=agent, id=f"{number:08}", project=project, started=at, ended=at, messages=tuple(messages), exact=True
    )


def filled(file: Path, sessions: int, requests: int) -> Catalogue:
    catalogue = Catalogue(file, "bench")
    with catalogue.change():
        catalogue.begin(1)
        root = catalogue.add_root("bench", "/")
        for number in range(sessions):
            made = entry(session(number, requests), catalogue.number(), 0)
            catalogue.add(root, str(number), "", BundleRows(0, None, (), b"", [made]))
    return catalogue


def measured(folder: Path, sessions: int, requests: int) -> dict[str, tuple[float, float]]:
    """CPU seconds of the yardstick and of pollux, by question."""
    file = folder / "catalogue.db"
    catalogue = filled(file, sessions, requests)
    current = CatalogueQueries(catalogue, [("bench", "/")])
    bare = sqlite3.connect(file)
    settings = folder / "config.toml"

    def service() -> UsageService:
        return UsageService(lambda question: question(current), settings=settings, prices=folder / "prices.json")

    def ask(by: Grouping) -> Callable[[], Any]:
        return lambda: service().stats(by, timezone="Europe/Berlin")

    def fetch(table: str) -> Callable[[], Any]:
        return lambda: bare.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 (our own table)

    ask(Grouping.AGENT)()  # asks the package about the models, once
    found = {
        by.value: (_best(fetch("quarters")), _best(ask(by))) for by in (Grouping.AGENT, Grouping.DAY, Grouping.SESSION)
    }
    one = [f"gemini:{number:08}" for number in range(0, 60, 3)]
    found["costs of 20"] = (_best(fetch("quarters")), _best(lambda: service().costs(one)))
    settings.write_text(ODD)
    found["agent, request by request"] = (_best(fetch("usage")), _best(ask(Grouping.AGENT)))
    return found


def _best(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure questions about usage.")
    parser.add_argument("--sessions", type=int, default=5_000)
    parser.add_argument("--requests", type=int, default=20, help="how many each session made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pollux-bench-") as folder:
        for name, (theirs, ours) in measured(Path(folder), options.sessions, options.requests).items():
            print(f"{name:28} {1000 * theirs:8.0f} ms {1000 * ours:8.0f} ms {ours / max(theirs, 1e-6):7.1f}")


if __name__ == "__main__":
    main()
