from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from pollux import Library
from pollux.model import Fate, SummaryPart
from tests.unit.sources.copilot.conftest import ID, MODEL, Home, Log

OTHER = "44444444-aaaa-4000-8000-000000000004"


def test_figures_of_each_run_are_added(home: Home) -> None:
    log = Log().start().ask("1").answer("1").shutdown(1, 883, 10).resume().ask("2").answer("2").shutdown(1, 960, 11)
    usage = home.session(log).usage
    assert (usage.input, usage.output, usage.requests, usage.exact) == (1843, 21, 2, True)


def test_a_running_total_counts_once(home: Home) -> None:
    log = Log().start().ask("1").answer("1").shutdown(1, 858, 10).resume().ask("2").answer("2").shutdown(2, 1793, 21)
    log.resume().shutdown(2, 1793, 21)
    usage = home.session(log).usage
    assert (usage.input, usage.output, usage.requests, usage.exact) == (1793, 21, 2, True)


def test_a_killed_run_leaves_its_output(home: Home) -> None:
    log = (
        Log()
        .start()
        .ask("1")
        .answer("1", outputTokens=7)
        .resume()
        .ask("2")
        .answer("2", outputTokens=2)
        .shutdown(1, 900, 2)
    )
    session = home.session(log)
    assert (session.usage.input, session.usage.output, session.usage.exact) == (900, 9, False)
    assert any(gap.certain for gap in session.gaps)


def test_a_total_that_includes_a_killed_run_counts_it_once(home: Home) -> None:
    log = Log().start().ask("1").answer("1", outputTokens=7).resume().ask("2").answer("2").shutdown(2, 1800, 9)
    usage = home.session(log).usage
    assert (usage.input, usage.output) == (1800, 9)


def test_records_count_once_and_without_a_response(home: Home) -> None:
    log = Log().start().ask("1").used(1, 100, 8).used(2, 110, 4).answer("Done.", apiCallId="r2").used(2, 110, 4)
    log.shutdown(2, 210, 12)
    session = home.session(log)
    assert (session.usage.input, session.usage.output, session.usage.requests) == (210, 12, 2)
    assert session.exact is True
    assert [m.fate for m in session.messages if not m.parts] == [Fate.FAILED]


def test_a_request_that_was_never_answered_may_have_cost_something(home: Home) -> None:
    log = Log().start().ask("1").resume().ask("2").used(1, 100, 8).answer("2", apiCallId="r1")
    session = home.session(log)
    assert session.exact is None


def test_what_was_rewound_is_in_the_store(home: Home) -> None:
    log = Log().start().ask("One.").used(1, 10, 1).answer("1", apiCallId="r1")
    log.add("session.info", {"infoType": "rewind", "message": "Rewound."})
    log.ask("Four.").used(2, 40, 4).answer("4", apiCallId="r2")
    turns = [(ID, n, f"{text}.", str(n + 1)) for n, text in enumerate(["One", "Two", "Three", "Four"])]
    path = home.store(turns, [(ID, n, None, 10 * (n + 1), n + 1) for n in range(4)])
    session = home.session(log)
    assert [(m.text, m.fate) for m in session.prompts] == [
        ("One.", Fate.LIVE),
        ("Two.", Fate.REWOUND),
        ("Three.", Fate.REWOUND),
        ("Four.", Fate.LIVE),
    ]
    assert (session.usage.input, session.usage.output, session.exact) == (100, 10, True)
    origin = session.prompts[1].origin
    assert origin is not None
    assert (origin.file, origin.row) == (str(path), "turns/2")
    assert str(path) in session.files


def test_the_store_still_tells_of_a_session_that_only_the_archive_has(home: Home) -> None:
    log = Log().start().add("session.info", {"infoType": "rewind", "message": "Rewound."})
    events = home.put(log.ask("Two.").used(1, 20, 2).answer("2", apiCallId="r1"))
    home.store([(ID, 0, "One.", "1"), (ID, 1, "Two.", "2")], [(ID, n, None, 10 * (n + 1), n + 1) for n in range(2)])
    with Library({"HOME": str(home.home)}) as library:
        library.archive.on()
        library.sync()
        shutil.rmtree(events.parent)
        session = library.session(f"copilot:{ID}")
    assert [(m.text, m.fate) for m in session.prompts] == [("One.", Fate.REWOUND), ("Two.", Fate.LIVE)]
    assert (session.usage.input, session.exact) == (30, True)


def test_without_the_store_what_was_rewound_is_missing(home: Home) -> None:
    log = Log().start().add("session.info", {"infoType": "rewind", "message": "Rewound."})
    session = home.session(log.ask("Four.").used(2, 40, 4).answer("4", apiCallId="r2"))
    assert session.exact is False


def test_the_store_has_figures_of_releases_that_record_none(home: Home) -> None:
    home.store([(ID, 0, "1", "1"), (ID, 1, "2", "2")], [(ID, 0, None, 100, 8), (ID, 1, None, 110, 4)])
    session = home.session(Log().start().ask("1").answer("1").ask("2").answer("2"))
    assert [m.usage.input for m in session.messages if m.usage is not None] == [100, 110]
    assert session.exact is True


def test_a_session_whose_folder_is_gone(home: Home) -> None:
    home.store([(OTHER, 0, "Peas?", "Yes.")])
    session = home.sessions()[OTHER]
    assert [message.text for message in session.messages] == ["Peas?", "Yes."]
    assert (session.title, session.project) == ("Peas", "/home/mia/garden")
    assert [notice.code for notice in session.notices] == ["session.index-only"]


@pytest.mark.parametrize("left", [b"", b"\xff rubbish", None], ids=["emptied", "rubbish", "deleted"])
def test_a_session_of_which_no_event_is_left(home: Home, left: bytes | None) -> None:
    home.store([(ID, 0, "Peas?", "Yes.")], [(ID, 0, None, 10, 1)])
    path = home.put(Log().start().ask("Peas?").answer("Yes."), name="Garden", cwd="/home/mia/beds")
    path.unlink() if left is None else path.write_bytes(left)
    session = home.sessions()[ID]
    assert [message.text for message in session.messages] == ["Peas?", "Yes."]
    assert (session.title, session.project) == ("Garden", "/home/mia/beds")
    assert (session.usage.total, session.exact) == (11, None)
    assert session.started is not None
    assert session.notices[-1].code == "session.index-only"


def _compacted(store: Path, session: str, at: str) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as made:
        made.execute("UPDATE turns SET timestamp='2026-03-01T10:0' || (turn_index + 1) || ':00.000Z'")
        made.execute(
            "CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, session_id, checkpoint_number, title, overview, history,"
            " created_at)"
        )
        values = (session, "Peas were sown.", "1. Peas.", at)
        made.execute("INSERT INTO checkpoints VALUES (7, ?, 1, 'Peas', ?, ?, ?)", values)
        made.execute(
            "INSERT INTO assistant_usage_events (session_id, turn_index, model, input_tokens, output_tokens, initiator)"
            " VALUES (?, 1, 'orion-large', 90, 9, 'compaction')",
            (session,),
        )


SUMMARY = "<overview>\nPeas were sown.\n</overview>\n<history>\n1. Peas.\n</history>"


def test_summaries_of_a_session_whose_folder_is_gone(home: Home) -> None:
    turns = [(OTHER, n, text, "Yes.") for n, text in enumerate(["Peas?", "Beans?", "Leeks?"])]
    path = home.store(turns, [(OTHER, n, None, 10, 1) for n in range(3)])
    _compacted(path, OTHER, "2026-03-01T10:01:30.000Z")
    session = home.sessions()[OTHER]
    assert [(m.text or m.role.value, m.fate) for m in session.messages] == [
        *((text, Fate.COMPRESSED) for text in ("Peas?", "Yes.", "Beans?", "Yes.")),
        ("user", Fate.LIVE),
        ("Leeks?", Fate.LIVE),
        ("Yes.", Fate.LIVE),
    ]
    summary = session.messages[4]
    assert (summary.parts, summary.origin and summary.origin.row) == ((SummaryPart(text=SUMMARY),), "checkpoints/7")
    assert (summary.usage and summary.usage.total, session.usage.total, session.usage.requests) == (99, 132, 4)


def test_a_summary_that_a_cut_file_lost_stands_in_the_index_and_one_that_it_holds_counts_once(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("Yes.").ask("Beans?").answer("No.")
    log.add("session.compaction_start", {})
    data = {"success": True, "checkpointNumber": 1, "summaryContent": SUMMARY}
    log.add("session.compaction_complete", {**data, "compactionTokensUsed": {"inputTokens": 90, "outputTokens": 9}})
    log.ask("Leeks?").answer("In May.")
    path = home.put(log)
    _compacted(home.store([(ID, 0, "Peas?", "Yes."), (ID, 1, "Beans?", "No."), (ID, 2, "Leeks?", "In May.")]), ID,
               "2026-03-01T10:01:30.000Z")  # fmt: skip
    raw = path.read_bytes()
    for end in (raw.index(b'"In May."'), raw.index(b'"Leeks?"'), raw.index(b"summaryContent"), raw.index(b'"No."'), 0):
        path.write_bytes(raw[:end])
        said = [m for m in home.sessions()[ID].messages if m.parts]
        words = [m.parts[0].text if isinstance(m.parts[0], SummaryPart) else m.text for m in said]
        assert words == ["Peas?", "Yes.", "Beans?", "No.", SUMMARY, "Leeks?", "In May."]
        assert [m.fate for m in said] == [Fate.COMPRESSED] * 4 + [Fate.LIVE] * 3


def test_a_store_that_is_cut_costs_no_session(home: Home) -> None:
    path = home.store([(ID, 0, "1", "1")])
    home.put(Log().start().ask("1").answer("1"))
    whole = path.read_bytes()
    for size in (0, 10, 100, 4096, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert home.sessions()[ID].messages[0].text == "1"


def test_nothing_is_written_beside_the_store(home: Home) -> None:
    path = home.store([(OTHER, 0, "Peas?", "Yes.")])
    before = sorted(path.parent.rglob("*"))
    home.sessions()
    assert sorted(path.parent.rglob("*")) == before


def test_another_file_of_the_session_holds_what_was_rewound(home: Home, tmp_path: Path) -> None:
    from pollux.registry import source
    from pollux.sources.base import Bundle, File
    from pollux.sources.copilot.group import CopilotBundle

    older = Log().start().ask("One.").answer("1").ask("Two.").answer("2")
    newer = Log()
    newer.events = older.events[:4]
    newer.add(
        "session.info", {"infoType": "rewind", "message": "Rewound."}, id="x4", timestamp="2026-03-01T11:00:00.000Z"
    )
    old = Home(tmp_path / "kept").put(older)
    new = home.put(newer)
    bundle: Bundle = CopilotBundle(
        agent="copilot", id=ID, files=tuple(File(path=str(p), role="events") for p in (old, new))
    )
    session = source("copilot").read(bundle).sessions[0]
    assert [(m.text, m.fate) for m in session.prompts] == [("One.", Fate.LIVE), ("Two.", Fate.REWOUND)]


def test_what_was_rewound_counts_once_where_the_file_has_no_records(home: Home) -> None:
    log = Log().start().ask("One.").answer("1").add("session.info", {"infoType": "rewind", "message": "Rewound."})
    turns = [(ID, n, f"{text}.", str(n + 1)) for n, text in enumerate(["One", "Two", "Three"])]
    home.store(turns, [(ID, n, None, 10 * (n + 1), n + 1) for n in range(3)])
    session = home.session(log.ask("Three.").answer("3"))
    assert [(m.text, m.usage.input) for m in session.messages if m.usage is not None] == [
        ("1", 10),
        ("2", 20),
        ("3", 30),
    ]
    assert (session.usage.input, session.usage.output, session.usage.requests) == (60, 6, 3)


def test_each_request_of_a_session_whose_folder_is_gone_counts_once(home: Home) -> None:
    turns = [(OTHER, None, "Peas?", "Yes."), (OTHER, None, "Beans?", "No.")]
    home.store(turns, [(OTHER, 0, None, 10, 1), (OTHER, None, None, 20, 2), (OTHER, 7, None, 30, 3)])
    usage = home.sessions()[OTHER].usage
    assert (usage.input, usage.output, usage.requests) == (60, 6, 3)


def test_figures_that_are_less_than_those_before_are_no_running_total(home: Home) -> None:
    log = Log().start().ask("1").answer("1").shutdown(1, 900, 8).resume()
    # A request that was asked for again after a failure has no response of its own.
    log.ask("2").answer("2").shutdown(2, 600, 9)
    usage = home.session(log).usage
    assert (usage.input, usage.output, usage.requests) == (1500, 17, 3)


def test_a_store_of_which_nothing_is_left_is_called_unreadable(home: Home) -> None:
    path = home.store([(ID, 0, "1", "1")])
    path.write_bytes(bytes(range(256)) * 20)
    session = home.session(Log().start().ask("1").answer("1"))
    assert {(notice.code, notice.file) for notice in session.notices} == {("file.unreadable", str(path))}


def test_a_number_of_requests_that_cannot_be_is_not_counted(home: Home) -> None:
    session = home.session(Log().start().ask("Peas?").answer("March.").shutdown(10**25, 100, 5))
    assert (session.usage.total, session.usage.requests) == (105, None)
    assert "usage.odd" in {notice.code for notice in session.notices}


def test_a_response_whose_record_is_lost_is_not_exact(home: Home) -> None:
    log = Log().start().ask("Peas?").used(1, 100, 5).answer("March.", apiCallId="r1")
    log.ask("Beans?").answer("May.", apiCallId="r2")
    session = home.session(log)
    assert (session.usage.total, session.exact) == (105, False)


@pytest.mark.parametrize("metrics", ["text", {}, {MODEL: {"requests": {"count": 1}, "usage": []}}])
def test_figures_at_the_end_of_a_run_that_cannot_be_read_are_missing(home: Home, metrics: object) -> None:
    log = Log().start().ask("Peas?").answer("March.", outputTokens=5).shutdown(1, 100, 5)
    log.events[-1]["data"]["modelMetrics"] = metrics
    assert home.session(log).exact is False


def test_runs_between_which_the_beginning_is_lost_are_both_counted(home: Home) -> None:
    log = Log().start().ask("Peas?").answer("March.", outputTokens=5).shutdown(1, 100, 5)
    log.ask("Beans?").answer("May.", outputTokens=6).shutdown(1, 200, 6)
    session = home.session(log)
    assert (session.usage.total, session.exact) == (311, None)
