from __future__ import annotations

import json

import pytest

from pollux.model import Author, Fate, Kind, Status, SummaryPart, ToolCall
from pollux.registry import source
from pollux.sources.base import SourceContext
from tests.unit.sources.copilot.conftest import ID, MODEL, Home, Log, call

FORK = "22222222-aaaa-4000-8000-000000000002"
HELPER = "33333333-aaaa-4000-8000-000000000003"


def calls_of(session: object) -> dict[str | None, ToolCall]:
    messages = session.messages  # type: ignore[attr-defined]
    return {part.id: part for message in messages for part in message.parts if isinstance(part, ToolCall)}


def test_who_wrote_a_prompt(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("Yes.").ask("Go on.", source="autopilot").ask("Beans?", source="user")
    session = home.session(log)
    assert [message.text for message in session.prompts] == ["Peas?", "Beans?"]
    assert [m.author for m in session.messages if m.text == "Go on."] == [Author.CLIENT]


def test_what_was_sent_is_kept_and_not_shown(home: Home) -> None:
    session = home.session(Log().start().ask("Peas?", transformedContent="<now/> Peas?").answer("Yes."))
    assert session.messages[0].text == "Peas?"
    assert session.messages[0].extra["transformedContent"] == "<now/> Peas?"


def test_fields_that_1_0_66_and_1_0_80_write_are_known(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("Yes.", call("c1"), reasoningWireField="reasoning_content")
    log.add("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "rte": False})
    assert home.session(log).notices == ()


def test_an_exit_code_is_a_failure(home: Home) -> None:
    log = Log().start().ask("Try.").answer("", call("a", command="x"), call("b", command="y"), call("c", command="z"))
    log.add(
        "tool.execution_complete",
        {"toolCallId": "a", "success": True, "result": {"content": "no\n<exited with exit code 3>"}},
    )
    log.add(
        "tool.execution_complete",
        {"toolCallId": "b", "success": True, "result": {"content": "ok\n<shellId: 1 completed with exit code 0>"}},
    )
    log.add(
        "tool.execution_complete",
        {"toolCallId": "c", "success": True, "result": {"content": "?"}, "shellExecution": {"exitCode": 4}},
    )
    found = calls_of(home.session(log))
    assert [(found[id].status, found[id].exit_code) for id in "abc"] == [
        (Status.ERROR, 3),
        (Status.OK, 0),
        (Status.ERROR, 4),
    ]


def test_a_result_that_a_resumption_invents_is_none(home: Home) -> None:
    log = Log().start().ask("Run.").answer("", call("a", command="sleep")).resume()
    log.add(
        "tool.execution_complete",
        {"toolCallId": "a", "model": "resumed", "success": False, "error": {"message": "Interrupted"}},
    )
    assert calls_of(home.session(log))["a"].status is Status.UNFINISHED


@pytest.mark.parametrize(("goes_on", "status"), [(True, Status.ERROR), (False, Status.CANCELLED)])
def test_a_refusal(home: Home, goes_on: bool, status: Status) -> None:
    log = Log().start().ask("Delete.").answer("", call("a", command="rm"))
    log.add(
        "tool.execution_complete",
        {"toolCallId": "a", "success": False, "error": {"message": "No.", "code": "rejected"}},
    )
    if goes_on:
        log.answer("I may not.")
    assert calls_of(home.session(log.ask("Next.")))["a"].status is status


def test_a_call_that_was_running_at_esc_is_cancelled_but_one_of_a_killed_run_is_not(home: Home) -> None:
    log = Log().start().ask("Run.").answer("", call("a", command="sleep")).resume()
    log.ask("Again.").answer("", call("b", command="sleep")).add("abort", {"reason": "user_initiated"})
    found = calls_of(home.session(log))
    assert found["a"].status is Status.UNFINISHED
    assert found["b"].status is Status.CANCELLED


def test_a_compaction_that_ran_beside_the_conversation_cuts_where_it_began(home: Home) -> None:
    log = Log().start().ask("One.").answer("1").add("session.compaction_start", {}).ask("Two.").answer("2")
    tokens = {"input": 100, "output": 10, "cachedInput": 5}
    log.add(
        "session.compaction_complete", {"success": True, "summaryContent": "Counting.", "compactionTokensUsed": tokens}
    )
    session = home.session(log)
    assert [message.fate for message in session.prompts] == [Fate.COMPRESSED, Fate.LIVE]
    summary = session.messages[-1]
    assert summary.parts == (SummaryPart(text="Counting."),)
    assert summary.usage is not None
    assert (summary.usage.input, summary.usage.cached, summary.usage.output) == (100, 5, 10)


def test_a_fork_inherits_what_stands_before_the_event_that_names_its_origin(home: Home) -> None:
    log = Log(FORK).start().ask("One.").used(1, 10, 1).answer("1", apiCallId="r1")
    log.add("session.info", {"infoType": "fork", "message": f'Forked from "One." ({ID})'}).resume()
    log.ask("Two.").used(2, 20, 2, FORK).answer("2", apiCallId="r2")
    session = home.session(log)
    assert [message.inherited for message in session.prompts] == [True, False]
    assert (session.usage.input, session.usage.output) == (20, 2)
    assert [(link.kind, link.target) for link in session.links] == [("forked_from", f"copilot:{ID}")]


def test_sub_agents_interleave_and_nest(home: Home) -> None:
    log = Log().start().ask("Let two help.").answer("", call("a", "task", prompt="Count."))
    log.add("subagent.started", {"toolCallId": "a", "agentName": "general-purpose"}, agentId=HELPER)
    asked = {"content": "", "toolRequests": [call("b", "task", prompt="Count more.")], "parentToolCallId": "a"}
    log.add("assistant.message", asked, agentId=HELPER)
    log.add("subagent.started", {"toolCallId": "b", "agentName": "explore"})
    log.add("assistant.message", {"content": "Seven.", "parentToolCallId": "b"})
    log.add("assistant.message", {"content": "Seven, too.", "parentToolCallId": "a"}, agentId=HELPER)
    log.answer("Both say seven.")
    home.put(log)
    sessions = home.sessions()
    inner = f"{ID}-b"
    assert {id: session.kind for id, session in sessions.items()} == {
        ID: Kind.MAIN,
        HELPER: Kind.SUBAGENT,
        inner: Kind.SUBAGENT,
    }
    assert sessions[HELPER].parent == f"copilot:{ID}"
    assert sessions[inner].parent == f"copilot:{HELPER}"
    assert [message.text for message in sessions[inner].messages] == ["Count more.", "Seven."]
    assert sessions[inner].messages[0].author is Author.MODEL
    assert calls_of(sessions[ID])["a"].child == f"copilot:{HELPER}"


def test_an_unknown_field_and_an_unknown_event_are_kept_and_reported(home: Home) -> None:
    log = Log().start().ask("Peas?", mood="curious").answer("Yes.").add("garden.watered", {"litres": 3})
    session = home.session(log)
    assert {notice.code: notice.subject for notice in session.notices} == {
        "field.unknown": "user.message.data.mood",
        "record.unknown": "event type 'garden.watered'",
    }
    text = json.dumps([dict(session.extra), dict(session.messages[0].extra)], default=str)
    assert "curious" in text
    assert "litres" in text


def test_titles_and_projects(home: Home) -> None:
    session = home.session(Log().start().ask("Peas?").answer("Yes."), name="'It''s: peas'", cwd="/elsewhere")
    assert session.title == "It's: peas"
    assert session.project == "/home/mia/garden"
    assert session.facts["directory"] == ("/home/mia/garden", "/elsewhere")
    assert session.facts["version"] == ("1.0.66",)


def test_a_folder_without_events_and_bookkeeping_alone_are_no_sessions(home: Home) -> None:
    (home.root / ID).mkdir(parents=True)
    (home.root / ID / "workspace.yaml").write_text("id: x\n")
    home.put(Log(FORK).start().shutdown(0, 0, 0))
    assert home.sessions() == {}


def test_a_picture(home: Home) -> None:
    log = Log().start().add("session.binary_asset", {"assetId": "s1", "mimeType": "image/png", "data": "aGk="})
    log.ask("What is it?", attachments=[{"type": "file", "path": "/p.png", "assetId": "s1"}]).answer("A dot.")
    picture = home.session(log).prompts[0].parts[1]
    assert (picture.media_type, picture.data, picture.uri) == ("image/png", "aGk=", "/p.png")  # type: ignore[union-attr]


def test_models_of_releases_that_do_not_name_them(home: Home) -> None:
    log = Log().start().add("session.model_change", {"newModel": MODEL}).ask("Peas?")
    log.add("assistant.message", {"content": "Yes."})
    assert home.session(log).messages[-1].model == MODEL


def test_the_end_of_a_file_that_was_read_is_no_exit_code(home: Home) -> None:
    log = Log().start().ask("Read.").answer("", call("a", "view", path="log.txt"))
    content = "make\n<exited with exit code 3>"
    log.add("tool.execution_complete", {"toolCallId": "a", "success": True, "result": {"content": content}})
    found = calls_of(home.session(log))["a"]
    assert (found.status, found.exit_code) == (Status.OK, None)


def test_a_compaction_without_its_summary_cuts_as_well(home: Home) -> None:
    log = Log().start().ask("One.").answer("1").add("session.compaction_complete", {"success": True}).ask("Two.")
    session = home.session(log)
    assert [message.fate for message in session.prompts] == [Fate.COMPRESSED, Fate.LIVE]
    assert session.exact is not True


def test_a_compaction_of_a_killed_run_cuts_nothing(home: Home) -> None:
    log = Log().start().ask("One.").answer("1").add("session.compaction_start", {}).resume().ask("Two.").answer("2")
    log.add("session.compaction_complete", {"success": True, "summaryContent": "Counting."})
    assert [message.fate for message in home.session(log).prompts] == [Fate.COMPRESSED, Fate.COMPRESSED]


def test_a_relative_home_is_in_the_working_directory(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.home)
    found = source("copilot").roots({"COPILOT_HOME": ".copilot"}, home.home)
    assert [root.path for root in found] == [home.root]


def test_what_a_cut_file_lost_stands_in_the_index(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("Sown.").ask("Beans?").answer("Not yet.").ask("Leeks?").answer("In May.")
    path = home.put(log)
    turns = [(ID, 0, "Peas?", "Sown."), (ID, 1, "Beans?", "Not yet."), (ID, 2, "Leeks?", "In May.")]
    home.store(turns, [(ID, 1, None, 100, 5), (ID, 2, None, 200, 7)])
    raw = path.read_bytes()
    said = ["Peas?", "Sown.", "Beans?", "Not yet.", "Leeks?", "In May."]
    for end in (raw.index(b'"Not yet."'), raw.index(b'"Beans?"'), raw.index(b"Leeks?"), 30, 0):
        path.write_bytes(raw[:end])
        messages = home.sessions()[ID].messages
        assert [message.text for message in messages if message.parts] == said
    path.write_bytes(raw[: raw.index(b'"Beans?"')].rpartition(b"\n")[0] + b"\n")
    assert [message.text for message in home.sessions()[ID].messages if message.parts] == said[:2], "it is whole"


def test_where_only_events_of_a_sub_agent_are_left_they_are_read(home: Home) -> None:
    log = Log().start().ask("Plant the peas")
    log.add("subagent.started", {"toolCallId": "c1", "agentName": "scout"}, agentId="a1")
    log.answer("Planted.", outputTokens=5, parentToolCallId="c1")
    log.events = log.events[-2:]
    path = home.put(log)
    home.store([(ID, 0, "Plant the peas", "Planted.")], [(ID, 0, None, 100, 7), (ID, 0, "a1", 50, 5)])
    main, child = home.sessions().values()
    assert (main.id, child.parent) == (path.parent.name, f"copilot:{path.parent.name}")
    assert [message.text for message in child.messages] == ["Planted."]
    assert [message.text for message in main.messages] == ["Plant the peas", "Planted."]
    assert (main.usage.total, child.usage.output) == (107, 5)


def test_events_of_one_id_are_all_read_and_the_same_event_once(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("March.")
    for event in log.events:
        event["id"] = "same"
    log.events += log.events
    session = home.session(log)
    assert [message.text for message in session.messages] == ["Peas?", "March."]


def test_a_file_without_a_single_event_is_called_unreadable(home: Home) -> None:
    path = home.put(Log().start().ask("Peas?"))
    path.write_bytes(path.read_text().encode("utf-16"))
    copilot = source("copilot")
    (bundle,) = copilot.bundles(home.root, list(copilot.find(home.root)), SourceContext())
    assert "Nothing can be read" in (copilot.read(bundle).problem or "")
