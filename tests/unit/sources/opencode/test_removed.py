"""What was taken out again, and what the log of changes still says of it."""

from __future__ import annotations

import json
from typing import Any

from pollux.model import Fate
from tests.unit.sources.opencode.conftest import OpenCodeHome, add_prompt, add_session


def test_the_figures_of_a_removed_answer_have_their_place_in_the_log(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}, "total": 15}
    info = {"id": "msg_2", "role": "assistant", "time": {"created": 2000}}
    part = {"id": "prt_2", "messageID": "msg_2", "type": "step-finish", "tokens": tokens}
    events = [("message.updated.1", {"info": info}), ("message.part.updated.1", {"part": part})]
    for number, (kind, data) in enumerate([*events, ("message.removed.1", {"messageID": "msg_2"})]):
        row = (f"evt_{number}", "ses_a", number, kind, json.dumps(data))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    database.close()
    answer = opencode.only().messages[1]
    assert (answer.id, answer.fate) == ("msg_2", Fate.REWOUND)
    assert answer.usage is not None
    assert (answer.usage.total, answer.usage.file, answer.usage.row) == (15, None, "event/evt_1/data.part.tokens")


def test_a_prompt_whose_words_were_removed_is_put_back(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    add_prompt(database, "ses_a", "msg_2", "Never mind", at=2000)
    part = {"id": "prt_msg_2", "messageID": "msg_2", "type": "text", "text": "Never mind"}
    events = [("message.part.updated.1", {"part": part}), ("message.part.removed.1", {"partID": "prt_msg_2"})]
    for number, (kind, data) in enumerate(events):
        row = (f"evt_{number}", "ses_a", number, kind, json.dumps(data))
        database.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?)", row)
    database.execute("DELETE FROM part WHERE id='prt_msg_2'")
    database.close()
    assert [message.fate for message in opencode.only().messages] == [Fate.LIVE, Fate.REWOUND]


def test_a_model_that_nobody_answered_with_is_kept(opencode: OpenCodeHome) -> None:
    database = opencode.database()
    add_session(database, "ses_a")
    add_prompt(database, "ses_a", "msg_1", "Hello")
    data = json.dumps({"role": "oracle", "modelID": "orion", "time": {"created": 2000}})
    database.execute("INSERT INTO message VALUES ('msg_2', 'ses_a', 2000, 2000, ?)", (data,))
    database.close()
    message = opencode.only().messages[1]
    assert (message.model, message.extra["modelID"]) == (None, "orion")


def test_copies_of_which_a_revert_left_parts_alone_are_inherited(opencode: OpenCodeHome) -> None:
    # Up to 1.1, in a fork: the parts still tell when they were made; a prompt that stands before a copy is one, too.
    began, before = 1_772_000_000_000, 1_771_000_000_000
    tokens = {"input": 10, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    info = {"id": "ses_a", "projectID": "global", "directory": "/p", "time": {"created": began, "updated": began}}
    opencode.write("storage/session/global/ses_a.json", json.dumps(info))
    end = {"type": "step-finish", "tokens": tokens}
    left: list[list[dict[str, Any]]] = [
        [{"type": "text", "text": "Peas?"}],
        [{"type": "text", "text": "March.", "time": {"start": before}}, end],
        [{"type": "text", "text": "Beans?"}],
        [{"type": "text", "text": "May.", "time": {"start": began}}, end],
    ]
    for number, parts in enumerate(left):
        message = f"msg_{((began + number) << 12) % (1 << 48):012x}Letters"
        for place, part in enumerate(parts):
            record = {"id": f"prt_{number}{place}", "messageID": message, "sessionID": "ses_a", **part}
            opencode.write(f"storage/part/{message}/prt_{number}{place}.json", json.dumps(record))
    session = opencode.only()
    assert [(message.text, message.inherited) for message in session.messages] == [
        ("Peas?", True),
        ("March.", True),
        ("Beans?", False),
        ("May.", False),
    ]
    assert session.usage.total == 15
