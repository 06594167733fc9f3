"""Every session of the corpus, read once."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

from pollux.library.library import Filter, Library
from pollux.model import Session

CORPUS = Path(__file__).parents[3] / "corpus"


def sessions_of(home: Path) -> list[Session]:
    """The sessions of a home of the corpus."""
    beside = home.parent / "env.json"
    named = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    environ = {name: value.replace("{HOME}", str(home)) for name, value in named.items()}
    with tempfile.TemporaryDirectory() as folder:
        own = {f"XDG_{name}_HOME": str(Path(folder, name)) for name in ("CACHE", "DATA", "CONFIG")}
        with Library({"HOME": str(home), **own, **environ}, Path(folder), hunt=False) as library:
            return list(library.sessions(Filter(everything=True)))


@cache
def corpus_sessions() -> list[Session]:
    """All of them, in the order of their homes."""
    homes = sorted(CORPUS.glob("*/*/home"))
    return [session for home in homes for session in sessions_of(home)]
