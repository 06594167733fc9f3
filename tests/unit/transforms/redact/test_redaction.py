"""After redaction no secret is left, whichever field it stood in and whichever format it is written in."""

from __future__ import annotations

import base64

import msgspec
import pytest

from pollux import registry
from pollux.model import Attachment, Author, Message, Role, Session, Text, ToolCall
from pollux.transforms.redact import RULES, RedactionOptions, Redactor
from pollux.transforms.redact.own_names import EMAIL
from pollux.transforms.texts import rewrite_texts
from pollux.writers.base import Options
from tests.unit.writers.full_session import EVERYTHING, MORE, Path, kind, places, with_text
from tests.unit.writers.markdown_parser import joined

SMALL: Session = msgspec.structs.replace(EVERYTHING, messages=MORE)
KINDS: dict[str, Path] = {kind(path): path for path in places(SMALL)}
FULL = Options(thinking=True, tools="full", tokens=True, notices=True, front_matter=True)
PRIVATE = RedactionOptions(words=("Project Nightingale",), emails=True, home="/home/ada", users=("ada",))
EXAMPLES = {rule.name: rule.example for rule in (*RULES, EMAIL)} | {"word": "project nightingale"}


def pieces(rule: str) -> list[str]:
    """What must not be seen, line by line."""
    text = EXAMPLES[rule]
    hidden = {"setting": "kaffee7Rosen", "url-password": "kaffee7Rosen", "connection-password": "kaffee7Rosen"}
    hidden |= {"cookie": "kaffee7Rosen"}
    hidden |= {"basic": "YWRhOmthZmZlZTdSb3Nlbg==", "bearer": text.split()[-1], "aws-secret": text.split()[-1]}
    lines = [line.strip('"') for line in hidden.get(rule, text).split("\n") if "-----" not in line]
    return [
        line.partition("sig=")[2] or line.partition("Key=")[2] or line.partition(': "')[2] or line for line in lines
    ]


def outputs(session: Session) -> dict[str, str]:
    answer = {}
    for name in registry.WRITERS:
        out: list[str] = []
        registry.writer(name).write(session, out.append, FULL)
        answer[name] = joined(out)
    return answer


@pytest.mark.parametrize("place", KINDS)
def test_no_secret_is_left_in_any_field(place: str) -> None:
    together = "\n\n".join(EXAMPLES.values())
    redactor = Redactor(PRIVATE)
    for name, output in outputs(redactor(with_text(SMALL, KINDS[place], together))).items():
        left = [rule for rule in EXAMPLES for piece in pieces(rule) if piece in output]
        assert not left, (name, place)


TOKEN = EXAMPLES["github-token"]
KEY = EXAMPLES["private-key"].split("\n")
FORMS = {
    "coloured": f"\x1b[33m{TOKEN}\x1b[0m \x1b[36mDB_PASSWORD\x1b[0m=\x1b[33mkaffee7Rosen\x1b[0m",
    "coloured within": f"\x1b[01;31m\x1b[K{TOKEN[:4]}\x1b[m\x1b[K{TOKEN[4:]}",
    "written out": f"\\u001b[32m{TOKEN} \\u0022{TOKEN}\\u0022 \\x22{TOKEN} %22{TOKEN} &quot;{TOKEN} \\033[1m{TOKEN}",
    "unseen": f"{TOKEN[:4]}\u200b{TOKEN[4:]}",
    "numbered": "\n".join(f"{number:6}→{line}" for number, line in enumerate(KEY, 1)),
    "found by grep": "\n".join(f"id_rsa:{number}:{line}" for number, line in enumerate(KEY, 1)),
    "address": "see data:application/x-yaml;base64," + base64.b64encode(f"token: {TOKEN}".encode()).decode(),
}
LEFT = [TOKEN[8:], "kaffee7Rosen", *KEY[1:-1], FORMS["address"][-20:]]


@pytest.mark.parametrize("place", KINDS)
def test_no_secret_is_left_however_it_is_written(place: str) -> None:
    redactor = Redactor(PRIVATE)
    for name, output in outputs(redactor(with_text(SMALL, KINDS[place], "\n\n".join(FORMS.values())))).items():
        assert not [piece for piece in LEFT if piece in output], (name, place)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_no_secret_is_left_by_itself(rule: str) -> None:
    for place in ("title", "messages.*.parts.*.input.file_path", "messages.*.extra.odd.", "files.*", "id"):
        session = Redactor(PRIVATE)(with_text(SMALL, KINDS[place], EXAMPLES[rule]))
        for name, output in outputs(session).items():
            assert not [piece for piece in pieces(rule) if piece in output], (name, place)


@pytest.mark.parametrize("place", KINDS)
def test_a_scan_tells_the_field_and_nothing_of_the_secret(place: str) -> None:
    example = EXAMPLES["github-token"]
    session = with_text(SMALL, KINDS[place], example)
    results = [one for one in Redactor().findings(session) if one.rule == "github-token"]
    assert results
    (inside,) = {one.message for one in results}
    assert (inside is not None) == place.startswith("messages")
    assert example[8:] not in str(results)


def test_every_text_is_visited_once() -> None:
    entries: list[str] = []

    def visit(text: str, _field: str, _name: str | None) -> str:
        entries.append(text)
        return text

    assert rewrite_texts(SMALL, visit) is SMALL
    for place in KINDS.values():
        entries.clear()
        rewrite_texts(with_text(SMALL, place, "zanzibarquark"), visit)
        assert entries.count("zanzibarquark") == 1, place


def test_what_has_no_secret_stays_the_same() -> None:
    innocent = Session(agent="a", id="1", messages=(said("hello"),))
    assert Redactor()(innocent) == innocent
    assert Redactor()(innocent).messages[0] is innocent.messages[0]


def said(text: str) -> Message:
    return Message(id="m", role=Role.USER, author=Author.HUMAN, parts=(Text(text=text),))


def called(given: object) -> Session:
    call = ToolCall(id="c", name="t", canonical="t", tool_kind="other", input=given)
    message = Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=(call,))
    return Session(agent="a", id="1", messages=(message,))


def given(session: Session) -> object:
    (call,) = session.messages[0].parts
    assert isinstance(call, ToolCall)
    return call.input


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"password": "q8W7e6R5t4Y3u2"}, {"password": "[secret:setting#1]"}),
        ({"env": {"DB_PASSWORD": "kaffee7"}}, {"env": {"DB_PASSWORD": "[secret:setting#1]"}}),
        ({"tokens": 5, "token": "next"}, {"tokens": 5, "token": "next"}),
        ({"private_key_id": "3f9a1c07" * 5}, {"private_key_id": "[secret:google-key-id#1]"}),
        ({"api_keys": ["q8W7e6R5t4Y3u2"]}, {"api_keys": ["q8W7e6R5t4Y3u2"]}),
        (
            {"headers": {"Authorization": "Bearer q8W7e6R5t4Y3u2i1"}},
            {"headers": {"Authorization": "Bearer [secret:bearer#1]"}},
        ),
        (["deploy", "--password", "hunter2"], ["deploy", "--password", "[secret:option#1]"]),
        (["curl", "-u", "ada:swordfish"], ["curl", "-u", "ada:[secret:option#1]"]),
        (["mysql", "-u", "root", "-pkaffee7Rosen"], ["mysql", "-u", "root", "-p[secret:option#1]"]),
        (["-b", "sid=kaffee7Rosen"], ["-b", "[secret:cookie#1]"]),
        (["-v", "hunter2"], ["-v", "hunter2"]),
        ({"Cookie": "sid=kaffee7Rosen"}, {"Cookie": "[secret:cookie#1]"}),
        ({"set-cookie": ["a=b", "sid=kaffee7Rosen"]}, {"set-cookie": ["a=b", "[secret:cookie#1]"]}),
        ({"cookies": {"a": "b", "sid": "kaffee7Rosen"}}, {"cookies": {"a": "b", "sid": "[secret:cookie#1]"}}),
        (
            {"cookies": [{"name": "sid", "value": "kaffee7Rosen"}]},
            {"cookies": [{"name": "sid", "value": "[secret:cookie#1]"}]},
        ),
    ],
)
def test_a_name_tells_a_secret(before: object, after: object) -> None:
    assert given(Redactor()(called(before))) == after


def test_two_names_that_become_the_same_are_both_kept() -> None:
    hidden = given(Redactor(PRIVATE)(called({"/home/ada/x": 1, "/home/bob/x": 2})))
    assert hidden == {"~/x": 1, "~/x (2)": 2}


def test_a_text_in_an_attachment() -> None:
    secret = EXAMPLES["npm-token"]
    data = base64.b64encode(f"//registry/:_authToken={secret}\n".encode()).decode()
    message = Message(
        id="m", role=Role.USER, author=Author.HUMAN, parts=(Attachment(media_type="text/plain", data=data),)
    )
    (part,) = Redactor()(Session(agent="a", id="1", messages=(message,))).messages[0].parts
    assert isinstance(part, Attachment)
    assert part.data is not None
    assert base64.b64decode(part.data).decode() == "//registry/:_authToken=[secret:npm-token#1]\n"


SETTINGS = f"# café\nGITHUB_TOKEN={TOKEN}\n".encode()
PLAIN = base64.b64encode(SETTINGS).decode()
CODED = {
    "lines": "\n".join(PLAIN[place : place + 76] for place in range(0, len(PLAIN), 76)),
    "other alphabet": base64.urlsafe_b64encode(SETTINGS + b"\xc3\xbf\xc3\xbe>>>???").decode().rstrip("="),
    "latin-1": base64.b64encode(SETTINGS + b"\xe9").decode(),
    "utf-16": base64.b64encode(SETTINGS.decode().encode("utf-16")).decode(),
    "utf-16 without a mark": base64.b64encode(SETTINGS.decode().encode("utf-16-le")).decode(),
}
TYPES = ("application/x-yaml", "application/toml", "application/octet-stream", "application/vnd.acme", "")


@pytest.mark.parametrize(
    ("media_type", "data"), [*(("text/plain", data) for data in CODED.values()), *((name, PLAIN) for name in TYPES)]
)
def test_a_text_in_base64(media_type: str, data: str) -> None:
    attached = Attachment(media_type=media_type, data=data)
    message = Message(id="m", role=Role.USER, author=Author.HUMAN, parts=(attached,))
    (part,) = Redactor()(Session(agent="a", id="1", messages=(message,))).messages[0].parts
    assert isinstance(part, Attachment)
    assert part.data is not None
    said = base64.b64decode(part.data).replace(b"\0", b"")
    assert TOKEN.encode() not in said
    assert b"GITHUB_TOKEN=[secret:github-token#1]\n" in said


def test_a_text_in_base64_that_pollux_has_no_word_for() -> None:
    record = {"source": {"type": "base64", "media_type": "text/plain", "data": PLAIN}}
    hidden = given(Redactor()(called(record)))
    assert PLAIN not in str(hidden)
    assert base64.b64encode(b"[secret:github-token#1]").decode()[4:20] in str(hidden)


def test_pictures_and_words_beside_a_media_type_stay() -> None:
    for record in (
        {"mimeType": "image/png", "data": base64.b64encode(bytes(range(256)) * 9).decode()},
        {"mimeType": "text/plain", "text": "ordinary words and more of them"},
    ):
        assert given(Redactor(PRIVATE)(called(record))) == record


# ---------------------------------------------------------------------- what only the user knows


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("/home/ada/code", "~/code"),
        ("cd /home/ada", "cd ~"),
        ("/home/adam/code", "~/code"),
        ("file:///Users/eve/x", "file://~/x"),
        (r"C:\Users\eve\x", r"~\x"),
        (r"C:\\Users\\eve\\x", r"~\\x"),
        ("ada@laptop:~$", "~@laptop:~$"),
        ("-home-ada-code", "-home-~-code"),
        ("/export/home/eve/x", "~/x"),
        ("/usr/home/eve/x", "~/x"),
        ("/data/home/eve", "~"),
        ("/mnt/c/Users/eve/x", "~/x"),
        ("/c/Users/eve/x", "~/x"),
        (r"\/home\/eve\/x", r"~\/x"),
        ("?at=%2Fhome%2Feve%2Fx", "?at=~%2Fx"),
        ("file%3A%2F%2F%2Fhome%2feve", "file%3A%2F%2F~"),
        ("https%3A%2F%2Fexample.com%2Fhome%2Fpage", "https%3A%2F%2Fexample.com%2Fhome%2Fpage"),
        ("Canada and adamant", "Canada and adamant"),
        ("https://example.com/home/page", "https://example.com/home/page"),
        ("https://example.com/Users/list", "https://example.com/Users/list"),
    ],
)
def test_homes_and_names(text: str, hidden: str) -> None:
    assert Redactor(RedactionOptions(home="/home/ada", users=("ada",))).text(text) == hidden


def test_the_owner_of_the_projects_home_is_hidden() -> None:
    session = Session(agent="a", id="1", project="/home/juno/x", messages=(said("juno wrote it"),))
    (part,) = Redactor()(session).messages[0].parts
    assert isinstance(part, Text)
    assert part.text == "~ wrote it"


@pytest.mark.parametrize("name", ["root", "user", "dev", "ci", "me"])
def test_a_common_name_is_no_name(name: str) -> None:
    assert Redactor(RedactionOptions(users=(name,))).text(f"the {name} of it") == f"the {name} of it"


def test_own_words_in_any_writing() -> None:
    redactor = Redactor(RedactionOptions(words=("Nightingale", "nightingale-2")))
    assert redactor.text("NIGHTINGALE, nightingale-2, Nightingales") == (
        "[secret:word#1], [secret:word#2], [secret:word#1]s"
    )


def test_letters_that_grow_when_made_small() -> None:
    assert Redactor(RedactionOptions(words=("straße",))).text("İİİ Straße") == "İİİ [secret:word#1]"


def test_addresses_only_on_request() -> None:
    text = "Mail ada.l+x@engine.example.org or git@github.com:a/b, not a@b."
    assert Redactor().text(text) == text
    assert Redactor(RedactionOptions(emails=True)).text(text) == "Mail [secret:email#1] or git@github.com:a/b, not a@b."
