"""The page of a session is the exported page, with what can be done around it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pollux import Library, registry
from pollux.export.service import Exporter
from pollux.library.library import Filter
from pollux.model import Session
from pollux.web.conversation import Conversations, Wanted
from pollux.web.reading import Reading
from pollux.writers.base import Options
from tests.web.serving import REWOUND_KEY, SAMPLE_KEY, Served, serving

NAME = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = ("gemini/0.61.0", "gemini/0.44.0-tui", "claude/walk-two-resumes-at-once", "codex/walk-exact-though-cut")


def main_of(page: str) -> str:
    assert page.count("<main") == page.count("</main>") == 1
    return page[page.index("<main") : page.index("</main>")]


def exported(library: Library, key: str, *, live_only: bool = False) -> str:
    pieces: list[str] = []
    exporter = Exporter(library, registry.writer("html"), Options(live_only=live_only))
    exporter.write(library.session(key), pieces.append)
    return "".join(pieces)


def check_all(served: Served, most: int = 40) -> int:
    library = served.web.library
    entries = library.list(Filter(everything=True))[:most]
    for number, entry in enumerate(entries):
        key, live_only = entry.summary.key, number % 4 == 3
        reply = served.get(f"/s/{key}{'?view=live' if live_only else ''}")
        assert reply.status == 200
        assert main_of(reply.text) == main_of(exported(library, key, live_only=live_only)), key
    return len(entries)


def test_the_sample_is_the_same_byte_for_byte(served: Served) -> None:
    assert check_all(served) >= 12


@pytest.mark.parametrize("home", HOMES)
def test_homes_are_the_same_byte_for_byte(home: str, tmp_path: Path) -> None:
    with serving(tmp_path, CORPUS / home / "home") as served:
        assert check_all(served, most=8)


def test_what_can_be_done_stands_around_it(served: Served) -> None:
    page = served.get(f"/s/{SAMPLE_KEY}").text
    assert f"pollux handoff {SAMPLE_KEY} --to codex" in page
    assert f'href="/export/markdown/{SAMPLE_KEY}"' in page
    assert "As it would be resumed" in page


def test_a_rewound_message_is_only_in_one_view(served: Served) -> None:
    gone = "move everything to an ORM"
    assert gone in main_of(served.get(f"/s/{REWOUND_KEY}").text)
    live = main_of(served.get(f"/s/{REWOUND_KEY}?view=live").text)
    assert gone not in live
    assert live == main_of(exported(served.web.library, REWOUND_KEY, live_only=True))


def test_the_twin_is_what_show_prints(served: Served) -> None:
    reply = served.get(f"/s/{SAMPLE_KEY}.json")
    assert reply.headers["content-type"] == "application/json"
    document = json.loads(reply.text)
    assert document["key"] == SAMPLE_KEY
    assert len(document["messages"]) == len(served.web.library.session(SAMPLE_KEY).messages)


@pytest.mark.parametrize("name", ["markdown", "text", "json", "html", "csv", "events", "vac", "atif", "acp", "claude"])
def test_exports_are_what_export_writes(served: Served, name: str) -> None:
    reply = served.get(f"/export/{name}/{SAMPLE_KEY}")
    assert reply.status == 200
    assert reply.headers["content-disposition"].startswith('attachment; filename="gemini-aa6812ea')
    if name in ("markdown", "html", "json"):
        pieces: list[str] = []
        Exporter(served.web.library, registry.writer(name)).write(served.web.library.session(SAMPLE_KEY), pieces.append)
        assert reply.text == "".join(pieces)


@pytest.mark.parametrize(
    "path",
    [
        "/s/",
        "/s/nope",
        "/s/gemini:",
        "/s/gemini:aa6812ea",  # the beginning of an id is no key
        "/s/last",
        "/s/..%2f..%2f..%2fetc%2fpasswd",
        "/s/gemini:..%2f..%2f..%2f..%2fetc%2fpasswd",
        "/s//etc/passwd",
        "/s/%2fetc%2fpasswd",
        "/s/gemini:%00",
        "/s/gemini:%ff%fe",
        f"/s/{SAMPLE_KEY}.part-9.html",
        f"/s/{SAMPLE_KEY}.part-99999999999999999.html",
        "/s/nope.json",
        "/export/markdown/nope",
        f"/export/nope/{SAMPLE_KEY}",
        "/export/markdown/..%2f..%2fetc%2fpasswd",
        "/nothing",
    ],
)
def test_what_is_not_there_is_said_in_a_page(served: Served, path: str) -> None:
    reply = served.get(path)
    assert reply.status == 404
    assert "root:" not in reply.text
    assert "Traceback" not in reply.text


def test_a_part_that_is_not_there_is_said_with_how_many_there_are(served: Served) -> None:
    reply = served.get(f"/s/{SAMPLE_KEY}.part-9.html")
    assert (reply.status, "This session has 1 part." in reply.text) == (404, True)


def test_tables_have_no_single_file(served: Served) -> None:
    assert served.get(f"/export/parquet/{SAMPLE_KEY}").status == 400


def test_a_session_that_was_deleted_meanwhile_is_gone(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        assert served.get(f"/s/{SAMPLE_KEY}").status == 200
        shutil.rmtree(served.home / ".gemini")
        replies = [served.get(path) for path in (f"/s/{SAMPLE_KEY}", f"/s/{SAMPLE_KEY}?since=x", f"/s/{REWOUND_KEY}")]
        assert [reply.status for reply in replies] == [404] * 3
        assert "Traceback" not in "".join(reply.text for reply in replies)


def test_a_large_session_has_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.web.conversation.LIMIT", 100)
    monkeypatch.setattr("pollux.writers.html.page_parts.LIMIT", 3000)
    with serving(tmp_path) as served:
        first = served.get(f"/s/{SAMPLE_KEY}").text
        assert "part 1 of" in first
        assert ".part-2.html" in first
        second = served.get(f"/s/{SAMPLE_KEY}.part-2.html")
        assert second.status == 200
        assert "part 2 of" in second.text
        assert served.get(f"/s/{SAMPLE_KEY}.html").text == first


def test_a_slow_session_tells_first_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.web.conversation.SLOW", 10)
    with serving(tmp_path) as served:
        page = served.get(f"/s/{SAMPLE_KEY}").text
        assert page.index('class="reading"') < page.index("<main")
        assert page.index("Why did no test notice?") < page.index("<main")
        assert main_of(page) == main_of(exported(served.web.library, SAMPLE_KEY))
        assert 'class="reading"' not in served.get(f"/s/{SAMPLE_KEY}").text  # it is kept by now


def test_the_first_prompts_of_a_large_session_come_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them follow below the conversation, and take the place of the first."""
    monkeypatch.setattr("pollux.web.conversation.SLOW", 10)
    monkeypatch.setattr("pollux.web.conversation.FIRST", 1)
    with serving(tmp_path) as served:
        library = served.web.library
        outline = library.outline(SAMPLE_KEY)
        assert len(outline) == 2
        assert library.index.outline(SAMPLE_KEY, 1) == [*outline][:1]
        page = served.get(f"/s/{SAMPLE_KEY}").text
        assert main_of(page) == main_of(exported(library, SAMPLE_KEY))
        whole = served.get(f"/s/{SAMPLE_KEY}").text  # it is kept by now
    before, _, after = page.partition("<main")
    early, late = (text.partition('class="index"')[2].partition("</nav>")[0] for text in (before, after))
    assert "First 1 prompt<" in early
    assert early.count("<li") == 1
    assert late == whole.partition('class="index"')[2].partition("</nav>")[0]


def test_a_slow_session_without_an_index_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words may not be in the index yet: then its prompts come with it."""
    monkeypatch.setattr("pollux.web.conversation.SLOW", 10)
    monkeypatch.setattr("pollux.library.index.IndexService.outline", lambda *_: None)
    own, read = Library.session, list[str]()

    def noted(library: Library, key: str) -> Session:
        read.append(key)
        return own(library, key)

    monkeypatch.setattr(Library, "session", noted)
    with serving(tmp_path) as served:
        page = served.get(f"/s/{SAMPLE_KEY}").text
    assert read == [SAMPLE_KEY]
    assert page.index('class="reading"') < page.index("Why did no test notice?") < page.index("<main")
    assert page.count("Why did no test notice?</a>") == 1


def test_what_was_read_is_kept_by_its_size(served: Served) -> None:
    reading = Reading(served.web.library, most=200_000)
    entries = served.web.library.list()
    for entry in entries:
        reading.session(entry)
    assert 0 < reading.size <= 200_000
    assert reading.is_kept(entries[-1])


def test_a_database_is_read_again_when_its_log_grows(tmp_path: Path) -> None:
    home = Path(shutil.copytree(CORPUS / "opencode" / "1.18.33" / "home", tmp_path / "home"))
    (database,) = home.rglob("opencode.db")
    variables = {"HOME": str(home), **{f"XDG_{one}_HOME": str(tmp_path / one) for one in ("CACHE", "CONFIG")}}
    with closing(sqlite3.connect(database)) as agent, Library(variables, home) as library:
        agent.execute("PRAGMA journal_mode=WAL")
        reading, entry = Reading(library), library.list()[0]
        before = reading.session(entry)
        assert reading.session(entry) is before
        with agent:
            agent.execute("UPDATE session SET title = 'Another name' WHERE id = ?", (before.id,))
        assert reading.session(entry).title == "Another name"


def test_memory_is_given_back_after_a_page_was_sent(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page was made of is needed until then."""
    given: list[str] = []
    monkeypatch.setattr("pollux.web.reading.give_back", lambda: given.append("back"))
    monkeypatch.setattr("pollux.web.reading._MUCH", 0)
    conversations = Conversations(served.web.library, Reading(served.web.library), "")
    pieces = conversations.page(Wanted(SAMPLE_KEY))
    while "</html>" not in next(pieces):
        assert not given
    assert not given
    assert not "".join(pieces)
    assert given == ["back"]
    assert "</html>" in "".join(conversations.page(Wanted(SAMPLE_KEY)))
    assert given == ["back"]  # nothing was read


def test_what_was_rewound_comes_in_pieces_too(tmp_path: Path) -> None:
    """A large branch is one element of the page, and still nobody waits for the whole of it."""
    file = tmp_path / "rewound" / ".claude" / "projects" / "-work" / f"{NAME}.jsonl"
    file.parent.mkdir(parents=True)
    shared = {"sessionId": NAME, "cwd": "/work", "version": "2.1.0", "isSidechain": False, "userType": "external"}
    lines: list[dict[str, object]] = []
    for number in range(300):  # all but the first and the last were taken back: the last one follows the first
        parent = None if not number else "u0" if number == 299 else f"a{number - 1}"
        asked = {"role": "user", "content": f"Question {number} " + "why " * 300}
        at = {"timestamp": f"2026-10-01T{number // 60:02}:{number % 60:02}:00.000Z"}
        lines.append({"type": "user", "uuid": f"u{number}", "parentUuid": parent, "message": asked, **shared, **at})
        said = {"id": f"m{number}", "role": "assistant", "content": [{"type": "text", "text": f"Answer {number}"}]}
        lines.append(
            {"type": "assistant", "uuid": f"a{number}", "parentUuid": f"u{number}", "message": said} | shared | at
        )
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with serving(tmp_path, tmp_path / "rewound") as served:
        conversations = served.web._conversations
        page = "".join(pieces := list(conversations.page(Wanted(f"claude:{NAME}"))))
        assert page.count('<details class="branch"') == 1
        assert page.partition('class="branch"')[2].partition("</details>")[0].count("<article") > 500
        first = pieces.index('<main id="conversation">\n')
        assert max(map(len, pieces[first : pieces.index("</main>\n")])) < 20_000
        version = page.partition('data-version="')[2].partition('"')[0]
        grown = conversations.growth(Wanted(f"claude:{NAME}"), version)
        assert grown["version"] == version
        assert grown["html"] == ""
