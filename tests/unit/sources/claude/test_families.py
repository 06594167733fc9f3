from __future__ import annotations

import json

import pytest

from pollux.library.library import Filter
from pollux.usage.service import Grouping
from tests.unit.sources.claude.conftest import (
    OTHER,
    PROJECT,
    SID,
    Home,
    Json,
    call,
    calls,
    conversation,
    in_chain,
    json_lines,
    line,
    model,
    result,
    user,
)


def agent(task: str, answer: str, name: str = "a1", session: str = SID) -> list[Json]:
    """A sub-agent's transcript."""
    place: Json = {"isSidechain": True, "agentId": name, "sessionId": session}
    return in_chain([user(task, **place), model(answer, f"msg_{name}", **place)])


def spawn(task: str = "Look", name: str = "toolu_1", tool: str = "Task") -> Json:
    return call(name, tool, prompt=task, description="Short")


def nested(home: Home, records: list[Json], name: str = "a1", meta: Json | None = None, inner: str = "") -> None:
    home.write(f"{PROJECT}/{SID}/subagents/{inner}agent-{name}.jsonl", json_lines(*records))
    if meta is not None:
        home.write(f"{PROJECT}/{SID}/subagents/{inner}agent-{name}.meta.json", json.dumps(meta))


def test_flat_files_are_no_sessions_of_their_own(home: Home) -> None:
    home.log(SID, user("Hi"), spawn(), result("toolu_1", "Seen", {"agentId": "a1", "content": []}))
    home.log("agent-a1", *agent("Look", "Seen"))
    sessions = home.sessions()
    assert (sessions["a1"].kind, sessions["a1"].parent) == ("subagent", f"claude:{SID}")
    assert calls(sessions[SID])[0].child == "claude:a1"
    assert sessions["a1"].prompts == []
    assert [(m.role, m.author) for m in sessions["a1"].messages] == [("user", "model"), ("assistant", "model")]
    assert sessions[SID].usage.requests == 1
    assert {listed.summary.id for listed in home.library().list()} == {SID}


@pytest.mark.parametrize("length", [4, 100_000])
def test_file_belongs_to_the_session_of_its_last_record(home: Home, length: int) -> None:
    """However long that record is."""
    home.log(SID, user("Hi"), model("Hello"))
    records = agent("Look", "x" * length)
    records[0]["sessionId"] = OTHER
    home.log("agent-a1", *records)
    assert home.sessions()["a1"].parent == f"claude:{SID}"


@pytest.mark.parametrize("inside", [False, True])
def test_warm_ups_are_counted_and_not_in_the_list(home: Home, inside: bool) -> None:
    """In files of their own, and inside their session's."""
    warm_up = agent("Warmup", "I am ready.")
    home.log(SID, *in_chain([user("Hi"), model("Hello", "msg_0")]), *(warm_up if inside else ()))
    if not inside:
        home.log("agent-a1", *warm_up)
        home.log("agent-a2", agent("Warmup", "")[0])
    library = home.library()
    (listed,) = library.list()
    assert listed.family_usage is not None
    assert (listed.summary.id, listed.summary.usage.total, listed.family_usage.total) == (SID, 20, 40)
    assert {one.summary.kind for one in library.list(Filter(everything=True))} == {"main", "subagent"}
    for by in (Grouping.AGENT, Grouping.PROJECT, Grouping.DAY, Grouping.SESSION):
        total = library.usage.stats(by).total
        assert (total.sessions, total.usage.total, total.usage.requests) == (1, 40, 2)
    report = library.doctor()
    assert report.sound
    assert {line.status for line in report.files} == {"read"}


@pytest.mark.parametrize(
    ("meta", "evidence"),
    [
        ({"agentType": "general-purpose", "description": "Survey", "toolUseId": "toolu_1"}, []),
        (None, [result("toolu_1", "Seen", {"status": "completed", "agentId": "a1", "content": []})]),
        (None, [line("progress", parentToolUseID="toolu_1", data={"type": "agent_progress", "agentId": "a1"})]),
        (
            None,
            [user("<task-notification><task-id>a1</task-id><tool-use-id>toolu_1</tool-use-id></task-notification>")],
        ),
        (None, []),
    ],
)
def test_how_a_call_is_known_to_have_started_an_agent(home: Home, meta: Json | None, evidence: list[Json]) -> None:
    task = "Look" if meta is None and not evidence else "Something else"
    nested(home, agent(task, "Seen"), meta=meta)
    home.log(SID, *in_chain([user("Hi"), spawn(), *evidence, model("Ok", "msg_2")]))
    sessions = home.sessions()
    assert calls(sessions[SID])[0].child == "claude:a1"
    assert sessions["a1"].title == ("Survey" if meta is not None else task)


def test_progress_is_kept_and_is_no_message(home: Home) -> None:
    tick = line("progress", data={"type": "bash_progress", "output": "tick"})
    session = home.session(user("Hi"), tick, model("Ok"))
    assert len(session.messages) == 2
    assert session.extra["progress"][0]["data"]["output"] == "tick"


def test_agents_of_workflows_lie_deeper(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    nested(home, agent("Look", "Seen"), inner="workflows/run-1/")
    home.write(f"{PROJECT}/{SID}/subagents/workflows/run-1/journal.jsonl", json_lines({"type": "started"}))
    assert home.sessions()["a1"].parent == f"claude:{SID}"
    assert home.library().doctor().sound


def test_agent_that_was_started_by_an_agent(home: Home) -> None:
    home.log(SID, *in_chain([user("Hi"), spawn("Look", "toolu_1"), model("Ok", "msg_2")]))
    outer = agent("Look", "Seen", "a1")
    inner = call("toolu_2", "Agent", message="msg_x", prompt="Deeper")
    nested(
        home, [*outer, {**inner, "isSidechain": True, "agentId": "a1"}], "a1", {"toolUseId": "toolu_1", "spawnDepth": 1}
    )
    nested(home, agent("Deeper", "Found", "a2"), "a2", {"toolUseId": "toolu_2", "spawnDepth": 2})
    sessions = home.sessions()
    assert sessions["a2"].parent == "claude:a1"
    assert calls(sessions["a1"])[0].child == "claude:a2"
    assert calls(sessions[SID])[0].child == "claude:a1"


def test_short_ids_may_come_up_again(home: Home) -> None:
    for name in (SID, OTHER):
        home.write(f"{PROJECT}/{name}.jsonl", json_lines(user("Hi", sessionId=name), model("Hello", sessionId=name)))
        home.write(f"{PROJECT}/{name}/subagents/agent-a1.jsonl", json_lines(*agent("Look", "Seen", session=name)))
    assert set(home.sessions()) == {SID, OTHER, "a1", "a1@bbbbbbbb"}


def test_agent_whose_session_is_gone(home: Home) -> None:
    nested(home, agent("Look", "Seen"))
    assert home.only().parent == f"claude:{SID}"


def test_large_output_of_an_agent_lies_with_its_session(home: Home) -> None:
    home.write(f"{PROJECT}/{SID}/tool-results/x.txt", "whole")
    stub = "<persisted-output>\nFull output saved to: /elsewhere/x.txt\n"
    place: Json = {"isSidechain": True, "agentId": "a1"}
    record = {**call(command="ls"), **place}
    nested(home, in_chain([user("Look", **place), record, result("toolu_1", stub, **place)]))
    assert calls(home.only())[0].output == "whole"


# ------------------------------------------------------------------------------------------------------ inside, 1.0


def test_agents_inside_their_parents_transcript(home: Home) -> None:
    south = in_chain([user("South?", isSidechain=True), model("Warm.", "msg_s", isSidechain=True)])
    north = in_chain([user("North?", isSidechain=True), model("Cold.", "msg_n", isSidechain=True)])
    records = in_chain([user("Both?"), spawn("North?", "toolu_n"), spawn("South?", "toolu_s")])
    answered = in_chain([result("toolu_s", "Warm."), result("toolu_n", "Cold."), model("Done.", "msg_2")])
    home.log(SID, *records, south[0], north[0], *south[1:], *north[1:], *answered)
    sessions = home.sessions()
    main = sessions.pop(SID)
    assert conversation(main) == [("human", "Both?"), ("model", "Done.")]
    children = {
        tool_call.input["prompt"]: sessions[(tool_call.child or "").removeprefix("claude:")]
        for tool_call in calls(main)
    }
    assert conversation(children["North?"]) == [("model", "North?"), ("model", "Cold.")]
    assert conversation(children["South?"]) == [("model", "South?"), ("model", "Warm.")]
    assert all(child.parent == main.key and child.id.startswith(f"{SID}-") for child in children.values())
    assert main.usage.requests == 2
    assert home.library().session(children["North?"].key).key == children["North?"].key


def test_equal_tasks_go_in_order(home: Home) -> None:
    one = in_chain([user("Go", isSidechain=True), model("1", "msg_a", isSidechain=True)])
    two = in_chain([user("Go", isSidechain=True), model("2", "msg_b", isSidechain=True)])
    home.log(SID, user("Twice"), spawn("Go", "toolu_1"), spawn("Go", "toolu_2"), *one, *two)
    children = [tool_call.child for tool_call in calls(home.sessions()[SID])]
    assert len(set(children)) == 2


# ------------------------------------------------------------------------------------------------------ titles


def title(kind: str, **more: str) -> Json:
    return {"type": kind, **more, "sessionId": SID}


def test_titles_in_their_order(home: Home) -> None:
    first, answer = user("What will the weather be?"), model("Rain.")
    home.log(
        OTHER, {"type": "summary", "summary": "A summary", "leafUuid": answer["uuid"]}, user("Later", sessionId=OTHER)
    )
    home.log(SID, first, answer)
    assert home.library().session(SID).title == "A summary"
    home.log(SID, first, answer, title("ai-title", aiTitle="By the model"))
    assert home.library().session(SID).title == "By the model"
    home.log(
        SID,
        first,
        answer,
        title("custom-title", customTitle="Old"),
        title("custom-title", customTitle="Mine"),
        title("ai-title", aiTitle="x"),
    )
    assert home.library().session(SID).title == "Mine"
    taken_back = title("custom-title", customTitle="")
    home.log(SID, first, answer, title("custom-title", customTitle="Mine"), title("ai-title", aiTitle="x"), taken_back)
    assert home.library().session(SID).title == "x"


def test_summary_of_another_session_is_no_title(home: Home) -> None:
    home.log(SID, {"type": "summary", "summary": "Elsewhere", "leafUuid": "nowhere"}, user("Hi"), model("Hello"))
    assert home.only().title is None
    assert home.library().list()[0].summary.title == "Hi"


def test_summary_of_the_latest_record_counts_wherever_it_was_written(home: Home) -> None:
    records = in_chain([user("One"), model("1"), user("Two"), model("2", "msg_2")])
    home.log(SID, *records)
    later = {"type": "summary", "summary": "Both", "leafUuid": records[3]["uuid"]}
    home.log("00000000-0000-4000-8000-00000000000c", later)
    home.log("99999999-0000-4000-8000-00000000000d", {**later, "summary": "One", "leafUuid": records[1]["uuid"]})
    assert home.only().title == "Both"


def test_summary_of_the_session_itself(home: Home) -> None:
    answer = model("Hello")
    home.log(SID, user("Hi"), answer, {"type": "summary", "summary": "Greeting", "leafUuid": answer["uuid"]})
    assert home.only().title == "Greeting"


def test_title_in_a_file_of_its_own(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    home.write(f"{PROJECT}/{SID}/custom-title.json", json.dumps({"customTitle": "Mine"}))
    assert home.only().title == "Mine"
    assert home.library().doctor().sound


# ------------------------------------------------------------------------------------------------------ history


def typed(text: str, at: int = 1794723221672, **more: object) -> Json:
    return {"display": text, "pastedContents": {}, "timestamp": at, "project": "/work/weather", **more}


def history(home: Home, *lines: Json) -> None:
    home.projects.mkdir(parents=True, exist_ok=True)
    (home.config / "history.jsonl").write_text(json_lines(*lines))


def test_history_is_the_last_trace_of_a_purged_session(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    history(home, typed("Hi", sessionId=SID), typed("Gone", sessionId=OTHER), typed("/exit", sessionId=OTHER))
    session = home.sessions()[OTHER]
    assert (session.kind, session.project) == ("prompts", "/work/weather")
    assert [(m.text, m.role) for m in session.messages] == [("Gone", "user"), ("/exit", "system")]
    assert {listed.summary.id for listed in home.library().list()} == {SID}


def test_line_of_the_history_that_is_written_twice_is_said_once(home: Home) -> None:
    """With what was pasted; the same words with something else pasted are others."""
    pasted = typed("See [1]", sessionId=OTHER) | {"pastedContents": {"1": {"content": "a"}}}
    history(home, pasted, pasted, pasted | {"pastedContents": {"1": {"content": "b"}}})
    assert len(home.only().messages) == 2


def test_history_that_adds_nothing_is_accounted_for(home: Home) -> None:
    home.log(SID, user("Hi"), model("Hello"))
    history(home, typed("Hi", sessionId=SID))
    assert set(home.sessions()) == {SID}
    report = home.library().doctor()
    assert report.sound
    assert sorted(line.status for line in report.files) == ["ignored", "read"]


def test_history_without_sessions(home: Home) -> None:
    home.log(SID, user("Still there"), model("Hello"))
    history(home, typed("Still there"), typed("Gone"), typed("Gone"))
    (left,) = [session for session in home.sessions().values() if session.kind == "prompts"]
    assert [message.text for message in left.messages] == ["Gone"]


@pytest.mark.parametrize("text", ["Été à Zürich / 東京 🌦️", "a/b", 'say "hi"\nC:\\users', "half \ud83d"])
def test_what_is_escaped_otherwise_is_not_lost(home: Home, text: str) -> None:
    """A transcript that another program wrote again is JSON of the same texts."""
    file = home.log(SID, user("Hi"), model("Hello"))
    for escaped in (json.dumps(user(text)), json.dumps(user(text)).replace("/", "\\/")):
        file.write_text(f"{escaped}\n")
        (home.config / "history.jsonl").write_text(json.dumps(typed(text)) + "\n")
        assert {session.kind.value for session in home.sessions().values()} == {"main"}


def test_damaged_history_is_named(home: Home) -> None:
    history(home)
    (home.config / "history.jsonl").write_bytes(b"\xff{nonsense\n")
    assert home.sessions() == {}
    assert not home.library().doctor().sound


def test_pasted_texts_are_kept(home: Home) -> None:
    history(home, {**typed("[Pasted text #1]", sessionId=OTHER), "pastedContents": {"1": {"content": "long"}}})
    assert home.only().messages[0].extra["pastedContents"]["1"]["content"] == "long"
