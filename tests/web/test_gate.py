"""Nobody gets anything but the user in a browser of theirs. Each rule of the gate has a test that fails without it."""

from __future__ import annotations

import socket
from contextlib import suppress

import pytest

from pollux.errors import RequestError
from pollux.web.access import Access, Tickets, Verdict, origin_of
from pollux.web.gate import HEADERS, LARGEST_BODY, LONGEST_ADDRESS
from tests.web.paths import EVERY
from tests.web.serving import SAMPLE_KEY, Served, serving

SECRET = "germination trials"
ROUTES = (
    *EVERY,
    "/index.json",
    "/events",
    "/stats.csv",
    f"/s/{SAMPLE_KEY}.json",
    f"/export/json/{SAMPLE_KEY}",
    "/x",
)


def test_the_user_is_let_in(served: Served) -> None:
    assert SECRET in served.get("/").text
    assert served.ask("/", Cookie=served.cookie).status == 200  # a program with the cookie
    assert served.ask("/", Cookie=served.cookie, Sec_Fetch_Site="none").status == 200


@pytest.mark.parametrize("path", ROUTES)
def test_every_route_needs_the_cookie(served: Served, path: str) -> None:
    for headers in ({}, {"Cookie": f"pollux-{served.port}=x"}, {"Cookie": f"pollux-1={served.cookie}"}):
        reply = served.ask(path, Sec_Fetch_Site="same-origin", **headers)
        assert reply.status == 403
        assert "cookie" in reply.text
        assert SECRET not in reply.text


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "localhost", "127.0.0.1:1", "0.0.0.0:{port}", "x", ""]
)
def test_another_host_is_refused(served: Served, host: str) -> None:
    reply = served.get("/", Host=host.format(port=served.port))
    assert reply.status == 403
    assert "Host" in reply.text
    assert "--url" in reply.text
    assert SECRET not in reply.text


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_our_hosts_are_answered(served: Served, host: str) -> None:
    assert served.get("/", Host=host.format(port=served.port)).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "none, cross-site"])
def test_another_site_is_refused(served: Served, site: str) -> None:
    reply = served.ask("/", Cookie=served.cookie, Sec_Fetch_Site=site)
    assert reply.status == 403
    assert "Sec-Fetch-Site" in reply.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(served: Served, method: str) -> None:
    assert served.ask("/", method, Cookie=served.cookie).status == 405


def test_a_write_needs_our_origin(served: Served) -> None:
    mark = f"/mark/{SAMPLE_KEY}"
    for origin in (
        "http://evil.example",
        f"http://127.0.0.1:{served.port + 1}",
        f"https://127.0.0.1:{served.port}",
    ):
        reply = served.post(mark, {"star": "yes"}, Origin=origin)
        assert reply.status == 403
        assert "Origin" in reply.text
    assert served.post(mark, {"star": "yes"}, Origin="null", Sec_Fetch_Site="none").status == 403
    sent = f"star=yes&token={served.web.access.form_token}".encode()
    kind = "application/x-www-form-urlencoded"
    assert served.ask(mark, "POST", sent, Cookie=served.cookie, Content_Type=kind).status == 403
    assert served.web.library.marks.of(SAMPLE_KEY) is None


@pytest.mark.parametrize("token", ["", "x"])
def test_a_write_needs_the_token_in_its_body(served: Served, token: str) -> None:
    reply = served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes", "token": token})
    assert reply.status == 403
    assert "token" in reply.text
    assert served.web.library.marks.of(SAMPLE_KEY) is None


def test_a_write_needs_the_cookie_and_a_form(served: Served) -> None:
    assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}, Cookie="").status == 403
    assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}, Content_Type="text/plain").status == 403
    assert served.post(f"/mark/{SAMPLE_KEY}", {"star": "yes"}, Sec_Fetch_Site="cross-site").status == 403
    assert served.web.library.marks.of(SAMPLE_KEY) is None


def test_no_address_that_is_read_writes(served: Served) -> None:
    assert served.get(f"/mark/{SAMPLE_KEY}?star=yes&token={served.web.access.form_token}").status == 404
    assert served.get("/read").status == 404
    assert served.web.library.marks.of(SAMPLE_KEY) is None


def test_what_is_too_large_is_refused(served: Served) -> None:
    assert served.get(f"/?q={'x' * LONGEST_ADDRESS}").status == 414
    assert served.post(f"/mark/{SAMPLE_KEY}", {"note": "x" * LARGEST_BODY}).status == 413
    assert served.ask("/ticket", "POST", b"x" * (LARGEST_BODY + 1)).status == 413
    with suppress(ConnectionError):  # more than any head may have: the server may hang up before all of it is sent
        assert served.get(f"/?q={'x' * 200_000}").status == 400
    assert served.get("/").status == 200


def test_every_answer_has_the_headers(served: Served) -> None:
    replies = [
        served.get("/"),
        served.get("/x"),
        served.ask("/"),
        served.get(f"/s/{SAMPLE_KEY}.json"),
        served.get("/?page=x"),
    ]
    replies += [served.ask("/enter?ticket=x"), served.post("/read", {}), served.get("/", Host="evil.example")]
    replies += [served.get(f"/export/html/{SAMPLE_KEY}"), served.ask("/ticket", "POST", b"x")]
    for reply in replies:
        assert {name.decode(): value.decode() for name, value in HEADERS}.items() <= reply.headers.items()
        assert "server" not in reply.headers
    policy = served.get("/").headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    for rule in (
        "connect-src 'self'",
        "img-src data:",
        "frame-ancestors 'none'",
        "form-action 'self'",
        "base-uri 'none'",
    ):
        assert rule in policy
    assert "unsafe" not in policy


# ------------------------------------------------------------------------------------------------------ tickets


def entry(served: Served) -> str:
    return served.web.access.entry().removeprefix(served.address)


def test_a_ticket_becomes_a_cookie_and_a_clean_address(served: Served) -> None:
    path = entry(served)
    reply = served.ask(path, Sec_Fetch_Site="none", Sec_Fetch_Dest="document")
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"]
    assert cookie.startswith(f"pollux-{served.port}=")
    assert {"Path=/", "HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    assert path.partition("=")[2] not in cookie
    assert len(path.partition("=")[2]) >= 43  # 32 bytes
    assert served.ask("/", Cookie=cookie.partition(";")[0]).status == 200


def test_a_ticket_is_valid_once(served: Served) -> None:
    path = entry(served)
    assert served.ask(path).status == 303
    reply = served.ask(path)
    assert reply.status == 403
    assert "only once" in reply.text
    assert "pollux web" in reply.text
    assert "set-cookie" not in reply.headers


def test_a_used_ticket_does_not_shut_out_whoever_is_known(served: Served) -> None:
    path = entry(served)
    served.ask(path)
    assert served.ask(path, Cookie=served.cookie).headers["location"] == "/"


def test_an_old_ticket_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.web.access.tickets, "_seconds", -0.001)
    path = entry(served)
    reply = served.ask(path)
    assert reply.status == 403
    assert "too old" in reply.text


def test_a_made_up_ticket_is_refused(served: Served) -> None:
    for path in ("/enter", "/enter?ticket=", "/enter?ticket=x", "/enter?ticket=%ff%00"):
        assert served.ask(path).status == 403


def test_a_ticket_is_not_used_up_by_a_picture_or_a_script(served: Served) -> None:
    path = entry(served)
    for kind in ("image", "script", "iframe", "empty"):
        assert served.ask(path, Sec_Fetch_Dest=kind, Sec_Fetch_Site="cross-site").status == 403
    assert served.ask(path, Sec_Fetch_Dest="document", Sec_Fetch_Site="cross-site").status == 200


def test_tickets_are_forgotten_in_the_end() -> None:
    tickets = Tickets()
    first = tickets.make()
    for _ in range(1000):
        tickets.make()
    assert tickets.take(first) is Verdict.UNKNOWN


# ------------------------------------------------------------------------------------------------------ tunnels


def test_url_makes_a_tunnel_work() -> None:
    access = Access(4000, "https://box.example/")
    assert access.hosts >= {"box.example", "127.0.0.1:4000"}
    assert "https://box.example" in access.origins
    assert access.entry().startswith("https://box.example/enter?ticket=")
    assert "; Secure" in access.cookie_header()


def test_a_server_answers_to_the_host_of_its_url(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("tunnel"), None, url="http://box.example:8080") as served:
        assert served.get("/", Host="box.example:8080").status == 200
        assert served.get("/", Host="box.example").status == 403
        assert served.post("/read", {}, Host="box.example:8080", Origin="http://box.example:8080").status == 303


@pytest.mark.parametrize(
    "url", ["box", "ftp://box", "http://", "http://user@box", "http://box/path", "http://box:x", "//box"]
)
def test_a_url_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(RequestError):
        origin_of(url)


# ------------------------------------------------------------------------------------------------------ raw bytes


@pytest.mark.parametrize(
    "request_text",
    [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "nonsense\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
    ],
)
def test_raw_requests_get_no_content(served: Served, request_text: str) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 5) as line:
        line.sendall(request_text.format(port=served.port).encode())
        line.shutdown(socket.SHUT_WR)
        received = b"".join(iter(lambda: line.recv(65536), b""))
    assert received.split(b" ")[1] in (b"400", b"403")
    assert SECRET.encode() not in received
    assert b"Traceback" not in received
