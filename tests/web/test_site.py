"""A whole site from disk: the index, its groups, its search, and the way to a session and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pollux.model import Session, Text, summarize
from pollux.writers.base import Entry, Options, WriterContext
from pollux.writers.html import WRITER, page_parts
from tests.cli.program import Pollux
from tests.unit.writers.kitchen_sink import HUMAN, START, USER, message
from tests.web.browser_page import BrowserPage, page_of
from tests.web.payloads import PAYLOADS, with_payload

Visit = Callable[..., BrowserPage]
HEADINGS = (
    "[...document.querySelectorAll('h2')].filter((h) => h.checkVisibility()).map((h) => h.firstChild.data.trim())"
)
TITLES = "[...document.querySelectorAll('li a')].filter((a) => a.checkVisibility()).map((a) => a.textContent)"
FOUND = "document.getElementById('found').textContent"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    result = Pollux(folder)("--sample", "export", "--all", "--to", "html", "-o", str(folder / "site"))
    assert result.returncode == 0, result.stderr
    return folder / "site"


@pytest.fixture
def index(visit: Visit, site: Path) -> BrowserPage:
    return visit(site / "index.html", zone="Asia/Tokyo")


def search(index: BrowserPage, words: str, answer: str) -> list[str]:
    index.page.locator("#find").fill(words)
    index.wait(FOUND, answer)
    titles: list[str] = index.ask(TITLES)
    return titles


def test_sessions_stand_under_their_projects(index: BrowserPage) -> None:
    assert index.ask(HEADINGS) == ["tidewatch", "seedbank", "postcards"]
    assert len(index.ask(TITLES)) == 15
    index.page.get_by_role("button", name="All kinds").click()
    assert len(index.ask(TITLES)) == 19


def test_or_under_their_days_in_the_reader_s_zone(index: BrowserPage) -> None:
    index.page.get_by_role("button", name="By day").click()
    assert index.ask(HEADINGS)[:2] == ["Sunday, 15 November 2026", "Thursday, 12 November 2026"]
    index.page.get_by_role("button", name="By project").click()
    assert index.ask(HEADINGS) == ["tidewatch", "seedbank", "postcards"]
    assert index.ask(TITLES)[0].startswith("The tides of Port Lune")


def test_search_goes_through_what_was_said_and_leads_there(index: BrowserPage) -> None:
    assert search(index, "zone already harbours", "1 of 19") == [
        "The tides of Port Lune are an hour late since the clocks changed. Find out why and fix it."
    ]
    index.page.locator("li a").locator("visible=true").click()
    index.wait("document.getElementById('found').textContent.startsWith('1 of ')")
    assert "#find=zone%20already%20harbours" in index.page.url
    index.page.get_by_role("link", name="All sessions").click()
    assert index.page.url.endswith("index.html")


def test_the_last_word_may_be_unfinished_and_sub_agents_are_found_too(index: BrowserPage) -> None:
    assert "Find duplicate scans" in search(index, "compare checks", "1 of 19")
    search(index, "no such words", "0 of 19")
    assert index.page.get_by_text("No session holds all these words.").is_visible()
    index.page.locator("#find").press("Escape")
    index.wait(FOUND, "")
    assert len(index.ask(TITLES)) == 15


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_index_is_accessible(scheme: str, visit: Visit, site: Path) -> None:
    violations = Axe().run(visit(site / "index.html", scheme=scheme).page)
    assert violations.violations_count == 0, violations.generate_report()


def test_a_search_over_many_files_and_scripts_of_any_kind(visit: Visit, tmp_path: Path) -> None:
    texts = [" ".join(f"w{n}x{k}" for k in range(20_000)) for n in range(2)] + ["状态架构设计", "架空 and 构"]
    sessions = [
        Session(agent="a", id=f"s{n}", messages=(message(1, USER, HUMAN, Text(text=text)),))
        for n, text in enumerate(texts)
    ]
    index = visit(written(tmp_path, sessions))
    assert len(list((tmp_path / "search").iterdir())) > 3
    for words, answer in (
        ("w1x19999", "1 of 4"),
        ("w0x1 w0x2", "1 of 4"),
        ("w", "2 of 4"),
        ("架构", "2 of 4"),
        ("态", "1 of 4"),
    ):
        search(index, words, answer)


def test_no_payload_does_anything_in_the_index(visit: Visit, tmp_path: Path) -> None:
    sessions = [with_payload(payload) for payload in PAYLOADS]
    index = visit(written(tmp_path, sessions))
    index.page.get_by_role("button", name="All kinds").click()
    assert index.ask("document.querySelectorAll('li').length") == len(PAYLOADS)
    assert index.ask("document.querySelectorAll('iframe, object, svg, img, form, style:not(head *)').length") == 0
    assert index.ask("[...document.links].every((a) => a.protocol === 'file:')")
    search(index, "pwned", f"{sum('pwned' in payload for payload in PAYLOADS)} of {len(PAYLOADS)}")
    assert index.alarms == []


def test_a_large_session_in_parts(visit: Visit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to a message, and words looked for, are found in whichever part they are."""
    monkeypatch.setattr(page_parts, "LIMIT", 3_000)
    messages = (message(n, USER, HUMAN, Text(text=f"word{n} " + "x" * 400)) for n in range(12))
    large = Session(agent="a", id="s", started=START, messages=tuple(messages))
    context = WriterContext(files={large.key: "0.html"}, sessions=lambda: [large])
    pieces: list[str] = []
    WRITER.write(large, pieces.append, Options(), context)
    (tmp_path / "0.html").write_text("".join(pieces), "utf-8")
    for name, further_pages, _ in WRITER.further_pages(large, Options(), context):
        (tmp_path / name).write_text("".join(further_pages), "utf-8")
    index = visit(written(tmp_path, [large], context))
    search(index, "word11", "1 of 1")
    page, result = index.page, index.page.locator("#found")
    page.locator("li a").click()
    page.wait_for_url("**/0.part-*.html#find=word11")
    expect(result).to_have_text("1 of 1")
    last = page.url.partition("#")[0]
    anchor: str = index.ask("[...document.querySelectorAll('article')].at(-1).id")
    page.goto(f"{(tmp_path / '0.html').as_uri()}#{anchor}")
    page.wait_for_url(f"{last}#{anchor}")
    assert page.locator(".brief time").inner_text() == "15 Nov 2026, 23:58"
    page.emulate_media(media="print")
    assert page.locator(".brief time").is_visible()
    page.emulate_media(media="screen")
    page.get_by_role("link", name="word0 ", exact=False).first.click()
    page.wait_for_url("**/0.html#*")
    page.locator("#find").fill("word7")
    expect(result).to_have_text("Nothing found")
    page.locator("#find").press("Enter")
    page.wait_for_url("**/0.part-*.html#find=word7")
    expect(result).to_have_text("1 of 1")


@pytest.mark.parametrize("width", [360, 1200])
def test_the_way_to_the_next_part_stands_in_its_box(visit: Visit, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_parts, "LIMIT", 1_000)
    for count in range(3, 30, 3):
        messages = (message(n, USER, HUMAN, Text(text="x" * 900)) for n in range(count))
        large = Session(agent="a", id="s", messages=tuple(messages))
        page = visit(page_of(large, WriterContext(files={large.key: "0.html"})), width=width)
        inside = (
            "(box) => box.getBoundingClientRect().bottom >= box.querySelector('.next').getBoundingClientRect().bottom"
        )
        assert page.page.locator(".parts").count() == 2
        assert page.ask(f"[...document.querySelectorAll('.parts')].every({inside})"), count


def test_a_phone_shows_the_first_words(visit: Visit, site: Path) -> None:
    """Of every session, without scrolling; the facts come when they are asked for."""
    for file in sorted(site.glob("*-*.html")):
        page = visit(file, width=360)
        assert page.ask("(document.querySelector('article')?.getBoundingClientRect().top ?? 0) < innerHeight / 2"), file
        assert page.ask("document.documentElement.scrollWidth <= innerWidth")
        assert not page.ask("document.querySelector('.top dl').checkVisibility()")
        page.page.get_by_label("All facts").check()
        assert page.ask("document.querySelector('.top dl').checkVisibility()")


def test_totals_and_charts(index: BrowserPage, visit: Visit, site: Path) -> None:
    assert index.ask("document.querySelectorAll('.charts figure').length") == 3
    assert "836,891" in index.ask("document.querySelector('.totals').textContent")
    agents = ["gemini", "claude", "codex", "copilot", "opencode", "qwen"]
    assert index.page.locator(".legend").inner_text().split() == agents
    assert index.ask("[...document.querySelectorAll('.legend svg')].every((svg) => svg.clientWidth > 5)")
    bottoms = "[...document.querySelectorAll('.charts figure > svg')].map((svg) => svg.getBoundingClientRect().bottom)"
    assert len(set(index.ask(bottoms))) == 1
    fill = "getComputedStyle(document.querySelector('.charts rect')).fill"
    assert index.ask(fill) != visit(site / "index.html", scheme="dark").ask(fill)


def written(folder: Path, sessions: list[Session], context: WriterContext | None = None) -> Path:
    entries = [Entry(summary=summarize(one), file=f"{number}.html") for number, one in enumerate(sessions)]
    for name, pieces, _ in WRITER.finish(entries, context or WriterContext(sessions=lambda: sessions)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(pieces), "utf-8")
    return folder / "index.html"
