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
    made = subprocess.run([*command, "--procs", "1"], check=True, capture_output=True, encoding="utf-8")
    agents: dict[str, dict[str, int]] = {}
    for name, told in json.loads(made.stdout)["agents"].items():
        held = agents.setdefault(name.partition("-")[0], {})
        for figure, value in {**told["tokens"], "sessions": told["sessions"], "calls": told["tool_calls"]}.items():
            held[figure] = held.get(figure, 0) + value
    environ = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    accounts = Library(environ, home, hunt=False).usage
    found = {row.name: row for row in accounts.stats(Grouping.AGENT).rows}
    assert found.keys() == agents.keys() == {"gemini", "claude", "codex"}
    for name, wanted in agents.items():
        row = found[name]
        outside = name == "claude"  # the vendor leaves what a cache held out of the input
        given = wanted["input"] + ((wanted["cached"] + wanted["cache_write"]) if outside else wanted.get("tool", 0))
        output = wanted["output"] + (wanted["thoughts"] if name == "gemini" else 0)
        assert (row.usage.input, row.usage.output, row.usage.cached) == (given, output, wanted["cached"])
        assert row.usage.reasoning == wanted.get("thoughts")
        assert row.usage.cache_write == wanted.get("cache_write")
        assert row.sessions == wanted["sessions"]
        assert accounts.tools(Filter(agent=name))[1].calls == wanted["calls"]
