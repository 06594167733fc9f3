"""Formats for other programs, made and read as a person would."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
from atif import Trajectory

from tests.cli.program import Pollux


def ask(question: str) -> list[Any]:
    with duckdb.connect() as database:
        return database.execute(question).fetchall()


def stamps(folder: Path) -> dict[Path, int]:
    return {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


def test_a_dataset_is_read_by_duckdb(pollux: Pollux) -> None:
    folder = pollux.home / "tables"
    listed = json.loads(pollux("list", "--all", "--json").stdout)
    for _ in range(2):
        assert pollux("export", "--all", "--to", "parquet", "-o", str(folder)).returncode == 0
    tables = {name: f"read_parquet('{folder}/{name}/**/*.parquet')" for name in ("messages", "tool_calls")}
    calls = ask(f"select agent, month, count(*) from {tables['tool_calls']} group by all")  # noqa: S608
    assert calls == [("gemini", "2026-11", sum(one["counts"]["tool_calls"] for one in listed))]
    figures = ask(
        f"select count(distinct key), sum(input), sum(output) from {tables['messages']} where not inherited"  # noqa: S608
    )
    sums = [sum(one["usage"][name] or 0 for one in listed) for name in ("input", "output")]
    assert figures == [(len(listed), *sums)]


def test_a_dataset_that_did_not_change_is_not_written_again(pollux: Pollux) -> None:
    folder = pollux.home / "tables"
    pollux("export", "--all", "--to", "parquet", "-o", str(folder))
    before = stamps(folder)
    assert pollux("export", "--all", "--to", "parquet", "-o", str(folder)).returncode == 0
    assert before == stamps(folder)


def test_one_session_is_one_table(pollux: Pollux) -> None:
    file = pollux.home / "session.parquet"
    assert pollux("export", "3274cde4", "-o", str(file)).returncode == 0
    document = json.loads(pollux("show", "3274cde4", "--json").stdout)
    rows = ask(f"select message, len(tool_calls) from '{file}' order by number")  # noqa: S608
    called = [sum(part["type"] == "tool_call" for part in message["parts"]) for message in document["messages"]]
    assert rows == [(message["id"], calls) for message, calls in zip(document["messages"], called, strict=True)]


def test_a_table_on_standard_output_is_the_same(pollux: Pollux) -> None:
    file = pollux.home / "session.parquet"
    assert pollux("export", "3274cde4", "-o", str(file)).returncode == 0
    command = [sys.executable, "-m", "pollux", "export", "3274cde4", "--to", "parquet"]
    process = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, check=True)
    assert process.stdout == file.read_bytes()


def test_a_missing_library_is_named(pollux: Pollux, tmp_path: Path) -> None:
    (tmp_path / "without" / "pyarrow").mkdir(parents=True)
    (tmp_path / "without" / "pyarrow" / "__init__.py").write_text("raise ImportError", "utf-8")
    path = f"{tmp_path / 'without'}:{pollux.env.get('PYTHONPATH', '')}"
    result = pollux("export", "3274cde4", "--to", "parquet", PYTHONPATH=path)
    assert result.returncode == 2
    assert result.stderr == "pollux: Parquet files need pyarrow.\nTry: pip install 'pollux[parquet]'\n"


def test_sub_agents_stand_within_the_trajectory_that_started_them(pollux: Pollux) -> None:
    listed = json.loads(pollux("list", "--all", "--json").stdout)
    child = next(one for one in listed if one["kind"] == "subagent" and one["parent"])
    whole = Trajectory.model_validate_json(pollux("export", child["parent"], "--to", "atif").stdout)
    assert [one.trajectory_id for one in whole.subagent_trajectories or ()] == [child["key"]]
    folder = pollux.home / "trajectories"
    assert pollux("export", "--all", "--to", "atif", "-o", str(folder)).returncode == 0
    texts = [file.read_text("utf-8") for file in folder.glob("*.json")]
    beside = [Trajectory.model_validate_json(text) for text in texts]
    assert len(beside) == len(listed)
    assert not any(one.subagent_trajectories for one in beside)
    named = [
        ref.trajectory_path
        for one in beside
        for step in one.steps
        for result in (step.observation.results if step.observation else ())
        for ref in result.subagent_trajectory_ref or ()
    ]
    assert named
    assert all(path is not None and (folder / path).exists() for path in named)


def test_redaction_reaches_what_a_trajectory_embeds(pollux: Pollux) -> None:
    listed = json.loads(pollux("list", "--all", "--json").stdout)
    child = next(one for one in listed if one["kind"] == "subagent" and one["parent"])
    result = pollux("show", child["key"], "--json").stdout
    task = next(
        part["text"] for message in json.loads(result)["messages"] for part in message["parts"] if "text" in part
    )
    word = max(task.split(), key=len).strip(".,:")
    answer = pollux("export", child["parent"], "--to", "atif", "--redact-word", word).stdout
    embedded = json.loads(answer)["subagent_trajectories"]
    assert word.lower() not in json.dumps(embedded).lower()


def test_short_ids(pollux: Pollux) -> None:
    result = pollux("export", "3274cde4", "--to", "openai", "--ids", "short").stdout
    messages = json.loads(result)["messages"]
    calls = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert calls == [f"call_{number}" for number in range(1, len(calls) + 1)]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == calls


def test_lines_are_those_that_the_agent_itself_counted(pollux: Pollux) -> None:
    folder = pollux.home / "traces"
    assert pollux("export", "--all", "--to", "agent-trace", "-o", str(folder)).returncode == 0
    records = [json.loads(file.read_text("utf-8")) for file in folder.glob("*.agent-trace.json")]
    results = {file["path"]: file["conversations"] for record in records for file in record["files"]}
    (conversation,) = results["main.py"]
    assert [(one["start_line"], one["end_line"]) for one in conversation["ranges"]] == [(8, 8)]  # its "@@ -5,4 +5,4 @@"


def test_tables_are_not_by_day(pollux: Pollux) -> None:
    result = pollux("export", "--all", "--to", "parquet", "--by", "day", "-o", "tables")
    assert (result.returncode, result.stderr.splitlines()[0]) == (
        2,
        "pollux: parquet writes one file for each agent and month.",
    )
