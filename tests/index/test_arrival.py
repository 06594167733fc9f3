"""Files that come in any order, one after another, leave the store as if they had all been there at once."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pollux.library.library import Filter, Library

CORPUS = Path(__file__).parent.parent / "corpus"
STEPS = 4
# Many files that belong together: copies, twins, sub-agents, forks, logs, outputs.
HOMES = [
    *(("gemini", name) for name in ("upgrade", "0.20.2-tui", "0.34.0", "0.38.2", "0.61.0-tui")),
    *(("claude", folder.name) for folder in sorted((CORPUS / "claude").iterdir()) if folder.is_dir()),
    *(("codex", folder.name) for folder in sorted((CORPUS / "codex").iterdir()) if folder.is_dir()),
]


def answers(home: Path, cache: Path, environ: dict[str, str]) -> dict[str, Any]:
    places = {"XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data"), "HOME": str(home)}
    library = Library({**places, **environ}, home, hunt=False)
    report = library.doctor()
    hits = library.search("weather OR report OR file", limit=500).hits
    return {
        "list": msgspec.to_builtins(library.list(Filter(everything=True))),
        "search": sorted((hit.key, hit.message_id) for hit in hits),
        "projects": msgspec.to_builtins(library.projects.all()),
        "doctor": sorted((line.path, line.status, line.sessions) for line in report.files),
        "notices": sorted(repr(notice) for notice in report.notices),
    }


@pytest.mark.parametrize(("agent", "name"), [pair for pair in HOMES if (CORPUS / pair[0] / pair[1]).exists()])
def test_in_any_order(agent: str, name: str, tmp_path: Path) -> None:
    genuine = CORPUS / agent / name / "home"
    home = tmp_path / "home"
    home.mkdir()
    named = CORPUS / agent / name / "env.json"
    environ = {
        key: text.replace("{HOME}", str(home))
        for key, text in (json.loads(named.read_text()) if named.exists() else {}).items()
    }
    files = sorted(path for path in genuine.rglob("*") if path.is_file())
    random.Random(name).shuffle(files)
    for step in range(STEPS):
        for path in files[step::STEPS]:
            target = home / path.relative_to(genuine)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
        fresh = tmp_path / f"fresh-{step}"
        assert answers(home, tmp_path / "cache", environ) == answers(home, fresh, environ), f"step {step}"
