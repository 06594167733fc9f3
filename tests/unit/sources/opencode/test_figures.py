"""Figures where times, rows, columns or logs are not as they should be: right, or called incomplete."""

from __future__ import annotations

import json
import shutil
import sqlite3

import pytest

from pollux.model import Author, Role, Session
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session

_AT = 1_772_000_000_000
_LATEST = 2**63 - 1
_TOKENS = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}, "total": 15}


def _id(kind: str, at: int) -> str:
    """An id as OpenCode makes it: the lowest bits of its time come first."""
    return f"{kind}_{(at << 12) % (1 << 48):012x}Letters"


def _answer(to: sqlite3.Connection, *, at: int | None = _AT, made: int = _AT, session: str = "ses_a") -> None:
    """An answer with figures, of a time, whose id was made at another one."""
    id = _id("msg", made)
    info = {"role": "assistant", "time": {"created": at}, "tokens": _TOKENS}
    to.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (id, session, made, made, json.dumps(info)))
    for number, part in enumerate(({"type": "text", "text": "March."}, {"type": "step-finish", "tokens": _TOKENS})):
        row = (f"{_id('prt', made)}{number}", id, session, made, made, json.dumps(part))
        to.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", row)


def _figures(session: Session) -> tuple[int | None, bool | None]:
    return session.usage.total, session.exact


def test_copies_of_a_fork_are_inherited_and_messages_after_a_clock_was_set_back_are_not(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    hour = 3_600_000
    for name, before in (("soon", hour), ("late", 40_000 * hour)):
        for kind, made in (("copy", _AT + 5 + before), ("clock", _AT - before)):
            add_session(database, f"ses_{name}_{kind}", at=made if kind == "copy" else _AT)
            _answer(database, at=_AT if kind == "copy" else made, made=made, session=f"ses_{name}_{kind}")
    database.close()
    assert {id: _figures(session) for id, session in opencode.sessions().items()} == {
        "ses_soon_copy": (0, True),
        "ses_late_copy": (0, True),
        "ses_soon_clock": (15, True),
        "ses_late_clock": (15, True),
    }


@pytest.mark.parametrize(("began", "at"), [(_LATEST, _AT), (_AT, _LATEST), (_AT, None)])
def test_without_usable_times_nobody_knows_what_is_a_copy(opencode: OpenCodeHome, began: int, at: int | None) -> None:
    database = opencode.database()
    add_session(database, "ses_a", at=began)
    _answer(database, at=at)
    database.close()
    assert _figures(opencode.only()) == (15, None)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM session",
        "UPDATE message SET data='{'",
        "UPDATE message SET data=json_remove(data, '$.role')",
        "ALTER TABLE session RENAME COLUMN id TO name",
        "ALTER TABLE message RENAME COLUMN data TO record",
        "ALTER TABLE part RENAME COLUMN message_id TO message",
        "ALTER TABLE part RENAME COLUMN session_id TO session",
        "DROP TABLE part",
    ],
)
def test_records_that_cannot_be_read_are_counted_once_or_called_incomplete(
    opencode: OpenCodeHome, statement: str
) -> None:
    database = opencode.database()
    add_session(database, "ses_a", at=_AT - 2)
    add_prompt(database, "ses_a", _id("msg", _AT - 1), "Peas?", at=_AT - 1)
    _answer(database)
    database.execute(statement)
    database.close()
    session = opencode.only()
    assert _figures(session) == (15, True if "role" in statement else None)
    assert sum(message.role is Role.ASSISTANT for message in session.messages) == 1
    assert session.messages[-1].author is Author.MODEL
    report = opencode.library().doctor()
    is_reported = any(file.reason is not None and "newer release" in file.reason for file in report.files)
    assert is_reported == statement.startswith(("ALTER", "DROP"))


@pytest.mark.parametrize("data", ["[]", "{", "7", None])
def test_a_message_whose_record_cannot_be_read_may_have_cost_something(
    opencode: OpenCodeHome, data: str | None
) -> None:
    database = opencode.database()
    add_session(database, "ses_a", at=_AT - 2)
    add_prompt(database, "ses_a", _id("msg", _AT - 1), "Peas?", at=_AT - 1)
    database.execute("INSERT INTO message VALUES (?, 'ses_a', ?, ?, ?)", (_id("msg", _AT), _AT, _AT, data))
    database.close()
    session = opencode.only()
    assert session.exact is None
    assert {gap.file for gap in session.gaps} == {session.files[0]}


def test_figures_of_parts_that_lost_their_message_are_not_exact(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a", at=_AT - 1)
    _answer(database)
    database.execute("UPDATE part SET message_id='[]' WHERE data LIKE '%step-finish%'")
    database.close()
    assert opencode.only().exact is None


@pytest.mark.parametrize(
    ("statement", "total", "exact"),
    [
        ("UPDATE part SET data=json_remove(data, '$.tokens.cache', '$.tokens.total')", 15, None),
        ("UPDATE message SET data=json_set(data, '$.role', 'bird')", None, False),
        ("UPDATE message SET data=json_set(data, '$.time.created', -1)", 15, None),
    ],
)
def test_figures_of_odd_records_are_not_exact(
    opencode: OpenCodeHome, statement: str, total: int | None, exact: bool | None
) -> None:
    database = opencode.database()
    add_session(database, "ses_a", at=_AT - 1)
    _answer(database)
    database.execute(statement)
    database.close()
    assert _figures(opencode.only()) == (total, exact)


def test_parts_that_belong_to_no_message_are_kept(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Peas?")
    database.execute("ALTER TABLE part RENAME COLUMN message_id TO message")
    database.close()
    session = opencode.only()
    assert "Peas?" in json.dumps(session.extra["part"])
    assert "record.unknown" in {notice.code for notice in session.notices}


def test_the_log_of_another_database_costs_no_session(opencode: OpenCodeHome) -> None:
    other = opencode.database("other.db")
    other.execute("PRAGMA journal_mode=WAL")
    for number in range(40):
        if number == 20:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        add_session(other, f"ses_{number}")
        add_prompt(other, f"ses_{number}", f"msg_{number}", "Leeks? " * 900)
    own = opencode.database()
    add_session(own, "ses_a", at=_AT)
    _answer(own)
    own.close()
    path = opencode.path / ".local/share/opencode/opencode.db"
    shutil.copy(path.with_name("other.db-wal"), f"{path}-wal")
    other.close()
    path.with_name("other.db").unlink()
    session = opencode.only()
    assert _figures(session) == (15, None)
    assert any("log was left out" in notice.text for notice in session.notices)


@pytest.mark.parametrize("id", ["", b"\xff\xfe"])
def test_a_session_whose_id_is_no_text_is_reported(opencode: OpenCodeHome, id: str | bytes) -> None:
    database = opencode.database()
    for session in ("ses_a", "ses_b"):
        add_session(database, session)
        add_prompt(database, session, f"msg_{session}", "Peas?")
    for table, column in (("session", "id"), ("message", "session_id"), ("part", "session_id")):
        database.execute(f"UPDATE {table} SET {column}=? WHERE {column}='ses_b'", (id,))  # noqa: S608
    database.close()
    assert list(opencode.sessions()) == ["ses_a"]
    reasons = [file.reason or "" for file in opencode.library().doctor().files]
    assert any("an id that is no text" in reason for reason in reasons)
