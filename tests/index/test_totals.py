"""On a made history the totals are what its maker says, to the token."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from pollux import Filter, Library
from pollux.usage.service import Grouping

MAKER = Path(__file__).parents[2] / "benchmarks" / "gen.py"


def test_the_totals_of_each_agent_are_the_makers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command = [sys.executable, str(MAKER), "--out", str(home), "--sessions", "24", "--seed", "7", "--total-mb", "2"]
    process = subprocess.run([*command, "--procs", "1"], check=True, capture_output=True, encoding="utf-8")
    agents: dict[str, dict[str, int]] = {}
    for name, answer in json.loads(process.stdout)["agents"].items():
        content = agents.setdefault(name.partition("-")[0], {})
        for figure, value in {
            **answer["tokens"],
            "sessions": answer["sessions"],
            "calls": answer["tool_calls"],
        }.items():
            content[figure] = content.get(figure, 0) + value
    environ = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    accounts = Library(environ, home, hunt=False).usage
    statistics = {row.name: row for row in accounts.stats(Grouping.AGENT).rows}
    assert statistics.keys() == agents.keys() == {"gemini", "claude", "codex"}
    for name, wanted in agents.items():
        row = statistics[name]
        outside = name == "claude"  # the vendor leaves what a cache held out of the input
        values = wanted["input"] + ((wanted["cached"] + wanted["cache_write"]) if outside else wanted.get("tool", 0))
        output = wanted["output"] + (wanted["thoughts"] if name == "gemini" else 0)
        assert (row.usage.input, row.usage.output, row.usage.cached) == (values, output, wanted["cached"])
        assert row.usage.reasoning == wanted.get("thoughts")
        assert row.usage.cache_write == wanted.get("cache_write")
        assert row.sessions == wanted["sessions"]
        assert accounts.tools(Filter(agent=name))[1].calls == wanted["calls"]
