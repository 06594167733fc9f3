"""Texts made so that looking for secrets takes as long as it can: the time grows with the text, and no faster.

Seconds say little on a machine that does other things too. So each text is tried in two sizes, one four times the
other, and the times are compared. What is quadratic takes sixteen times as long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product

import pytest

from pollux.model import Author, Message, Role, Session, Text, ToolCall
from pollux.transforms.redact import RULES, RedactionOptions, Redactor, Rule
from pollux.transforms.redact.find import Finder
from pollux.transforms.redact.own_names import EMAIL, words_rule
from tests.samples import sample

SIZE = 10_000
FAR = {"jwt": 30_000}
"""Rules that look further need longer texts."""

TIMES = 4
MOST = 9
"""So many times as long may a text take that is four times as long: twice as long, three times the time, twice."""

NOISE = 0.05
"""Less than these seconds nobody measures well, and nobody needs to."""

OWN = words_rule(("a" * 50 + "b", "aaab", "xyx" * 9))
assert OWN is not None
EVERY = {rule.name: rule for rule in (*RULES, EMAIL, OWN)}

# For each rule a text that holds as many beginnings as possible, each of which is read as far as possible in vain.
WORST: dict[str, tuple[str, ...]] = {
    "google-api-key": ("-AIza", "AIza-"),
    "google-oauth": ("-ya29.", "ya29.a"),
    "google-refresh": ("-1//0", "1//0-"),
    "google-client": ("-GOCSPX-",),
    "aws-key-id": ("-AKIA", "AKIAIOSFODNN7EXAMPL "),
    "github-token": ("-ghp_", "ghp_a-"),
    "github-app": ("-ghs_", "ghu_ghs_ghr_"),
    "github-fine-grained": ("-github_pat_", "github_pat_aaaaaaaaaaaaaaaaaaaaaa_-"),
    "gitlab-token": ("glpat-", ".glrt-", "gldt-glptt-glcbt-"),
    "anthropic-key": ("sk-ant-", "-sk-ant-a", "sk-ant-api03-"),
    "openrouter-key": ("sk-or-v1-", "sk-or-v1-00000000000000000000000000000000000000000000000000000000000000000-"),
    "openai-key": ("sk-", "sk-a", "sk-1", "sk-1A", "sk-\n", "sk-proj-", "sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1-"),
    "slack-token": ("xoxb-", "xapp-", "xoxa.xoxb-", "xox"),
    "slack-webhook": ("hooks.slack.com/services/", "hooks.slack.com/services/-"),
    "discord-webhook": ("discord.com/api/webhooks/1", "discord.com/api/webhooks/111111111111111/"),
    "teams-webhook": ("webhook.office.com/webhookb2/", "webhook.office.com/webhookb2/" + "a" * 36),
    "discord-mfa": ("mfa.", "-mfa.-"),
    "matrix-token": ("syt_", "-syt_a_"),
    "meta-token": ("EAA", "-EAA", "-EAAEAAEAA"),
    "stripe-key": ("-sk_live_", "sk_live_rk_test_"),
    "stripe-webhook": ("/whsec_", "whsec_"),
    "npm-token": ("-npm_", "npm_"),
    "pypi-token": ("-pypi-AgE", "pypi-AgE"),
    "huggingface-token": ("-hf_", "hf_"),
    "groq-key": ("-gsk_", "gsk_"),
    "xai-key": ("xai-", "-xai-"),
    "replicate-token": ("-r8_", "r8_"),
    "perplexity-key": ("pplx-", "-pplx-"),
    "sendgrid-key": ("SG.", "-SG.a"),
    "digitalocean-token": ("-dop_v1_", "doo_v1_dor_v1_"),
    "docker-token": ("-dckr_pat_", "dckr_pat_"),
    "telegram-token": (":AA", "11111111:AA", "1:AA-"),
    "discord-token": ("MT", "-MT", "-MTMTMTMTMTMTMTMTMTMTMTMT.aaaaaa.", "OTk5.OTk5"),
    "private-key": (
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----" + "a b\n" * 100,
        "-----BEGIN PRIVATE KEY----" + "- " * 30,
    ),
    "google-key-id": ("private_key_id", "private_key_id='", "private_key_id: " + "0" * 41),
    "aws-secret": ("secret_access_key", "secret_access_key=", "secretaccesskey = " + "/" * 39),
    "azure-account-key": ("accountkey=", "accesskey=" + "a" * 90, "AccountKey=aaa"),
    "azure-client": ("Q~", "aaa1Q~", "aaa1Q~a1Q~"),
    "azure-signature": ("?sig=", "&sig=" + "%3" * 30, ";sig=a"),
    "jwt": (
        "eyJ",
        "-eyJ",
        "-eyJa",
        "eyJaaaaaa\n",
        "-eyJaaaaaa.",
        "-eyJaaaaaa.eyJ",
        "-eyJaaaaaa.eyJaaaaaa.",
        "eyJ\\\r\n \t",
    ),
    "url-password": ("://", "a://a:", "a://:" + ":" * 30, "a://a:a@", "a://a:a@a", "a://a:1/", "a://a:a'a"),
    "url-token": ("://", "a://a1b2", "a://a1B2c3D4e5F6a1B2c3D4@ "),
    "pgpass": (":5432:", ":*:", "a:5432:a:a:", "*:*:a:", "a" * 60 + ":*:", "a:5432:" + "a" * 60 + ":"),
    "netrc": (
        "password ",
        "machine a login b password ",
        "login password ",
        "machine login ",
        "password\n1→",
        "default login a password a ",
    ),
    "connection-password": (";password=", ";pwd=aaa", "; pwd="),
    "bearer": (
        "authorization:",
        "authorization: a",
        "authorization: a ",
        "bearer:",
        "bearer ",
        "bearer  a",
        "bearer bearer.",
        "Bearer aaaaaaaaaaaaaaaaa ",
    ),
    "basic": ("basic ", "basic basicbasic", "Basic aaaaaaaaaaaaaaaaa "),
    "cookie": (
        "cookie:",
        "cookie:a=",
        "cookie: a=b;",
        "cookies={",
        "cookies=[a",
        "cookies:{a:",
        'cookie("a","',
        "\tTRUE\t1\ta\t",
        "-b a=b;",
        "curl -b ",
        "--cookie a=",
        "-b\n - ",
    ),
    "setting": (
        "key=",
        "secret",
        "token_value_key:",
        "password='",
        "key\\",
        "PASSWORD='aaaaaa\\",
        "secret=key=",
        "key\\'= ",
        "pwd=",
        "pwd=-",
        "pwd=a'b",
        "pwd=a,b",
        "pwd=a;b",
        "pwd=a&b",
        "pwd=<",
        "<password>",
        "password>",
        'password="\\"',
        'password=\\"\\\\\\"',
        "PASSWORD=(",
        "secret=$a",
        "DB_PASSWORD = ",
    ),
    "option": (
        "--password ",
        "--token=",
        "--pass",
        " -u",
        "curl -u a:",
        "curl ",
        "curl -u====",
        "mysql -p",
        "mysqlmysql",
        '"-u", "',
        " -p\n - ",
        "--user a:aaa",
        "--a-token",
        "--a-a-a-a",
        "--pass--p-p",
    ),
    "email": ("@", "a@", "a@1.", "a.@", "_@", "a@a-"),
    "word": ("a", "ab", "aaa", "xyx", "xy", "A"),
}


def test_every_rule_has_a_worst_case() -> None:
    assert set(WORST) == set(EVERY)


def generic(rule: Rule) -> set[str]:
    """What can be made of a rule without knowing it: its letters and its example, repeated, cut and mixed."""
    pieces = {letters + after for letters in rule.letters for after in ("", " ", "-", "a", "A1", "=", "'", "\\", "\n")}
    pieces |= {rule.example[:end] + after for end in (-1, -4, len(rule.example) // 2) for after in ("", " ", "-", "\n")}
    return {piece for piece in pieces if piece}


def seconds(work: Callable[[int], object], size: int) -> float:
    begun = time.process_time()
    work(size)
    return time.process_time() - begun


def check_growth(work: Callable[[int], object], what: str, size: int = SIZE) -> None:
    """The work grows with the size. What looks otherwise is measured again: the machine may have been busy."""
    ratios: list[float] = []
    for _ in range(4):
        long = seconds(work, TIMES * size)
        if long < NOISE:
            return
        ratios.append(long / max(min(seconds(work, size) for _ in range(2)), NOISE / TIMES))
        if ratios[-1] <= MOST:
            return
    pytest.fail(f"{what}: {min(ratios):.1f} times as long for {TIMES} times the size")


@pytest.mark.parametrize("name", WORST)
def test_a_rule_by_itself(name: str) -> None:
    finder = Finder([EVERY[name]])
    for piece in (*WORST[name], *sorted(generic(EVERY[name]))):

        def repeated(size: int, piece: str = piece) -> object:
            return finder.find(piece * (size // len(piece)))

        check_growth(repeated, repr(piece), FAR.get(name, SIZE))


@pytest.mark.parametrize("name", WORST)
def test_a_long_row_behind_it(name: str) -> None:
    """One beginning, and then no end."""
    rule = EVERY[name]
    finder = Finder([rule])
    begins = sorted({*WORST[name], *rule.letters, rule.example})
    texts = list(product(begins, ("a", "-", "1", "\\", " ", "\n")))
    for begin, row in sample(texts, 2 * len(begins), name):

        def long(size: int, begin: str = begin, row: str = row) -> object:
            return finder.find(begin + row * size)

        check_growth(long, f"{begin!r} and {row!r}", 10 * SIZE)


NOISE_ITSELF = (
    "%20",
    "%25",
    "\\u0041",
    "\\",
    "&amp;",
    "&#1",
    "<br>",
    "\x1b",
    "\x1b[0m",
    "\x1b[0ma",
    "\x1b]",
    "[0;",
    "a\u200b",
)


@pytest.mark.parametrize("piece", NOISE_ITSELF)
def test_a_text_that_reads_otherwise(piece: str) -> None:
    finder = Finder(EVERY.values())
    for text in (piece, f"{piece}token", f"password{piece}=", f"{piece}{'a' * 3_000}"):

        def repeated(size: int, text: str = text) -> object:
            return finder.find(text * (size // len(text) + 1))

        check_growth(repeated, repr(text))


# ---------------------------------------------------------------------- sessions made to be slow


def called(given: object) -> Session:
    call = ToolCall(id="c", name="t", canonical="t", tool_kind="other", input=given)
    message = Message(id="m", role=Role.ASSISTANT, author=Author.MODEL, parts=(call,))
    return Session(agent="a", id="1", messages=(message,))


def said(text: str) -> Session:
    message = Message(id="m", role=Role.USER, author=Author.HUMAN, parts=(Text(text=text),))
    return Session(agent="a", id="1", messages=(message,))


SESSIONS: dict[str, Callable[[int], Session]] = {
    "a row of beginnings": lambda size: said("sk-" * size),
    "beginnings of all kinds": lambda size: said("".join(rule.letters[0] for rule in RULES) * (size // 100)),
    "a long name of many values": lambda size: called({"password" * (size // 20): ["a1b2c3d4"] * (size // 20)}),
    "many arguments": lambda size: called(["--password", "-u", "a:b", "curl"] * (size // 10)),
    "long arguments": lambda size: called(["-" + "a" * (size // 40)] * 40),
    "names that become the same": lambda size: called({f"/home/ada{number}": 1 for number in range(size // 4)}),
    "a path through many homes": lambda size: Session(
        agent="a", id="1", project=" ".join(f"/home/ada{number}" for number in range(size // 20)), messages=()
    ),
    "homes as addresses write them": lambda size: said("%2Fhome" * (size // 7) + "\\/home" * (size // 7)),
    "texts in base64": lambda size: said("data:text/plain;base64,QUJD " * (size // 20)),
    "many secrets on one line": lambda size: said(f"{RULES[0].example} " * (size // 20)),
    "one secret that is long": lambda size: said(f"{EVERY['pypi-token'].example}{'a1B2' * size}"),
}


@pytest.mark.parametrize("what", SESSIONS)
def test_a_session(what: str) -> None:
    make = SESSIONS[what]
    every = {size: make(size) for size in (SIZE, TIMES * SIZE)}
    private = RedactionOptions(words=("aaab",), emails=True, home="/home/ada", users=("ada",))
    check_growth(lambda size: Redactor(private)(every[size]), f"{what}: redacted")
    check_growth(lambda size: list(Redactor(private).findings(every[size])), f"{what}: scanned")


def test_all_of_a_long_secret_is_taken_out() -> None:
    """A rule decides by the beginning, but what it finds is followed to its end."""
    for name, rule in EVERY.items():
        if rule.grows:
            long = rule.example + "a1B2" * 2_000
            assert Redactor().text(f"it is {long} so") == f"it is [secret:{name}#1] so"
