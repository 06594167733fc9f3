"""What is special about Qwen Code's files: its homes, its chain of records, and its telemetry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pollux import Library, Session
from pollux.library.library import Filter
from pollux.model import Author, Fate, Role, ToolCall
from pollux.sources.base import Status
from pollux.sources.qwen.find import find, roots
from pollux.sources.qwen.resume_command import project_id

ID = "11111111-aaaa-4000-8000-000000000001"
OTHER = "22222222-aaaa-4000-8000-000000000002"
PROJECT = "/home/mia/garden"
Json = dict[str, Any]


def record(number: int, kind: str, parent: int | None = None, **fields: Any) -> Json:
    before = parent if parent is not None else number - 1
    return {
        "uuid": f"u{number}",
        "parentUuid": f"u{before}" if before > 0 else None,
        "sessionId": ID,
        "timestamp": f"2026-03-01T10:00:{number:02}.000Z",
        "type": kind,
        "cwd": PROJECT,
        "version": "0.24.4",
        **fields,
    }


def asked(number: int, text: str, **fields: Any) -> Json:
    return record(number, "user", message={"role": "user", "parts": [{"text": text}]}, **fields)


def figures(prompt: int, total: int) -> Json:
    return {"promptTokenCount": prompt, "candidatesTokenCount": total - prompt, "totalTokenCount": total}


def said(number: int, text: str, prompt: int = 10, total: int = 15, **fields: Any) -> Json:
    message = {"role": "model", "parts": [{"text": text}]}
    return record(number, "assistant", message=message, usageMetadata=figures(prompt, total), **fields)


def told(number: int, prompt: int, total: int, prompt_id: str, **fields: Any) -> Json:
    """An account of a request in the telemetry."""
    event = {
        "event.name": "qwen-code.api_response",
        "model": "orion",
        "input_token_count": prompt,
        "output_token_count": total - prompt,
        "total_token_count": total,
        "prompt_id": prompt_id,
        **fields,
    }
    return record(number, "system", subtype="ui_telemetry", systemPayload={"uiEvent": event})


def write(home: Path, records: list[Json], name: str = ID, folder: str = "chats") -> Path:
    file = home / ".qwen" / "projects" / project_id(PROJECT) / folder / f"{name}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(each) + "\n" for each in records))
    return file


def read(home: Path, name: str = ID) -> Session:
    with Library({"HOME": str(home)}) as library:
        return library.session(f"qwen:{name}")


def test_variables_and_the_setting_move_the_home(tmp_path: Path) -> None:
    def paths(**environ: str) -> list[Path]:
        return [root.path for root in roots(environ, tmp_path)]

    assert paths() == [tmp_path / ".qwen"]
    assert paths(QWEN_HOME="/data/qwen") == [Path("/data/qwen")]
    assert paths(QWEN_HOME="/data/qwen", QWEN_RUNTIME_DIR="~/run") == [tmp_path / "run"]
    own = tmp_path / ".qwen"
    own.mkdir()
    (own / "settings.json").write_text('{"advanced": {"runtimeOutputDir": "/data/out"}} // moved')
    assert paths() == [Path("/data/out")]
    (own / "settings.json").write_text('{"advanced": {"runtimeOutputDir": ".out"}}')
    (own / "usage_record.jsonl").write_text('{"project": "/home/mia/garden"}\nnot JSON\n{"project": 7}\n')
    assert paths() == [own, Path("/home/mia/garden/.out")]


def test_what_is_off_the_chain_was_rewound(tmp_path: Path) -> None:
    back = record(5, "system", 2, subtype="rewind", systemPayload={"truncatedCount": 2})
    write(
        tmp_path, [asked(1, "Peas?"), said(2, "March."), asked(3, "Beans?"), said(4, "May."), back, asked(6, "Leeks?")]
    )
    fates = {message.text: message.fate for message in read(tmp_path).messages}
    assert fates == {
        "Peas?": Fate.LIVE,
        "March.": Fate.LIVE,
        "Beans?": Fate.REWOUND,
        "May.": Fate.REWOUND,
        "Leeks?": Fate.LIVE,
    }


def test_a_lost_line_does_not_rewind_what_stands_before_it(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), said(3, "March."), asked(4, "Beans?"), said(5, "May.")])
    session = read(tmp_path)
    assert {message.fate for message in session.messages} == {Fate.LIVE}
    assert session.exact is None


def test_copies_of_a_fork_are_not_counted_again(tmp_path: Path) -> None:
    origin = {"sessionId": OTHER, "messageUuid": "u1"}
    write(
        tmp_path,
        [
            asked(1, "Peas?", forkedFrom=origin),
            said(2, "March.", forkedFrom=origin),
            asked(3, "Beans?"),
            said(4, "May.", 20, 27),
        ],
    )
    session = read(tmp_path)
    assert [message.inherited for message in session.messages] == [True, True, False, False]
    assert (session.usage.total, session.usage.requests) == (27, 1)
    assert [(link.kind, link.target) for link in session.links] == [("forked_from", f"qwen:{OTHER}")]


def test_the_telemetry_adds_only_what_no_answer_holds(tmp_path: Path) -> None:
    main, helper = f"{ID}########0", f"{ID}#scout-call_1#0"
    write(
        tmp_path,
        [
            asked(1, "Peas?"),
            told(2, 10, 15, main),
            said(3, "March."),
            told(4, 100, 110, helper, response_text="Two files."),
            told(5, 30, 33, main, response_text="And in April."),
        ],
    )
    session = read(tmp_path)
    assert session.usage.total == 15 + 110 + 33
    assert session.usage.requests == 3
    lost = session.messages[-1]
    assert (lost.role, lost.author, lost.text) == (Role.ASSISTANT, Author.MODEL, "And in April.")
    assert [message.extra.get("evidence") for message in session.messages] == [None, None, "telemetry", "telemetry"]


def test_a_helper_with_a_file_is_not_counted_in_its_parent(tmp_path: Path) -> None:
    helper = f"{ID}#scout-call_1#0"
    write(tmp_path, [asked(1, "Peas?"), told(2, 100, 110, helper, subagent_id="scout-call_1"), said(3, "March.")])
    write(tmp_path, [asked(1, "Look."), said(2, "Two files.", 100, 110)], "agent-scout-call_1", f"subagents/{ID}")
    write(tmp_path, [asked(1, "Look."), said(2, "No files.", 50, 55)], "agent-scout-call_1", f"subagents/{OTHER}")
    assert read(tmp_path).usage.total == 15
    child = read(tmp_path, "scout-call_1")
    assert (child.parent, child.usage.total) == (f"qwen:{ID}", 110)
    assert [message.author for message in child.messages] == [Author.MODEL, Author.MODEL]
    assert read(tmp_path, f"scout-call_1@{OTHER[:8]}").parent == f"qwen:{OTHER}"


def test_a_helper_that_the_telemetry_names_by_chance_is_not_counted_in_its_parent(tmp_path: Path) -> None:
    # 0.21.10 names a helper by its type and a word made by chance; what its file lacks still counts.
    by_chance = [
        told(3, 20, 27, f"{ID}#general-262c7a2f#0", subagent_name="general"),
        told(4, 20, 27, f"{ID}#general-262c7a2f#1", subagent_name="general"),
    ]
    write(tmp_path, [asked(1, "Help me."), said(2, "Yes."), *by_chance])
    answer = said(2, "Peas.", 20, 27, isSidechain=True, agentName="general")
    helper = write(tmp_path, [asked(1, "Find peas."), answer], "agent-general-call_7", f"subagents/{ID}")
    assert (read(tmp_path).usage.total, read(tmp_path, "general-call_7").usage.total) == (15 + 27, 27)
    with helper.open("a") as file:
        file.write(json.dumps({**answer, "uuid": "u3", "parentUuid": "u2"}) + "\n")
    assert (read(tmp_path).usage.total, read(tmp_path, "general-call_7").usage.total) == (15, 54)


def test_a_file_by_its_path_is_qwens_wherever_it_lies(tmp_path: Path) -> None:
    # Claude Code's and Gemini CLI's files begin alike.
    newer = write(tmp_path, [asked(1, "Peas?"), said(2, "March.")]).replace(tmp_path / f"{ID}.jsonl")
    old = {"type": "user", "id": "1", "timestamp": "2025-09-01T10:00:00.000Z", "content": "Beans?"}
    messages = [old, {**old, "id": "2", "type": "qwen", "content": "May."}]
    older = tmp_path / "session-2025-09-01T10-00-11111111.json"
    older.write_text(json.dumps({"sessionId": OTHER, "projectHash": "0" * 64, "messages": messages}, indent=2))
    with Library({"HOME": str(tmp_path)}) as library:
        for file, words in ((newer, "March."), (older, "May.")):
            session = library.session(str(file))
            assert (session.agent, session.messages[-1].text) == ("qwen", words)


def test_the_lock_of_planned_tasks_is_known(tmp_path: Path) -> None:
    lock = tmp_path / ".qwen" / "tmp" / "0" / "scheduled_tasks.lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("1")
    assert [file.status for file in find(tmp_path / ".qwen")] == [Status.IGNORED]


def test_a_broken_off_answer_is_not_exact(tmp_path: Path) -> None:
    broken = said(2, "Once upon")
    del broken["usageMetadata"]
    write(tmp_path, [asked(1, "A story?"), broken])
    assert read(tmp_path).exact is False


def test_records_on_one_line_are_all_read(tmp_path: Path) -> None:
    file = write(tmp_path, [asked(1, "Peas?")])
    glued = "".join(json.dumps(each) for each in (said(2, "March."), asked(3, "Beans?")))
    file.write_text(file.read_text() + glued.replace('{"uuid": ', '{"uuid":') + "\n")
    session = read(tmp_path)
    assert [message.text for message in session.messages] == ["Peas?", "March.", "Beans?"]
    assert "line.glued" in {notice.code for notice in session.notices}


def test_a_session_in_the_archive_and_beside_it_is_one(tmp_path: Path) -> None:
    records = [asked(1, "Peas?"), said(2, "March."), asked(3, "Beans?"), said(4, "May.")]
    write(tmp_path, records[:2], folder="chats/archive")
    write(tmp_path, records)
    with Library({"HOME": str(tmp_path)}) as library:
        assert [entry.summary.key for entry in library.list()] == [f"qwen:{ID}"]
    session = read(tmp_path)
    assert [message.text for message in session.messages] == ["Peas?", "March.", "Beans?", "May."]
    assert len(session.files) == 2


def test_accounts_of_the_same_figures_are_joined_though_one_is_damaged_or_late(tmp_path: Path) -> None:
    turn = f"{ID}########0"
    damaged = told(2, 10, 15, turn)
    del damaged["systemPayload"]["uiEvent"]["total_token_count"]
    answers = [said(3, "March."), told(4, 10, 15, turn), said(5, "April.")]
    write(tmp_path, [asked(1, "Peas?"), damaged, *answers, said(6, "May.", 20, 29), told(7, 20, 29, turn)])
    session = read(tmp_path)
    assert (session.usage.total, session.usage.requests) == (15 + 15 + 29, 3)


def test_an_account_whose_subtype_or_type_is_lost_counts(tmp_path: Path) -> None:
    first, second = told(3, 10, 15, "compress-1"), told(4, 20, 26, "compress-2")
    first["subtype"] = ["odd"]
    del second["type"]
    write(tmp_path, [asked(1, "Peas?"), said(2, "March."), first, second])
    assert read(tmp_path).usage.total == 15 + 15 + 26


def test_a_session_that_another_one_started_is_linked_to_the_last_that_it_names(tmp_path: Path) -> None:
    named = [
        record(number, "system", subtype="parent_session", systemPayload={"parentSessionId": id})
        for number, id in ((3, "first"), (4, OTHER))
    ]
    write(tmp_path, [asked(1, "Peas?"), said(2, "March."), *named])
    session = read(tmp_path)
    assert [(link.kind, link.target) for link in session.links] == [("subagent_of", f"qwen:{OTHER}")]
    assert session.parent is None


def test_a_copy_under_another_name_is_the_same_session(tmp_path: Path) -> None:
    records = [asked(1, "Peas?"), said(2, "March."), asked(3, "Beans?"), said(4, "May.")]
    write(tmp_path, records)
    write(tmp_path, records[:2], name=f"{ID} copy")
    write(tmp_path, [asked(1, "Leeks?", sessionId=OTHER), said(2, "June.", sessionId=OTHER)], name="renamed")
    with Library({"HOME": str(tmp_path)}) as library:
        sessions = {session.id: session for session in library.sessions()}
    assert {id: session.usage.total for id, session in sessions.items()} == {ID: 30, OTHER: 15}
    assert len(sessions[ID].files) == 2
    assert all(session.exact for session in sessions.values())


def test_a_copy_of_a_sub_agents_file_is_the_same_sub_agent(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), said(2, "March.")])
    task = [asked(1, "Count.", agentId="scout-c1"), said(2, "Seven.", agentId="scout-c1")]
    other = [asked(1, "Weigh.", agentId="scout-c1.b"), said(2, "Nine.", agentId="scout-c1.b")]
    for name, records in (("scout-c1", task), ("scout-c1.sync-conflict-20260301", task), ("scout-c1.b", other)):
        write(tmp_path, records, name=f"agent-{name}", folder=f"subagents/{ID}")
    with Library({"HOME": str(tmp_path)}) as library:
        sessions = {session.id: session.usage.total for session in library.sessions(Filter(everything=True))}
    assert sessions == {ID: 15, "scout-c1": 15, "scout-c1.b": 15}


def test_typed_lines_that_no_record_holds_are_kept(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), said(2, "March.")])
    log = tmp_path / ".qwen" / "tmp" / ("a" * 64) / "logs.json"
    log.parent.mkdir(parents=True)
    typed = [(ID, "Peas?", 1), (ID, "Beans?", 9), (OTHER, "Leeks?", 20)]
    lines = [
        {
            "sessionId": id,
            "messageId": 0,
            "type": "user",
            "message": text,
            "timestamp": f"2026-03-01T10:00:{at:02}.000Z",
        }
        for id, text, at in typed
    ]
    log.write_text(json.dumps(lines))
    assert [(m.text, m.fate) for m in read(tmp_path).prompts] == [("Peas?", Fate.LIVE), ("Beans?", Fate.FAILED)]
    assert [message.text for message in read(tmp_path, OTHER).prompts] == ["Leeks?"]


def test_what_the_client_asked_for_itself_is_no_reply(tmp_path: Path) -> None:
    title = told(4, 300, 310, "session_title", response_text="Garden plans")
    write(tmp_path, [asked(1, "Hello"), told(2, 10, 15, f"{ID}########0", response_text="Hi"), said(3, "Hi"), title])
    session = read(tmp_path)
    assert [message.text for message in session.messages if message.author is Author.MODEL] == ["Hi"]
    assert session.usage.total == 325


def test_a_sub_agent_of_a_sub_agent_has_that_as_its_parent(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), said(2, "March.")])
    for name, parent in (("scout-call_1", None), ("reader-call_2", "scout-call_1")):
        file = write(tmp_path, [asked(1, "Look."), said(2, "Two files.")], f"agent-{name}", f"subagents/{ID}")
        note = {"agentId": name, "parentSessionId": ID, "parentAgentId": parent}
        file.with_suffix(".meta.json").write_text(json.dumps(note))
    assert read(tmp_path, "scout-call_1").parent == f"qwen:{ID}"
    assert read(tmp_path, "reader-call_2").parent == "qwen:scout-call_1"


def test_an_agent_that_is_not_the_files_own_is_named(tmp_path: Path) -> None:
    said_by = [said(number, "Here.", agentId=agent) for number, agent in ((2, "scout-call_1"), (3, "someone"))]
    write(tmp_path, [asked(1, "Peas?"), said(2, "March.")])
    write(tmp_path, [asked(1, "Look."), *said_by], "agent-scout-call_1", f"subagents/{ID}")
    assert read(tmp_path, "scout-call_1").extra["agentIds"] == ["someone"]


def called(number: int, id: str, **args: Any) -> Json:
    parts = [{"functionCall": {"id": id, "name": "read_file", "args": args}}]
    return record(number, "assistant", message={"role": "model", "parts": parts}, usageMetadata=figures(10, 15))


def gave(number: int, id: str, output: str) -> Json:
    parts = [{"functionResponse": {"id": id, "name": "read_file", "response": {"output": output}}}]
    return record(number, "tool_result", message={"role": "user", "parts": parts})


def test_an_id_that_a_server_uses_again_joins_each_result_with_its_own_call(tmp_path: Path) -> None:
    records = [called(2, "call_0", file_path="a"), gave(3, "call_0", "A"), called(4, "call_0", file_path="b")]
    write(tmp_path, [asked(1, "Read."), *records, gave(5, "call_0", "B"), called(6, "call_0", file_path="c")])
    session = read(tmp_path)
    calls = [part for message in session.messages for part in message.parts if isinstance(part, ToolCall)]
    assert [(call.input, call.output) for call in calls] == [
        ({"file_path": "a"}, "A"),
        ({"file_path": "b"}, "B"),
        ({"file_path": "c"}, None),
    ]
    assert len(session.messages) == 4


def test_a_record_behind_one_that_a_crash_cut_off_is_read(tmp_path: Path) -> None:
    file = write(tmp_path, [asked(1, "Peas?")])
    cut, whole = (json.dumps(each, separators=(",", ":")) for each in (said(2, "March."), asked(3, "Beans?")))
    file.write_text(file.read_text() + cut[:150] + whole + "\n")
    session = read(tmp_path)
    assert [message.text for message in session.messages] == ["Peas?", "Beans?"]
    assert {"line.glued", "line.torn"} <= {notice.code for notice in session.notices}


def test_a_reference_that_failed_says_nothing_of_the_next_prompt(tmp_path: Path) -> None:
    failed = {"filesRead": [], "status": "error", "userText": "Read @none.txt"}
    write(
        tmp_path, [record(1, "system", subtype="at_command", systemPayload=failed), asked(2, "Peas?"), said(3, "Yes.")]
    )
    assert [message.text for message in read(tmp_path).messages] == ["Peas?", "Yes."]


def test_what_was_typed_while_the_agent_worked_is_the_humans(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), asked(2, "And beans.", subtype="mid_turn_user_message", provenance="system")])
    assert [message.author for message in read(tmp_path).messages] == [Author.HUMAN, Author.HUMAN]


def test_the_archive_warns_of_sub_agents_that_will_be_deleted_and_of_no_other_session(tmp_path: Path) -> None:
    write(tmp_path, [asked(1, "Peas?"), said(2, "March.")])
    library = Library({"HOME": str(tmp_path)})
    assert list(library.archive.due()) == []
    file = write(tmp_path, [asked(1, "Look."), said(2, "Two files.")], "agent-scout-call_1", f"subagents/{ID}")
    library.sync()
    (due,) = library.archive.due()
    assert due.sessions == ("qwen:scout-call_1",)
    assert due.retention.file == str(tmp_path / ".qwen" / "settings.json")
    library.archive.on()
    library.sync()
    file.unlink()
    library.sync()
    plan = library.archive.plan(library.session("qwen:scout-call_1"), None)
    assert {Path(file.path).name: file.refreshed for file, _ in plan} == {file.name: True}


def test_a_helper_that_only_the_archive_has_is_counted_once(tmp_path: Path) -> None:
    # Qwen Code deletes the files of sub-agents after 30 days; their requests stay in the telemetry of the session.
    write(tmp_path, [asked(1, "Peas?"), told(2, 100, 110, f"{ID}#scout-call_1#0"), said(3, "March.")])
    file = write(
        tmp_path, [asked(1, "Look."), said(2, "Two files.", 100, 110)], "agent-scout-call_1", f"subagents/{ID}"
    )
    with Library({"HOME": str(tmp_path)}) as library:
        library.archive.on()
        library.sync()
        file.unlink()
        assert [library.session(f"qwen:{id}").usage.total for id in (ID, "scout-call_1")] == [15, 110]
        library.sync()
        assert [library.session(f"qwen:{id}").usage.total for id in (ID, "scout-call_1")] == [15, 110]
