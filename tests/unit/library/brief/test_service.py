"""Briefs of the sample: by name, by query, without what is private and without secrets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.errors import NotFound, RequestError, UnknownName
from pollux.library.brief.asked import Asked
from pollux.library.brief.values import Brief
from pollux.library.marks import Edit, Target
from pollux.library.redaction import redactor
from pollux.transforms.redact.find import PLACEHOLDER

TIDES, SEEDS, CACHE = (f"gemini:{id}" for id in ("aa6812ea", "6403bd4e", "1c0be182"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with_files = tmp_path / "home"
    shutil.copytree(str(files("pollux.sample") / "home"), with_files)
    return with_files


@pytest.fixture
def library(home: Path, tmp_path: Path) -> Iterator[Library]:
    own = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "DATA", "CONFIG")}
    with Library({"HOME": str(home), **own}, tmp_path, hunt=False) as library:
        yield library


def keys(brief: Brief) -> list[str]:
    return [session.name for session in brief.sessions]


def test_sessions_by_name_each_once(library: Library) -> None:
    brief = library.brief.make(Asked(names=(TIDES, "6403bd4e", TIDES)))
    assert keys(brief) == [TIDES, SEEDS]
    assert brief.search is None
    assert brief.tokens <= brief.limit == 2000
    assert brief.body in brief.text


def test_a_message_that_is_named_comes_first(library: Library) -> None:
    whole = library.brief.make(Asked(names=(f"{SEEDS}#d2e7",)))
    (line, *_) = whole.sessions[0].lines
    assert (line.section, line.citations) == ("found", (f"{SEEDS}#d2e78ca2",))


def test_one_session_as_the_library_read_it(library: Library) -> None:
    session = library.session(TIDES)
    assert library.brief.of(session).text == library.brief.make(Asked(names=(TIDES,))).text


def test_a_file_that_no_index_knows(library: Library, home: Path, tmp_path: Path) -> None:
    (chat,) = home.rglob("session-*aa6812ea.jsonl")
    shutil.copy(chat, tmp_path / "copy.jsonl")
    brief = library.brief.make(library.brief.asked([str(tmp_path / "copy.jsonl")]))
    assert brief.sessions[0].summary.id.startswith("aa6812ea")


def test_a_query_tells_how_many_sessions_match_and_the_best_first(library: Library) -> None:
    brief = library.brief.make(library.brief.asked(["packet"]), tokens=1000)
    assert brief.search is not None
    assert (brief.search.matched, brief.search.more) == (5, False)
    assert len(brief.sessions) == 2
    assert "Brief of 2 of 5 sessions that match 'packet'" in brief.text
    assert all(session.matches for session in brief.sessions)
    few = library.brief.make(Asked(query="packet"), tokens=260)
    assert len(few.sessions) == 1
    assert keys(few) == keys(brief)[:1]


def test_a_query_about_some_sessions_only(library: Library) -> None:
    brief = library.brief.make(Asked(names=(SEEDS,), query="packet"))
    assert keys(brief) == [SEEDS]
    with pytest.raises(NotFound, match="Nothing in these sessions"):
        library.brief.make(Asked(names=(TIDES,), query="packet"))


def test_nothing_is_found(library: Library) -> None:
    with pytest.raises(NotFound, match="Nothing in any session matches 'xyzzyx'"):
        library.brief.make(Asked(query="xyzzyx"))
    with pytest.raises(NotFound) as caught:
        library.brief.make(library.brief.asked(["aa6812ea", "xyzzyx"]))
    assert (
        caught.value.hint
        == "aa6812ea names a session. To search only that: pollux brief --session aa6812ea --query QUERY"
    )
    with pytest.raises(UnknownName):
        library.brief.make(Asked(names=("gemini:nothing",)))


def test_too_few_tokens(library: Library) -> None:
    with pytest.raises(RequestError, match="10 tokens are too few for this brief: it takes at least") as caught:
        library.brief.make(Asked(names=(TIDES,)), tokens=10)
    least = int(str(caught.value).rpartition(" ")[2].rstrip(".").replace(",", ""))
    assert library.brief.make(Asked(names=(TIDES,)), tokens=least).tokens <= least
    with pytest.raises(RequestError):
        library.brief.make(Asked(names=(TIDES,)), tokens=least - 1)


def test_private_sessions_are_refused_and_not_counted(library: Library) -> None:
    library.marks.change([Target(library.session(SEEDS).key)], Edit(private=True))
    with pytest.raises(RequestError, match="is private"):
        library.brief.make(Asked(names=(SEEDS,)))
    assert keys(library.brief.make(Asked(names=(SEEDS,)), private=True)) == [SEEDS]
    # With it go its checkpoint and its sub-agent.
    brief = library.brief.make(Asked(query="packet"), tokens=9000)
    assert brief.search is not None
    assert brief.search.matched == len(brief.sessions) < 5
    assert SEEDS not in brief.text


def test_private_messages_are_left_out(library: Library) -> None:
    session = library.session(TIDES)
    secret = session.messages[-1]
    library.marks.change([Target(session.key, secret)], Edit(private=True))
    assert secret.text not in library.brief.make(Asked(names=(TIDES,)), tokens=9000).text
    assert secret.text[:40] in library.brief.make(Asked(names=(TIDES,)), tokens=9000, private=True).text


def test_secrets_are_replaced_before_anything_is_cut(library: Library, home: Path, tmp_path: Path) -> None:
    secret = "AKIAQ7NDF2JX4TZ5WPLM"
    (chat,) = home.rglob("session-*aa6812ea.jsonl")
    text = chat.read_text("utf-8")
    chat.write_text(
        text.replace("Why did no test notice?", "word " * 27 + f"{secret} Why?").replace(
            "pytest -q", f"pytest -q {secret}"
        )
    )
    library.marks.change([Target("gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31")], Edit(note=f"with {secret}"))
    remover = redactor(tmp_path / "none.toml", home)
    briefs = [library.brief.make(Asked(names=(TIDES,)), tokens=tokens, redactor=remover) for tokens in (300, 400, 2000)]
    assert not any("AKIA" in brief.text for brief in briefs)
    assert {brief.redacted for brief in briefs} == {1}
    assert briefs[-1].text.count(PLACEHOLDER) == 4
    assert secret in library.brief.make(Asked(names=(TIDES,))).text
    found = library.brief.make(Asked(query=secret), redactor=remover)
    assert secret not in found.body


def test_a_session_that_only_the_archive_has(library: Library, home: Path) -> None:
    library.archive.on()
    library.archive.run()
    before = library.brief.make(Asked(names=(TIDES,))).sessions[0].lines
    (chat,) = home.rglob("session-*aa6812ea.jsonl")
    chat.unlink()
    library.close()
    kept = library.brief.make(Asked(names=(TIDES,)))
    assert kept.sessions[0].lines == before
    assert "kept by pollux" in kept.text


@pytest.mark.parametrize("kind", ["checkpoint", "subagent", "prompts"])
def test_every_kind_of_session(library: Library, kind: str) -> None:
    some = [session for session in library.sessions(Filter(everything=True)) if session.kind == kind]
    assert some
    for session in some:
        brief = library.brief.make(Asked(names=(session.key,)))
        assert brief.sessions[0].lines
        assert all(line.what != "unanswered" for line in brief.sessions[0].lines)
