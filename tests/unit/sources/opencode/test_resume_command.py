"""With which command OpenCode goes on with a session, and where it cannot."""

from __future__ import annotations

import pytest

from pollux.errors import CannotResume
from pollux.sources.opencode.resume_command import resume_command
from pollux.sources.resume_command import Release, ResumeRequest
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session

IN_FILES = {
    "storage": ("session/global/ses_a.json", "message/ses_a/msg_1.json", "part/msg_1/prt_1.json"),
    "project/p/storage/session": ("info/ses_a.json", "message/ses_a/msg_1.json", "part/ses_a/msg_1/prt_1.json"),
}
RECORDS = (
    '{"id":"ses_a","directory":"/p","title":"Talk","version":"1.0.185","time":{"created":1000,"updated":1000}}',
    '{"id":"msg_1","sessionID":"ses_a","role":"user","time":{"created":1000}}',
    '{"id":"prt_1","sessionID":"ses_a","messageID":"msg_1","type":"text","text":"Hello"}',
)


def request(home: OpenCodeHome, release: Release | None, *, elsewhere: bool = False) -> ResumeRequest:
    with home.library() as library:
        (entry,) = library.list()
    return ResumeRequest(
        session=entry.summary,
        root=home.path / ".local/share/opencode",
        folder="/p",
        elsewhere=elsewhere,
        fork=False,
        arguments=(),
        release=release,
        environ={},
        home=home.path,
    )


def in_files(home: OpenCodeHome, layout: str) -> None:
    for place, record in zip(IN_FILES[layout], RECORDS, strict=True):
        home.write(f"{layout}/{place}", record.encode())


def test_a_session_in_the_database(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    database.close()
    assert resume_command(request(opencode, (1, 18, 33))).words == ("opencode", "--session", "ses_a")
    with pytest.raises(CannotResume, match="reads files alone"):
        resume_command(request(opencode, (1, 1, 65)))


@pytest.mark.parametrize("id", ["--prompt=run it", "-c", "last"])
def test_it_is_given_no_id_that_is_none_of_its_own(opencode: OpenCodeHome, id: str) -> None:
    """An option in place of an id would begin a session with somebody else's prompt."""
    database = opencode.database()
    add_session(database, id)
    add_prompt(database, id, "msg_1", "Hello")
    database.close()
    with pytest.raises(CannotResume, match="no id that OpenCode gives") as caught:
        resume_command(request(opencode, (1, 18, 33)))
    assert caught.value.reason == "id"


@pytest.mark.parametrize(
    ("layout", "release", "works"),
    [
        ("storage", None, True),
        ("storage", (1, 1, 65), True),
        ("storage", (1, 15, 13), True),
        ("storage", (1, 16, 0), False),
        ("project/p/storage/session", None, False),
    ],
)
def test_a_session_in_files(opencode: OpenCodeHome, layout: str, release: Release | None, works: bool) -> None:
    """Those of the older layout no release takes over, those of the newer one no release since 1.16."""
    in_files(opencode, layout)
    if works:
        assert resume_command(request(opencode, release)).words == ("opencode", "--session", "ses_a")
        return
    with pytest.raises(CannotResume, match="No present release of OpenCode") as caught:
        resume_command(request(opencode, release))
    assert caught.value.reason == "format"
    assert caught.value.hint is not None
    assert "pollux handoff opencode:ses_a --to opencode" in caught.value.hint


def test_it_works_only_in_its_own_folder(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    database.close()
    assert resume_command(request(opencode, (1, 15, 13), elsewhere=True)).words[0] == "opencode"
    with pytest.raises(CannotResume, match="only in the folder in which it was held") as caught:
        resume_command(request(opencode, (1, 18, 33), elsewhere=True))
    assert caught.value.reason == "elsewhere"
    assert caught.value.hint == "Go on with a copy: pollux handoff opencode:ses_a --to opencode --in /p"
