"""The commands say the same as the library, account for every file, and leave the agent's files alone."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pollux.registry import source
from pollux.writers import Options, WriterContext
from pollux.writers.json import WRITER, summary_document
from tests import program
from tests.conformance.answers import Answers, answers
from tests.conformance.truth import AGENTS, homes, oracle

HOMES = [(agent, home) for agent in AGENTS for home in homes(agent)]


def run(home: Answers, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The home is read where it lies, and pollux's own files are found as a user's would be.
    return program.run(*arguments, env={**home.environ, "PYTHONPATH": program.SOURCE}, cwd=home.home)


def answer(home: Answers, *arguments: str) -> Any:
    done = run(home, *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fingerprint(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def written(home: Answers, key: str) -> dict[str, Any]:
    out: list[str] = []
    bill = home.bills[key]
    family = home.listed[key].family_usage
    context = WriterContext(family_usage=family, cost_usd=bill.usd, unpriced_requests=bill.unpriced)
    WRITER.write(home.sessions[key], out.append, Options(), context)
    document: dict[str, Any] = json.loads("".join(out))
    return document


def pruned(document: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Without fields that a view adds, and without the evidence for a project: what was proved once is remembered."""
    return {name: document.get(name) for name in known if name != "project_evidence"}


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_commands(agent: str, name: str, tmp_path: Path) -> None:
    home = answers(agent, name)
    before = fingerprint(home.home)

    listed = answer(home, "list", "--json", "--all")
    wanted = [
        {
            **summary_document(held.summary, held.family_usage),
            "cost_usd": home.bills[key].usd,
            "unpriced_requests": home.bills[key].unpriced,
        }
        for key, held in home.listed.items()
    ]
    assert [pruned(row, wanted[0]) for row in listed] == [
        pruned(row, wanted[0]) for row in json.loads(json.dumps(wanted))
    ]

    folder = tmp_path / "out"
    assert run(home, "export", "--all", "--to", "json", "-o", str(folder)).returncode == 0
    documents = [json.loads(path.read_text("utf-8")) for path in folder.rglob("*.json")]
    exported = {document["key"]: document for document in documents}
    assert exported.keys() == home.listed.keys()
    for key, document in exported.items():
        assert document["messages"] == written(home, key)["messages"]

    key = listed[0]["key"]
    whole = written(home, key)
    assert pruned(answer(home, "show", key, "--json"), whole) == pruned(whole, whole)
    assert fingerprint(home.home) == before


@pytest.mark.parametrize(("agent", "name"), HOMES)
def test_doctor(agent: str, name: str) -> None:
    home = answers(agent, name)
    report = answer(home, "doctor", "--json", "--strict")
    status = {os.path.relpath(line["path"], home.home): line["status"] for line in report["files"]}
    roots = [root.path for root in source(agent).roots(home.environ, home.home)]
    there = {str(path.relative_to(home.home)) for root in roots for path in root.rglob("*") if path.is_file()}
    assert there
    assert there - status.keys() == set(), "files without a line"
    assert {path for path in there if status[path] in ("unreadable", "unknown")} == set()
    main = {record["files"][0] for record in oracle(agent, name)["sessions"]}
    assert {path for path in main if status[path] not in ("read", "copy")} == set()
    assert report["unknown"] == []
