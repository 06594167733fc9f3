"""The pages beside the sessions: what each tells, its twin, its filters, and the ways from one to another."""

from __future__ import annotations

import html
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from pollux.answers.audit import audit_document, history_document
from pollux.answers.edits import edits_document
from pollux.answers.projects import projects_document
from pollux.answers.usage import stats_csv, stats_document, timeline_document, tools_document
from pollux.library.library import Filter
from pollux.usage.service import Grouping, Measure
from pollux.usage.stats import OF_LAKES
from pollux.writers.html.messages import anchor
from tests import program
from tests.web.paths import REPORTS, TABLES
from tests.web.serving import COMPACTED_KEY, SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
FILTERED = tuple(path for path in REPORTS if path != "/projects" and "key=" not in path)


def twin(served: Served, path: str) -> Any:
    reply = served.get(path)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    return json.loads(reply.body)


def plain(document: Any) -> Any:
    return json.loads(json.dumps(document, default=str))


@pytest.mark.parametrize("path", REPORTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(served: Served, tab: Open, path: str, scheme: str) -> None:
    here = tab(served, path, scheme=scheme)
    found = Axe().run(here.page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_is_wider_than_the_window(served: Served, tab: Open, width: int) -> None:
    here = tab(served, width=width)
    for path in REPORTS:
        here.go(path)
        assert here.ask("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize("path", REPORTS)
def test_every_link_leads_somewhere(served: Served, path: str) -> None:
    """Also those that the bar has: each page of pollux is one click away."""
    text = served.get(path).text
    links = {link.split('"')[0].split("#")[0] for link in text.split('href="')[1:]}
    assert {"/", "/edits"} <= links
    inner = sorted(link.replace("&amp;", "&").replace("&#x27;", "'") for link in links if link.startswith("/"))
    assert [link for link in inner if served.get(link).status != 200] == []


@pytest.mark.parametrize("path", FILTERED)
@pytest.mark.parametrize("wrong", ["agent=nobody", "since=never"])
def test_what_makes_no_sense_gets_a_sentence(served: Served, path: str, wrong: str) -> None:
    where, _, query = path.partition("?")
    for suffix in ("", ".json"):
        reply = served.get(f"{where}{suffix}?{query}&{wrong}")
        assert reply.status in (400, 404)
        assert "Traceback" not in reply.text
    assert json.loads(served.get(f"{where}.json?{query}&{wrong}").body).keys() == {"error", "hint"}


# ------------------------------------------------------------------------------------------------------ edits


def test_edits_are_those_of_the_command(served: Served) -> None:
    library = served.web.library
    found = library.edits.newest(Filter(everything=True), None, 25)
    assert found.edits
    assert twin(served, "/edits.json") == plain(edits_document(found, library.edits.differences(found.edits)))
    page = served.get("/edits").text
    assert page.count('class="row edit"') == len(found.edits)
    for edit in found.edits:
        assert f'href="/s/{edit.key}#{anchor(edit.message_id)}"' in page


def test_edits_of_one_agent_and_one_file(served: Served) -> None:
    told = twin(served, "/edits.json?agent=codex&path=*.py&diff=no")["edits"]
    assert told
    assert {edit["agent"] for edit in told} == {"codex"}
    assert all(edit["path"].endswith(".py") and "diff" not in edit for edit in told)
    assert "pollux edits &#x27;*.py&#x27; --agent codex" in served.get("/edits?agent=codex&path=*.py&diff=no").text


def test_a_file_through_all_agents(served: Served) -> None:
    told = twin(served, f"/file.json?path={TABLES}")["edits"]
    assert {edit["path"] for edit in told} == {TABLES}
    assert len({edit["agent"] for edit in told}) > 1
    page = served.get(f"/file?path={TABLES}").text
    assert "<ins>+" in page
    assert all(f"/s/{edit['key']}#" in page for edit in told)
    assert served.get("/file").status == 400
    assert "No edit of such a file" in served.get("/file?path=nowhere.py").text


def test_edits_by_keys_and_without_scripts(served: Served, tab: Open) -> None:
    here = tab(served, "/edits")
    here.press("?")
    here.wait("document.getElementById('help').open")
    here.page.click("#close")
    here.press("/")
    assert here.ask("document.activeElement.id") == "find"
    still = tab(served, "/edits", scripts=False)
    still.page.select_option("select[name=agent]", "claude")
    still.page.click(".filters button")
    assert "agent=claude" in still.page.url
    still.page.click(".edit .path >> nth=0")
    assert "/file?path=" in still.page.url
    still.page.click(".edit .why a >> nth=0")
    assert "/s/claude:" in still.page.url


@pytest.mark.parametrize(
    "path",
    [
        "/edits?page=0",
        "/edits?page=x",
        "/stats?by=moon",
        "/stats?of=prompts",
        "/stats?stack=day",
        "/stats.csv?by=moon",
        "/audit?key=nope",
        "/audit?key=/etc/passwd",
    ],
)
def test_a_wrong_parameter_gets_a_sentence(served: Served, path: str) -> None:
    reply = served.get(path)
    assert reply.status in (400, 404)
    assert "Something went wrong" not in reply.text


# ------------------------------------------------------------------------------------------------------ stats and audit


@pytest.mark.parametrize("by", [one for one in Grouping if one is not Grouping.TOOL])
def test_stats_are_those_of_the_command(served: Served, by: Grouping) -> None:
    found = served.web.library.usage.stats(by, Filter(everything=True))
    assert twin(served, f"/stats.json?by={by}") == plain(stats_document(found, []))
    file = served.get(f"/stats.csv?by={by}")
    assert file.headers["content-disposition"] == f'attachment; filename="pollux-stats-by-{by}.csv"'
    assert file.text == stats_csv((by,), found.rows, found.total)


def test_tools_are_those_of_the_command(served: Served) -> None:
    rows, total = served.web.library.usage.tools(Filter(everything=True))
    assert twin(served, "/stats.json?by=tool") == plain(tools_document(["tool"], rows, total, []))
    assert served.get("/stats.csv?by=tool").text == stats_csv([Grouping.TOOL], rows, total)


def test_a_day_leads_to_the_sessions_and_figures_that_make_it_up(served: Served, tab: Open) -> None:
    told = twin(served, "/stats.json")
    day = told["rows"][-1]
    inner = twin(served, f"/stats.json?by=session&since={day['name']}&until={day['name']}")
    assert inner["total"]["total"] == day["total"]
    here = tab(served, "/stats", scripts=False)
    here.page.click(f".figures-table a:text-is('{day['name']}')")
    assert f"since={day['name']}" in here.page.url
    here.page.click(".figures-table tbody a >> nth=0")
    assert "/audit?key=" in here.page.url
    here.page.click(".figures-table tbody a >> nth=0")
    assert "/s/" in here.page.url
    assert "#m-" in here.page.url


@pytest.mark.parametrize("by", [one for one in Grouping if one not in {Grouping.TOOL, *OF_LAKES}])
def test_every_figure_leads_to_the_rows_that_make_it_up(served: Served, tab: Open, by: Grouping) -> None:
    """Each figure is a link, and what stands behind it adds up to the same."""
    here = tab(served, f"/stats?by={by}")
    cells = ".figures-table :is(tbody, tfoot) td"
    assert here.ask(f"[...document.querySelectorAll('{cells}')].every((cell) => cell.querySelector('a[href]'))")
    assert here.ask("[...document.querySelectorAll('.tiles li')].every((tile) => tile.querySelector('a[href]'))")
    rows = here.ask("[...document.querySelectorAll('tbody tr')].map((row) => row.querySelector('td a').href)")
    ways = [way.removeprefix(served.address) for way in rows]
    told = twin(served, f"/stats.json?by={by}")["rows"]
    shown = told[::-1] if by in {Grouping.DAY, Grouping.WEEK, Grouping.MONTH} else told
    for way, row in zip(ways, shown, strict=True):
        assert _figures(served, way) == (row["total"], row["requests"]), way


def _figures(served: Served, way: str) -> tuple[int, int]:
    """The tokens and requests of all figures that an address leads to, through the sessions that it lists."""
    if way.startswith("/audit"):
        figures = [one for one in twin(served, way.replace("?", ".json?"))["figures"] if one["counted"]]
        return sum(one["usage"]["total"] or 0 for one in figures), sum(one["usage"]["requests"] or 0 for one in figures)
    page = served.get(way).text
    below = dict.fromkeys(re.findall(r'<td class="number"><a href="(/audit[^"]*)"', page))
    parts = [_figures(served, html.unescape(one)) for one in below]
    return sum(tokens for tokens, _ in parts), sum(requests for _, requests in parts)


def test_calls_of_tools_belong_to_no_model(served: Served) -> None:
    assert served.get("/stats?by=tool&model=gpt-5.5").status == 400
    assert served.get("/stats?by=day&model=nobody").status == 404
    assert "model=" not in served.get("/stats?model=gpt-5.5").text.partition("Tool</a>")[0].rpartition("<a ")[2]


def test_a_column_leads_to_its_day(served: Served, tab: Open) -> None:
    here = tab(served, "/stats")
    days = {row["name"] for row in twin(served, "/stats.json")["rows"]}
    links = here.ask("[...document.querySelectorAll('.columns svg a')].map((a) => a.getAttribute('href'))")
    assert len(links) == len(days)
    assert all(any(f"since={day}&until={day}" in link for day in days) for link in links)


def test_an_agent_has_one_colour_in_lists_and_charts(served: Served, tab: Open) -> None:
    """The hues are the same: the number of a mark's class is that of the chart's."""
    here = tab(served, "/stats")
    legend = here.ask(
        "[...document.querySelectorAll('.legend span')].map((one) => [one.innerText.trim(), "
        "one.querySelector('rect').getAttribute('class').slice(1)])"
    )
    here.go("/")
    marks = here.ask(
        "[...document.querySelectorAll('.facet .agent')].map((one) => [one.innerText.split(/\\s+/).pop(), "
        "one.querySelector('.shape').className.match(/a(\\d)/)[1]])"
    )
    assert len(legend) == 6
    assert dict(legend) == dict(marks)


def test_many_days_are_drawn_as_weeks_and_months(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Cost a day" in served.get("/stats").text
    monkeypatch.setattr("pollux.web.reports.stats._COLUMNS", 5)
    page = served.get("/stats").text
    assert "Cost a week" in page
    assert page.count("<tr>") == served.get("/stats?by=day").text.count("<tr>")  # the table has the days
    monkeypatch.setattr("pollux.web.reports.stats._COLUMNS", 0)
    assert "Cost a month" in served.get("/stats").text


def test_a_budget_is_a_line_and_says_which_days_are_above_it(served: Served, tab: Open) -> None:
    here = tab(served, "/stats?of=cost&budget=%240.10")
    rows = {row["name"]: row["cost_usd"] for row in twin(served, "/stats.json?of=cost")["rows"]}
    above = sorted((day for day, cost in rows.items() if cost and cost > 0.1), reverse=True)
    assert above
    assert here.ask("[...document.querySelectorAll('.over a')].map((a) => a.textContent)") == above
    assert f"{len(above)} of " in here.page.inner_text(".over")
    drawn = here.ask("[...document.querySelectorAll('.columns line')].map((one) => one.getBoundingClientRect().y)")
    _, middle, line = drawn
    assert middle == pytest.approx(line, abs=1.5)  # half of what is drawn, $0.20, is the budget
    assert here.ask("document.querySelector('[name=budget]').value") == "$0.10"
    for wrong in ("-1", "0", "x", "1e9", "nan", "$"):
        assert served.get(f"/stats?budget={wrong}").status == 400
    high = served.get("/stats?of=cost&budget=1000").text
    assert "0 of " in high.partition("Above the budget")[2][:80]
    assert "budget" not in served.get("/stats?by=model").text.partition("<form")[2].partition("</form>")[0]


def test_the_audit_is_that_of_the_command(served: Served) -> None:
    library = served.web.library
    assert twin(served, "/audit.json") == plain(history_document(library.usage.audit_all(Filter(everything=True))))
    session = library.session(SAMPLE_KEY)
    evidence, bill = library.usage.audit(session), library.usage.bill(session)
    assert twin(served, f"/audit.json?key={SAMPLE_KEY}") == plain(audit_document(session, evidence, bill))
    page = served.get(f"/audit?key={SAMPLE_KEY}").text
    assert all(f'href="/s/{SAMPLE_KEY}#{anchor(item.message)}"' in page for item in evidence.items)


def test_the_audit_says_how_sure_it_is_as_the_command_does(served: Served) -> None:
    """More was used than the files tell: no figure of the page may look as if it were all."""
    page = html.unescape(served.get(f"/audit?key={COMPACTED_KEY}").text)
    assert "≥78.1k tokens in 5 requests · ≥$0.1763" in page
    assert "More was used than this." in page
    assert ">≥$0.1763</td>" in page  # the sum of the table
    assert ">30,940</td>" in page  # what was written to the cache
    assert ">72</td>" in page  # reasoning
    assert "cost-state of the family" in page
    assert "94,818, $0.250435" in page
    links = re.findall(r'href="(/record[^"]*)"', page)
    assert any(link.endswith("line=17") for link in links)  # where the gap was found
    assert all(served.get(link).status == 200 for link in links)
    exact = html.unescape(served.get(f"/audit?key={SAMPLE_KEY}").text)
    assert "the sum is exact" in exact
    assert "≥" not in exact.partition("<main")[2]


@pytest.mark.parametrize("path", ["/edits", "/stats", "/stats?by=tool", "/timeline?of=cost", "/friction", "/audit"])
def test_the_command_of_a_page_gives_what_its_twin_gives(served: Served, tmp_path: Path, path: str) -> None:
    """With every filter that the page offers."""
    wanted = {"agent": "codex", "project": "seedbank", "since": "2026-11-01", "until": "2026-11-30"}
    offered = [name for name in wanted if f'name="{name}"' in served.get(path).text]
    assert {"agent", "project"} <= {*offered}
    asked = f"{path}{'&' if '?' in path else '?'}{'&'.join(f'{name}={wanted[name]}' for name in offered)}"
    line = html.unescape(
        served.get(asked).text.partition('<span class="command-line"><code>')[2].partition("</code>")[0]
    )
    program_name, *words = shlex.split(line)
    assert program_name == "pollux"
    own = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "CONFIG", "DATA")}
    ran = program.run(*words, "--json", env={"HOME": str(served.home), "LANG": program.LANG, **own}, cwd=tmp_path)
    where, _, query = asked.partition("?")
    assert json.loads(ran.stdout) == twin(served, f"{where}.json?{query}")
    assert served.get("/audit?since=2026-11-01").status == 400  # the command knows no such option


def test_the_cost_of_a_side_is_as_sure_as_its_tokens(served: Served) -> None:
    page = served.get(f"/compare/{COMPACTED_KEY}/{SAMPLE_KEY}").text
    row = page.partition('<th scope="row">cost</th>')[2].partition("</tr>")[0]
    assert re.findall(r">([^<]*)</td>", row) == ["≥$0.1763", "$0.0312"]


def test_nothing_is_said_to_be_hidden_where_nothing_is(served: Served, tmp_path: Path) -> None:
    assert ">Show all</a>" in served.get("/edits?path=zzz&diff=no").text
    assert 'href="/edits?diff=no">Show all</a>' in served.get("/edits?path=zzz&diff=no").text
    with serving(tmp_path, None) as empty:
        for path in ("/edits", "/stats", "/stats?by=tool", "/timeline?of=cost", "/projects", "/friction", "/doctor"):
            assert 'class="nothing"' in empty.get(path).text, path
            assert "Show all" not in empty.get(path).text, path


# ------------------------------------------------------------------------------------------------------ the calendar


@pytest.mark.parametrize("of", Measure)
def test_the_timeline_is_that_of_the_command(served: Served, of: Measure) -> None:
    usage, every = served.web.library.usage, Filter(everything=True)
    is_sum = of in (Measure.TOKENS, Measure.COST)
    total = usage.stats(Grouping.AGENT, every, timed=True).total if is_sum else None
    assert twin(served, f"/timeline.json?of={of}") == plain(timeline_document(of, usage.timeline(of, every), total))


def test_the_days_as_a_file(served: Served) -> None:
    days = twin(served, "/timeline.json?of=prompts")["days"]
    reply = served.get("/timeline.csv?of=prompts")
    assert reply.headers["content-disposition"] == 'attachment; filename="pollux-timeline-of-prompts.csv"'
    head, *rows = reply.text.splitlines()
    assert head == "day,prompts"
    assert rows[: len(days)] == [f"{one['day']},{one['prompts']}" for one in days]
    assert served.get("/timeline.csv?of=moons").status == 400
    assert 'href="/timeline.csv?of=prompts"' in served.get("/timeline?of=prompts").text


def test_a_figure_names_its_unit_once(served: Served) -> None:
    told = twin(served, "/timeline.json?of=prompts")["days"]
    page = served.get("/timeline?of=prompts").text
    assert f"<b>{sum(day['prompts'] for day in told)}</b> <span>prompts</span>" in page
    assert "prompts</td>" not in page


def test_of_a_calendar_that_does_not_fit_the_newest_days_are_in_sight(served: Served, tab: Open) -> None:
    here = tab(served, "/timeline", width=140)
    box, last = ".calendar", ".calendar a:last-of-type rect"
    edge = "document.querySelector('{}').getBoundingClientRect().right"
    assert here.ask(f"document.querySelector('{box}').scrollWidth > document.querySelector('{box}').clientWidth")
    assert here.ask(f"{edge.format(last)} <= {edge.format(box)}")
    wide = tab(served, "/timeline")
    left = "document.querySelector('{}').getBoundingClientRect().left"
    assert wide.ask(f"{left.format('.calendar svg')} === {left.format('.tiles')}")


def test_a_day_of_the_calendar_leads_to_its_sessions(served: Served, tab: Open) -> None:
    here = tab(served, "/timeline")
    days = twin(served, "/timeline.json")["days"]
    links = here.ask("[...document.querySelectorAll('.calendar a')].map((a) => a.getAttribute('href'))")
    assert len(links) == len(days)
    told = twin(served, links[0].replace("/stats?", "/stats.json?"))
    assert told["total"]["total"] == days[0]["tokens"]


def test_projects_are_those_of_the_command(served: Served) -> None:
    library = served.web.library
    assert twin(served, "/projects.json") == plain(projects_document(library.projects.all()))
    assert [one["name"] for one in twin(served, "/projects.json?name=tide")] == ["tidewatch"]
    page = served.get("/projects").text
    assert 'href="/edits?project=%2Fhome%2Fjuno%2Fcode%2Ftidewatch"' in page
