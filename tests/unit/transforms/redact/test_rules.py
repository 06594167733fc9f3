"""Every rule proves itself on its example, and none cries wolf."""

from __future__ import annotations

import base64
import json
import random
import sysconfig
from pathlib import Path

import pytest

from pollux.transforms.redact import RULES, Redactor, Rule
from pollux.transforms.redact.find import Finder, Span
from pollux.transforms.redact.own_names import EMAIL

FINDER = Finder(RULES)
EVERY = {rule.name: rule for rule in (*RULES, EMAIL)}
by_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def found(text: str) -> list[str]:
    return [span.rule.name for span in FINDER.find(text)]


def secret(rule: Rule) -> str:
    """The part of the example that must not be seen."""
    (span,) = FINDER.find(rule.example)
    return rule.example[span.start : span.end]


def test_names_are_unique() -> None:
    assert len(EVERY) == len(RULES) + 1


@by_rule
def test_finds_its_example(rule: Rule) -> None:
    assert found(rule.example) == [rule.name]


@by_rule
def test_finds_it_in_any_company(rule: Rule) -> None:
    for around in ("Here:\n{}\nand so on.", "x\n\n{}", "```\n{}\n```", "> {}\n", "({})", "\t{};\n", "<b>\n{}</b>"):
        text = around.format(rule.example)
        assert rule.name in found(text), text
        assert secret(rule) not in Redactor().text(text), text


@by_rule
def test_finds_it_in_a_text_inside_a_text(rule: Rule) -> None:
    """As an agent records what a tool got: JSON in a string, its lines ended by a backslash and an n."""
    once = json.dumps({"content": f"first\n{rule.example}\nlast"})
    for text in (once, json.dumps(once)):
        assert rule.name in found(text), text
        assert json.dumps(secret(rule))[1:-1] not in Redactor().text(text)


@by_rule
def test_finds_it_as_an_argument(rule: Rule) -> None:
    assert rule.name in found(f"curl -H 'x' {rule.example} https://example.com"), rule.example


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.wraps], ids=lambda rule: rule.name)
@pytest.mark.parametrize("gap", ["\n", "\r\n", "\n    ", "\\\n  "])
def test_finds_it_broken_into_lines(rule: Rule, gap: str) -> None:
    example = rule.example
    begun = max(len(letters) for letters in rule.letters)
    for place in range(begun + 3, len(example) - 8, 7) if any(map(str.isdecimal, example)) else ():
        broken = f"the key is {example[:place]}{gap}{example[place:]} end"
        assert rule.name in found(broken), broken
        left = Redactor().text(broken)
        assert example[begun : begun + 6] not in left
        assert example[-6:] not in left, left
        assert left.endswith(" end")


@by_rule
def test_what_was_taken_out_is_not_found_again(rule: Rule) -> None:
    once = Redactor().text(rule.example)
    assert found(once) == []
    assert Redactor().text(once) == once


# ---------------------------------------------------------------------- shapes that people really paste


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("DB_PASSWORD=kaffee7Rosen", ["setting"]),
        ("export STRIPE_SECRET='kaffee7Rosen'", ["setting"]),
        ('ENV API_TOKEN="kaffee7Rosen"', ["setting"]),
        ("docker run -e DB_PASSWORD=kaffee7Rosen app", ["setting"]),
        ("DB_PASSWORD=correct-horse-battery", ["setting"]),
        ("HEROKU_API_KEY=3f9a1c07-e5b2-4d64-80a9-c3b71e5d8246", ["setting"]),
        ("sk-3f9a1c07e5b28d64f0a9c3b71e5d8246", ["openai-key"]),
        ("sk-proj-b7Qx2kVn9TzR4mLw8HsJ", ["openai-key"]),
        ("ghp_b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB0oKv", ["github-token"]),
        ('{"DB_PASSWORD": "kaffee7Rosen"}', ["setting"]),
        ('{"user": "ada", "password": "hunter22"}', ["setting"]),
        ('{\\"clientSecret\\": \\"s3same\\"}', ["setting"]),
        ('{\\"DB_PASSWORD\\": \\"kaffee7Rosen\\"}', ["setting"]),
        ('api_key = "8f3a91c07e5b28d64f0a9c3b71e5d824"', ["setting"]),
        ("password: q8W7e6R5t4Y3u2", ["setting"]),
        ('"clientSecret": "q8W7e6R5t4Y3u2"', ["setting"]),
        ("mysql://root:p%40ss7Word@127.0.0.1/db", ["url-password"]),
        ("redis://:kaffee7Rosen@cache:6379", ["url-password"]),
        ("https://oauth2:kaffee7Rosen@git.example.com/x.git", ["url-password"]),
        ("Server=x;Pwd=kaffee7Rosen", ["connection-password"]),
        ("authorization: bearer q8W7e6R5t4Y3u2i1", ["bearer"]),
        ("-H 'Authorization: Basic YWRhOmthZmZlZTdSb3Nlbg=='", ["basic"]),
        ("mysqldump --password=kaffee7Rosen shop", ["option"]),
        ('["login", "--token", "kaffee7Rosen"]', ["option"]),
        ("sshpass -p 'kaffee7Rosen' ssh ada@host", ["option"]),
        ("curl -s -u ada:kaffee7Rosen https://host", ["option"]),
        ("mysqldump -u root -pkaffee7Rosen shop", ["option"]),
        ("mysql -u root -p shop2026", []),
        ("docker login -u ada -p kaffee7Rosen", ["option"]),
        ("mkdir -p src/kaffee7Rosen", []),
        ("docker run -u 1000:1000 -p 8080:8080 app", []),
        ('["--password", "hunter2"]', ["option"]),
        ("['--password', 'hunter2']", ["option"]),
        ('[\\"--password\\", \\"hunter2\\"]', ["option"]),
        ('["-u","ada:kaffee7Rosen"]', ["option"]),
        ('["curl", "-u", "ada:swordfish"]', ["option"]),
        ('["mysql", "-u", "root", "-pkaffee7Rosen"]', ["option"]),
        ('["sshpass", "-p", "kaffee7Rosen", "ssh"]', ["option"]),
        ("args:\n  - --token\n  - kaffee7Rosen\n", ["option"]),
        ('["--db-password", "hunter2"]', ["option"]),
        ("tool --registry-auth-token=kaffee7Rosen", ["option"]),
        ("tool --secret-access-key kaffee7Rosen", ["option"]),
        ("tool --public-key a1b2c3d4 --key a1b2c3d4", []),
        ("wget --http-password=kaffee7Rosen --http-user=ada https://host", ["option"]),
        ("curl --proxy-user ada:kaffee7Rosen https://host", ["option"]),
        ("tool --no-password-check a1b2c3d4 --tokens a1b2c3d4", []),
        ('["--password", "--user", "a1b2c3"]', []),
        ('add_argument("--token", "-t7", dest="token")', []),
        ("Cookie: sessionid=kaffee7Rosen", ["cookie"]),
        ("> cookie: theme=dark; sid=s%3Ab7Qx2kVn9TzR4mLw", ["cookie"]),
        ("Set-Cookie: sid=b7Qx2kVn9TzR; Path=/; HttpOnly", ["cookie"]),
        ("curl -H 'Cookie: auth_token=kaffee7Rosen' https://host", ["cookie"]),
        ("curl -s -b 'sid=kaffee7Rosen' https://host", ["cookie"]),
        ("curl --cookie sid=kaffee7Rosen https://host", ["cookie"]),
        ('["curl", "-b", "sid=kaffee7Rosen"]', ["cookie"]),
        ('{"headers": {"Cookie": "sid=kaffee7Rosen"}}', ["cookie"]),
        ('{\\"set-cookie\\": [\\"sid=kaffee7Rosen; Path=/\\"]}', ["cookie"]),
        ('requests.get(url, cookies={"theme": "dark", "sessionid": "kaffee7Rosen"})', ["cookie"]),
        ('{"cookies": [{"name": "sid", "value": "b7Qx2kVn9TzR", "domain": "host"}]}', ["cookie"]),
        ('document.cookie = "sid=b7Qx2kVn9TzR"', ["cookie"]),
        ('res.cookie("sid", "b7Qx2kVn9TzR")', ["cookie"]),
        (".host\tTRUE\t/\tFALSE\t1893456000\tsid\tb7Qx2kVn9TzR", ["cookie"]),
        ("Cookie: theme=dark; lang=en-GB", []),
        ("Cookie: session=<your session>; token=${TOKEN}", []),
        ('{"cookie": "sid", "cookies": {"theme": theme}}', []),
        ("curl -b cookies.txt https://host", []),
        ("git checkout -b fix=sid1234567890ab", []),
        ("https://api.telegram.org/bot112233445:AAb7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5/getMe", ["telegram-token"]),
        ("xoxb-123456789012-1234567890123-b7Qx2kVn9TzR4mLw8HsJ3dYc", ["slack-token"]),
        ("client.run('MTEyMjMzNDQ1NTY2Nzc4ODk5.b7Qx2k.Vn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB0oKvXq7C')", ["discord-token"]),
        ("MTEyMjMzNDQ1NTY2Nzc4ODkA.b7Qx2k.Vn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB0oKvXq7C", []),
        ("12:30:45:AAPL and 12345678:AA", []),
        ("tool --password-stdin < kaffee7Rosen.txt", []),
        ("--token TOKEN  the token; --password <password1>", []),
        ("password=kaffee7Rosen", ["setting"]),
        ("[client]\nuser=ada\npassword=kaffee7Rosen\n", ["setting"]),
        ("spring.datasource.password=kaffee7Rosen", ["setting"]),
        ("    password=oauth2,\n    user=ada1", []),
        ("password=self.hash2\npassword=make2(a1)", []),
        ("password: kaffee7Rosen", ["setting"]),
        ("password = kaffee7Rosen", ["setting"]),
        ("db_password=kaffee7Rosen", ["setting"]),
        ("DB_PASSWORD = kaffee7Rosen", ["setting"]),
        ("$env:DB_PASSWORD = 'kaffee7Rosen'", ["setting"]),
        ("$env:DB_PASSWORD='swordfish'", ["setting"]),
        ("connect(host, password='kaffee7Rosen')", ["setting"]),
        ("https://host/?user=ada&password=kaffee7Rosen&x=1", ["setting"]),
        ("<password>kaffee7Rosen</password>", ["setting"]),
        ("<db:password>kaffee7Rosen</db:password>", ["setting"]),
        ("     3→DB_PASSWORD=swordfish", ["setting"]),
        (".env:3:DB_PASSWORD=swordfish", ["setting"]),
        ("+DB_PASSWORD=swordfish", ["setting"]),
        ("-DB_PASSWORD=swordfish", ["setting"]),
        ("     3\tDB_PASSWORD=swordfish", ["setting"]),
        ("A=b\0DB_PASSWORD=swordfish\0", ["setting"]),
        ("machine host login ada password kaffee7Rosen", ["netrc"]),
        ("machine host\n  login ada\n  password swordfish", ["netrc"]),
        ("     1→machine host\n     2→login ada\n     3→password swordfish", ["netrc"]),
        ("default login ada password swordfish", ["netrc"]),
        ("a machine may login with password authentication", []),
        ("db:5432:shop:ada:kaffee7Rosen", ["pgpass"]),
        ("*:*:*:ada:kaffee7Rosen", ["pgpass"]),
        ("docker run -p 0.0.0.0:5432:5432 postgres", []),
        ("Authorization: token b7Qx2kVn9TzR4mLw8HsJ", ["bearer"]),
        ("Authorization: ApiKey b7Qx2kVn9TzR4mLw8HsJ", ["bearer"]),
        ("Authorization: b7Qx2kVn9TzR4mLw8HsJ", ["bearer"]),
        ("Authorization:Bearer\tb7Qx2kVn9TzR4mLw8HsJ", ["bearer"]),
        ("Bearer:b7Qx2kVn9TzR4mLw8HsJ", ["bearer"]),
        ("https://3f9a1c07e5b28d64f0a9c3b71e5d82460f9b3a7c@github.com/ada/x", ["url-token"]),
        ("https://long-lived-and-well-named@github.com/ada/x", []),
        ("HTTPS://ada:kaffee7Rosen@host", ["url-password"]),
        (f"https://{'a' * 200}:kaffee7Rosen@host", ["url-password"]),
        ("http://localhost:3000/@vite/client", []),
        ("https://registry.example.com:443/a/b@v1.2.3", []),
        ("oci://image:v1.2.3@sha256:3f9a1c07", []),
        ("token_ghp_b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB", ["github-token"]),
    ],
)
def test_shapes(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "value",
    [
        "$kaffee7Rosen99",
        "(kaffee7Rosen99",
        "*kaffee7Rosen99",
        "test7Kaffee!Rosen",
        "Kaffee7111111Rosen",
        "Kaffee7yourRosen",
        "3f9a1c07example28d64f0",
        "kaffee7,Rosen99",
        "kaffee7'Rosen99",
        "kaf\\kee7Rosen99",
        "kaf;fee7Rosen99",
        "kaf&fee7Rosen99",
        "kaf<fee7Rosen99",
    ],
)
def test_a_setting_is_taken_out_whole(value: str) -> None:
    assert Redactor().text(f"DB_PASSWORD={value}\nHOST=db") == "DB_PASSWORD=[secret:setting#1]\nHOST=db"


@pytest.mark.parametrize(
    "value", ["Kaffee7@Rosen99", "Kaffee7/Rosen99", "Kaffee7'Rosen99", "Kaffee7/Ro@sen99", "p%407Rosen"]
)
def test_a_password_in_an_address_is_taken_out_whole(value: str) -> None:
    text = "see postgres://ada:{}@db.internal/shop?mail=ada@example.com, or not"
    assert Redactor().text(text.format(value)) == text.format("[secret:url-password#1]")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('{"password": "kaf\\"fee7Rosen99", "a": 1}', '{"password": "[secret:setting#1]", "a": 1}'),
        ('{"password": "kaf\\\\fee7Rosen99", "a": 1}', '{"password": "[secret:setting#1]", "a": 1}'),
        ('{\\"password\\": \\"kaf\\\\\\"fee7Rosen99\\"}', '{\\"password\\": \\"[secret:setting#1]\\"}'),
        ('{"password": "kaf\'fee7Rosen99"}', '{"password": "[secret:setting#1]"}'),
        ("/?password=kaffee7Rosen&x=1", "/?password=[secret:setting#1]&x=1"),
        ("password=kaffee7Rosen,host=db", "password=[secret:setting#1],host=db"),
        ("password=kaffee7Rosen;host=db", "password=[secret:setting#1];host=db"),
        ("<password>kaffee7Rosen</password>", "<password>[secret:setting#1]</password>"),
    ],
)
def test_what_stands_beside_a_value_stays(text: str, hidden: str) -> None:
    assert Redactor().text(text) == hidden


@pytest.mark.parametrize("value", ["correct horse battery staple", "kaffee,7Rosen, und mehr"])
@pytest.mark.parametrize("around", ['DB_PASSWORD="{}"', "export DB_PASSWORD='{}'", '{{\\"DB_PASSWORD\\"=\\"{}\\"}}'])
def test_a_setting_in_quotes_goes_as_far_as_they_do(around: str, value: str) -> None:
    assert Redactor().text(around.format(value)) == around.format("[secret:setting#1]")


def test_a_private_key_with_written_line_ends() -> None:
    key = EVERY["private-key"].example
    service = json.dumps({"type": "service_account", "private_key": key + "\n"})
    assert found(service) == ["private-key"]
    assert "PRIVATE KEY" not in Redactor().text(service)


@pytest.mark.parametrize(
    "margin", ["    ", "+", "-", "> ", "  12\t", "| ", "   12→", "   12   │ ", "id_rsa:12:", "id_rsa-12-", "# "]
)
def test_a_private_key_with_a_margin(margin: str) -> None:
    key = "\n".join(margin + line for line in EVERY["private-key"].example.split("\n"))
    assert found(key) == ["private-key"]
    left = Redactor().text(f"before\n{key}\nafter")
    assert left == f"before\n{margin}[secret:private-key#1]\nafter"


@pytest.mark.parametrize(
    "end", ["\r\n", "\r", "\\n", "\\r\\n", "\\u000a", "%0A", "%0D%0A", "&#10;", "<br>", "<br/>", " ", "\x1b[m\n"]
)
def test_a_private_key_with_other_line_ends(end: str) -> None:
    key = EVERY["private-key"].example.replace("\n", end)
    assert Redactor().text(f"a {key} b") == "a [secret:private-key#1] b"


def test_a_private_key_in_a_coloured_diff() -> None:
    lines = EVERY["private-key"].example.split("\n")
    left = Redactor().text("\n".join(f"\x1b[32m+\x1b[m\x1b[32m{line}\x1b[m" for line in lines))
    assert left == "\x1b[32m+\x1b[m\x1b[32m[secret:private-key#1]\x1b[m"


def test_a_private_key_of_another_make() -> None:
    lines = EVERY["private-key"].example.split("\n")[1:-1]
    text = "\n".join(["---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", *lines, "---- END SSH2 ENCRYPTED PRIVATE KEY ----"])
    assert Redactor().text(text) == "[secret:private-key#1]"


def test_a_private_key_that_was_cut_off() -> None:
    cut = EVERY["private-key"].example[:120]
    assert found(f"{cut}\n") == ["private-key"]


def test_the_same_secret_has_the_same_number() -> None:
    redactor = Redactor()
    one, other = EVERY["github-token"].example, EVERY["github-token"].example[:-1] + "Z"
    assert redactor.text(f"{one} {other} {one}") == (
        "[secret:github-token#1] [secret:github-token#2] [secret:github-token#1]"
    )
    assert redactor.text(other) == "[secret:github-token#2]"


def test_overlapping_secrets_are_one() -> None:
    text = f"GITHUB_TOKEN={EVERY['github-token'].example}"
    assert Redactor().text(text) == "GITHUB_TOKEN=[secret:github-token#1]"


def test_the_start_of_a_token_before_a_long_row_of_letters() -> None:
    """Inline source maps and cursors begin like a JSON web token, and never have its second dot."""
    for row in ("a1" * 50_000, "ab\n" * 30_000, "-eyJa" * 5_000):
        assert found(f"//# sourceMappingURL=data:application/json;base64,eyJ{row}!") == []


# ---------------------------------------------------------------------- no false alarms

INNOCENT = [
    "commit 3f9a1c07e5b28d64f0a9c3b71e5d82460f9b3a7c",
    "3f9a1c07-e5b2-4d64-80a9-c3b71e5d8246",
    "token: 3f9a1c07-e5b2-4d64-80a9-c3b71e5d8246",
    '"integrity": "sha512-b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB0oKvXq7CtZr2WyMh9SjDlEu4GfIpA8b3xV6nQk1Tzb7Qx2kVn9TzQ=="',
    "sha256:3f9a1c07e5b28d64f0a9c3b71e5d82460f9b3a7c3f9a1c07e5b28d64f0a9c3b7",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    "OPENAI_API_KEY=sk-your-key-here",
    "API_KEY=<your api key>",
    "API_KEY=${API_KEY}",
    "TOKEN=$(cat token)",
    "password = getpass.getpass()",
    'password = os.environ["DB_PASSWORD"]',
    '{"password": "required, 8 characters or more"}',
    '{"type": "password", "secret": "required"}',
    "MAX_TOKENS=4096",
    "max_output_tokens: 65536",
    "token_count=1234567890",
    "access_token_expires_in=3600",
    "postgres://user:password@localhost/db",
    "http://user:pass@example.com",
    "https://github.com/a/b@v1.2.3",
    "AKIAIOSFODNN7EXAMPLE",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "Authorization: Bearer <token>",
    "a basic understanding of things",
    "the bearer of responsibilities-and-duties",
    "hf_hub_download hf_transfer npm_config_registry",
    "sk-learn sk-toggleable__label-arrow-in-a-very-long-css-class-name",
    "git@github.com:ada/engine.git",
    "!function(e,t){var token=e.t1,n=r2,secret:a.b2c3}(window);",
    "def test_password_is_hashed_with_argon2(): pass",
    "secret_manager.access_secret_version(name=secret_name)",
    "password = get_password()",
    "password: string",
    "token: Token",
    'password=os.environ["X1"]',
    "password = user1Password",
    "password: oauth2_flow",
    "password = base64_encoded",
    "password = sha256OfIt",
    "password = config.db1.value",
    "password = hashes[i2b]",
    "password = this.form1?.password",
    "password: 'required'",
    'password: "{0}1"',
    "password = $request->input1",
    "DB_PASSWORD=$DB_PASSWORD_2",
    "DB_PASSWORD=%DB_PASSWORD%",
    "DB_PASSWORD=********",
    "API_KEY=putyourkeyhere",
    "API_KEY=test_key_123",
    "pwd=packages/web2app",
    "<password>your password</password>",
    "if a < password > b2c3d4e5",
    "the password is changed every 90days, see RFC2617 and SHA256",
    "-----BEGIN PRIVATE KEY----- stands first, then come lines of letters, digits, slashes and plus signs",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_innocent(text: str) -> None:
    assert found(text) == []


def test_pictures_are_innocent() -> None:
    chance = random.Random(7)
    for _ in range(20):
        assert found(base64.b64encode(chance.randbytes(100_000)).decode()) == []


@pytest.mark.slow
def test_ordinary_code_is_innocent() -> None:
    """The standard library and the packages that the tests need: whoever finds a secret there has found a bug."""
    folders = sysconfig.get_paths()
    packages = ("pytest", "_pytest", "hypothesis", "msgspec", "rich", "click", "pygments", "markdown_it", "mypy")
    standard = sorted(Path(folders["stdlib"]).glob("*.py")) + sorted(Path(folders["stdlib"]).glob("[a-s]*/*.py"))
    files = [file for file in standard if "test" not in file.parts[-2]]
    files += [file for name in packages for file in sorted((Path(folders["purelib"]) / name).glob("*.py"))]
    lines = 0
    alarms: list[tuple[Path, Span]] = []
    for file in files[::3]:
        text = file.read_text("utf-8", "replace")
        lines += text.count("\n")
        alarms += [(file, span) for span in FINDER.find(text)]
    assert lines > 10_000
    assert not alarms


def test_logs_are_innocent() -> None:
    chance = random.Random(3)
    lines = []
    for number in range(5_000):
        digest = f"{chance.getrandbits(160):040x}"
        lines += [
            f"2026-11-15T05:57:{number % 60:02}.123Z INFO request {digest[:8]}-{digest[8:12]} took {number} ms",
            f" * [new commit] {digest} main -> origin/main ({number} objects, {number * 7} tokens used)",
        ]
    assert found("\n".join(lines)) == []
