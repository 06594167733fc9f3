# ruff: noqa: S608 (the statements are our own)
"""Sessions in OpenCode's database: what the log of changes still has, and what only older files have."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from pollux.model import Author, Fate, Role, Session
from pollux.registry import source
from pollux.sources.base import SourceContext

CORPUS = Path(__file__).parents[3] / "corpus" / "opencode"
OPENCODE = source("opencode")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The data of 1.18.33, without a log, so that a test can change it."""
    place = tmp_path / "opencode"
    shutil.copytree(CORPUS / "1.18.33-wal" / "home" / ".local/share/opencode", place)
    with sqlite3.connect(place / "opencode.db", isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    return place


def sessions(root: Path) -> dict[str, Session]:
    bundles = OPENCODE.bundles(root, list(OPENCODE.find(root)), SourceContext())
    return {session.id: session for bundle in bundles for session in OPENCODE.read(bundle).sessions}


def _change(root: Path, *statements: str) -> None:
    connection = sqlite3.connect(root / "opencode.db", isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def _first(root: Path) -> Session:
    return min(sessions(root).values(), key=lambda session: session.started or 0)


def test_what_a_revert_deleted_is_still_in_the_log_of_changes(root: Path) -> None:
    before = _first(root)
    last = [message for message in before.messages if message.role is Role.ASSISTANT][-1]
    gone = json.dumps({"sessionID": before.id, "messageID": last.id})
    _change(
        root,
        f"DELETE FROM part WHERE message_id='{last.id}'",
        f"DELETE FROM message WHERE id='{last.id}'",
        f"INSERT INTO event VALUES ('evt_x', '{before.id}', 99999, 'message.removed.1', '{gone}')",
    )
    after = _first(root)
    shown = next(message for message in after.messages if message.id == last.id)
    assert shown.fate is Fate.REWOUND
    assert shown.text == last.text
    assert after.usage.total == before.usage.total
    assert shown.origin is not None
    assert shown.origin.row is not None
    assert shown.origin.row.startswith("event/")


def test_a_revert_rewinds_from_its_message_on(root: Path) -> None:
    before = _first(root)
    first = before.messages[0]
    revert = json.dumps({"messageID": first.id})
    _change(root, f"UPDATE session SET revert='{revert}' WHERE id='{before.id}'")
    assert {message.fate for message in _first(root).messages} == {Fate.REWOUND}


def test_a_change_of_one_session_changes_one_fingerprint(root: Path) -> None:
    def fingerprints() -> dict[str, str]:
        found = OPENCODE.bundles(root, list(OPENCODE.find(root)), SourceContext())
        return {bundle.id: bundle.fingerprint() for bundle in found}

    before = fingerprints()
    changed = _first(root).id
    _change(root, f"UPDATE part SET time_updated=time_updated+1 WHERE session_id='{changed}'")
    after = fingerprints()
    assert {id for id in before if before[id] != after[id]} == {changed}


def test_messages_without_a_session_are_still_a_session(root: Path) -> None:
    before = _first(root)
    _change(root, "PRAGMA foreign_keys=OFF", f"DELETE FROM session WHERE id='{before.id}'")
    after = sessions(root)[before.id]
    assert [message.text for message in after.messages] == [message.text for message in before.messages]
    assert not any(message.inherited for message in after.messages)


def test_a_database_of_an_unknown_schema_is_reported(root: Path) -> None:
    _change(root, "ALTER TABLE session RENAME TO talk", "ALTER TABLE message RENAME TO word", "DROP TABLE part")
    bundles = OPENCODE.bundles(root, list(OPENCODE.find(root)), SourceContext())
    problems = [OPENCODE.read(bundle).problem for bundle in bundles]
    assert len(problems) == 1
    assert "newer release" in (problems[0] or "")


def test_a_database_by_its_path(root: Path) -> None:
    path = root / "opencode.db"
    assert OPENCODE.recognizes(path, path.read_bytes()[:4096])
    bundle = OPENCODE.bundle_of_file(path, SourceContext())
    assert OPENCODE.read(bundle).sessions


def test_what_is_kept_reads_as_the_database_did(root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "opencode"
    for document in OPENCODE.documents(root, list(OPENCODE.find(root)), SourceContext()):  # type: ignore[attr-defined]
        place = kept / Path(document.file.path).relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(document.content())
        assert document.content() == place.read_bytes()
    live, again = sessions(root), sessions(kept)
    assert live.keys() == again.keys()
    for id, session in live.items():
        assert [(m.id, m.parts, m.fate) for m in session.messages] == [
            (m.id, m.parts, m.fate) for m in again[id].messages
        ]


def test_a_command_of_the_user_is_the_users() -> None:
    found = sessions(CORPUS / "0.5.29" / "home" / ".local/share/opencode")
    by_hand = [message for session in found.values() for message in session.messages if message.role is Role.SYSTEM]
    assert {message.author for message in by_hand} == {Author.HUMAN}
    assert all(message.usage is None for message in by_hand)
