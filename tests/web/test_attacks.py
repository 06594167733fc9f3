"""Attacks on a real server with a real browser: other sites, other names, other servers, stored scripts."""

from __future__ import annotations

import http.server
import json
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.web.conftest import CHROMIUM
from tests.web.paths import EVERY
from tests.web.serving import SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
EVIL = "<img src=x onerror=pwned(1)><script>pwned(1)</script>"
NAME = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"


@contextmanager
def another_site(page: str) -> Iterator[str]:
    """Another server of this machine: a browser sends it our cookie, and counts it as the same site."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = page.encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def _known(browser: Browser, served: Served) -> Tab:
    return Tab(browser, served, "/")


def test_a_page_of_another_port_gets_nothing_and_changes_nothing(tmp_path: Path, browser: Browser) -> None:
    with serving(tmp_path) as served, another_site("<title>evil</title>") as evil:
        tab = _known(browser, served)
        page = tab.context.new_page()
        page.goto(evil)
        there = json.dumps(served.address)
        key = json.dumps(f"/mark/{SAMPLE_KEY}")
        tries = {
            "read": f"fetch({there} + '/index.json', {{credentials: 'include'}})"
            ".then((r) => r.text(), () => 'refused')",
            "post": f"fetch({there} + {key}, {{method: 'POST', mode: 'no-cors', credentials: 'include',"
            " headers: {'content-type': 'application/x-www-form-urlencoded'}, body: 'star=yes&token=x'})"
            ".then((r) => r.type, () => 'refused')",
            "script": f"new Promise((done) => {{ const s = document.createElement('script'); s.src = {there} +"
            " '/index.json'; s.onload = () => done('loaded'); s.onerror = () => done('refused');"
            " document.body.append(s) })",
            "events": f"new Promise((done) => {{ const e = new EventSource({there} + '/events',"
            " {withCredentials: true}); e.onopen = () => done('open');"
            " e.onerror = () => { e.close(); done('refused') } })",
        }
        found = {name: page.evaluate(script) for name, script in tries.items()}
        assert found["read"] == "refused"
        assert found["post"] in ("opaque", "refused")
        assert found["script"] == "refused"
        assert found["events"] == "refused"
        # A form that a person is led to send is refused, too, and says why.
        page.evaluate(
            f"() => {{ const f = document.createElement('form'); f.method = 'post'; f.action = {there} + {key};"
            " const i = document.createElement('input'); i.name = 'star'; i.value = 'yes'; f.append(i);"
            " document.body.append(f); f.submit() }"
        )
        page.wait_for_url(f"{served.address}/**")
        assert "Sec-Fetch-Site" in page.inner_text("body") or "Origin" in page.inner_text("body")
        assert served.web.library.marks.all() == {}
        opened = tab.context.new_page()
        opened.goto(evil)
        # Nothing of ours can be held by a window that another page opened.
        handle = f"() => {{ window.w = window.open({there} + '/'); return true }}"
        with tab.context.expect_page():
            opened.evaluate(handle)
        assert opened.evaluate("() => { try { return window.w.document.title } catch { return 'closed' } }") in (
            "closed",
            "",
        )
        tab.context.close()
        tab._left = True


def test_a_name_that_comes_to_mean_this_machine_gets_nothing(served: Served, browser: Browser) -> None:
    """DNS rebinding: the page of another name, which the browser takes for its own site."""
    rules = "MAP evil.example 127.0.0.1"
    again = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", f"--host-resolver-rules={rules}"],
    )
    try:
        context = again.new_context()
        name, _, value = served.cookie.partition("=")
        here = f"http://evil.example:{served.port}"
        context.add_cookies([{"name": name, "value": value, "url": here}])  # even if it had the cookie
        page = context.new_page()
        response = page.goto(f"{here}/")
        assert response is not None
        assert response.status == 403
        assert "Host" in page.inner_text("body")
        fetched = page.evaluate("fetch('/index.json').then((r) => r.status, () => 'refused')")
        assert fetched in (403, "refused")
        context.close()
    finally:
        again.close()


def test_a_form_works_where_browsers_do_not_say_which_site_asks(tmp_path: Path, browser: Browser) -> None:
    """At an address without https they send no `Sec-Fetch-Site`: a form must name its origin, also without scripts."""
    with serving(tmp_path, url="http://box.example:8080") as served:
        rules = f"--host-resolver-rules=MAP box.example:8080 127.0.0.1:{served.port}"
        again = browser.browser_type.launch(executable_path=CHROMIUM, args=["--no-sandbox", rules])
        try:
            page = again.new_context(java_script_enabled=False).new_page()
            page.goto(served.web.access.entry())
            page.goto(f"http://box.example:8080/s/{SAMPLE_KEY}")
            page.click("#star")
            assert page.get_attribute("#star", "aria-pressed") == "true"
        finally:
            again.close()
        reply = served.get("/", Host="box.example:8080")
        assert reply.headers["referrer-policy"] == "same-origin"  # another origin learns nothing
        form = {"Host": "box.example:8080", "Sec_Fetch_Site": "none"}
        for origin in ("null", "http://evil.example", "http://box.example:8081"):
            assert served.post("/read", {}, Origin=origin, **form).status == 403


def test_one_server_does_not_open_the_other(tmp_path: Path, served: Served) -> None:
    with serving(tmp_path) as other:
        assert other.port != served.port
        value = served.cookie.partition("=")[2]
        assert other.ask("/", Cookie=served.cookie).status == 403
        assert other.ask("/", Cookie=f"pollux-{other.port}={value}").status == 403
        assert other.ask("/", Cookie=f"{served.cookie}; {other.cookie}").status == 200
        path = served.web.access.entry().removeprefix(served.address)
        assert other.ask(path).status == 403
        assert other.post("/read", {"token": served.web.access.form_token}).status == 403


def _hostile(home: Path) -> str:
    """A session with scripts in its title, project, file names, tool output, model, branch and ids."""
    file = home / ".claude" / "projects" / "-work-evil" / f"{NAME}.jsonl"
    file.parent.mkdir(parents=True)
    shared = {
        "sessionId": NAME,
        "cwd": f"/work/{EVIL}",
        "gitBranch": EVIL,
        "version": EVIL,
        "timestamp": "2026-11-01T10:00:00.000Z",
    }
    call = {
        "type": "tool_use",
        "id": f"t{EVIL}",
        "name": "Edit",
        "input": {"file_path": f"/work/{EVIL}", "new_string": EVIL},
    }
    result = {"type": "tool_result", "tool_use_id": f"t{EVIL}", "content": EVIL, "is_error": True}
    written = {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": f"/work/{EVIL}", "content": EVIL}}
    done = {"type": "tool_result", "tool_use_id": "w", "content": EVIL}
    reply = {
        "id": EVIL,
        "role": "assistant",
        "model": EVIL,
        "content": [{"type": "text", "text": EVIL}, call, written, {**written, "id": "n", "name": EVIL}],
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }
    lines = [
        {
            "type": "user",
            "uuid": f"a{EVIL}",
            "parentUuid": None,
            "message": {"role": "user", "content": EVIL},
            **shared,
        },
        {"type": "assistant", "uuid": "b", "parentUuid": f"a{EVIL}", "message": reply, **shared},
        {
            "type": "user",
            "uuid": "c",
            "parentUuid": "b",
            "message": {"role": "user", "content": [result, done]},
            **shared,
        },
        {"type": "custom-title", "sessionId": NAME, "customTitle": f"</title>{EVIL}"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return f"claude:{NAME}"


def test_stored_scripts_run_nowhere(tmp_path: Path, tab: Open) -> None:
    home = tmp_path / "hostile"
    key = _hostile(home)
    with serving(tmp_path / "served", home) as served:
        for fields in ({"name": EVIL}, {"note": f"</textarea>{EVIL}"}, {"tag": "<img/src=x/onerror=pwned`1`>"}):
            assert served.post(f"/mark/{key}", fields).status == 303, fields
        here = tab(served)
        paths = ["/", f"/?q={quote(EVIL)}", "/?q=pwned", "/?q=is:marked", f"/s/{key}", f"/s/{key}?view=live"]
        paths += [f"/?q=project:{quote(EVIL)}", f"/x{quote(EVIL)}", f"/s/{quote(EVIL)}", f"/?page={quote(EVIL)}"]
        asked = quote(EVIL)
        paths += [f"{page}?key={quote(key)}" for page in ("/edits", "/friction", "/audit", "/archive", "/compare")]
        paths += ["/edits", "/friction", "/audit", "/archive", "/doctor", "/projects", "/timeline", "/stats"]
        paths += [
            f"/record?key={key}{more}" for more in ("", "&line=1", "&line=2", "&message=b", f"&file={asked}&line=1")
        ]
        paths += [f"/record?key={asked}", f"/record?key={key}&message={asked}", f"/stats?budget={asked}"]
        paths += [f"/stats?by={by}" for by in ("model", "project", "tool", "session")]
        paths += [f"/file?path={asked}", f"/stats?model={asked}", f"/compare/{asked}/{key}", f"/stats?by={asked}"]
        paths += [f"{page}?project={asked}&since={asked}" for page in ("/edits", "/friction", "/stats", "/timeline")]
        for path in paths:
            here.go(path)
            assert here.ask("document.querySelectorAll('img, iframe, object, embed, base').length") == 0, path
            assert here.ask("document.scripts.length") <= 1, path
        here.said[:] = [line for line in here.said if "Failed to load resource" not in line]  # pages that are not there
        here.leave()


READ = (*EVERY, "/index.json", f"/s/{SAMPLE_KEY}.json", "/stats.csv", "/doctor.json", "/x", "/s/x")


def test_reading_starts_no_process_and_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a process was to be started")

    def files(folder: Path) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}

    with serving(tmp_path) as served:
        served.get("/")
        before, data = files(served.home), files(tmp_path / "DATA")
        for module, name in ((subprocess, "Popen"), (os, "system"), (os, "fork"), (os, "posix_spawn")):
            monkeypatch.setattr(module, name, never)
        for path in (*READ, *(f"/export/{name}/{SAMPLE_KEY}" for name in ("json", "markdown", "html"))):
            assert served.get(path).status in (200, 404), path
        assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}).status == 303
        assert served.post(f"/read/{SAMPLE_KEY}", {}).status == 303
        monkeypatch.undo()
        assert files(served.home) == before
        written = {Path(name).name for name in files(tmp_path / "DATA").keys() - data.keys()}
        assert {"marks.jsonl", "read.jsonl"} >= {name for name in written if name.endswith(".jsonl")}
        assert not [name for name in written if name.endswith((".json", ".html", ".md"))]


MALFORMED = (
    "GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n",
    "GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n",
    "POST /read HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
    "POST /read HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "\x00\x01\x02\r\n\r\n",
    "GET /%00%ff%fe../../etc/passwd HTTP/1.1\r\nHost: {host}\r\n\r\n",
)


@pytest.mark.parametrize("number", range(len(MALFORMED)))
def test_malformed_requests_get_nothing(served: Served, number: int) -> None:
    text = MALFORMED[number].format(
        host=f"127.0.0.1:{served.port}", long="x" * 200_000, many="".join(f"h{n}: x\r\n" for n in range(5000))
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=20) as sock:
        try:
            sock.sendall(text.encode("latin-1"))
            answer = sock.recv(1 << 16)
        except ConnectionError:
            answer = b""
    assert not answer.startswith(b"HTTP/1.1 2")
    assert b"Traceback" not in answer
    assert served.get("/").status == 200


@pytest.mark.parametrize(
    "key", ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd", "gemini:../x", "%00", "a" * 3000]
)
def test_keys_are_no_paths(served: Served, key: str) -> None:
    for path in (f"/s/{key}", f"/s/{key}.json", f"/export/json/{key}"):
        reply = served.get(path)
        assert reply.status in (404, 307), path
        assert b"root:" not in reply.body
    assert served.post(f"/mark/{key}", {"star": "yes"}).status in (404, 307)
