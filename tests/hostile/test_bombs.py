"""Small archives made to become large, or long to read: they fill no disk, and hold no command up."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
import pytest
import zstandard

from pollux.archive import transfer
from pollux.archive.archive import Archive, head_of
from pollux.archive.content_reader import ContentReader
from pollux.archive.contents import LONGEST_CHAIN
from pollux.archive.index import Location
from pollux.archive.packs import Content, Damage, PackWriter, Record, State, begin, is_safe, scan
from pollux.archive.transfer import MOST_GROWTH, SMALL
from tests.hostile.conftest import World

AT = 1_794_722_335_000_000


def _state(number: int, sha: bytes, size: int) -> State:
    path = b"projects/-home-eve/%08d-8fec-4542-b577-6e17ef613410.jsonl" % number
    return State(agent="claude", home=b"/home/eve/.claude", path=path, at=AT + number, change="new", sha=sha, size=size)


def _archive(file: Path, *records: tuple[Content | State, bytes]) -> Path:
    begin(file)
    pen = PackWriter(file)
    for head, payload in records:
        pen.write(head, payload)
    pen.settle()
    pen.close()
    return file


def _blank(size: int) -> tuple[Content, bytes]:
    """A content of blank lines, which packs well."""
    content = b"\n" * size
    head = Content(sha=hashlib.sha256(content).digest(), size=size)
    return head, zstandard.ZstdCompressor().compress(content)


def _replaced_packs(archive: Archive) -> list[State]:
    archive.index.refresh()
    return archive.index.states()


def test_an_archive_that_would_fill_the_disk_is_refused(tmp_path: Path) -> None:
    world = World(tmp_path, ())
    head, payload = _blank(SMALL // 2)
    states = [(_state(number, head.sha, head.size), b"") for number in range(3)]
    answer = world.command("archive", "import", str(_archive(tmp_path / "bomb.pollux", (head, payload), *states)))
    assert answer.returncode == 3, answer.stderr
    assert f"more than {MOST_GROWTH} times as large" in answer.stderr
    assert world.command("list", "--all").returncode in {0, 1}
    with world.library() as library:
        assert not library.archive._store.exists or _replaced_packs(library.archive._store) == []
    taken = world.command("archive", "import", str(_archive(tmp_path / "two.pollux", (head, payload), *states[:2])))
    assert taken.returncode == 0, taken.stderr


def test_many_states_of_one_file_are_no_bomb(tmp_path: Path) -> None:
    """Only one of them is laid out."""
    world = World(tmp_path, ())
    head, payload = _blank(SMALL // 2)
    first = _state(0, head.sha, head.size)
    states = [(msgspec.structs.replace(first, at=AT + number), b"") for number in range(5)]
    answer = world.command("archive", "import", str(_archive(tmp_path / "many.pollux", (head, payload), *states)))
    assert answer.returncode == 0, answer.stderr


def test_many_contents_of_one_file_are_a_bomb(tmp_path: Path) -> None:
    """All of them may be joined, where a file was rewritten."""
    world = World(tmp_path, ())
    records: list[tuple[Content | State, bytes]] = []
    for number in range(3):
        head, payload = _blank(SMALL // 2 + number)
        state = msgspec.structs.replace(_state(0, head.sha, head.size), at=AT + number)
        records += [(head, payload), (state, b"")]
    answer = world.command("archive", "import", str(_archive(tmp_path / "states.pollux", *records)))
    assert answer.returncode == 3, answer.stderr
    assert f"more than {MOST_GROWTH} times as large" in answer.stderr


def test_contents_that_stand_before_what_they_are_made_from_are_taken_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, ())
    contents = [b"line\n" * number for number in range(1, 60)]
    records: list[tuple[Content | State, bytes]] = []
    base: bytes | None = None
    for number, content in enumerate(contents):
        sha = hashlib.sha256(content).digest()
        copied = len(contents[number - 1]) if number else 0
        head = Content(sha=sha, size=len(content), base=base, copied=copied)
        records.append((head, zstandard.ZstdCompressor().compress(content[copied:])))
        base = sha
    last = Content(sha=hashlib.sha256(contents[-1]).digest(), size=len(contents[-1]))
    file = _archive(tmp_path / "back.pollux", *reversed(records), (_state(0, last.sha, last.size), b""))
    passes: list[IO[bytes]] = []

    def counted(held: IO[bytes]) -> Iterator[Record | Damage]:
        passes.append(held)
        return scan(held)

    monkeypatch.setattr(transfer, "scan", counted)
    with world.library() as library:
        carried = transfer.import_file(library.archive._store, file)
        assert (carried.contents, carried.states, carried.damaged) == (len(contents), 1, 0)
        assert library.archive._store.read(last.sha) == contents[-1]
    assert len(passes) == 2


def test_a_content_that_grows_too_much_is_left_out(tmp_path: Path) -> None:
    """Whatever states say of it: it is not unpacked."""
    world = World(tmp_path, ())
    head, payload = _blank(SMALL + 1)
    answer = world.command("archive", "import", str(_archive(tmp_path / "one.pollux", (head, payload))), "--json")
    assert answer.returncode == 3, answer.stderr
    with world.library() as library:
        assert not library.archive._store.exists or library.archive._store.index.contents() == []


def _chain(file: Path, length: int) -> list[bytes]:
    """An archive in which each content stands on the one before; the contents."""
    contents: list[bytes] = []
    records: list[tuple[Content | State, bytes]] = []
    base: bytes | None = None
    for number in range(length):
        before = contents[-1] if contents else b""
        added = b'{"type":"summary","summary":"%d"}\n' % number
        sha = hashlib.sha256(before + added).digest()
        head = Content(sha=sha, size=len(before + added), base=base, copied=len(before))
        records += [(head, zstandard.ZstdCompressor().compress(added)), (_state(number, sha, head.size), b"")]
        contents.append(before + added)
        base = sha
    _archive(file, *records)
    return contents


def test_no_content_that_is_taken_in_stands_on_too_many(tmp_path: Path) -> None:
    world = World(tmp_path, ())
    contents = _chain(tmp_path / "chain.pollux", 3 * LONGEST_CHAIN)
    answer = world.command("archive", "import", str(tmp_path / "chain.pollux"))
    assert answer.returncode == 0, answer.stderr
    with world.library() as library:
        archive = library.archive._store
        above = {head_of(place).sha: head_of(place).base for place in archive.index.contents()}
        for content in contents:
            sha = hashlib.sha256(content).digest()
            assert archive.read(sha) == content
            length, base = 0, above[sha]
            while base is not None:
                length, base = length + 1, above[base]
            assert length <= LONGEST_CHAIN
        assert library.archive.verify().sound


def test_a_chain_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Laying out files that stand on one another unpacks each content once, in whatever order they are wanted."""
    world = World(tmp_path, ())
    contents = _chain(tmp_path / "chain.pollux", LONGEST_CHAIN)
    world.command("archive", "import", str(tmp_path / "chain.pollux"))
    with world.library() as library:
        read: list[Location] = []
        payload = library.archive._store.payload

        def counted(place: Location) -> bytes:
            read.append(place)
            return payload(place)

        monkeypatch.setattr(library.archive._store, "payload", counted)
        recent = ContentReader(library.archive._store)
        for content in (*contents, *reversed(contents)):
            assert recent.read(hashlib.sha256(content).digest()) == content
        assert len(read) == len(contents)


def test_what_is_laid_out_stays(tmp_path: Path) -> None:
    world = World(tmp_path, ())
    _chain(tmp_path / "chain.pollux", 20)
    world.command("archive", "import", str(tmp_path / "chain.pollux"))
    world.command("list", "--all")
    files = {file: file.stat().st_ctime_ns for file in world.cache.rglob("*.jsonl")}
    assert len(files) == 20
    world.command("list", "--all")
    assert {file: file.stat().st_ctime_ns for file in world.cache.rglob("*.jsonl")} == files


@pytest.mark.parametrize("name", [b".about", b".ABOUT", b".Held", b".uNiOns/a", b"../a", b"a/../b", b""])
def test_no_way_leads_to_a_file_of_ours(name: bytes) -> None:
    """Some file systems take capitals for small letters."""
    assert not is_safe(name)
