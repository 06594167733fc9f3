"""The list of sessions: filters, search, pages, JSON, and the first run."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from pollux.answers.search import hits_document
from pollux.answers.sessions import list_document
from pollux.library.fresh_index import FreshIndex
from pollux.library.library import Filter
from pollux.web.asking import EACH, HITS, Answer, Asker, Question
from pollux.web.pages.compare import compare_address
from pollux.web.pages.facets import told_apart
from pollux.web.pages.layout import session_address
from pollux.web.terms import has_moving_times, has_terms, terms_of, with_terms, without_terms
from tests.web.serving import SAMPLE_KEY, Served, serving


def test_the_list_has_every_session_newest_first(served: Served) -> None:
    page = served.get("/").text
    keys = [entry.summary.key for entry in served.web.library.list()]
    places = [page.index(f'data-key="{key}"') for key in keys]
    assert places == sorted(places)
    assert "<h1>15 sessions</h1>" in page


def test_sub_agents_are_folded_under_their_parents(served: Served) -> None:
    page = served.get("/").text
    for entry in served.web.library.list(Filter(everything=True)):
        if entry.summary.kind == "subagent":
            parent = page.index(f'class="row" data-key="{entry.summary.parent}"')
            assert page.index(f'<li data-key="{entry.summary.key}"', parent) > parent


def test_a_query_is_what_the_command_line_takes(served: Served) -> None:
    page = served.get("/?q=agent:codex").text
    assert "<h1>3 sessions</h1>" in page
    assert "pollux list agent:codex" in page
    page = served.get("/?q=packet").text
    assert "<mark>packet</mark>" in page
    assert f"pollux search packet --limit {HITS} --each {EACH}" in page


def test_facets_narrow_down_and_are_taken_back(served: Served) -> None:
    page = served.get("/?q=agent%3Acodex").text
    assert 'href="/?q=agent%3Aclaude"' not in page  # no other agent is among them
    assert 'href="/" title="Without agent:codex" aria-current="true"' in page
    assert "project%3A%2Fhome%2Fjuno%2Fcode%2Fseedbank" in page


def _links(page: str) -> Iterator[tuple[str, int]]:
    """Where each value of a facet leads, and its count."""
    for link in re.findall(
        r"<a [^>]*>.*?</a>", page.partition('class="side facets"')[2].partition("</nav>")[0], re.DOTALL
    ):
        if "aria-current" not in link:
            where, count = re.search(r'href="([^"]*)"', link), re.search(r'class="count">([\d,]+)', link)
            assert where is not None
            assert count is not None
            yield html.unescape(where[1]), int(count[1].replace(",", ""))


@pytest.mark.parametrize("path", ["/", "/?all=1", "/?q=agent:claude", "/?q=project:seedbank&all=1"])
def test_a_facet_counts_what_a_click_on_it_gives(served: Served, path: str) -> None:
    every = list(_links(served.get(path).text))
    assert len(every) > 10
    for where, count in every:
        title = re.search("<h1>([0-9,]+) sessions?( found)?</h1>", served.get(where).text)
        assert title is not None, where
        assert int(title[1].replace(",", "")) == count, where


def test_no_second_model_or_tool_is_offered(served: Served) -> None:
    """A message has one model, and a call one tool: with two of them nothing would be found."""
    for term in ("tool:shell_exec", "model:gpt-5.5"):
        links = [where for where, _ in _links(served.get(f"/?q={term}").text)]
        assert links
        assert not [where for where in links if where.count(f"{term.partition(':')[0]}%3A") > 1]


def test_sub_agents_without_their_sessions_are_counted_apart(tmp_path: Path) -> None:
    """The number of sessions is that of the command, and of all facets together."""
    with serving(tmp_path, Path(__file__).parents[1] / "corpus" / "claude" / "2.0.77" / "home") as served:
        library = served.web.library
        page = served.get("/").text
        assert f"<h1>{library.count()} sessions and 6 sub-agents</h1>" in page
        assert dict(_links(page))["/?q=agent%3Aclaude"] == library.count()
        page = served.get("/?all=1").text
        assert f"<h1>{library.count(Filter(everything=True))} sessions</h1>" in page


def test_what_only_all_kinds_have_is_a_click_away(served: Served) -> None:
    """As of a project, or of a day of the calendar, of which only a log of prompts is left."""
    page = served.get("/?q=since:2026-10-08+until:2026-10-08").text
    assert "Only 1 of the logs, checkpoints and sub-agents matches." in page
    (way,) = re.findall(r'<a href="([^"]*)">Show them</a>', page)
    assert "<h1>1 session</h1>" in served.get(html.unescape(way)).text
    days = served.get("/timeline?of=prompts&agent=gemini").text
    (way,) = set(re.findall(r'<th scope="row"><a href="([^"]*)">2026-10-08</a>', days))
    assert "<h1>1 session</h1>" in served.get(html.unescape(way)).text


def test_all_kinds_stay_on_every_page(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.web.asking.PER_PAGE", 5)
    pages = [served.get(f"/?q=since%3A2020-01-01&all=1&page={page}").text for page in (1, 2)]
    for page in pages:
        (rel,) = re.findall(r'<a href="([^"]*)" rel="next"', page)
        assert "all=1" in rel
        assert "all=1" in page.partition('data-address="')[2].partition('"')[0]
        assert "/index.json?" in page
        assert "all=1" in page.partition("/index.json?")[2].partition('"')[0]
    assert "page=2" in pages[1].partition('data-address="')[2].partition('"')[0]


def test_the_word_that_is_being_typed_is_a_beginning(served: Served) -> None:
    assert 'data-address="/?q=pack"' in served.get("/?q=pack&fragment=1").text
    fragment = served.get("/?q=pack&fragment=1&typing=1").text
    assert "<mark>" in fragment
    assert 'data-address="/?q=pack%2A"' in fragment
    assert "<html" not in fragment


@pytest.mark.parametrize(
    "query", ["agent:", "agent:nobody", '"', "(", "since:never", "is:nonsense", "*", "-", "a:b:c", "NOT", "x OR"]
)
def test_a_query_that_makes_no_sense_gets_a_page(served: Served, query: str) -> None:
    reply = served.get(f"/?q={quote(query)}")
    assert reply.status == 200
    assert "Something went wrong" not in reply.text
    assert served.get(f"/index.json?q={quote(query)}").status in (200, 400)


@pytest.mark.parametrize("page", ["0", "-1", "x", "1e9", "99999999999999999999", "%00"])
def test_a_page_that_makes_no_sense_is_refused(served: Served, page: str) -> None:
    assert served.get(f"/?page={page}").status == 400


def test_a_page_beyond_the_last_is_the_last(served: Served) -> None:
    assert "<h1>15 sessions</h1>" in served.get("/?page=9999").text


def test_the_twin_is_what_list_and_search_print(served: Served) -> None:
    library = served.web.library
    assert json.loads(served.get("/index.json").text) == json.loads(
        json.dumps(list_document(library.usage, library.list()), default=str)
    )
    found = library.search("packet", Filter(everything=True), limit=HITS, per_session=EACH, counted=True)
    told = json.loads(served.get("/index.json?q=packet").text)
    assert [hit["message_id"] for hit in told] == [hit["message_id"] for hit in hits_document(found.hits)]
    assert "error" in json.loads(served.get("/index.json?q=agent:nobody").text)


def test_pages_hold_fifty(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.web.asking.PER_PAGE", 5)
    asker = Asker(served.web.library)
    seen = [row.entry.summary.key for page in (1, 2, 3) for row in asker.ask(Question(page=page)).rows]
    assert len(seen) == len(set(seen)) == 15
    assert asker.ask(Question()).pages == 3


def test_without_sessions_the_page_says_where_it_looked(tmp_path: Path) -> None:
    with serving(tmp_path, None) as served:
        page = served.get("/").text
        assert "No sessions yet" in page
        assert "~/.gemini/tmp" in page
        assert "pollux --sample web" in page


# ------------------------------------------------------------------------------------------------------ marks


def test_marks_are_set_and_found_again(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        mark = f"/mark/{SAMPLE_KEY}"
        for fields in ({"star": "yes"}, {"tag": "tides, #dst"}, {"note": "a\r\nb"}, {"name": "The <b>late</b> tides"}):
            reply = served.post(mark, fields)
            assert (reply.status, reply.headers["location"]) == (303, f"/s/{SAMPLE_KEY}")
        marks = served.web.library.marks.of(SAMPLE_KEY)
        assert marks is not None
        assert (marks.session.starred, marks.session.tags, marks.session.note) == (True, ("tides", "dst"), "a\nb")
        page = served.get("/?q=is:starred").text
        assert "<h1>1 session</h1>" in page
        assert "The &lt;b&gt;late&lt;/b&gt; tides" in page
        served.post(mark, {"untag": "dst", "star": "no"})
        assert "#dst" not in served.get(f"/s/{SAMPLE_KEY}").text


@pytest.mark.parametrize("fields", [{"star": "maybe"}, {"private": "yes"}, {"name": "x" * 300}, {"tag": "x" * 99}])
def test_a_mark_that_makes_no_sense_is_refused(served: Served, fields: dict[str, str]) -> None:
    assert served.post(f"/mark/{SAMPLE_KEY}", fields).status == 400


def test_nothing_is_marked_that_is_not_there(served: Served) -> None:
    assert served.post("/mark/nope", {"star": "yes"}).status == 404
    assert served.post("/read/nope", {}).status == 404


def test_the_sample_keeps_no_marks(tmp_path: Path) -> None:
    with serving(tmp_path, is_sample=True) as served:
        assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}).status == 400
        assert served.post(f"/read/{SAMPLE_KEY}", {}).status == 303
        assert not served.web.library.marks.all()


def test_what_was_read_is_not_new(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        served.post("/read", {})
        assert "new since you looked" not in served.get("/").text


# ------------------------------------------------------------------------------------------------------ terms


def test_what_was_found_in_a_title_is_marked_in_it(served: Served) -> None:
    row = served.get("/?q=in:titles+germination").text.partition('<ol class="rows found">')[2].partition("</ol>")[0]
    assert "><mark>germination</mark> trials</a>" in row
    assert "passages" not in row  # it would say the same again


def test_what_was_found_in_a_name_behind_the_title_is_shown(served: Served) -> None:
    row = served.get("/?q=sprouting").text.partition('<ol class="rows found">')[2].partition("</ol>")[0]
    assert "<b>title</b> <span>germination trials patient-<mark>sprouting</mark>-bean</span>" in row


def test_projects_of_the_same_name_are_told_apart() -> None:
    paths = ["/home/ada/code/weather", "/home/ada/work/weather", "/home/ada/notes", "/x/code/weather", r"C:\notes"]
    assert told_apart(paths) == dict(
        zip(paths, ["ada/code/weather", "work/weather", "ada/notes", "x/code/weather", "C:/notes"], strict=True)
    )
    assert told_apart(["/a", "/b/a"]) == {"/a": "/a", "/b/a": "b/a"}


def test_a_time_that_moves_on_is_asked_for_again(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """`since:1h` means another hour a minute later, though nothing has changed."""
    assert all(map(has_moving_times, ("since:1h", "tide since:3d", 'until:"2 weeks"', "since:now")))
    assert not any(map(has_moving_times, ("", "since:2026-11-01", "since:yesterday", "until:today", "nowhere since")))
    asked: list[str] = []
    own = Asker.ask

    def noted(asker: Asker, question: Question) -> Answer:
        asked.append(question.text)
        return own(asker, question)

    monkeypatch.setattr(Asker, "ask", noted)
    for query in ("since:900h", "since:900h", "since:2020-01-02", "since:2020-01-02"):
        served.get(f"/?q={quote(query)}")
    assert asked == ["since:900h", "since:900h", "since:2020-01-02"]


@pytest.mark.parametrize("name", ["x.json", "x.html", "x.part-2.html", "two\nlines", "a/b?c#d"])
def test_an_id_may_end_and_look_like_anything(tmp_path: Path, name: str) -> None:
    """A file may have any name, and its session can be opened, compared, marked and taken as JSON all the same."""
    home, other = tmp_path / "odd", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
    project = home / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    for each in (name.replace("/", "%2F"), other):
        said = {"role": "user", "content": f"Hello from {each!r}"}
        line = {"type": "user", "uuid": f"u-{each}", "sessionId": each, "cwd": "/w", "message": said}
        (project / f"{each}.jsonl").write_text(json.dumps(line) + "\n", "utf-8")
    with serving(tmp_path, home) as served:
        key = next(one.summary.key for one in served.web.library.list() if other not in one.summary.key)
        path = session_address(key)
        page = served.get(path)
        assert page.status == 200
        assert "Hello from" in page.text
        assert json.loads(served.get(f"{path}.json").body)["key"] == key
        between = compare_address(f"claude:{other}", key)
        assert "Two sessions side by side" in served.get(between).text
        assert served.get(f"{between}.json").headers["content-type"] == "application/json"
        reply = served.post(f"/mark/{path.removeprefix('/s/')}", {"star": "yes"})
        assert served.get(reply.headers["location"]).status == 200


def test_terms_are_added_and_removed() -> None:
    query = 'agent:codex "two words" project:"a b" retry'
    assert terms_of(query) == ["agent:codex", '"two words"', 'project:"a b"', "retry"]
    assert with_terms(query, "agent:gemini") == '"two words" project:"a b" retry agent:gemini'
    assert without_terms(query, 'project:"a b"') == 'agent:codex "two words" retry'
    assert has_terms(query, "retry", "agent:codex")
    assert not has_terms(query, "agent:gemini")


def test_a_list_after_a_change_looks_at_no_file_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who follows the files has looked already. A sync that anybody else asks for is followed by another look."""
    looks: list[FreshIndex] = []
    scan = FreshIndex._scan

    def counted(index: FreshIndex) -> object:
        looks.append(index)
        return scan(index)

    with serving(tmp_path) as served:
        library = served.web.library
        monkeypatch.setattr(FreshIndex, "_scan", counted)
        file = next(served.home.rglob("session-*aa6812ea*"))
        with file.open("a") as out:
            out.write('{"id":"new","timestamp":"2026-11-14T18:00:00.000Z","type":"user","content":"And the moon?"}\n')
        library.index.settle()
        assert len(looks) == 1
        assert served.web._asker.ask(Question("moon")).rows
        assert served.web._asker.ask(Question()).sessions == 15
        assert len(looks) == 1
        library.sync()
        library.count()
        assert len(looks) == 3
