"""Files made of what is left: an independent judge says whether their agent would resume them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from pollux.archive.check_rebuilt import CUT, OTHER, TYPED
from pollux.errors import NotFound, OutputError
from pollux.library.library import Filter, Library
from pollux.library.recover import Rebuilt
from pollux.model import Fate, Kind, Session
from tests.archive.conftest import HOMES, World, spoken_parts
from tests.archive.judge import gemini, judged, opencode

ACCIDENTS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda _: None,
    "emptied": lambda _: b"",
    "cut": lambda raw: raw[: len(raw) * 2 // 3],
}
GENERATIONS = sorted(home for home in HOMES if home.startswith("gemini/") and "0.1.22" not in home)


def befall(file: Path, left: bytes | None) -> None:
    file.unlink() if left is None else file.write_bytes(left)


def every(library: Library) -> list[Session]:
    return list(library.sessions(Filter(everything=True)))


def written(library: Library, session: Session, folder: Path) -> Rebuilt | None:
    """Write the files of a session into a folder, where there are any."""
    try:
        rebuilt = library.recover.rebuild(session)
    except NotFound:
        return None
    library.archive.restore(library.recover.plan(rebuilt, folder))
    return rebuilt


def read_in(world: World, folder: Path) -> dict[str, Session]:
    """The sessions of a folder that holds what an agent's folder does."""
    tops = {"POLLUX_GEMINI_DIR": "tmp", "CLAUDE_PROJECTS_DIR": "projects", "CODEX_HOME": "", "COPILOT_HOME": ""}
    xdg = {f"XDG_{name}_HOME": str(folder / "xdg" / name) for name in ("CACHE", "DATA", "CONFIG")}
    places = {name: str(folder / top) for name, top in tops.items()}
    own = (place.name for place in folder.iterdir() if (place / "projects").is_dir())
    places["QWEN_RUNTIME_DIR"] = str(folder / next(own, ".qwen"))
    return {session.key: session for session in every(Library({**places, **xdg}, world.home, hunt=False))}


def without_made_header(content: bytes, original: bytes) -> bytes:
    """What was written, without the header of a log that had lost its own: no agent lists it without one."""
    header, _, rest = content.partition(b"\n")
    return rest if header.startswith(b'{"sessionId"') and header not in original else content


def is_flat(content: bytes, original: bytes) -> bool:
    """Was a thread that goes on from a file written without a source, because Codex CLI refuses one that was cut?"""
    return b'"history_base"' in original.partition(b"\n")[0] and b'"history_base"' not in content.partition(b"\n")[0]


def numberless(content: bytes) -> list[dict[str, Any]]:
    """The whole lines, without the numbers that they have in their file."""
    lines = content.splitlines(keepends=True)
    return [{**json.loads(line), "ordinal": None} for line in lines if line.endswith(b"\n")]


def logged(raw: bytes) -> set[str]:
    """The messages of a log that lost its header, in which nothing was taken back."""
    records = [json.loads(line) for line in raw.splitlines()]
    assert not any("$rewindTo" in record or "messages" in record.get("$set", {}) for record in records)
    return {record["id"] for record in records if "id" in record}


RESUMED = [home for home in HOMES if home.partition("/")[0] != "opencode" and home != "qwen/0.1.4"]
"""The homes of programs of which `judge` knows what they resume."""

EXHAUSTIVE = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
MOST = 30


def some(sessions: list[Session]) -> list[Session]:
    """All sessions of a home, or some of a home with many."""
    return sessions if EXHAUSTIVE else sessions[:: 1 + len(sessions) // MOST]


def cases() -> list[tuple[str, str]]:
    """Every accident to every home, or one to each."""
    if EXHAUSTIVE:
        return [(home, accident) for home in RESUMED for accident in ACCIDENTS]
    return list(zip(RESUMED, cycle(ACCIDENTS), strict=False))


@pytest.mark.parametrize(("home", "accident"), cases())
def test_what_was_kept_can_be_resumed(world: World, home: str, accident: str) -> None:
    world.furnish(home)
    before = some([session for session in every(world.keeping()) if session.kind is not Kind.PROMPTS])
    raw = {file: file.read_bytes() for file in world.session_files()}
    for file, value in raw.items():
        befall(file, ACCIDENTS[accident](value))
    world.later(0.1)
    library = world.keeping()
    back = world.folder / "back"
    for session in before:
        rebuilt = written(library, library.session(session.key), back)
        assert rebuilt is not None
        assert {left.why for left in rebuilt.left} <= {TYPED}
    assert judged(back).keys() <= {back / path.relative_to(world.agent_home(path)) for path in raw}
    for path in judged(back):
        original = raw[world.agent_home(next(iter(raw))) / path.relative_to(back)]
        assert without_made_header(path.read_bytes(), original) == original
    again = read_in(world, back)
    for session in before:
        # Typed prompts stand in other files, and what was rewound in an index that is a database.
        elsewhere = ("logs.json", "session-store.db")
        lost = {(session.key, m.text) for m in session.messages if m.origin and m.origin.file.endswith(elsewhere)}
        assert spoken_parts(session) - lost <= spoken_parts(again[session.key])


@pytest.mark.parametrize("home", ["opencode/1.2.6", "opencode/1.18.33", "opencode/1.18.33-wal"])
def test_what_was_kept_of_a_database_can_be_imported(world: World, home: str) -> None:
    world.furnish(home)
    before = every(world.keeping())
    for file in world.home.glob(".local/share/opencode/opencode.db*"):
        file.unlink()
    world.later(0.1)
    library = world.keeping()
    back = world.folder / "back"
    for session in before:
        rebuilt = written(library, library.session(session.key), back)
        assert rebuilt is not None
        assert not rebuilt.left
        ids = opencode(back / "opencode" / "import" / f"{session.id}.json")
        stood = [message.id.partition(".")[0] for message in session.messages if message.fate is not Fate.REWOUND]
        assert set(stood) <= set(ids)


@pytest.mark.parametrize("home", RESUMED)
def test_what_a_cut_left_can_be_resumed(world: World, home: str) -> None:
    world.furnish(home)
    for number, file in enumerate(world.session_files()):
        content = file.read_bytes()
        file.write_bytes(content[: len(content) * (1 + number % 4) // 5])
    library = world.library()
    left = {file: file.read_bytes() for file in world.session_files()}
    back = world.folder / "back"
    for session in every(library):
        rebuilt = written(library, session, back)
        if rebuilt is not None:
            assert {one.why for one in rebuilt.left} <= {TYPED, CUT, OTHER}
    for path in judged(back):
        rest = left.get(world.agent_home(next(iter(left))) / path.relative_to(back), b"")
        if path.suffix == ".jsonl" and rest:
            whole = without_made_header(path.read_bytes(), rest)
            if is_flat(whole, rest):  # what is left of its source, then every whole line, and no other
                own, lines = numberless(rest)[1:], numberless(whole)
                assert lines[len(lines) - len(own) :] == own
            else:
                assert rest.startswith(whole[:-1])  # every whole line, and no other


@pytest.mark.parametrize("home", GENERATIONS)
def test_a_list_that_was_rewritten_shorter(world: World, home: str) -> None:
    """As /rewind does to a document, and to a log what no release does: both lose messages for good."""
    world.furnish(home)
    before = {session.key: session for session in every(world.keeping())}
    originals = {file: file.read_bytes() for file in world.session_files()}
    resumed = {file: set(gemini(file)) if b'"projectHash"' in raw else logged(raw) for file, raw in originals.items()}
    for file, raw in originals.items():
        if file.suffix == ".json":
            document = json.loads(raw)
            document["messages"] = document["messages"][:1] + document["messages"][3:]
            file.write_text(json.dumps(document, indent=2, ensure_ascii=False))
        else:
            lines = raw.splitlines(keepends=True)
            file.write_bytes(
                b"".join(lines[:2] + lines[4:]) + b'{"$set": {"lastUpdated": "2026-11-16T00:00:00.000Z"}}\n'
            )
    world.later(0.1)
    library = world.keeping()
    back = world.folder / "back"
    for key in before:
        rebuilt = written(library, library.session(key), back)
        assert rebuilt is None or {left.why for left in rebuilt.left} <= {TYPED}
    top = world.agent_home(next(iter(originals)))
    for path, ids in judged(back).items():
        now = json.loads(path.read_bytes()) if path.suffix == ".json" else None
        then = originals[top / path.relative_to(back)]
        if now is not None:
            assert now["messages"] == json.loads(then)["messages"]
        else:
            assert set(then.split(b"\n")) <= set(path.read_bytes().split(b"\n"))
        assert set(ids) == resumed[top / path.relative_to(back)]


def header(name: str, digest: str) -> str:
    record = {"sessionId": name, "projectHash": digest, "startTime": "2026-11-16T00:00:00.000Z", "kind": "main"}
    return json.dumps({**record, "lastUpdated": "2026-11-16T00:00:00.000Z"}) + "\n"


def test_a_log_that_was_wiped_and_gone_on_with(world: World) -> None:
    world.furnish("gemini/0.61.0")
    before = next(s for s in every(world.keeping()) if len(s.messages) > 3 and s.kind == "main")
    file = Path(before.files[0])
    more = {"id": "later", "timestamp": "2026-11-16T00:00:01.000Z", "type": "user", "content": [{"text": "And now?"}]}
    old = file.read_bytes()
    file.write_text(header(before.id, before.project_hash or "") + json.dumps(more) + "\n")
    world.later(0.1)
    library = world.keeping()
    rebuilt = written(library, library.session(before.key), world.folder / "back")
    assert rebuilt is not None
    assert (rebuilt.messages, rebuilt.left) == (len(before.messages) + 1, ())
    (path, ids) = next(item for item in judged(world.folder / "back").items() if item[0].name == file.name)
    assert path.read_bytes().startswith(old)
    assert ids[-1] == "later"
    with pytest.raises(OutputError, match="exists with other content"):
        library.recover.plan(rebuilt, None)


def upgraded(world: World) -> tuple[Library, Session, Path, Path]:
    """A session in four files, the folder of its project's slug, and that of its hash."""
    world.furnish("gemini/upgrade")
    library = world.library()
    session = max(every(library), key=lambda session: len(session.files))
    tmp = world.home / ".gemini" / "tmp"
    (hashed,) = (path for path in tmp.iterdir() if path.name == session.project_hash)
    places = {Path(file).parents[1] for file in session.files}
    (slug,) = (path for path in places if (path / ".project_root").exists())
    return library, session, slug, hashed


def test_a_copy_in_the_folder_of_the_hash_goes_where_the_cli_looks_now(world: World) -> None:
    _, session, slug, _ = upgraded(world)
    for file in map(Path, session.files):
        if slug in file.parents:
            file.unlink()
    library = world.library()
    rebuilt = library.recover.rebuild(library.session(session.key))
    assert rebuilt.left == ()
    library.archive.restore(library.recover.plan(rebuilt, None))
    (path,) = [rebuilt.home / file.path for file in rebuilt.files if file.sources]
    assert slug in path.parents
    assert gemini(path)
    after = world.library()
    assert after.session(session.key).messages
    assert {step.there for step, _ in after.recover.plan(after.recover.rebuild(session), None)} == {True}


def test_a_cut_log_and_its_whole_twin_become_one_log(world: World) -> None:
    _, session, slug, hashed = upgraded(world)
    (log,) = [Path(file) for file in session.files if file.endswith(".jsonl") and Path(file).stat().st_size > 5000]
    twin = log.with_suffix(".json")
    assert twin.exists()
    wanted = {message["id"] for message in json.loads(twin.read_bytes())["messages"]}
    for cut in (0, 40, 400, 1500):
        raw = log.read_bytes()
        log.write_bytes(raw[:cut])
        library = world.library()
        back = world.folder / f"back-{cut}"
        rebuilt = written(library, library.session(session.key), back)
        assert rebuilt is not None
        records = [gemini(path) for path in back.rglob("session-*.json*") if path.stem == log.stem]
        assert [wanted <= set(ids) for ids in records] == [True]
        log.write_bytes(raw)
    assert slug != hashed


def test_a_backup_that_the_cli_made_of_a_file_it_could_not_read(world: World) -> None:
    world.furnish("gemini/0.61.0")
    library = world.library()
    before = next(s for s in every(library) if len(s.messages) > 3 and s.kind == "main" and len(s.files) == 1)
    file = Path(before.files[0])
    raw = file.read_bytes()
    file.rename(file.with_name(f"{file.name}.unreadable-1790000000000"))
    library = world.library()
    rebuilt = library.recover.rebuild(library.session(before.key))
    assert rebuilt.left == ()
    library.archive.restore(library.recover.plan(rebuilt, None))
    assert file.read_bytes() == raw


def test_a_log_without_its_first_line_gets_one_from_what_is_left(world: World) -> None:
    world.furnish("gemini/0.61.0")
    library = world.library()
    resumed = [s for s in every(library) if s.files and b'"$set":{"sessionId"' in Path(s.files[0]).read_bytes()]
    file = Path(resumed[0].files[0])
    file.write_bytes(file.read_bytes().split(b"\n", 1)[1])
    library = world.library()
    rebuilt = written(library, library.session(str(file)), world.folder / "back")
    assert rebuilt is not None
    assert [Path(one.path).name for one in rebuilt.files if one.made] == [file.name]
    assert rebuilt.left == ()
    assert judged(world.folder / "back")


def test_a_branch_that_was_lost_keeps_its_way_to_the_root(world: World) -> None:
    world.furnish("claude/2.1.112")
    before = max(every(world.keeping()), key=lambda session: len(session.messages))
    file = Path(next(file for file in before.files if file.endswith(f"{before.id}.jsonl")))
    lines = file.read_bytes().splitlines(keepends=True)
    spoken = [n for n, line in enumerate(lines) if json.loads(line).get("uuid")]
    half = spoken[len(spoken) // 2]
    document = json.loads(lines[spoken[-1]])
    document |= {"uuid": "00000000-0000-4000-8000-000000000000", "parentUuid": json.loads(lines[half])["uuid"]}
    file.write_bytes(b"".join(lines[: half + 1]) + json.dumps(document).encode() + b"\n")
    world.later(0.1)
    library = world.keeping()
    rebuilt = written(library, library.session(before.key), world.folder / "back")
    assert rebuilt is not None
    assert rebuilt.left == ()
    chains = judged(world.folder / "back")
    assert next(chain for path, chain in chains.items() if path.name == file.name)[-1] == document["uuid"]


def test_a_rollout_without_its_first_line_is_no_longer_anybodys(world: World) -> None:
    world.furnish("codex/0.145.0")
    file = next(path for path in world.session_files() if path.stat().st_size > 4000)
    file.write_bytes(file.read_bytes().split(b"\n", 1)[1])
    library = world.library()
    with pytest.raises(NotFound, match="Too little is left"):
        library.recover.rebuild(library.session(str(file)))


def test_a_transcript_under_another_name_gets_its_own_again(world: World) -> None:
    world.furnish("claude/2.1.112")
    before = max(every(world.library()), key=lambda session: len(session.messages))
    file = Path(next(file for file in before.files if file.endswith(f"{before.id}.jsonl")))
    raw = file.read_bytes()
    file.rename(file.with_name("copy of yesterday.jsonl"))
    library = world.library()
    rebuilt = library.recover.rebuild(library.session(before.key))
    assert rebuilt.left == ()
    library.archive.restore(library.recover.plan(rebuilt, None))
    assert file.read_bytes() == raw
