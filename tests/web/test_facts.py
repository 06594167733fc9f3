"""The pages of facts: two sessions side by side, friction, the account of the files, and the archive."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe

from pollux.answers.archive import history_document, status_document
from pollux.answers.compare import comparison_document
from pollux.answers.doctor import doctor_document
from pollux.answers.friction import friction_document
from pollux.library.friction.values import FrictionKind
from pollux.library.library import Filter
from pollux.writers.html.messages import anchor
from pollux.writers.json import encode
from tests.web.markup import Markup
from tests.web.paths import EVERY, FACTS, FIRST, SECOND
from tests.web.serving import SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
CORPUS = Path(__file__).parents[1] / "corpus"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over a history that was archived."""
    with serving(tmp_path_factory.mktemp("kept")) as server:
        server.web.library.archive.run()
        yield server


def twin(served: Served, path: str) -> Any:
    reply = served.get(path)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    return json.loads(reply.body)


def plain(document: Any) -> Any:
    return json.loads(encode(document))


@pytest.mark.parametrize("path", FACTS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(kept: Served, tab: Open, path: str, scheme: str) -> None:
    here = tab(kept, path, scheme=scheme)
    found = Axe().run(here.page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_phone(kept: Served, tab: Open, scheme: str) -> None:
    here = tab(kept, scheme=scheme, width=360)
    for path in EVERY:
        here.go(path)
        found = Axe().run(here.page).response["violations"]
        assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == [], path


@pytest.mark.parametrize("path", [*EVERY, "/?q=%22", "/nowhere"])
def test_the_markup_is_valid(kept: Served, path: str) -> None:
    assert Markup(kept.get(path).text).problems == []


@pytest.mark.parametrize("agent", sorted(folder.name for folder in CORPUS.iterdir() if any(folder.glob("*/home"))))
def test_every_page_of_a_home_that_an_agent_left_is_valid(agent: str, tmp_path: Path) -> None:
    home = max((CORPUS / agent).glob("*/home"))
    with serving(tmp_path, home) as here:
        keys = [entry.summary.key for entry in here.web.library.list(Filter(everything=True))][:3]
        assert keys
        paths = ["/?all=1", "/edits", "/stats?by=session", "/timeline", "/projects", "/friction", "/doctor", "/audit"]
        paths += [f"/s/{quote(key, safe=':')}" for key in keys]
        asked = ("audit", "edits", "friction", "archive", "compare")
        paths += [f"/{page}?key={quote(key)}" for page in asked for key in keys]
        for path in paths:
            reply = here.get(path)
            assert (reply.status, Markup(reply.text).problems) == (200, []), path


@pytest.mark.parametrize("width", [360, 1000, 1280, 2560])
def test_nothing_is_wider_than_the_window(kept: Served, tab: Open, width: int) -> None:
    here = tab(kept, width=width)
    for path in FACTS:
        here.go(path)
        assert here.ask("document.documentElement.scrollWidth <= innerWidth"), path


def test_long_names_push_no_figure_out_of_sight(tmp_path: Path, tab: Open) -> None:
    home = Path(__file__).parents[1] / "corpus" / "claude" / "2.0.77" / "home"
    with serving(tmp_path, home) as served:
        here = tab(served)
        # Each count of a facet is one line high, however long its name is.
        high = "Math.max(...[...document.querySelectorAll('.facet a')].map((one) => one.clientHeight))"
        assert here.ask(high) < 40
        fits = "[...document.querySelectorAll('.wide')].every((one) => one.scrollWidth <= one.clientWidth)"
        key = next(one.summary.key for one in served.web.library.list() if one.summary.counts.prompts > 2)
        for path in ("/stats?by=project", "/stats?by=session", "/projects", f"/audit?key={quote(key)}"):
            here.go(path)
            assert here.ask("document.querySelectorAll('.figures-table tbody tr').length > 1"), path
            assert here.ask(fits), path
            here.page.set_viewport_size({"width": 718, "height": 1000})  # paper, without its margins
            here.page.emulate_media(media="print")
            assert here.ask(fits), f"{path} on paper"
            here.page.emulate_media(media="screen")
            here.page.set_viewport_size({"width": 1280, "height": 800})
        here.leave()


@pytest.mark.parametrize("path", ["/", "/edits", "/friction"])
@pytest.mark.parametrize("width", [360, 1280])
def test_rows_begin_where_their_space_ends(served: Served, tab: Open, path: str, width: int) -> None:
    """What another style sheet says of a class of the same name moves nothing."""
    here = tab(served, path, width=width)
    gap = "(() => { const row = document.querySelector('.row:not(.names)'); const top = Math.min(...[...row.children]"
    gap += ".filter((one) => one.getClientRects().length).map((one) => one.getBoundingClientRect().y)); "
    gap += "return top - row.getBoundingClientRect().y - parseFloat(getComputedStyle(row).paddingTop) })()"
    assert here.ask(gap) == pytest.approx(0, abs=1)


@pytest.mark.parametrize("path", FACTS)
def test_every_link_leads_somewhere(kept: Served, path: str) -> None:
    text = kept.get(path).text
    links = {link.split('"')[0].split("#")[0] for link in text.split('href="')[1:]}
    assert {"/friction", "/archive", "/doctor"} <= links
    inner = sorted(link.replace("&amp;", "&").replace("&#x27;", "'") for link in links if link.startswith("/"))
    assert [link for link in inner if kept.get(link).status != 200] == []


@pytest.mark.parametrize(
    "path",
    [
        "/friction?kind=moon",
        "/friction?agent=nobody",
        "/friction?since=never",
        "/friction?page=0",
        "/friction?key=/etc/passwd",
        "/archive?key=nope",
        "/doctor?status=moon",
        "/doctor?agent=nobody",
        f"/compare/{FIRST}/{FIRST}",
        f"/compare/{FIRST}/nope",
        f"/compare/{FIRST}",
        "/compare/../../etc/passwd/x",
        "/compare?key=nope",
        "/edits?key=nope",
    ],
)
def test_a_wrong_address_gets_a_sentence(served: Served, path: str) -> None:
    where, mark, query = path.partition("?")
    reply = served.get(path)
    assert reply.status in (400, 404)
    assert "Something went wrong" not in reply.text
    told = served.get(f"{where}.json{mark}{query}")
    assert told.status in (400, 404)
    assert json.loads(told.body).keys() == {"error", "hint"}


# ------------------------------------------------------------------------------------------------------ friction


def test_friction_is_that_of_the_command(served: Served) -> None:
    library = served.web.library
    found = library.friction.newest(Filter(everything=True))
    assert found.cases
    assert twin(served, "/friction.json") == plain(friction_document(found))
    page = served.get("/friction").text
    for case in found.cases:
        assert f'href="/s/{case.key}#{anchor(case.message_id)}"' in page
    of_one = library.friction.of(library.session(SAMPLE_KEY))
    assert twin(served, f"/friction.json?key={SAMPLE_KEY}") == plain(friction_document(of_one))


def test_a_kind_of_friction_is_a_click_away(served: Served, tab: Open) -> None:
    here = tab(served, "/friction", scripts=False)
    here.page.click(".tiles a >> nth=1")
    assert "kind=repeated" in here.page.url
    told = twin(served, "/friction.json?kind=repeated")["cases"]
    assert {case["kind"] for case in told} == {FrictionKind.REPEATED}
    assert here.page.locator(".row.case").count() == len(told)
    assert "pollux friction --kind repeated" in here.page.inner_text(".command-line code")
    here.page.click(".tiles a[aria-current]")
    assert "kind=" not in here.page.url


# ------------------------------------------------------------------------------------------------------ compare


def test_a_comparison_is_that_of_the_command(served: Served) -> None:
    library = served.web.library
    compared = library.compare.sessions(library.session(FIRST), library.session(SECOND))
    assert twin(served, f"/compare/{FIRST}/{SECOND}.json") == plain(comparison_document(compared))


def test_from_a_session_to_a_comparison_to_a_prompt(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{FIRST}", scripts=False)
    here.page.click("summary:text-is('Look closer')")
    here.page.click(".panel a:text-is('Compare')")
    assert "Compare with which session?" in here.page.inner_text("h1")
    here.page.click("text=Two packets, no packet")
    assert here.page.url.endswith(f"/compare/{FIRST}/{SECOND}")
    assert here.page.locator(".pair h2").all_inner_texts() == [
        "A Find the one-packet assumption",
        "B Two packets, no packet",
    ]
    here.page.click(".asked-for a:has-text('any packet')")
    assert f"/s/{SECOND}#m-" in here.page.url


def test_from_a_session_to_its_edits_and_files(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}", scripts=False)
    here.page.click("summary:text-is('Look closer')")
    here.page.click(".panel a:has-text('tables.py') >> nth=0")
    assert "/file?path=" in here.page.url
    here.page.go_back()
    here.page.click("summary:text-is('Look closer')")
    here.page.click(".panel a:text-is('Edits')")
    told = twin(served, f"/edits.json?key={SAMPLE_KEY}")["edits"]
    assert {edit["key"] for edit in told} == {SAMPLE_KEY}
    assert here.page.locator(".row.edit").count() == len(told)
    assert f"pollux edits --session {SAMPLE_KEY} --diff" in here.page.inner_text(".command-line code")


# ------------------------------------------------------------------------------------------------------ files


def test_the_account_of_the_files_is_that_of_the_command(served: Served) -> None:
    report = served.web.library.doctor()
    assert twin(served, "/doctor.json") == plain(doctor_document(report))
    ignored = twin(served, "/doctor.json?status=ignored&agent=claude")["files"]
    assert [file["path"] for file in ignored] == [
        file.path for file in report.files if (file.status, file.agent) == ("ignored", "claude")
    ]
    assert f"{len(report.files)} files" in served.get("/doctor").text


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        bad = served.home / ".claude/projects/-home-juno-code-tidewatch/0a0a0a0a-0000-4000-8000-000000000000.jsonl"
        bad.parent.mkdir(parents=True, exist_ok=True)
        bad.write_bytes(b"\xff\xfe nothing of this can be read\n")
        page = served.get("/doctor").text
        assert "something needs a look" in page
        assert bad.name in page


def test_the_archive_is_that_of_the_command(kept: Served) -> None:
    library = kept.web.library
    status = library.archive.status()
    assert status.files
    assert twin(kept, "/archive.json") == plain(status_document(status))
    changes = library.archive.history(library.session(SAMPLE_KEY))
    assert changes
    assert twin(kept, f"/archive.json?key={SAMPLE_KEY}") == plain(history_document(changes))
    page = kept.get(f"/archive?key={SAMPLE_KEY}").text
    assert f"pollux show {SAMPLE_KEY} --as-of " in page


def test_the_last_run_is_told_in_the_zone_of_the_machine(kept: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = kept.web.library.archive.status().ran
    assert ran is not None
    monkeypatch.setattr("pollux.web.pages.archive.local", lambda at: at.astimezone(timezone(timedelta(hours=14))))
    there = ran.astimezone(timezone(timedelta(hours=14)))
    page = kept.get("/archive").text
    assert f"<b>{there:%Y-%m-%d}</b> <span>last run, at {there:%H:%M}</span>" in page


def test_what_only_the_archive_has_is_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as served:
        library = served.web.library
        library.archive.on()
        library.archive.run()
        keys = ("claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f", SECOND)
        for file in [file for key in keys for file in library.session(key).files]:
            Path(file).unlink()
        library.sync()
        ways = [f'href="/archive?key={key.replace(":", "%3A")}"' for key in keys]
        page = served.get("/archive").text
        assert "What only the archive still has" in page
        assert all(way in page.partition("What only the archive still has")[2] for way in ways)
        monkeypatch.setattr("pollux.web.pages.archive.PER_PAGE", 1)
        halves = [
            served.get(f"/archive?page={number}").text.partition("What only the archive still has")[2]
            for number in (1, 2)
        ]
        assert [[way in half for way in ways].count(True) for half in halves] == [1, 1]
        assert 'href="/archive?page=2"' in halves[0]


# ------------------------------------------------------------------------------------------------------ the palette


@pytest.mark.parametrize("path", ["/", "/stats", f"/s/{SAMPLE_KEY}"])
def test_the_palette_leads_to_a_page_and_to_a_session(served: Served, tab: Open, path: str) -> None:
    here = tab(served, path)
    here.press("Control+k")
    here.wait("document.getElementById('palette').open")
    here.page.keyboard.type("doct")
    here.wait("document.querySelector('#palette [aria-selected=true]')?.textContent.startsWith('Doctor')")
    here.press("Enter")
    here.wait("location.pathname", "/doctor")
    here.press("Control+k")
    here.page.keyboard.type("germination")
    here.wait(
        "[...document.querySelectorAll('#palette small')].map((one) => one.textContent).join().startsWith('● claude')"
    )
    assert Axe().run(here.page).response["violations"] == []
    here.press("Enter")
    here.wait("location.pathname.startsWith('/s/claude:')")


def test_the_palette_goes_to_a_key_and_does_what_buttons_do(served: Served, tab: Open) -> None:
    here = tab(served, "/")
    here.press("Control+k")
    here.page.keyboard.type("light")
    here.wait("document.querySelector('#palette [aria-selected=true] small')?.textContent", "command")
    here.press("Enter")
    here.wait("document.documentElement.dataset.theme !== undefined")
    here.press("Control+k")
    here.page.keyboard.type(SAMPLE_KEY)
    here.wait("document.querySelector('#palette [aria-selected=true] span')?.textContent", SAMPLE_KEY)
    here.press("Enter")
    here.wait("decodeURIComponent(location.pathname)", f"/s/{SAMPLE_KEY}")


# ------------------------------------------------------------------------------------------------- marks of messages


def test_a_message_is_starred_by_key_and_by_form(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served, f"/s/{SAMPLE_KEY}")
        here.press("j", "j")
        name = here.ask("document.activeElement.id")
        here.press("m")
        here.wait("document.activeElement.classList.contains('starred')")
        marked = served.web.library.marks.of_messages(SAMPLE_KEY)
        assert [(anchor(one.anchor.id), one.marks.starred) for one in marked] == [(name, True)]
        still = tab(served, f"/s/{SAMPLE_KEY}", scripts=False)
        still.page.click("summary:text-is('1 marked message')")
        still.page.click(".marked button")
        assert served.web.library.marks.of_messages(SAMPLE_KEY) == []
        still.page.click("summary:text-is('Marks')")
        still.page.fill("input[name=message]", marked[0].anchor.id)
        still.page.fill(".fields + .fields textarea", "the fix")
        still.page.click("button:text-is('Star this message')")
        (now,) = served.web.library.marks.of_messages(SAMPLE_KEY)
        assert (now.marks.note, now.marks.starred) == ("the fix", True)
        here.leave()
        still.leave()


def test_no_message_has_that_id(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        reply = served.post(f"/mark/{SAMPLE_KEY}", {"message": "moon", "star": "yes"})
        assert reply.status == 400
        assert "No message of this session has an id like" in reply.text
        forgotten = served.post(f"/mark/{SAMPLE_KEY}", {"message": "", "star": "yes"})
        assert (forgotten.status, "Which message?" in forgotten.text) == (400, True)
        assert served.web.library.marks.of(SAMPLE_KEY) is None  # the session is not marked in its place


def test_the_sample_says_that_it_keeps_no_marks(tmp_path: Path) -> None:
    with serving(tmp_path, is_sample=True) as served:
        page = served.get(f"/s/{SAMPLE_KEY}").text
        assert "The sample keeps no marks." in page
        assert 'id="star"' not in page
        assert "within a week" not in served.get("/archive").text


# ------------------------------------------------------------------------------------------------------ odd names


def test_a_project_with_a_space_narrows_the_list_down(tmp_path: Path) -> None:
    folder = tmp_path / "home/.claude/projects/-home-juno-two-words"
    folder.mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "11111111-1111-4111-8111-111111111111",
        "parentUuid": None,
        "sessionId": "22222222-2222-4222-8222-222222222222",
        "timestamp": "2026-11-10T10:00:00.000Z",
        "cwd": "/home/juno/two words",
        "version": "2.1.0",
        "isSidechain": False,
        "message": {"role": "user", "content": "Hello there"},
    }
    (folder / "22222222-2222-4222-8222-222222222222.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    with serving(tmp_path) as served:
        page = served.get("/").text
        assert "/?q=project%3A%22%2Fhome%2Fjuno%2Ftwo+words%22" in page
        told = twin(served, "/index.json?q=project%3A%22%2Fhome%2Fjuno%2Ftwo+words%22")
        assert [session["project"] for session in told] == ["/home/juno/two words"]
        narrowed = served.get("/?q=project%3A%22two+words%22").text
        assert "1 session<" in narrowed
        assert "pollux list &#x27;project:&quot;two words&quot;&#x27;" in narrowed


def test_pages_print_without_what_only_a_screen_needs(served: Served, tab: Open) -> None:
    here = tab(served)
    here.page.emulate_media(media="print")
    for path in ("/stats", "/edits", "/friction", f"/s/{SAMPLE_KEY}", "/"):
        here.go(path)
        shown = "(one) => one && getComputedStyle(one).display !== 'none'"
        for selector in (".bar", ".places", ".filters", "aside.tools", ".side"):
            assert not here.ask(f"({shown})(document.querySelector('{selector}'))"), (path, selector)
        assert here.ask("getComputedStyle(document.querySelector('main')).display !== 'none'")
