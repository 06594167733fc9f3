"""Requests that no browser of the user makes: odd spellings, doubled headers, old protocols, several at once."""

from __future__ import annotations

import socket
from urllib.parse import quote

import pytest

from tests.web.serving import SAMPLE_KEY, Served, serving

SECRET = b"germination trials"


def _say(served: Served, text: str) -> bytes:
    """What a connection brings back for these bytes, until the server has nothing more to say."""
    with socket.create_connection(("127.0.0.1", served.port), 10) as line:
        line.sendall(text.format(host=f"127.0.0.1:{served.port}", cookie=served.cookie).encode("latin-1"))
        return b"".join(iter(lambda: line.recv(1 << 16), b""))


@pytest.mark.parametrize(
    "host",
    [
        "127.1:{port}",
        "0x7f.0.0.1:{port}",
        "2130706433:{port}",
        "127.0.0.1.:{port}",
        "localhost.:{port}",
        "127.0.0.1:0{port}",
        "127.0.0.1:{port}:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "127.0.0.1:{port}.evil.example",
        "[0:0:0:0:0:0:0:1]:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "127.0.0.1:{port}, evil.example",
        "http://127.0.0.1:{port}",
        "\xb927.0.0.1:{port}",
    ],
)
def test_a_host_in_an_odd_spelling_is_refused(served: Served, host: str) -> None:
    reply = served.get("/", Host=host.format(port=served.port))
    assert reply.status == 403
    assert SECRET not in reply.body


@pytest.mark.parametrize(
    "origin",
    [
        "http://127.0.0.1:{port}/",
        "http://127.0.0.1:{port}.evil.example",
        "http://user@127.0.0.1:{port}",
        "http://127.0.0.1:{port} http://evil.example",
        "127.0.0.1:{port}",
        "file://",
        "chrome-extension://abc",
        "",
    ],
)
def test_an_origin_in_an_odd_spelling_writes_nothing(served: Served, origin: str) -> None:
    told = origin.format(port=served.port)
    assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}, Origin=told).status == 403
    assert served.get("/", Origin=told).status == 403
    assert served.web.library.marks.of(SAMPLE_KEY) is None


def test_whoever_reads_for_another_origin_gets_nothing(served: Served) -> None:
    """Old browsers do not say which site asks, but name the origin."""
    for origin in ("http://evil.example", f"http://127.0.0.1:{served.port + 1}", "null"):
        reply = served.ask("/index.json", Cookie=served.cookie, Origin=origin)
        assert reply.status == 403
        assert SECRET not in reply.body
    assert served.ask("/index.json", Cookie=served.cookie, Origin=served.address).status == 200


@pytest.mark.parametrize(
    "sites", [("same-origin", "cross-site"), ("none", "none"), ("SAME-ORIGIN",), ("same-origin ;x",)]
)
def test_what_is_said_twice_or_oddly_of_a_site_is_refused(served: Served, sites: tuple[str, ...]) -> None:
    named = "".join(f"Sec-Fetch-Site: {site}\r\n" for site in sites)
    answer = _say(served, f"GET / HTTP/1.1\r\nHost: {{host}}\r\nCookie: {{cookie}}\r\n{named}Connection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403")
    assert SECRET not in answer


def test_the_cookie_may_stand_among_others_and_in_a_second_header(served: Served) -> None:
    other = f"pollux-1=x; pollux=y; pollux-{served.port}x=z"
    assert served.ask("/", Cookie=f"{other}; {served.cookie}").status == 200
    answer = _say(
        served, "GET / HTTP/1.1\r\nHost: {host}\r\nCookie: a=b\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 200")
    name, _, value = served.cookie.partition("=")
    for wrong in (
        f"{name}={value}x",
        f"{name}={value[:-1]}",
        f"{name}=",
        f"x{name}={value}",
        f"{name.upper()}={value}",
    ):
        assert served.ask("/", Cookie=wrong).status == 403, wrong


def test_requests_sent_at_once_are_judged_each_by_itself(served: Served) -> None:
    known = "GET /index.json HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
    stranger = "GET /index.json HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    answer = _say(served, known + known + stranger)
    assert answer.count(b"HTTP/1.1 200") == 2
    assert answer.count(b"HTTP/1.1 403") == 1
    assert SECRET not in answer.rpartition(b"HTTP/1.1 403")[2]


def test_a_body_that_nobody_asked_for_is_no_second_request(served: Served) -> None:
    """What one server takes for a body, another could take for a request of the user."""
    inner = "GET /index.json HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
    outer = f"GET /x HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\nContent-Length: {len(inner)}\r\n\r\n"
    assert SECRET not in _say(served, outer + inner)


def test_an_old_protocol_is_answered_to_whoever_is_known(served: Served) -> None:
    assert _say(served, "GET / HTTP/1.0\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").startswith(b"HTTP/1.1 200")
    assert _say(served, "GET / HTTP/1.0\r\nCookie: {cookie}\r\n\r\n").startswith(b"HTTP/1.1 403")


@pytest.mark.parametrize(
    "target", ["http://{host}/", "http://evil.example/", "//evil.example/", "*", "evil.example:80"]
)
def test_a_target_that_is_no_path_leads_nowhere(served: Served, target: str) -> None:
    answer = _say(served, f"GET {target} HTTP/1.1\r\nHost: {{host}}\r\nCookie: {{cookie}}\r\nConnection: close\r\n\r\n")
    assert answer.split(b" ")[1] in (b"400", b"404")
    assert b"location:" not in answer.lower()
    assert SECRET not in answer


def test_a_key_may_be_written_with_percents(served: Served) -> None:
    plain = served.get(f"/s/{SAMPLE_KEY}")
    assert served.get(f"/s/{quote(SAMPLE_KEY, safe='')}").status == 200 == plain.status
    assert served.get("/s/" + "".join(f"%{byte:02x}" for byte in SAMPLE_KEY.encode())).status == 200
    assert served.get(f"/s/{quote(quote(SAMPLE_KEY, safe=''), safe='')}").status == 404  # once, not twice


def test_a_page_with_a_slash_at_its_end_is_the_page(served: Served) -> None:
    reply = served.get("/stats/")
    assert (reply.status, reply.headers["location"]) == (307, "/stats")
    for path in ("//evil.example/", "/evil.example/", "/x/", "/stats.json/"):
        assert served.get(path).status == 404


def test_behind_a_tunnel_no_answer_leads_out_of_it(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("tunnel"), url="https://box.example:8443") as served:
        for path in ("/stats/", "/edits/", "/s/"):
            reply = served.get(path, Host="box.example:8443")
            assert not reply.headers.get("location", "/").startswith("http:")
