"""Keys of OpenCode are in no archive, whatever the file is called in which they lie."""

from __future__ import annotations

import shutil

from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session


def test_no_copy_of_a_database_or_of_keys_is_archived(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    database.close()
    data = opencode.path / ".local/share/opencode"
    for name in ("opencode.db.bak", "opencode.sqlite", "old/opencode.db"):
        (data / name).parent.mkdir(exist_ok=True)
        shutil.copy(data / "opencode.db", data / name)
    for name in ("auth.json.bak", "mcp-oauth.json", "token", "storage/credential/a.json", "later/secrets/a.json"):
        opencode.write(name, "sk-hush-hush")
    opencode.write("notes.txt", "something")
    with opencode.library() as library:
        library.archive.on()
        result = library.archive.run()
    assert result.changed == 2, "the session's rows and the notes"
    assert not any(b"sk-hush" in file.read_bytes() for file in opencode.path.rglob("pollux/**/*") if file.is_file())
