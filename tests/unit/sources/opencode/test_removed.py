"""What was taken out again, and what the log of changes still says of it."""

from __future__ import annotations

import json

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
