from __future__ import annotations

import re

import pytest

from pollux.cli.app import run
from pollux.draw.width import width

COMMANDS = {
    "list": "when agent project id title",
    "list --all": "when agent project id title",
    "projects": "project path sessions",
    "agents": "agent looked in found sessions",
    "writers": "format what for",
    "stats": "day input output tokens cost",
    "stats --by agent": "agent input output tokens cost by cost",
    "stats --by model": "model input output tokens cost",
    "stats --by project": "project input output tokens cost",
    "stats --by session": "session title tokens cost",
    "stats --by day,model": "day, model input output tokens cost",
    "stats --by project,session": "project, session tokens cost",
    "stats --by tool": "tool calls failed rate",
    "stats --by agent,tool": "agent, tool calls failed rate",
    "recover": "session from title",
    "audit": "agent requests tokens exact too low unsure",
    "timeline": "",
    "doctor": "",
    "doctor --all": "",
    "search tide --each 9": "",
    "stats 1ff9": "",
}


@pytest.mark.parametrize("columns", [40, 60, 80, 100, 140])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_fits_and_keeps_what_matters(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert run(["--sample", *command.split()]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    paths = ("~/.", "claude:", "gemini:", "codex:")
    assert [line for line in lines if width(line) > columns and not line.lstrip("-≠ ").startswith(paths)] == []
    titles = sorted(re.split(r"\s{2,}", lines[0].strip()), key=len, reverse=True)
    wanted = COMMANDS[command]
    if columns >= 60 and wanted:
        for title in titles:
            wanted = wanted.replace(title, "")
        assert not wanted.strip(), lines[0]
