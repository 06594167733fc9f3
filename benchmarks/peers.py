"""Sessions and tokens of homes whose truth is known: as pollux counts them, and as other programs do.

python -m benchmarks.peers [CORPUS] [--agent NAME]: each program gets its own copy of each home,
and proxies that lead nowhere instead of a network.
ccusage, tokscale (with bun, which it needs) and agentsview are measured if they are on the PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

POLLUX = str(Path(sys.executable).with_name("pollux"))
CORPUS = Path(__file__).parent.parent / "tests" / "corpus"
AGENTS = ("claude", "codex", "copilot", "gemini", "opencode", "qwen")
# Where an agent keeps its files by default. A home that has them elsewhere is put in order for the peers,
# because this compares how they count, not where they look.
DEFAULTS = {
    "alt-config": ".claude",
    "copilot-home": ".copilot",
    "qwen-home": ".qwen",
    "qwen-runtime": ".qwen",
}
NOWHERE = "http://127.0.0.1:9"
SECONDS = 120
NONE: Mapping[str, str] = MappingProxyType({})


class Failed(Exception):
    """A program gave no answer that can be compared."""


@dataclass(frozen=True)
class Figures:
    """What a program says of a home, in the meaning of pollux: `input` with the cached, `output` with the reasoning."""

    sessions: int | None
    input: int
    cached: int
    output: int
    total: int

    def cells(self) -> list[str]:
        return ["–" if self.sessions is None else f"{self.sessions:,}"] + [
            f"{figure:,}" for figure in (self.input, self.cached, self.output, self.total)
        ]


@dataclass(frozen=True)
class Span:
    """A figure of which the files may hold less than was used: at least `low`, at most `high`."""

    low: int = 0
    high: int = 0

    def __add__(self, other: Span) -> Span:
        return Span(self.low + other.low, self.high + other.high)

    def __contains__(self, figure: int) -> bool:
        return self.low <= figure <= self.high

    def __str__(self) -> str:
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


@dataclass(frozen=True)
class Truth:
    """What the oracle says of a home."""

    sessions: tuple[Span, Span]  # without and with sub-agents
    used: tuple[Span, Span]  # the same, only those that used tokens
    figures: dict[str, Span]

    @property
    def known(self) -> bool:
        """Is the total known to the token?"""
        return self.figures["total"].low == self.figures["total"].high

    def cells(self) -> list[str]:
        return [str(self.sessions[0]), *(str(self.figures[name]) for name in ("input", "cached", "output", "total"))]

    def has_sessions(self, sessions: int, *, only_used: bool) -> bool:
        """Whether to list sub-agents is a matter of taste: both numbers are right."""
        return any(sessions in count for count in (*self.sessions, *(self.used if only_used else ())))


@dataclass(frozen=True)
class Home:
    """A home of the corpus."""

    folder: Path
    agent: str
    truth: Truth


@dataclass(frozen=True)
class Program:
    """A program that counts: how it is asked, and which agents it reads."""

    name: str
    version: str
    ask: Callable[[str, Path, Path], Figures]
    agents: tuple[str, ...] = AGENTS
    only_used: bool = False  # lists the sessions that used tokens, and no others


@dataclass
class Tally:
    """In how many homes of an agent a program agrees with the oracle."""

    counted: int = 0
    sessions: int = 0
    tokens: int = 0
    known: int = 0  # of these, homes whose total is known to the token
    failures: list[str] = field(default_factory=list)


# ----------------------------------------------------------------------------------------------------------- the truth


def truth(oracle: dict[str, Any]) -> Truth:
    sessions = [session for session in oracle["sessions"] if session["kind"] in {"main", "subagent"}]
    optional = len(oracle.get("maybe", ())) + sum(len(session.get("aliases", ())) for session in sessions)
    main = [session for session in sessions if session["kind"] == "main"]
    names = ("input", "cached", "output", "total")
    return Truth(
        sessions=(Span(len(main), len(main) + optional), Span(len(sessions), len(sessions) + optional)),
        used=(_used(main), _used(sessions)),
        figures={name: sum((_span(session, name) for session in sessions), Span()) for name in names},
    )


def _span(session: dict[str, Any], name: str) -> Span:
    used = session["usage"] or {}
    lost = any(gap["part"] == "usage" for gap in session.get("not_recorded", ()))
    floor = used if session["exact"] is True and not lost else session.get("usage_floor") or {}
    low = floor.get(name) or 0
    return Span(low, max(low, used.get(name) or 0))  # of a cut reply, the file may hold more than the server counted


def _used(sessions: Iterable[dict[str, Any]]) -> Span:
    """How many sessions used tokens: surely, and perhaps."""
    totals = [_span(session, "total") for session in sessions]
    return Span(sum(total.low > 0 for total in totals), sum(total.high > 0 for total in totals))


def homes(corpus: Path, agents: Iterable[str]) -> Iterator[Home]:
    """The homes of a corpus but those of random walks, whose oracles do not tell all that was used."""
    for agent in agents:
        found = (file for file in corpus.glob(f"{agent}/*/oracle.json") if not file.parent.name.startswith("walk-"))
        for file in sorted(found, key=lambda file: _release(file.parent.name)):
            yield Home(file.parent, agent, truth(json.loads(file.read_text("utf-8"))))


def _release(name: str) -> list[tuple[int, str]]:
    """A key that sorts 0.9 before 0.10."""
    return [(int(part), "") if part.isdigit() else (sys.maxsize, part) for part in re.split(r"[.-]", name)]


# -------------------------------------------------------------------------------------------------------- the programs


def run(command: list[str], home: Path, variables: Mapping[str, str] = NONE, accept: tuple[int, ...] = (0,)) -> str:
    environ = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}
    environ |= dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE) | dict(variables)
    try:
        done = subprocess.run(
            command, env=environ, cwd=home, capture_output=True, encoding="utf-8", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise Failed(str(error)) from error
    if done.returncode not in accept:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no word"]
        raise Failed(f"status {done.returncode}: {lines[-1][:160]}")
    return done.stdout


def answer(command: list[str], home: Path, variables: Mapping[str, str] = NONE, accept: tuple[int, ...] = (0,)) -> Any:
    said = run(command, home, variables, accept)
    try:
        return json.loads(said)
    except ValueError as error:
        raise Failed(f"no JSON: {said[:160]!r}") from error


def ask_pollux(agent: str, home: Path, folder: Path) -> Figures:
    variables = {f"XDG_{name}_HOME": str(home.parent / "xdg" / name) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    elsewhere = folder / "env.json"
    if elsewhere.exists():
        variables |= json.loads(elsewhere.read_text("utf-8").replace("{HOME}", str(home)))
    variables["POLLUX_BACKGROUND"] = "0"
    nothing_found = 1
    said = answer([POLLUX, "stats", "--by", "agent", "--json"], home, variables, accept=(0, nothing_found))
    rows = [row for row in said["rows"] if row["name"] == agent]
    names = ("sessions", "input", "cached", "output", "total")
    return Figures(*(sum(row[name] or 0 for row in rows) for name in names))


def ask_ccusage(agent: str, home: Path, _folder: Path) -> Figures:
    said = answer(["ccusage", agent, "session", "--json", "--offline"], home)
    totals = said.get("totals") or dict.fromkeys(
        ("inputTokens", "cacheReadTokens", "cacheCreationTokens", "totalTokens"), 0
    )
    prompts = totals["inputTokens"] + totals["cacheReadTokens"] + totals["cacheCreationTokens"]
    total = totals["totalTokens"]
    return Figures(len(said["sessions"]), prompts, totals["cacheReadTokens"], total - prompts, total)


def ask_tokscale(agent: str, home: Path, _folder: Path) -> Figures:
    """It gives no number of sessions. It insists on a list of prices, and gets an empty one."""
    prices = home / ".cache" / "tokscale"
    prices.mkdir(parents=True)
    for name in ("pricing-litellm.json", "pricing-openrouter.json"):
        (prices / name).write_text(json.dumps({"timestamp": int(time.time()), "data": {}}))
    said = answer(["tokscale", "models", "--json", "--no-spinner", f"--{agent}"], home)
    prompts = said["totalInput"] + said["totalCacheRead"] + said["totalCacheWrite"]
    output = said["totalOutput"] + sum(entry["reasoning"] for entry in said["entries"])
    return Figures(None, prompts, said["totalCacheRead"], output, prompts + output)


def ask_agentsview(agent: str, home: Path, _folder: Path) -> Figures:
    variables = {
        "AGENTSVIEW_NO_DAEMON": "1",
        "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1",
        "AGENTSVIEW_DATA_DIR": str(home.parent / "agentsview"),
    }
    run(["agentsview", "sync"], home, variables)
    every = ["--all", "--include-children", "--include-one-shot", "--include-automated"]
    said = answer(["agentsview", "export", "sessions", "--json", "--agent", agent, *every], home, variables)
    sessions = said["sessions"] or []
    used = [session.get("model_usage") or {} for session in sessions]

    def add(name: str) -> int:
        return sum(figures.get(name) or 0 for figures in used)

    cached, output = add("cache_read_input_tokens"), add("output_tokens")
    prompts = add("input_tokens") + cached + add("cache_creation_input_tokens")
    return Figures(len(sessions), prompts, cached, output, prompts + output)


def programs() -> Iterator[Program]:
    """pollux, and those peers that are installed."""
    yield Program("pollux", _version([POLLUX, "--version"]), ask_pollux)
    peers = (
        Program("ccusage", "", ask_ccusage, only_used=True),
        Program("tokscale", "", ask_tokscale, ("claude", "codex", "gemini", "opencode")),
        Program("agentsview", "", ask_agentsview),
    )
    for peer in peers:
        if shutil.which(peer.name) is None:
            print(f"{peer.name} is not installed, and left out.", file=sys.stderr)
            continue
        try:
            yield replace(peer, version=_version([peer.name, "--version"]))
        except Failed as error:
            print(f"{peer.name} does not start, and is left out: {error}", file=sys.stderr)


def _version(command: list[str]) -> str:
    with tempfile.TemporaryDirectory(prefix="pollux-peers-") as folder:
        found = re.search(r"\d+(\.\d+)+\S*", run(command, Path(folder)))
    return found[0] if found else "?"


# ------------------------------------------------------------------------------------------------------ the comparison


def said_by(program: Program, home: Home) -> Figures:
    """What a program says of its own copy of a home."""
    with tempfile.TemporaryDirectory(prefix="pollux-peers-") as folder:
        copy = Path(folder).resolve() / "home"
        shutil.copytree(home.folder / "home", copy)
        for path in (copy, *copy.rglob("*")):
            path.chmod(path.stat().st_mode | 0o700 if path.is_dir() else 0o600)
        for there, here in DEFAULTS.items():
            if program.ask is not ask_pollux and (copy / there).exists():
                (copy / here).mkdir(exist_ok=True)
                for path in (copy / there).iterdir():
                    path.rename(copy / here / path.name)
        return program.ask(home.agent, copy, home.folder)


def compare(program: Program, home: Home, tally: Tally) -> list[str]:
    """The cells of a program's row; a mark where the figure beside it differs from the oracle."""
    if home.agent not in program.agents:
        return ["–"] * 5
    try:
        said = said_by(program, home)
    except Failed as error:
        tally.failures.append(f"{program.name}, {home.agent} {home.folder.name}: {error}")
        return ["–"] * 5
    cells = said.cells()
    if said.total in home.truth.figures["total"]:
        tally.tokens += 1
        tally.known += home.truth.known
    else:
        cells[4] += " ≠"
    if said.sessions is not None:
        tally.counted += 1
        if home.truth.has_sessions(said.sessions, only_used=program.only_used):
            tally.sessions += 1
        else:
            cells[0] += " ≠"
    return cells


def summary(chosen: list[Home], measured: list[Program], tallies: dict[tuple[str, str], Tally]) -> Iterator[str]:
    """Two Markdown tables: in how many homes of each agent the sessions and the total of the tokens are right.

    In brackets: only homes whose total is known to the token.
    """
    names = " | ".join(f"{program.name} {program.version}" for program in measured)
    for what in ("sessions", "tokens"):
        yield f"| {what} | homes | {names} |"
        yield "|---" * (len(measured) + 2) + "|"
        for agent in dict.fromkeys(home.agent for home in chosen):
            there = [home for home in chosen if home.agent == agent]
            cells = [str(len(there)) if what == "sessions" else f"{len(there)} ({sum(h.truth.known for h in there)})"]
            cells += [_cell(program, agent, what, tallies[agent, program.name]) for program in measured]
            yield f"| {agent} | {' | '.join(cells)} |"
        yield ""


def _cell(program: Program, agent: str, what: str, tally: Tally) -> str:
    if agent not in program.agents or (what == "sessions" and not tally.counted):
        return "–"
    return str(tally.sessions) if what == "sessions" else f"{tally.tokens} ({tally.known})"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare sessions and tokens with what other programs say.")
    parser.add_argument("corpus", type=Path, nargs="?", default=CORPUS, help="a folder of agents, releases and homes")
    parser.add_argument("--agent", choices=AGENTS, action="append", help="only the homes of this agent")
    options = parser.parse_args()
    measured = list(programs())
    tallies: dict[tuple[str, str], Tally] = {}
    row = "{:9} {:28} {:10} {:>9} {:>17} {:>17} {:>15} {:>19}"
    print(row.format("agent", "home", "", "sessions", "input", "cached", "output", "total"))
    chosen = list(homes(options.corpus, options.agent or AGENTS))
    for home in chosen:
        print(row.format(home.agent, home.folder.name, "oracle", *home.truth.cells()))
        for program in measured:
            tally = tallies.setdefault((home.agent, program.name), Tally())
            print(row.format("", "", program.name, *compare(program, home, tally)), flush=True)
    print(f"\nHomes that are right, {datetime.now(UTC).date()}:\n")
    print(*summary(chosen, measured, tallies), sep="\n")
    for failure in (failure for tally in tallies.values() for failure in tally.failures):
        print(f"failed: {failure}")


if __name__ == "__main__":
    main()
