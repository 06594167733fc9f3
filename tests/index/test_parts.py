"""A sync that looks at a part of a root leaves the catalogue as if it had looked at everything."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from pollux.index.sync import groups as layout
from pollux.index.sync.groups import EncodedLayout, Layout, Part
from pollux.library.library import Enough, Filter, Library, Progress
from pollux.sources.base import Bundle, SourceContext
from pollux.wire import display_path
from tests.index.conftest import ChangingHome
from tests.samples import sample

CORPUS = Path(__file__).parent.parent / "corpus"
# Copies, twins, sub-agents, forks, logs, outputs, the same id twice.
HOMES = [
    ("gemini", "upgrade"),
    ("gemini", "0.39.1"),
    ("gemini", "0.61.0"),
    ("gemini", "0.61.0-tui"),
    *(
        (agent, folder.name)
        for agent in ("claude", "codex", "copilot", "opencode", "qwen")
        for folder in sorted((CORPUS / agent).iterdir())
        if folder.is_dir()
    ),
]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each part that was looked at: did that suffice?"""
    seen: list[bool] = []
    genuine = Part.complete

    def complete(self: Part, bundles: Sequence[Bundle]) -> EncodedLayout | Part | None:
        found = genuine(self, bundles)
        if not isinstance(found, Part):
            seen.append(found is not None)
        return found

    monkeypatch.setattr(Part, "complete", complete)
    return seen


def kept(library: Library) -> dict[tuple[str, str], str]:
    """The seals of all bundles as the catalogue has them."""
    rows = library._index.store.catalogue.rows(
        "SELECT r.path, b.key, b.fingerprint FROM bundles b JOIN roots r ON r.id=b.root"
    )
    return {(root, key): fingerprint for root, key, fingerprint in rows}


def fresh(library: Library) -> dict[tuple[str, str], str]:
    """The same from all files, looked at anew."""
    return {
        (display_path(root.path), bundle.key): bundle.fingerprint()
        for source, root in library._files.every_root()
        for bundle in source.bundles(root.path, list(source.find(root.path)), SourceContext())
    }


@pytest.mark.parametrize(("agent", "name"), sample(HOMES, 36, "parts"))
def test_files_that_come_and_grow_one_by_one(agent: str, name: str, tmp_path: Path, parts: list[bool]) -> None:
    genuine, home = CORPUS / agent / name / "home", tmp_path / "home"
    home.mkdir()
    chance = random.Random(name)
    files = [path for path in sorted(genuine.rglob("*")) if path.is_file()]
    steps = [(path, half) for path in chance.sample(files, min(40, len(files))) for half in (True, False)]
    places = {"HOME": str(home), "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}
    library = Library(places, home, hunt=False)
    for path, half in steps:
        target = home / path.relative_to(genuine)
        target.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes()
        target.write_bytes(content[: len(content) // 2] if half else content)
        library = Library(places, home, hunt=False)
        library.sync()
        assert kept(library) == fresh(library), target
    assert parts.count(True) >= len(steps) // 20
    anew = Library({**places, "XDG_CACHE_HOME": str(tmp_path / "anew")}, home, hunt=False)
    assert library.list(Filter(everything=True)) == anew.list(Filter(everything=True))


def test_one_that_grows_is_looked_at_alone(
    home: ChangingHome, parts: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        home.talk(f"s{number}", "hello", project=f"p{number}")
        log = home.home / ".gemini" / "tmp" / f"p{number}" / "chats" / f"session-s{number}.jsonl"
        log.write_text(log.read_text().replace("0" * 64, f"{number}" * 64))
    home.library().sync()
    home.talk("s3", "wombats", project="p3")
    looked: list[int] = []
    genuine = Layout.part

    def part(self: Layout, *given: object) -> Part | None:
        found = genuine(self, *given)  # type: ignore[arg-type]
        looked.append(sum(file.role == "session" for file in found.files) if found is not None else -1)
        return found

    monkeypatch.setattr(Layout, "part", part)
    assert [hit.key for hit in home.library().search("wombats").hits] == ["gemini:s3"]
    assert (looked, parts) == ([1], [True])
    assert home.answers() == home.truth()


def test_only_what_is_new_in_a_layout_is_written_until_it_is_much(
    home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aaaa", "bbbb"):
        home.talk(name, "hello")

    def written(name: str, *said: str) -> tuple[bytes, bytes | None]:
        home.talk(name, *said)
        library = home.library()
        library.sync()
        rows = library._index.store.catalogue.rows(
            "SELECT piece, news FROM layouts JOIN news USING(root) WHERE number=0"
        )
        kept, news = max(rows, key=lambda row: len(row[0]))
        return kept, news

    first, _ = written("aaaa", "one")
    second, news = written("bbbb", "two")
    third, more = written("cccc", "three")
    assert first == second == third
    assert news is not None
    assert more is not None
    assert len(news) < len(more) < len(first)
    assert home.answers() == home.truth()
    monkeypatch.setattr(layout, "_FEW", 1)
    fourth, none = written("aaaa", "four")
    assert fourth != first
    assert none is None
    assert home.answers() == home.truth()


def test_a_session_that_takes_another_projects_id_is_told_from_it(home: ChangingHome) -> None:
    home.talk("same", "first", project="one")
    other = home.talk("other", "second", project="two")
    other.write_text(other.read_text().replace("0" * 64, "1" * 64))
    home.library().sync()
    other.write_text(other.read_text().replace('"sessionId": "other"', '"sessionId": "same"'))
    assert home.answers() == home.truth()
    keys = {one.summary.key for one in home.library().list()}
    assert {"gemini:same", "gemini:same@11111111"} <= keys


def test_a_session_that_moves_to_another_project_is_known_there(home: ChangingHome) -> None:
    file = home.talk("aaaa", "hello", project="one")
    home.talk("bbbb", "hello", project="two")
    (home.home / ".gemini" / "tmp" / "two" / ".project_root").write_text("/work/two")
    home.library().sync()
    file.write_text(file.read_text().replace("0" * 64, hashlib.sha256(b"/work/two").hexdigest()))
    assert home.answers() == home.truth()


def test_a_typed_line_that_a_growing_transcript_turns_out_to_hold(empty_home: ChangingHome) -> None:
    """Before a log told whose its lines are, every transcript of the project might hold them."""
    folder = empty_home.home / ".claude" / "projects" / "-work-x"
    folder.mkdir(parents=True)
    typed = {"display": "wombats?", "pastedContents": {}, "timestamp": 1_796_000_000_000, "project": "/work/x"}
    (folder.parent.parent / "history.jsonl").write_text(json.dumps(typed) + "\n")

    def say(name: str, number: int, text: str) -> None:
        with (folder / f"{name}.jsonl").open("a") as out:
            said = {"role": "user", "content": text}
            line = {"parentUuid": None, "sessionId": name, "uuid": f"{name}-{number}", "cwd": "/work/x"}
            out.write(json.dumps({**line, "type": "user", "message": said, "timestamp": "2026-11-30T00:00:00Z"}) + "\n")

    name = "0d1fee63-5f5f-4a52-9d6a-8d9a1b2c3d4e"
    say(name, 1, "hello")
    library = empty_home.library()
    library.sync()
    assert len(kept(library)) == 2
    say(name, 2, "wombats?")
    library = empty_home.library()
    library.sync()
    assert kept(library) == fresh(library)
    assert empty_home.answers() == empty_home.truth()


def test_a_fork_in_another_project_is_known_as_one(empty_home: ChangingHome) -> None:
    genuine = CORPUS / "claude"
    transcript = next(path for path in sorted(genuine.rglob("projects/*/*.jsonl")) if path.stat().st_size > 2000)
    folder = empty_home.home / ".claude" / "projects"
    for project in ("-one", "-two"):
        (folder / project).mkdir(parents=True)
    (folder / "-one" / "0d1fee63-5f5f-4a52-9d6a-8d9a1b2c3d4e.jsonl").write_bytes(transcript.read_bytes())
    (folder / "-two" / "1d1fee63-5f5f-4a52-9d6a-8d9a1b2c3d4e.jsonl").write_text("{}\n")
    empty_home.library().sync()
    (folder / "-two" / "1d1fee63-5f5f-4a52-9d6a-8d9a1b2c3d4e.jsonl").write_bytes(transcript.read_bytes())
    library = empty_home.library()
    library.sync()
    assert kept(library) == fresh(library)
    assert empty_home.answers() == empty_home.truth()


def test_a_file_whose_name_is_no_text_comes(home: ChangingHome) -> None:
    home.talk("aaaa", "hello")
    home.library().sync()
    odd = home.talk(os.fsdecode(b"b\xffd"), "wombats")
    odd.write_bytes(odd.read_bytes().replace(b"b\\udcffd", b"bbbb"))
    assert [hit.key for hit in home.library().search("wombats").hits] == ["gemini:bbbb"]
    home.talk("aaaa", "numbats")
    assert [hit.key for hit in home.library().search("numbats").hits] == ["gemini:aaaa"]
    assert home.answers() == home.truth()


def test_what_an_interrupted_sync_read_goes_when_its_file_does(home: ChangingHome) -> None:
    home.library().sync()
    files = [home.talk(f"n{number}", "numbats") for number in range(3)]

    def impatient(_: Progress) -> None:
        raise Enough

    assert home.library(report=impatient).sync().busy
    for file in files:
        file.unlink()
    assert not home.library().search("numbats", exact=True).hits
    assert home.answers() == home.truth()


def test_the_first_few_of_a_list_are_the_first_of_all(empty_home: ChangingHome) -> None:
    genuine = CORPUS / "codex" / "0.100.0" / "home" / ".codex" / "sessions"
    rollout = next(path for path in sorted(genuine.rglob("rollout-*.jsonl")))
    for folder in ("sessions", "archived_sessions"):
        (empty_home.home / ".codex" / folder).mkdir(parents=True)
        shutil.copy2(rollout, empty_home.home / ".codex" / folder)
    shutil.copytree(CORPUS / "gemini" / "0.61.0" / "home", empty_home.home, dirs_exist_ok=True)
    untimed = empty_home.home / ".gemini" / "tmp" / "weather" / "chats" / "session-untimed.jsonl"
    header = {"sessionId": "untimed", "projectHash": "0" * 64, "kind": "main"}
    untimed.write_text(f"{json.dumps(header)}\n{json.dumps({'id': 'm', 'type': 'user', 'content': 'when?'})}\n")
    library = empty_home.library()
    for asked in (Filter(), Filter(everything=True), Filter(agent="gemini"), Filter(words=("weather",))):
        every = library.list(asked)
        assert every
        assert library.count(asked) == len(every)
        for few in (1, 2, 5, len(every), len(every) + 3):
            assert library.list(asked, few) == every[:few]


def _write(file: Path, *lines: dict[str, object]) -> None:
    """Add lines to a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


def _claude(session: str, uuid: str, parent: str | None, *, reply: str = "") -> dict[str, object]:
    """A record of Claude Code."""
    said: dict[str, object] = {"role": "user", "content": f"wombats {uuid}"}
    if reply:
        said = {"role": "assistant", "id": reply, "model": "m", "content": [{"type": "text", "text": f"to {uuid}"}]}
    return {
        "parentUuid": parent,
        "sessionId": session,
        "uuid": uuid,
        "cwd": "/work/x",
        "type": "assistant" if reply else "user",
        "requestId": f"request of {reply}",
        "message": said,
        "timestamp": "2026-11-30T00:00:00Z",
    }


def _is_as_if_new(home: ChangingHome) -> None:
    library = home.library()
    library.sync()
    assert kept(library) == fresh(library)
    assert home.answers() == home.truth()


ONE, TWO, THREE = (f"{number}d1fee63-5f5f-4a52-9d6a-8d9a1b2c3d4e" for number in range(3))


def test_a_session_that_grows_by_a_title_gives_it_to_another_one(empty_home: ChangingHome, parts: list[bool]) -> None:
    folder = empty_home.home / ".claude" / "projects" / "-work-x"
    for name in (ONE, TWO, THREE):
        _write(folder / f"{name}.jsonl", _claude(name, f"{name}-1", None))
    _write(folder / f"{THREE}.jsonl", {"type": "summary", "summary": "Numbats", "leafUuid": "nowhere"})
    empty_home.library().sync()
    _write(folder / f"{TWO}.jsonl", _claude(TWO, f"{TWO}-2", f"{TWO}-1"))
    _is_as_if_new(empty_home)
    assert parts == [True]
    grown = folder / f"{TWO}.jsonl"
    title = json.dumps({"type": "summary", "summary": "About wombats", "leafUuid": f"{ONE}-1"})
    grown.write_text(f"{title}\n{grown.read_text()}")
    _is_as_if_new(empty_home)
    assert "About wombats" in {entry.title for entry in empty_home.library().list()}
    grown.write_text(grown.read_text().replace(title, ""))
    _is_as_if_new(empty_home)
    assert "About wombats" not in {entry.title for entry in empty_home.library().list()}


def test_a_copy_that_begins_with_a_compaction_is_known_as_one(empty_home: ChangingHome) -> None:
    folder = empty_home.home / ".claude" / "projects" / "-work-x"
    _write(folder / f"{ONE}.jsonl", _claude(ONE, "u1", None), _claude(ONE, "a1", "u1", reply="msg_011111111111111"))
    tail = [_claude(ONE, "c", None), _claude(ONE, "u2", "c"), _claude(ONE, "a2", "u2", reply="msg_022222222222222")]
    _write(folder / f"{ONE}.jsonl", *tail)
    _write(folder / f"{THREE}.jsonl", _claude(THREE, "other", None))
    empty_home.library().sync()
    renamed = [{**line, "sessionId": TWO, "uuid": f"new {line['uuid']}", "parentUuid": None} for line in tail]
    _write(folder / f"{TWO}.jsonl", *renamed)
    _is_as_if_new(empty_home)


def test_a_session_that_names_another_one_is_compared_with_it(empty_home: ChangingHome) -> None:
    folder = empty_home.home / ".claude" / "projects"
    _write(folder / "-work-x" / f"{ONE}.jsonl", _claude(ONE, "u1", None))
    _write(folder / "-work-y" / f"{THREE}.jsonl", _claude(THREE, "other", None))
    empty_home.library().sync()
    origin = {"sessionId": ONE, "messageUuid": "lost"}
    _write(folder / "-work-y" / f"{TWO}.jsonl", {**_claude(TWO, "v1", None), "forkedFrom": origin})
    _is_as_if_new(empty_home)


def test_a_path_that_a_growing_session_names_is_that_of_its_whole_project(
    empty_home: ChangingHome, parts: list[bool]
) -> None:
    for name in ("aaaa", "bbbb", "cccc"):
        empty_home.talk(name, "hello", project="0" * 64)
    empty_home.library().sync()
    empty_home.talk("bbbb", "where are we?", project="0" * 64)
    _is_as_if_new(empty_home)
    assert parts == [True]
    empty_home.talk("bbbb", "/home/me/wombats/one.py", "/home/me/wombats/two.py", project="0" * 64)
    _is_as_if_new(empty_home)
    assert {entry.summary.project for entry in empty_home.library().list()} == {"/home/me/wombats"}


def test_a_codex_session_that_grows_is_looked_at_with_those_that_ask_about_others(
    empty_home: ChangingHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(CORPUS / "codex" / "0.100.0" / "home", empty_home.home, dirs_exist_ok=True)
    rollouts = sorted((empty_home.home / ".codex" / "sessions").rglob("rollout-*.jsonl"))
    library = empty_home.library()
    library.sync()
    asking = sum(len(library._index.store.catalogue.asking(root)) for root in (1, 2, 3, 4))
    looked: list[int] = []
    genuine = Part.complete

    def complete(self: Part, bundles: Sequence[Bundle]) -> EncodedLayout | Part | None:
        looked.append(len(bundles))
        return genuine(self, bundles)

    monkeypatch.setattr(Part, "complete", complete)
    _write(rollouts[0], {"timestamp": "2026-11-30T00:00:00Z", "type": "event_msg", "payload": {"type": "wombats"}})
    _is_as_if_new(empty_home)
    assert len(looked) == 1
    assert looked[0] <= asking + 1 < len(rollouts)


def test_new_sessions_that_share_a_new_name_are_of_one_group(empty_home: ChangingHome) -> None:
    """The first one shares the log of typed lines with others, its fork was not typed."""
    folder = empty_home.home / ".claude" / "projects" / "-work-x"
    log = folder.parent.parent / "history.jsonl"
    typed = [{"display": f"wombats {name}", "timestamp": 1_796_000_000_000, "sessionId": name} for name in (ONE, TWO)]
    first, second = ({**line, "pastedContents": {}, "project": "/work/x"} for line in typed)
    _write(log, first)
    _write(folder / f"{ONE}.jsonl", _claude(ONE, "u1", None))
    _is_as_if_new(empty_home)
    _write(log, second)
    shared = _claude(TWO, "u2", None), _claude(TWO, "a2", "u2", reply="msg_022222222222222")
    _write(folder / f"{TWO}.jsonl", *shared)
    _write(folder / f"{THREE}.jsonl", *shared, _claude(THREE, "u3", "a2"))
    _is_as_if_new(empty_home)
    _write(folder / f"{THREE}.jsonl", _claude(THREE, "u4", "u3"))
    _is_as_if_new(empty_home)


def test_a_session_that_another_one_named_before_it_came_may_go(empty_home: ChangingHome) -> None:
    folder = empty_home.home / ".claude" / "projects" / "-work-x"
    origin = {"sessionId": "late", "messageUuid": "v"}
    _write(folder / f"{ONE}.jsonl", {**_claude(ONE, "u1", None), "forkedFrom": origin})
    _is_as_if_new(empty_home)
    late = folder / "saved.jsonl"
    _write(late, _claude("late", "v1", None))
    _is_as_if_new(empty_home)
    late.write_text(late.read_text().replace('"late"', '"later"'))
    _is_as_if_new(empty_home)


def test_messages_that_were_copied_leave_their_parts_where_they_were(empty_home: ChangingHome) -> None:
    shutil.copytree(CORPUS / "opencode" / "1.0.185" / "home", empty_home.home, dirs_exist_ok=True)
    empty_home.library().sync()
    messages = min((empty_home.home / ".local/share/opencode/storage/message").iterdir())
    shutil.copytree(messages, messages.with_name(f"{messages.name}-copy"))
    _is_as_if_new(empty_home)


def test_a_log_of_typed_lines_that_moves_is_found_there(empty_home: ChangingHome) -> None:
    folder = empty_home.home / ".qwen"
    _write(folder / "projects" / "-work-x" / "chats" / f"{ONE}.jsonl", _claude(ONE, "u1", None))
    line = {"sessionId": ONE, "messageId": 0, "type": "user", "message": "hello", "timestamp": "2026-11-30T00:00:00Z"}
    _write(folder / "tmp" / ("a" * 64) / "logs.json")
    (folder / "tmp" / ("a" * 64) / "logs.json").write_text(json.dumps([line]))
    _is_as_if_new(empty_home)
    (folder / "tmp" / ("a" * 64)).rename(folder / "tmp" / ("b" * 64))
    _is_as_if_new(empty_home)


def test_sessions_of_two_projects_in_one_folder_have_their_own_paths(empty_home: ChangingHome) -> None:
    """The same files are evidence for both: what one was asked about says nothing of the other."""
    for name, *words in (("one", "/work/one/a.py", "/work/two/b.py"), ("two", "nothing"), ("one more", "nothing")):
        file = empty_home.talk(name, *words, project=hashlib.sha256(b"/work/one").hexdigest() if " " in name else "x")
        digest = hashlib.sha256(f"/work/{name.split()[0]}".encode()).hexdigest()
        file.write_text(file.read_text().replace("0" * 64, digest))
    _is_as_if_new(empty_home)
    library = empty_home.library()
    projects = {entry.summary.id: entry.summary.project for entry in library.list()}
    assert projects == {"one": "/work/one", "two": "/work/two", "one more": "/work/one"}
    for source, root in library._files.every_root():
        every = library._files.bundles_of(source, root)
        alone = [library._files.bundles_with(source, root, [bundle.key])[0] for bundle in reversed(every)]
        assert [bundle.fingerprint() for bundle in alone[::-1]] == [bundle.fingerprint() for bundle in every]


def test_a_session_knows_outputs_among_the_files_of_others(empty_home: ChangingHome) -> None:
    shutil.copytree(CORPUS / "qwen" / "0.24.4" / "home", empty_home.home, dirs_exist_ok=True)
    (output,) = (empty_home.home / ".qwen" / "tmp").rglob("*.output")
    line = {"sessionId": ONE, "messageId": 0, "type": "user", "message": "hello", "timestamp": "2026-11-30T00:00:00Z"}
    (output.parent / "logs.json").write_text(json.dumps([line]))
    library = empty_home.library()
    library.sync()
    ((source, root),) = [place for place in library._files.every_root() if place[0].name == "qwen"]
    every = library._files.bundles_of(source, root)
    assert any(source.read(bundle).dependencies for bundle in every)
    for bundle in every:
        (alone,) = library._files.bundles_with(source, root, [bundle.key])
        assert source.read(alone) == source.read(bundle)
