"""From a message, a figure or a notice to the record as it stands in its file, and from there to the message."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from pollux.writers.html.messages import anchor
from tests.web.serving import SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
OLD = "gemini:90cf8c95-a049-4f2a-ad0c-c2efd1d37bfb"
STORED = "opencode:ses_19f0a7c42ffeQm3Wb7YdK1pLzT"


def test_every_message_leads_to_its_record_and_back(served: Served, tab: Open) -> None:
    session = served.web.reading.session(served.web.reading.entry(SAMPLE_KEY))
    lines = Path(session.files[0]).read_text("utf-8").splitlines()
    here = tab(served)
    for message in session.messages:
        assert message.origin is not None
        here.go(f"/record?key={SAMPLE_KEY}&message={quote(anchor(message.id))}")
        assert json.loads(here.page.inner_text("pre >> nth=0")) == json.loads(lines[(message.origin.line or 0) - 1])
        assert here.page.inner_text(".place").endswith(f":{message.origin.line}")
    here.page.click(".about a >> nth=1")
    here.wait("document.querySelector('article:target') !== null")
    here.leave()


def test_a_key_and_a_link_lead_there_from_the_conversation(served: Served, tab: Open) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}")
    here.wait("document.getElementById('state') !== null && document.readyState === 'complete'")
    here.press("j", "j")
    focused = here.ask("document.activeElement.id")
    assert here.ask("document.activeElement.querySelector('.record').getAttribute('aria-label')")
    here.press("r")
    here.wait("location.pathname", "/record")
    assert here.ask("new URLSearchParams(location.search).get('message')") == focused
    here.press("n")
    here.wait(f"new URLSearchParams(location.search).get('message') !== {json.dumps(focused)}")
    here.press("p")
    here.wait("new URLSearchParams(location.search).get('message')", focused)
    here.leave()


@pytest.mark.parametrize("key", [OLD, STORED])
def test_an_item_of_a_document_and_a_file_of_its_own_are_records_too(served: Served, key: str) -> None:
    session = served.web.reading.session(served.web.reading.entry(key))
    listed = served.get(f"/record?key={key}").text
    for message in session.messages:
        assert f"message={quote(anchor(message.id))}" in listed
        page = served.get(f"/record?key={key}&message={quote(message.id, safe='')}")
        assert page.status == 200
        assert "Nothing stands there" not in page.text
        assert "No place is known" not in page.text


def test_a_figure_and_a_notice_lead_to_a_line_and_its_message(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        file = Path(served.web.reading.entry(SAMPLE_KEY).summary.files[0])
        count = len(file.read_text("utf-8").splitlines())
        with file.open("a") as out:
            out.write("{ this is no JSON\n" + json.dumps({"id": "z", "type": "user", "content": "And now?"}) + "\n")
        served.web.library.sync()
        where = f"/record?key={quote(SAMPLE_KEY, safe='')}&amp;file={quote(str(file), safe='')}&amp;line="
        doctor = served.get("/doctor").text
        assert f"{where}{count + 1}" in doctor
        page = served.get(f"/record?key={SAMPLE_KEY}&file={quote(str(file))}&line={count + 1}").text
        assert "{ this is no JSON" in page
        assert f"/s/{SAMPLE_KEY}#m-" in page
        assert where in served.get(f"/audit?key={SAMPLE_KEY}").text
        file.unlink()
        gone = served.get(f"/record?key={SAMPLE_KEY}&line=3")
        assert gone.status in (200, 404)
        assert "Something went wrong" not in gone.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("", 400),
        ("key=nope", 404),
        (f"key={SAMPLE_KEY}&message=nope", 404),
        (f"key={SAMPLE_KEY}&file=/etc/passwd&line=1", 404),
        (f"key={SAMPLE_KEY}&line=0", 400),
        (f"key={SAMPLE_KEY}&line=x", 400),
        (f"key={SAMPLE_KEY}&line=999999999", 200),
        (f"key={SAMPLE_KEY}&page=9", 200),
    ],
)
def test_what_is_no_record_is_said(served: Served, query: str, status: int) -> None:
    reply = served.get(f"/record?{query}")
    assert reply.status == status
    assert b"root:" not in reply.body


def test_a_long_record_is_cut_and_says_so(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pollux.web.pages.record.LONGEST", 100)
    page = served.get(f"/record?key={SAMPLE_KEY}&line=10").text
    assert "The first 100 of" in page
    assert "pollux show" in page
