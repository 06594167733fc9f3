"""Documents, news and tombstones: they read back whole, or are refused with a sentence."""

from __future__ import annotations

import msgspec
import pytest
import zstandard

from pollux.errors import RequestError, StoreError, Unreadable
from pollux.lake import documents
from pollux.lake.documents import (
    EDITION,
    Document,
    Level,
    News,
    NewsEntry,
    Tombstone,
    check_person,
    decode,
    owner_of,
    read_as,
)
from pollux.model import Session
from pollux.writers.base import Options
from pollux.writers.json import WRITER
from pollux.writers.json_reader import session_of
from tests.unit.writers.full_session import EVERYTHING


def written(session: Session) -> bytes:
    """What `pollux export --to json` writes."""
    pieces: list[str] = []
    WRITER.write(session, pieces.append, Options())
    return "".join(pieces).strip().encode()


def document(seq: int = 7) -> Document:
    return Document(
        level=Level.WHOLE,
        machine="m1",
        person="ada",
        key=EVERYTHING.key,
        agent=EVERYTHING.agent,
        id=EVERYTHING.id,
        seq=seq,
        month="2026-11",
        project=EVERYTHING.project,
        redactions=None,
        session=msgspec.Raw(written(EVERYTHING)),
    ).sealed()


def test_a_document_reads_back_as_the_same_session() -> None:
    stored = document().encode()
    assert stored == document().encode()
    assert decode(stored) == document()
    assert decode(stored).read() == session_of(written(EVERYTHING))


def test_the_state_is_that_of_the_content() -> None:
    one, other = document(seq=1), document(seq=2)
    assert one.state == other.state
    assert msgspec.structs.replace(one, level=Level.REDACTED).sealed().state != one.state


def test_a_later_edition_is_refused() -> None:
    later = msgspec.structs.replace(document(), edition=EDITION + 1)
    with pytest.raises(StoreError, match="later release"):
        decode(later.encode())
    with pytest.raises(StoreError, match="later release"):
        read_as(News, b'{"edition": 99, "anything": []}')


@pytest.mark.parametrize(
    "data", [b"", b"no", zstandard.compress(b"{"), zstandard.compress(b'{"edition": 1}'), b"\x28\xb5"]
)
def test_damage_is_a_sentence(data: bytes) -> None:
    with pytest.raises(Unreadable, match="damaged"):
        decode(data)


def test_another_content_is_noticed() -> None:
    content = zstandard.decompress(document().encode()).replace(b'"month":"2026-11"', b'"month":"2026-12"')
    with pytest.raises(Unreadable, match="not what was written"):
        decode(zstandard.compress(content))


def test_what_no_load_would_take_is_not_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST", 1000)
    with pytest.raises(Unreadable, match="larger than any that a load reads"):
        document().encode()


def test_what_holds_no_session_is_a_sentence() -> None:
    with pytest.raises(Unreadable, match="holds no session"):
        msgspec.structs.replace(document(), session=msgspec.Raw(b'{"key": "x:y"}')).read()


@pytest.mark.parametrize("id", ["../../etc/passwd", "a/b", "a b", "é", "x" * 300, ".", "..", "\udcff", "%2e%2e", ""])
def test_a_path_has_the_same_parts_for_every_id(id: str) -> None:
    made = msgspec.structs.replace(document(), id=id, key=f"gemini:{id}")
    parts = made.path.split("/")
    assert (len(parts), parts[0], owner_of(made.path)) == (6, "sessions", ("ada", "m1"))
    assert all(part.strip(".") and part.isascii() and len(part) < 130 for part in parts)


def test_ids_that_look_alike_have_different_paths() -> None:
    ids = ["a/b", "a-b", "a b", "a.b", "A/b", "a/b/"]
    assert len({msgspec.structs.replace(document(), id=id, key=f"gemini:{id}").path for id in ids}) == len(ids)


def test_documents_of_a_session_sort_by_their_age() -> None:
    paths = [document(seq=seq).path for seq in (9, 10, 10**15, 10**15 + 1)]
    assert paths == sorted(paths)


def test_news_and_tombstones_read_back() -> None:
    entry = NewsEntry(key="gemini:a", path="sessions/x", seq=4, state="s")
    news = News(machine="m1", person="ada", seq=4, documents=(entry,))
    assert read_as(News, msgspec.json.encode(news)) == news
    assert owner_of(news.path) == ("ada", "m1")
    stone = Tombstone(person="ada", machine="m1", at="2026-11-15T12:00:00Z")
    assert read_as(Tombstone, msgspec.json.encode(stone)) == stone
    others = [Tombstone(person="ada", at=""), Tombstone(person="ada", key="m1", at="")]
    assert len({one.path for one in (stone, *others)}) == 3


def test_a_tombstone_covers_what_it_names() -> None:
    assert Tombstone(person="ada", at="").covers("ada", "m1", "gemini:a")
    assert not Tombstone(person="ada", at="").covers("bob", "m1", "gemini:a")
    assert Tombstone(person="ada", machine="m1", at="").covers("ada", "m1", "gemini:a")
    assert not Tombstone(person="ada", machine="m2", at="").covers("ada", "m1", "gemini:a")
    assert not Tombstone(person="ada", key="gemini:b", at="").covers("ada", "m1", "gemini:a")


@pytest.mark.parametrize("name", ["", "a/b", "..", "-x", "ada lovelace", "x" * 65, "a\n", "é"])
def test_a_name_that_is_no_part_of_a_path_is_refused(name: str) -> None:
    with pytest.raises(RequestError, match="cannot name a person"):
        check_person(name)


def test_usual_names_are_possible() -> None:
    assert [check_person(name) for name in ("ada", "ada.l@example.org", "p17")] == ["ada", "ada.l@example.org", "p17"]
