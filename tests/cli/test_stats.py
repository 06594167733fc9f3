"""What a transcript cannot show: settings, pictures, and what is not installed."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pollux.text.figures import number
from pollux.usage.labels import label
from pollux.usage.service import Measure
from tests.cli.program import Pollux

MISSING = "import sys; sys.modules['genai_prices'] = None; import pollux.usage.prices as p; p.PACKAGE = 'no-such'; "
MISSING += "from pollux.cli.app import run; sys.exit(run(sys.argv[1:]))"


def settings(pollux: Pollux, text: str) -> Path:
    file = pollux.folder / "xdg" / "config" / "pollux" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def costs(pollux: Pollux) -> list[float | None]:
    stats = json.loads(pollux("stats", "--by", "model", "--json").stdout)
    listed = json.loads(pollux("list", "--all", "--json").stdout)
    known = [one["cost_usd"] for one in listed if one["cost_usd"] is not None]
    newest = json.loads(pollux("show", "last", "--json").stdout)
    assert sum(known) == pytest.approx(stats["total"]["cost_usd"])
    assert newest["cost_usd"] == next(one["cost_usd"] for one in listed if one["key"] == newest["key"])
    return [stats["total"]["cost_usd"], newest["cost_usd"]]


@pytest.mark.parametrize("command", ["list", "doctor", "show last", "stats"])
@pytest.mark.parametrize("program", [False, True])
def test_wrong_settings_are_never_silent(pollux: Pollux, command: str, program: bool) -> None:
    file = settings(pollux, "redct = 1\n")
    result = pollux(*command.split(), *(["--json"] if program else []))
    assert result.stderr.count(f"The settings in {file} are wrong: there is no setting `redct`.") == 1
    assert result.returncode == (2 if command == "stats" or (program and command != "doctor") else 0)


def test_own_prices_take_effect_at_once_everywhere(pollux: Pollux) -> None:
    before = costs(pollux)
    settings(pollux, '[prices."gemini-2.5-pro"]\ninput = 1000\noutput = 1000\n')
    after = costs(pollux)
    usage = json.loads(pollux("show", "last", "--json").stdout)["usage"]
    assert after[1] == pytest.approx(usage["total"] / 1000)
    assert after[0] is not None
    assert before[0] is not None
    assert after[0] > 100 * before[0]
    assert "Cost: your own prices, else the vendors' API prices (genai-prices" in pollux("stats").stderr


@pytest.mark.parametrize("by", ["day", "session", "tool"])
def test_rows_of_several_agents_have_the_same_columns(empty: Pollux, by: str) -> None:
    document = json.loads(empty("--sample", "stats", "--by", by, "--json").stdout)
    result = empty("--sample", "stats", "--by", by, "--csv")
    titles, *rows = csv.reader(io.StringIO(result.stdout))
    assert result.returncode == 0
    assert len(rows) == len(document["rows"]) > 5
    assert {tuple(row) for row in document["rows"]} == {tuple(titles)}
    nothing = empty("--sample", "stats", "--by", by, "--csv", "--since", "2030")
    assert (nothing.returncode, nothing.stdout) == (1, ",".join(titles) + "\n")


def test_sessions_are_told_by_their_titles(empty: Pollux) -> None:
    lines = empty("--sample", "stats", "--by", "session").stdout.splitlines()
    assert lines[1].startswith("d80997e6  germination trials  ")
    assert lines[-1].startswith("total     15 sessions  ")


@pytest.mark.parametrize("command", [["stats"], ["list", "--json"], ["show", "last", "--json"], ["audit", "last"]])
def test_wrong_settings_are_one_sentence_and_status_2(pollux: Pollux, command: list[str]) -> None:
    file = settings(pollux, "[prices.x]\ninput = 1\n")
    result = pollux(*command)
    assert result.returncode == 2
    assert not result.stdout
    assert str(file) in result.stderr
    assert "`output` is missing in `prices." in result.stderr
    assert "Traceback" not in result.stderr


def test_commands_that_need_no_price_do_not_mind_wrong_settings(pollux: Pollux) -> None:
    settings(pollux, "x = ")
    assert pollux("list").returncode == 0
    assert pollux("stats", "--by", "tool").returncode == 0


def test_without_the_package_tokens_are_told_and_costs_are_unknown(pollux: Pollux) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", MISSING, *arguments]
        return subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=True)

    total = json.loads(run("stats", "--json").stdout)["total"]
    assert total["total"] > 0
    assert total["cost_usd"] is None
    assert total["unpriced_requests"] == total["requests"]
    answer = run("stats").stderr
    assert "pollux[cost]" in answer
    assert "31 requests not in the cost: no price is known of gemini-2.5-pro." in answer


def test_several_things_in_one_table(empty: Pollux) -> None:
    document = json.loads(empty("--sample", "stats", "--by", "day,model", "--json").stdout)
    assert document["by"] == "day,model"
    days = json.loads(empty("--sample", "stats", "--by", "day", "--json").stdout)
    assert [{name: value for name, value in row.items() if name != "rows"} for row in document["rows"]] == days["rows"]
    assert document["total"] == days["total"]
    for row in document["rows"]:
        for figure in ("input", "output", "total", "requests", "unpriced_requests"):
            assert sum(inner[figure] for inner in row["rows"]) == row[figure]
        assert sum(inner["cost_usd"] for inner in row["rows"]) == pytest.approx(row["cost_usd"])
    rows = list(csv.DictReader(io.StringIO(empty("--sample", "stats", "--by", "day", "--by", "model", "--csv").stdout)))
    assert list(rows[0])[:3] == ["day", "model", "sessions"]
    assert sum(int(row["total"]) for row in rows) == days["total"]["total"]
    output = empty("--sample", "stats", "--by", "day,model").stdout.splitlines()
    assert output[0].split()[:2] == ["day,", "model"]
    assert output[1].startswith("2026-10-24 ")
    assert output[2].startswith("  gemini-2.5-pro ")


@pytest.mark.parametrize(
    ("by", "shown"), [("agent", "by cost"), ("tool", "by calls"), ("day,model", "by cost"), ("session", "by cost")]
)
def test_bars_have_a_heading(empty: Pollux, by: str, shown: str) -> None:
    result = empty("--sample", "stats", "--by", by, COLUMNS="120")
    assert result.stdout.splitlines()[0].rstrip().endswith((shown, f"{shown}           over time"))
    assert "by tokens" in empty("--sample", "stats", "--of", "tokens", COLUMNS="120").stdout.splitlines()[0]


def test_a_cost_of_which_a_part_has_no_price_says_so(empty: Pollux) -> None:
    at, figures = (
        "2026-11-02T02:00:00.000Z",
        {"input": 7, "output": 1, "cached": 0, "thoughts": 0, "tool": 0, "total": 8},
    )
    record = {"timestamp": at, "type": "gemini", "content": "Done.", "tokens": figures}
    replies = [{**record, "id": "a", "model": "gemini-2.5-pro"}, {**record, "id": "b", "model": "strange-1"}]
    prompt = {"id": "p", "timestamp": at, "type": "user", "content": "Do it"}
    session = {"sessionId": "n" * 8, "projectHash": "0" * 64, "messages": [prompt, *replies]}
    empty.file("p/chats/session-2026-11-02T01-59-nnnnnnnn.json", json.dumps(session))
    (listed,) = json.loads(empty("list", "--json").stdout)
    document = json.loads(empty("show", "last", "--json").stdout)
    (row,) = json.loads(empty("stats", "--by", "session", "--json").stdout)["rows"]
    one, audit = (
        json.loads(empty("stats", "last", "--json").stdout),
        json.loads(empty("audit", "last", "--json").stdout),
    )
    for summary in (listed, document, row, one, one["turns"][0], audit):
        assert summary["cost_usd"] == listed["cost_usd"] > 0
        assert summary["unpriced_requests"] == 1
    assert (row["without_price"], row["without_model"], row["without_figures"]) == (1, 0, 0)
    result = empty("stats")
    assert "1 request not in the cost: no price is known of strange-1." in result.stderr
    assert "≥$" in result.stdout or "≥<$" in result.stdout
    assert empty("export", "last", "--to", "json", "-o", "out/").returncode == 0
    assert json.loads(next((empty.home / "out").rglob("*.json")).read_text())["unpriced_requests"] == 1


@pytest.mark.parametrize(
    ("figure", "told"), [(1_500_000_000, "1.5B"), (2_340_000_000_000, "2.3T"), (9_000_000, "9.0M")]
)
def test_large_figures(figure: int, told: str) -> None:
    assert number(figure) == told


def test_csv_is_the_same_as_json(pollux: Pollux) -> None:
    rows = json.loads(pollux("stats", "--by", "session", "--json").stdout)["rows"]
    output = list(csv.DictReader(io.StringIO(pollux("stats", "--by", "session", "--csv").stdout)))
    assert [row["name"] for row in output] == [row["name"] for row in rows]
    assert [row["total"] for row in output] == ["" if row["total"] is None else str(row["total"]) for row in rows]
    assert {row["exact"] for row in output} <= {"true", "false", ""}


@pytest.mark.parametrize(
    "command",
    [["stats", "--by", "day"], ["stats", "--by", "model", "--of", "cost"], ["timeline"], ["timeline", "--of", "cost"]],
)
def test_pictures(pollux: Pollux, command: list[str]) -> None:
    assert pollux(*command, "-o", "chart.svg").returncode == 0
    file = pollux.home / "chart.svg"
    assert ET.parse(file).getroot().tag.endswith("svg")  # noqa: S314 (our own drawing)
    again = pollux(*command, "-o", "chart.svg")
    assert again.returncode == 5
    assert "exists already" in again.stderr
    assert pollux(*command, "-o", "chart.svg", "--force").returncode == 0


def test_no_picture_is_drawn_among_an_agents_files(pollux: Pollux) -> None:
    result = pollux("timeline", "-o", str(pollux.home / ".gemini" / "tmp" / "chart.svg"))
    assert result.returncode == 5
    assert not (pollux.home / ".gemini" / "tmp" / "chart.svg").exists()


def test_a_chart_of_costs_without_prices_is_refused(pollux: Pollux) -> None:
    for file in pollux.home.rglob("*.jsonl"):
        file.write_text(file.read_text("utf-8").replace("gemini-2.5-pro", "strange-1"), "utf-8")
    result = pollux("stats", "--by", "day", "--of", "cost", "-o", "chart.svg")
    assert result.returncode == 1
    assert "known price" in result.stderr
    assert not (pollux.home / "chart.svg").exists()


@pytest.mark.parametrize("command", [("stats", "--by", "day"), ("timeline", "--of", "tokens")])
def test_the_time_zone_decides_which_day_is_asked_for(pollux: Pollux, command: tuple[str, ...]) -> None:
    record = {"id": "r", "timestamp": "2026-11-02T02:00:00.000Z", "type": "gemini", "content": "Done.", "model": "m"}
    figures = {"input": 7, "output": 1, "cached": 0, "thoughts": 0, "tool": 0, "total": 8}
    typed = {"id": "p", "timestamp": "2026-11-02T01:59:00.000Z", "type": "user", "content": "Do it"}
    session = {"sessionId": "n" * 8, "projectHash": "0" * 64, "messages": [typed, {**record, "tokens": figures}]}
    pollux.file("p/chats/session-2026-11-02T01-59-nnnnnnnn.json", json.dumps(session))
    for day, status in (("2026-11-01", 0), ("2026-11-02", 1)):
        only = ("--since", day, "--until", day, "--timezone", "America/New_York", "--json")
        result = pollux(*command, *only)
        assert result.returncode == status, result.stderr
        assert (day in result.stdout) is (status == 0)
        assert pollux(*command, "--since", day, "--json").returncode == 0


@pytest.mark.parametrize(("dollars", "told"), [(0.05, "$0.05"), (0.025, "$0.0250"), (0.1, "$0.10"), (0.0, "$0.00")])
def test_the_figures_of_an_axis_have_no_more_digits_than_they_need(dollars: float, told: str) -> None:
    assert label(Measure.COST, dollars) == told


def test_a_calendar_tells_that_more_was_used_where_the_table_does(pollux: Pollux) -> None:
    table = pollux("--sample", "stats").stdout.splitlines()[-1]
    assert "≥605k" in table
    assert "\nat least 605k tokens on 12 days" in pollux("--sample", "timeline").stdout
    assert "\n15 sessions on 12 days" in pollux("--sample", "timeline", "--of", "sessions").stdout
    assert pollux("--sample", "timeline", "-o", "calendar.svg").returncode == 0
    assert ">at least 605k from" in (pollux.home / "calendar.svg").read_text("utf-8")


def test_the_calendar_says_what_has_no_time(tmp_path: Path) -> None:
    """Calendar and rest are together what `stats` counts."""
    pollux = Pollux(tmp_path)
    spent = {"input": 1_000, "output": 34, "cached": 0, "thoughts": 0, "tool": 0, "total": 1_034}
    times: list[dict[str, str]] = [{}, {"timestamp": "2026-11-15T05:00:01.000Z"}]
    messages = [
        {"id": f"{kind}{n}", **time, "type": kind, "content": "Hi.", **more}
        for n, time in enumerate(times)
        for kind, more in (("user", {}), ("gemini", {"model": f"unheard-of-{n}", "tokens": spent}))
    ]
    record = {
        "sessionId": "abcd",
        "projectHash": "0" * 64,
        "startTime": "2026-11-15T05:00:00.000Z",
        "messages": messages,
    }
    pollux.file(f"{'0' * 64}/chats/session-2026-11-15T05-00-abcd.json", json.dumps(record))
    every = json.loads(pollux("stats", "--json").stdout)["total"]
    calendar = json.loads(pollux("timeline", "--json").stdout)
    assert (calendar["total"], calendar["untimed"]) == (1_034, 1_034)
    assert calendar["total"] + calendar["untimed"] == every["total"]
    assert "Without a time, and so on no day: 1,034 tokens of 1 request.\n" in pollux("timeline").stderr
    assert "Without a time, and so on no day: 1 prompt.\n" in pollux("timeline", "--of", "prompts").stderr
    assert "Without a time" not in pollux("timeline", "--of", "sessions").stderr
    costs = pollux("timeline", "--of", "cost").stderr
    assert "1 request not in the cost: no price is known of unheard-of-1." in costs
    assert json.loads(pollux("timeline", "--of", "cost", "--json").stdout)["unpriced_requests"] == 1


def dated(*times: str | None) -> str:
    """A session of Gemini CLI with one request at each time."""
    spent = {"input": 1_000, "output": 34, "cached": 0, "thoughts": 0, "tool": 0, "total": 1_034}
    messages = [
        {"id": f"{kind}{n}", **({"timestamp": at} if at else {}), "type": kind, "content": "Hi.", **more}
        for n, at in enumerate(times)
        for kind, more in (("user", {}), ("gemini", {"model": "gemini-2.5-pro", "tokens": spent}))
    ]
    return json.dumps({"sessionId": "abcd", "projectHash": "0" * 64, "messages": messages})


@pytest.mark.parametrize("by", ["day", "week", "month"])
def test_a_clock_that_was_wrong_by_centuries_fills_no_picture(tmp_path: Path, by: str) -> None:
    pollux = Pollux(tmp_path)
    times = ("1000-01-01T05:00:00.000Z", "0200-01-01T05:00:00.000Z", "2026-11-15T05:00:00.000Z")
    pollux.file(f"{'0' * 64}/chats/session-2026-11-15T05-00-abcd.json", dated(*times))
    for command in (["stats", "--by", by], ["timeline"]):
        assert pollux(*command, "-o", "chart.svg", "--force").returncode == 0
        drawing = (pollux.home / "chart.svg").read_text("utf-8")
        assert len(drawing) < 200_000
        assert "; gaps of more than a year are cut</text>" in drawing
    assert pollux("stats", "--by", "agent", COLUMNS="160").returncode == 0
    assert "Before that: 2,068 on 2 days." in pollux("timeline").stdout
    rows = json.loads(pollux("stats", "--by", by, "--json").stdout)["rows"]
    assert [row["total"] for row in rows] == [1_034] * 3


def test_a_chart_says_what_has_no_time(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path)
    place = f"{'0' * 64}/chats/session-2026-11-15T05-00-abcd.json"
    pollux.file(place, dated(None, "2026-11-15T05:00:00.000Z"))
    assert pollux("stats", "--by", "day", "--of", "tokens", "-o", "chart.svg").returncode == 0
    assert "2,068 in all, 1,034 of it without a time and not shown<" in (pollux.home / "chart.svg").read_text("utf-8")
    assert pollux("stats", "--by", "agent", "--of", "tokens", "-o", "chart.svg", "--force").returncode == 0
    assert "2,068 in all<" in (pollux.home / "chart.svg").read_text("utf-8")
    pollux.file(place, dated(None))
    done = pollux("stats", "--by", "day", "-o", "chart.svg", "--force")
    assert done.returncode == 1
    assert "None of these requests has a known time." in done.stderr


def test_help_says_that_times_choose_requests(empty: Pollux) -> None:
    text = " ".join(empty("stats", "--help").stdout.split())
    assert "Only requests since then" in text
    assert "Only sessions since then" in " ".join(empty("list", "--help").stdout.split())
