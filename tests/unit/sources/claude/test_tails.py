"""Transcripts whose end is lost: what the log of typed prompts, the queue and a cut record still tell of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pollux.model import Kind
from tests.unit.sources.claude.conftest import CWD, SID, Home, Json, codes, conversation, json_lines, model, user


def typed(home: Home, *lines: tuple[str, str]) -> None:
    """The log of typed prompts beside the transcripts."""
    records = []
    for text, at in lines:
        moment = int(datetime.fromisoformat(at).replace(tzinfo=UTC).timestamp() * 1000)
        records.append({"display": text, "pastedContents": {}, "timestamp": moment, "project": CWD, "sessionId": SID})
    home.config.mkdir(parents=True, exist_ok=True)
    (home.config / "history.jsonl").write_text(json_lines(*records))


def queued(operation: str, at: str, text: str | None = None) -> Json:
    record = {"type": "queue-operation", "operation": operation, "timestamp": at, "sessionId": SID}
    return record if text is None else {**record, "content": text}


def test_what_was_typed_after_the_end_belongs_to_the_session(home: Home) -> None:
    home.log(SID, user("One", timestamp="2026-11-01T10:00:01Z"), model("Yes", timestamp="2026-11-01T10:00:02Z"))
    typed(
        home,
        ("One", "2026-11-01T10:00:00"),
        ("Before", "2026-11-01T10:00:01.5"),
        ("Two", "2026-11-01T10:05:00"),
        ("/exit", "2026-11-01T10:06:00"),
    )
    session = home.only()
    assert conversation(session) == [("human", "One"), ("model", "Yes"), ("human", "Two")]
    assert session.files[-1].endswith("history.jsonl")
    assert session.kind is Kind.MAIN


def test_an_emptied_transcript_leaves_the_typed_lines(home: Home) -> None:
    home.write(f"-work-weather/{SID}.jsonl", "")
    typed(home, ("One", "2026-11-01T10:00:00"), ("Two", "2026-11-01T10:05:00"))
    session = home.only()
    assert (session.id, session.kind, session.project) == (SID, Kind.PROMPTS, CWD)
    assert conversation(session) == [("human", "One"), ("human", "Two")]


def test_a_prompt_that_left_the_queue_when_the_file_ended(home: Home) -> None:
    begun = [user("One", timestamp="2026-11-01T10:00:01Z"), model("Yes", timestamp="2026-11-01T10:00:02Z")]
    steps = [queued("enqueue", "2026-11-01T10:01:00Z", "Two"), queued("dequeue", "2026-11-01T10:01:00Z")]
    home.log(SID, *begun, *steps)
    assert conversation(home.only()) == [("human", "One"), ("model", "Yes"), ("human", "Two")]
    home.log(SID, *begun, *steps, user("Two", timestamp="2026-11-01T10:01:01Z"))
    assert conversation(home.only()) == [("human", "One"), ("model", "Yes"), ("human", "Two")]


def test_a_record_that_does_not_say_what_it_is(home: Home) -> None:
    records = [user("One"), model("Yes")]
    del records[1]["type"]
    home.log(SID, *records)
    session = home.only()
    assert conversation(session) == [("human", "One"), ("model", "Yes")]
    assert "record.untyped" in codes(session)


def test_the_beginning_of_a_cut_reply_is_recovered(home: Home) -> None:
    reply = json.dumps(model("The answer is forty-two, as always."))
    file = home.log(SID, user("What is it?"))
    file.write_text(file.read_text() + reply[: reply.index("as always")])
    library = home.library()
    assert conversation(library.session(SID)) == [("human", "What is it?")]
    again = library.recover.join(library.session(SID)).session
    assert conversation(again) == [("human", "What is it?"), ("model", "The answer is forty-two, ")]
    assert [message.origin.line for message in again.messages if message.origin] == [1, 2]
    assert {message.origin.file for message in again.messages if message.origin} == {str(file)}


def test_a_session_that_there_is_only_in_a_cut_record(home: Home) -> None:
    prompt = json_lines(user("Remember the umbrella."))
    file = home.write(f"-work-weather/{SID}.jsonl", prompt[: prompt.index("umbrella") + 5])
    library = home.library()
    assert library.list() == []
    assert [(answer.key, source) for answer, source in library.recover.all()] == [
        (f"claude:{SID}", "a record that was cut off")
    ]
    for name in (SID, f"claude:{SID}", str(file)):
        session = library.recover.join(library.recover.session(name)).session
        assert conversation(session) == [("human", "Remember the umbre")]


def test_step_of_the_queue_that_was_written_twice_is_one_prompt(home: Home) -> None:
    steps = [queued("enqueue", "2026-11-15T06:00:00.000Z", "Hi")] * 2 + [queued("dequeue", "2026-11-15T06:00:00.001Z")]
    session = home.session(*steps, user("Hi"), model("Hello"))
    assert [message.text for message in session.prompts] == ["Hi"]
    assert session.exact is True
