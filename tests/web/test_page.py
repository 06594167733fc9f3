"""What a reader does with a page: folding, searching, keys, links, themes, print."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from pollux.library.library import Library
from pollux.library.sample import sample_environment
from pollux.model import Fate, Session, Status, Text
from pollux.writers.base import WriterContext
from tests.unit.writers.kitchen_sink import ASSISTANT, HUMAN, MODEL, SESSION, START, USER, call, message
from tests.web.browser_page import BrowserPage, page_of

Visit = Callable[..., BrowserPage]
VISIBLE = "(selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).length"
FOUND = "document.getElementById('found').textContent"
MARKED = "[...(CSS.highlights.get('found-now') ?? [])].map((range) => range.toString())"
FOCUSED = "document.activeElement.id"


@pytest.fixture(scope="module")
def sample() -> dict[str, Session]:
    environ, cwd = sample_environment(None)
    library = Library(environ, cwd, hunt=False)
    return {name: library.session(name) for name in ("aa6812ea", "a49ffc28", "adf901d6")}


@pytest.fixture
def tides(visit: Visit, sample: dict[str, Session]) -> BrowserPage:
    return visit(page_of(sample["aa6812ea"]))


def test_calls_are_folded_and_open_on_a_click(tides: BrowserPage) -> None:
    screens = "document.querySelectorAll('.call[open]').length"
    assert tides.ask(screens) == 0
    tides.page.locator(".call > summary").first.click()
    assert tides.ask(screens) == 1
    assert tides.page.locator(".call[open] .screen").is_visible()


def test_everything_unfolds_and_folds_again(tides: BrowserPage) -> None:
    tides.page.get_by_role("button", name="Unfold").click()
    assert tides.ask("document.querySelectorAll('main details:not([open])').length") == 0
    tides.press("e")
    assert tides.ask("document.querySelectorAll('main details[open]').length") == 0


def test_an_edit_is_shown_as_a_diff(tides: BrowserPage) -> None:
    tides.press("e")
    assert "return moment + SUMMER" in tides.page.locator(".diff del").first.inner_text()
    assert "ZoneInfo(harbour.zone)" in tides.page.locator(".diff ins").first.inner_text()


def test_tables_of_replies_are_tables(tides: BrowserPage) -> None:
    assert tides.page.locator(".prose table td").first.is_visible()


def test_keys_go_from_message_to_message(tides: BrowserPage) -> None:
    all_ids = tides.ask("[...document.querySelectorAll('main article')].map((a) => a.id)")
    tides.press("j")
    assert tides.ask(FOCUSED) == all_ids[0]
    tides.press("j", "j")
    assert tides.ask(FOCUSED) == all_ids[2]
    assert tides.page.url.endswith(f"#{all_ids[2]}")
    tides.press("k")
    assert tides.ask(FOCUSED) == all_ids[1]
    prompts = tides.ask("[...document.querySelectorAll('article.human')].map((a) => a.id)")
    tides.press("J")
    assert tides.ask(FOCUSED) == prompts[1]
    tides.press("K")
    assert tides.ask(FOCUSED) == prompts[0]


def test_the_help_names_every_key(tides: BrowserPage) -> None:
    tides.press("?")
    assert tides.page.get_by_role("dialog").is_visible()
    assert tides.page.locator("dialog kbd").all_inner_texts() == list("jkJK/nNoetd?")
    tides.press("Escape")
    assert not tides.page.get_by_role("dialog").is_visible()


def test_search_finds_what_is_folded_and_opens_it(tides: BrowserPage) -> None:
    tides.press("/")
    tides.page.keyboard.type("timedelta(HOURS=2)")
    tides.wait(MARKED, ["timedelta(hours=2)"])
    total = int(str(tides.ask(FOUND)).removeprefix("1 of "))
    assert total >= 2
    assert tides.ask(
        "CSS.highlights.get('found-now').values().next().value.startContainer.parentElement.checkVisibility()"
    )
    tides.press("Enter")
    assert tides.ask(FOUND) == f"2 of {total}"
    tides.press("Shift+Enter")
    assert tides.ask(FOUND) == f"1 of {total}"
    tides.press("Escape")
    assert tides.ask(FOUND) == ""
    assert tides.ask("CSS.highlights.size") == 0


def test_search_says_when_there_is_nothing(tides: BrowserPage) -> None:
    tides.press("/")
    tides.page.keyboard.type("no such words .*")
    tides.wait(FOUND, "Nothing found")


def test_search_finds_what_waits_in_a_template_within_a_template(visit: Visit) -> None:
    """A long result of a sub-agent that stands within a long call."""
    deep = "\n".join([*(f"line {n} of many, to be long" for n in range(900)), "the needle", "the needle again"])
    child = Session(agent="a", id="child", messages=(message(1, ASSISTANT, MODEL, call("ls", {}, Status.OK, deep)),))
    spawn = call("task", {"prompt": "look"}, Status.OK, "\n".join("x" * 80 for _ in range(200)), child=child.key)
    session = Session(agent="a", id="parent", messages=(message(1, ASSISTANT, MODEL, spawn),))
    watched = visit(page_of(session, WriterContext(child=lambda key: child if key == child.key else None)))
    assert watched.ask("document.body.textContent.includes('needle')") is False
    watched.press("/")
    watched.page.keyboard.type("the needle")
    watched.wait(FOUND, "1 of 2")
    assert watched.ask(MARKED) == ["the needle"]
    assert watched.ask("document.body.textContent.includes('needle')") is True


def test_an_address_may_ask_for_words(visit: Visit) -> None:
    watched = visit(page_of(SESSION), at="#find=line%2077%20of")
    watched.wait(FOUND, "1 of 1")
    assert watched.ask(MARKED) == ["line 77 of"]


def test_a_link_leads_to_a_message_that_is_folded_away(visit: Visit) -> None:
    watched = visit(page_of(SESSION), at="#m-m2")
    article = watched.page.locator("#m-m2")
    assert article.is_visible()
    assert "An earlier answer" in article.inner_text()
    assert 0 <= watched.ask("document.getElementById('m-m2').getBoundingClientRect().top") < 800
    link = watched.page.locator("#m-m6 .link")
    link.focus()
    watched.press("Enter")
    watched.page.wait_for_url("**#m-m6")


def test_a_link_leads_into_a_sub_agent(visit: Visit, sample: dict[str, Session]) -> None:
    child = sample["adf901d6"]
    page = page_of(sample["a49ffc28"], WriterContext(child={child.key: child}.get))
    watched = visit(page)
    watched.press("e")
    inner = watched.ask("[...document.querySelectorAll('.child article')].at(-1).id")
    again = visit(page, at=f"#{inner}")
    again.wait("document.querySelector('.child article:target')?.checkVisibility()")
    assert 0 <= again.ask("document.querySelector(':target').getBoundingClientRect().top") < 800


def test_every_prompt_is_in_the_index(visit: Visit) -> None:
    watched = visit(page_of(SESSION))
    listed = watched.page.locator(".index a").all_inner_texts()
    assert listed[0] == "An earlier question"
    assert len(listed) == 7
    watched.page.locator(".index a").nth(2).click()
    watched.wait("document.querySelector('.index [aria-current]')?.textContent", "Stopped by me")


def test_rewound_messages_are_folded_and_compressed_ones_are_not(visit: Visit) -> None:
    watched = visit(page_of(SESSION))
    assert watched.page.locator(".branch").count() == 3
    assert not watched.page.get_by_text("An earlier answer").is_visible()
    assert watched.page.locator("article").get_by_text("Folded away").is_visible()
    watched.page.locator(".branch > summary").first.click()
    assert watched.page.get_by_text("An earlier answer").is_visible()


def test_figures_are_shown_when_asked_for(visit: Visit) -> None:
    watched = visit(page_of(SESSION))
    figures = watched.page.get_by_text("1,234 in (1,000 cached), 56 out (7 reasoning) tokens")
    assert not figures.is_visible()
    watched.press("t")
    figures.scroll_into_view_if_needed()
    assert figures.is_visible()
    watched.page.get_by_role("button", name="Details").click()
    assert not figures.is_visible()


def test_times_are_the_reader_s_with_the_exact_one_beside(visit: Visit) -> None:
    watched = visit(page_of(SESSION), zone="Asia/Tokyo")
    when = watched.page.locator("dd time").first
    assert when.inner_text() == "16 Nov 2026, 08:58"
    assert when.get_attribute("title") == "2026-11-15 23:58:01.123 UTC"


WHEN = "[...document.querySelectorAll('time')].filter((time) => time.checkVisibility()).map((time) => time.textContent)"


@pytest.mark.parametrize(("width", "media"), [(1200, "screen"), (390, "screen"), (1200, "print"), (390, "print")])
def test_whatever_is_shown_tells_its_day_once(
    visit: Visit, sample: dict[str, Session], width: int, media: Literal["screen", "print"]
) -> None:
    watched = visit(page_of(sample["aa6812ea"]), width=width)
    watched.page.emulate_media(media=media)
    output: list[str] = watched.ask(WHEN)
    assert output[0] == "14 Nov 2026, 17:02"
    assert not any("Nov" in time for time in output[1:])
    facts = watched.page.locator("dl div", has_text="When").locator("dd")
    assert facts.text_content() == "14 Nov 2026, 17:02 – 17:04"


@pytest.mark.parametrize("second", [{"fate": Fate.REWOUND}, {}])
def test_what_is_out_of_sight_tells_no_day_for_the_others(visit: Visit, second: dict[str, Fate]) -> None:
    """The first message of a day was taken back and is folded, or its time is shown when pointed at."""
    days = [timedelta(days=0), *(timedelta(days=1, minutes=minutes) for minutes in (5, 6, 7))]
    messages = [message(n, ASSISTANT, MODEL, Text(text="a reply")) for n in range(2)]
    messages += [message(n, USER, HUMAN, Text(text="a prompt")) for n in range(2, 4)]
    messages = [msgspec.structs.replace(one, at=START + after) for one, after in zip(messages, days, strict=True)]
    messages[1] = msgspec.structs.replace(messages[1], **second)
    watched = visit(page_of(Session(agent="a", id="s", messages=tuple(messages))))
    assert watched.page.locator(".human time").all_inner_texts() == ["17 Nov 2026, 00:04", "00:05"]


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


def test_light_and_dark_follow_the_system_and_the_button(visit: Visit) -> None:
    page = page_of(SESSION)
    light, dark = (visit(page, scheme=scheme).ask(BACKGROUND) for scheme in ("light", "dark"))
    assert light != dark
    watched = visit(page, scheme="light")
    button = watched.page.locator("#theme")
    for output, expected in (("Theme: light", light), ("Theme: dark", dark), ("Theme: auto", light)):
        button.click()
        assert button.inner_text() == output
        assert watched.ask(BACKGROUND) == expected
    watched.press("d", "d")
    watched.page.reload()
    assert watched.ask(BACKGROUND) == dark


def test_a_phone_needs_no_sideways_scrolling(visit: Visit, sample: dict[str, Session]) -> None:
    wide = Text(
        text="x" * 2000
        + "\n\n```\n"
        + "y" * 2000
        + "\n```\n\n| "
        + " | ".join("a" * 20 for _ in range(20))
        + " |\n|"
        + "-|" * 20
    )
    messages = (*SESSION.messages, message(99, ASSISTANT, MODEL, wide))
    for session in (Session(agent="a", id="w", messages=messages), sample["aa6812ea"]):
        watched = visit(page_of(session), width=390)
        watched.press("e")
        assert watched.ask("document.documentElement.scrollWidth") <= 390
        assert not watched.ask("document.querySelector('.index').open")


def test_on_paper_there_are_no_controls_and_nothing_is_cut(visit: Visit) -> None:
    watched = visit(page_of(SESSION))
    watched.press("e")
    watched.page.emulate_media(media="print")
    assert watched.page.evaluate(VISIBLE, ".bar, .side, .link") == 0
    assert watched.ask("[...document.querySelectorAll('pre')].every((pre) => pre.scrollHeight <= pre.clientHeight + 1)")
    assert watched.ask("getComputedStyle(document.querySelector('article')).contentVisibility") == "visible"
    assert watched.page.pdf(format="A4").startswith(b"%PDF")


def test_a_sub_agent_stands_within_the_call_that_started_it(visit: Visit, sample: dict[str, Session]) -> None:
    child = sample["adf901d6"]
    watched = visit(page_of(sample["a49ffc28"], WriterContext(child={child.key: child}.get)))
    watched.press("e")
    inner = watched.page.locator(".call .child article.task")
    assert inner.count() == 1
    assert child.messages[0].text.split("\n")[0] in str(inner.text_content())
    assert watched.ask("new Set([...document.querySelectorAll('[id]')].map((e) => e.id)).size") == watched.ask(
        "document.querySelectorAll('[id]').length"
    )


def test_a_picture_is_shown(visit: Visit) -> None:
    from pollux.model import Attachment

    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    messages = message(1, USER, HUMAN, Text(text="look"), Attachment(media_type="image/png", data=dot))
    watched = visit(page_of(Session(agent="a", id="p", messages=(messages,))))
    watched.wait("document.images[0].naturalWidth === 1")


def test_a_long_session_opens_inert_and_scrolls_to_its_end(visit: Visit, tmp_path: Path) -> None:
    """Three megabytes: what is folded is no part of the page until it is opened."""
    output = "\n".join(f"line {n} of an output that goes on and on" for n in range(240))
    messages = [
        message(n, ASSISTANT, MODEL, Text(text=f"Step {n}"), call("shell", {"command": f"step {n}"}, Status.OK, output))
        for n in range(300)
    ]
    file = tmp_path / "long.html"
    file.write_text(page_of(Session(agent="a", id="long", messages=tuple(messages))), "utf-8")
    assert file.stat().st_size > 3_000_000
    watched = visit(file)
    assert watched.ask("document.body.textContent.length") < 400_000
    watched.press("End")
    watched.wait("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
    assert watched.page.locator("article").last.is_visible()
    watched.page.locator(".call > summary").last.click()
    assert "line 239" in watched.page.locator(".screen").last.inner_text()
