"""The web UI in a real browser: find, open, toggle, search, mark, grow; and content that tries to run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from pollux.library.sample import HOME
from pollux.web.opening import leading_page
from tests.web.payloads import PAYLOADS
from tests.web.serving import REWOUND_KEY, SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
PAGES = ("/", "/?q=packet", "/?q=agent:nobody", f"/s/{SAMPLE_KEY}", f"/s/{REWOUND_KEY}?view=live", "/s/nope")


def test_find_open_toggle_search(served: Served, tab: Open) -> None:
    here = tab(served)
    here.page.fill("#find", "orm")
    here.wait("document.querySelectorAll('mark').length > 0")
    here.wait("location.search", "?q=orm%2A")
    here.page.click(".passages a >> nth=0")
    here.wait(f"location.pathname === '/s/{REWOUND_KEY}'")
    here.wait("document.querySelector('article:target') !== null")
    assert "move everything to an ORM" in here.page.inner_text("main")
    here.press("v")
    here.wait("location.search", "?view=live")
    assert "move everything to an ORM" not in here.page.inner_text("main")
    here.press("g")
    here.wait("location.pathname", "/")


def test_what_more_was_found_in_a_session_is_looked_for_there(served: Served, tab: Open) -> None:
    here = tab(served, "/?q=packet")
    here.page.click(".passages .more a >> nth=0")
    here.wait("document.getElementById('find').value", "packet")
    here.wait("/^1 of \\d+$/.test(document.getElementById('found').textContent)")


def test_facets_are_links(served: Served, tab: Open) -> None:
    here = tab(served)
    here.page.click(".facet a:has-text('codex')")
    here.wait("document.querySelectorAll('.row[data-key]').length", 3)
    here.page.click(".facet a[aria-current]")
    here.wait("document.querySelectorAll('.row[data-key]').length", 15)


def test_keys_alone_are_enough(served: Served, tab: Open) -> None:
    here = tab(served)
    here.press("/")
    here.page.keyboard.type("agent:claude ")
    here.wait("document.querySelectorAll('.row[data-key]').length", 3)
    here.press("ArrowDown", "j", "k")
    assert here.ask("document.activeElement.className") == "open"
    here.press("Enter")
    here.wait("location.pathname.startsWith('/s/claude:')")
    here.wait("document.getElementById('state') !== null && document.readyState === 'complete'")
    here.press("?")
    here.wait("document.getElementById('help').open")


def test_a_star_and_a_tag(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served, f"/s/{SAMPLE_KEY}")
        here.press("s")
        here.wait("document.getElementById('star').ariaPressed", "true")
        here.page.click("summary:has-text('Marks')")
        here.page.fill("input[name=tag]", "tides")
        here.page.fill("textarea[name=note]", "the good one")
        here.page.click(".fields button")
        here.wait("document.querySelector('.marks .tag')?.innerText.includes('#tides') ?? false")
        marks = served.web.library.marks.of(SAMPLE_KEY)
        assert marks is not None
        assert (marks.session.starred, marks.session.tags) == (True, ("tides",))
        here.go("/?q=tag:tides")
        assert here.ask("document.querySelectorAll('.row[data-key]').length") == 1
        here.leave()


def test_everything_works_without_scripts(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served, scripts=False)
        here.page.fill("#find", "packet")
        here.page.press("#find", "Enter")
        here.page.click(".passages a >> nth=0")
        assert "/s/" in here.page.url
        here.page.click(".views a:not([aria-current])")
        assert "view=live" in here.page.url
        here.page.click("#star")
        assert here.page.get_attribute("#star", "aria-pressed") == "true"
        assert sum(one.session.starred for one in served.web.library.marks.all().values()) == 1
        here.leave()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(served: Served, tab: Open, path: str, scheme: str) -> None:
    here = tab(served, path, scheme=scheme)
    found = Axe().run(here.page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    here.said.clear()  # a page that is not there is told in the console


@pytest.mark.parametrize("width", [360, 1280, 2560])
def test_nothing_is_wider_than_the_window(served: Served, tab: Open, width: int) -> None:
    here = tab(served, width=width)
    for path in PAGES[:5]:
        here.go(path)
        assert here.ask("document.documentElement.scrollWidth <= innerWidth"), path


@pytest.mark.parametrize("width", [1000, 1280, 2560])
@pytest.mark.parametrize("path", ["/", "/?q=packet"])
def test_the_names_of_columns_stand_above_them(served: Served, tab: Open, path: str, width: int) -> None:
    here = tab(served, path, width=width)
    places = (
        "[...document.querySelector({}).children].slice(0, 4).map((one) => Math.round(one.getBoundingClientRect().x))"
    )
    names, row = (here.ask(places.format(json.dumps(which))) for which in (".row.names", ".row[data-key]"))
    assert names == row
    if width > 72 * 16:  # and the figures end where their names end
        ends = "[...document.querySelectorAll('{} .figures > span')].slice(0, 3).map((one) => {{"
        ends += "const range = document.createRange(); range.selectNodeContents(one);"
        ends += "return Math.round(range.getBoundingClientRect().right) }})"
        names, row = (here.ask(ends.format(which)) for which in (".row.names", ".row[data-key]"))
        assert names == row
    here.leave()


def test_a_ticket_opens_the_door_from_a_file(served: Served, browser: Browser, tmp_path: Path) -> None:
    """As the user's browser is opened: at a file, which counts as another site."""
    file = tmp_path / "pollux.html"
    file.write_text(leading_page(served.web.access.entry()), "utf-8")
    context = browser.new_context()
    page = context.new_page()
    referrers: list[str | None] = []
    page.on("request", lambda request: referrers.append(request.headers.get("referer")))
    page.goto(file.as_uri())
    page.wait_for_url(f"{served.address}/")
    page.wait_for_selector(".row[data-key]")
    assert not any(referrers)
    (cookie,) = context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (f"pollux-{served.port}", True, "Strict")
    context.close()


def test_another_page_learns_nothing(served: Served, tab: Open) -> None:
    here = tab(served)
    page = here.context.new_page()
    page.goto("data:text/html,<title>evil</title>")
    fetched = page.evaluate(
        f"fetch('{served.address}/', {{credentials: 'include', mode: 'no-cors'}}).then((r) => r.type, (e) => 'refused')"
    )
    assert fetched in ("opaque", "refused")
    framed = page.evaluate(
        f"""new Promise((resolve) => {{
          const frame = document.createElement("iframe");
          frame.onload = () => {{ try {{ resolve(frame.contentDocument.title) }} catch {{ resolve("closed") }} }};
          frame.src = "{served.address}/";
          document.body.append(frame);
        }})"""
    )
    assert framed in ("closed", "")
    page.close()


# ------------------------------------------------------------------------------------------------------ growth


def _append(file: Path, text: str) -> None:
    """A prompt more, as the agent would write it."""
    lines = file.read_text("utf-8").splitlines()
    prompt = next(json.loads(line) for line in reversed(lines) if '"type":"user"' in line.replace(" ", ""))
    prompt |= {"id": f"grown-{len(lines)}", "content": text}
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(prompt) + "\n")
        out.flush()
        os.fsync(out.fileno())


def test_a_session_grows_in_all_tabs_through_one_stream(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        file = Path(served.web.reading.entry(SAMPLE_KEY).summary.files[0])
        here = tab(served, f"/s/{SAMPLE_KEY}")
        others = [here.open(f"/s/{SAMPLE_KEY}") for _ in range(9)]
        here.page.wait_for_timeout(500)
        _append(file, "And in the southern hemisphere?")
        for page in (here.page, *others):
            here.wait("document.querySelector('main').innerText.includes('southern hemisphere')", page=page)
        assert len(served.web.hub._listeners) == 1
        assert "southern" in here.page.inner_text(".index")
        others[-1].goto(f"{served.address}/stats")  # all connections of the browser are not taken by streams
        assert others[-1].inner_text("h1") == "Stats"
        here.leave()


def test_a_list_that_is_renewed_stays_as_it_was_left(tmp_path: Path, tab: Open) -> None:
    """What was unfolded stays so, the side stays where it was scrolled to, and the keyboard where it was."""
    with serving(tmp_path) as served:
        file = Path(served.web.reading.entry(SAMPLE_KEY).summary.files[0])
        here = tab(served)
        here.page.click(".facet:has-text('Model') summary")
        here.ask("document.querySelector('.facets').scrollTo(0, 120)")
        focus = "const one = document.querySelector('.facet details[open] a'); one.focus({preventScroll: true})"
        way = here.ask(f"(() => {{ {focus}; return one.href }})()")
        left = "[document.querySelector('.facets').scrollTop, document.activeElement.href, "
        left += "document.querySelectorAll('.facet details[open]').length]"
        assert here.ask(left) == [120, way, 1]
        prompts = f"document.querySelector('[data-key=\"{SAMPLE_KEY}\"] .prompts').textContent"
        for _ in range(100):
            if served.web.hub._listeners:
                break
            here.page.wait_for_timeout(20)
        _append(file, "And in the southern hemisphere?")
        here.wait(prompts, "3")
        assert here.ask(left) == [120, way, 1]
        here.page.focus("#find")
        _append(file, "And in the west?")
        here.page.wait_for_timeout(1500)
        assert here.ask(prompts) == "3"  # nothing moves under somebody who types
        here.page.focus(".facet a")
        here.wait(prompts, "4")
        here.leave()


def test_what_is_new_since_you_looked_is_marked_in_the_session_and_in_the_list(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        assert served.post(f"/read/{SAMPLE_KEY}", {}).status == 303
        assert 'class="newer"' not in served.get(f"/s/{SAMPLE_KEY}").text
        file = Path(served.web.reading.entry(SAMPLE_KEY).summary.files[0])
        _append(file, "And in the southern hemisphere?")
        served.web.library.sync()
        here = tab(served, "/?q=is:unread", scripts=False)
        assert here.page.inner_text(f'[data-key="{SAMPLE_KEY}"] .badge.new') == "new"
        here.go(f"/s/{SAMPLE_KEY}")
        assert here.page.inner_text(".newer") == "1 new message since you looked"
        here.page.click(".newer")
        assert "southern hemisphere" in here.page.inner_text("article:target")
        here.leave()


def test_a_hidden_tab_listens_to_nothing(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        file = Path(served.web.reading.entry(SAMPLE_KEY).summary.files[0])
        here = tab(served, f"/s/{SAMPLE_KEY}")
        hide = "Object.defineProperty(document, 'hidden', {{value: {}, configurable: true}})"
        change = "document.dispatchEvent(new Event('visibilitychange'))"
        for _ in range(100):
            if served.web.hub._listeners:
                break
            here.page.wait_for_timeout(20)
        here.ask(f"{hide.format('true')}; {change}")
        for _ in range(100):
            if not served.web.hub._listeners:
                break
            here.page.wait_for_timeout(20)
        assert not served.web.hub._listeners
        _append(file, "And in the southern hemisphere?")
        served.web.library.sync()
        here.ask(f"{hide.format('false')}; {change}")
        here.wait("document.querySelector('main').innerText.includes('southern hemisphere')")
        here.leave()


# ------------------------------------------------------------------------------------------------------ hostile content


@pytest.mark.parametrize("first", range(0, len(PAYLOADS), 12))
def test_content_in_every_field_stays_text(first: int, tmp_path: Path, tab: Open) -> None:
    home = tmp_path / "hostile"
    shutil.copytree(HOME, home)
    file = next((home / ".gemini" / "tmp").rglob("session-*aa6812ea*"))
    for payload in PAYLOADS[first : first + 12]:
        _append(file, payload)
    with serving(tmp_path / "served", home) as served:
        payload = PAYLOADS[first].replace("\n", " ")
        for fields in ({"name": payload}, {"note": payload}):
            assert served.post(f"/mark/{SAMPLE_KEY}", fields).status == 303
        here = tab(served)
        for path in ("/", "/?q=pwned", "/?q=%22%3E%3Cscript%3Epwned(1)%3C/script%3E", f"/s/{SAMPLE_KEY}"):
            here.go(path)
            assert here.ask("document.scripts.length") == 1
            assert (
                here.ask(
                    "[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes])"
                    ".filter((a) => /^on|^style$/.test(a.name)).length"
                )
                == 0
            )
        here.press("e", "t")
        here.leave()
