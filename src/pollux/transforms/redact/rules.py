"""The table of secrets that people really paste. Those with letters of their own come first.

The examples are invented. They are assembled here, so that no other program takes this file for a leak.
"""

from __future__ import annotations

import base64
import binascii
import re

from pollux.transforms.redact.plausibility import (
    could_be_password,
    has_key_material,
    is_basic_credentials,
    looks_random,
    unlike_word,
)
from pollux.transforms.redact.rule import START, Rule, token

_MIX = "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB0oKvXq7CtZr2WyMh9SjDlEu4GfIpA8b3xV6nQk1Tz"
_HEX = "3f9a1c07e5b28d64f0a9c3b71e5d82460f9b3a7c"
_LETTERS = "bQxkVnTzRmLwHsJdYcFgPaUeNiBoKvXqCtZr"
_WORD = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"

KEYS = (
    token("google-api-key", "API keys of Google and Gemini", "AIza", f"{_WORD}{{35}}", f"AIza{_MIX[:35]}"),
    token("google-oauth", "Google's OAuth access tokens", r"ya29\.", f"{_WORD}{{40,}}", f"ya29.{_MIX[:60]}"),
    token("google-refresh", "Google's OAuth refresh tokens", "1//0", f"{_WORD}{{40,}}", f"1//0{_MIX[:50]}"),
    token("google-client", "Google's OAuth client secrets", "GOCSPX-", f"{_WORD}{{28}}", f"GOCSPX-{_MIX[:28]}"),
    token(
        "aws-key-id",
        "access key ids of AWS",
        "AKIA|ASIA",
        "(?!IOSFODNN7EXAMPLE)[A-Z0-9]{16}",
        f"AKIA{_MIX[:16].upper()}",
        letters=("AKIA", "ASIA"),
    ),
    token(
        "github-token",
        "GitHub's classic and OAuth tokens",
        "gh[po]_",
        f"{_ALNUM}{{36,250}}",
        f"ghp_{_MIX[:36]}",
        letters=("ghp_", "gho_"),
    ),
    token(
        "github-app",
        "tokens of GitHub's apps",
        "gh[usr]_",
        f"{_ALNUM}{{36,}}",
        f"ghs_{_MIX[:36]}",
        letters=("ghu_", "ghs_", "ghr_"),
    ),
    token(
        "github-fine-grained",
        "GitHub's fine-grained tokens",
        "github_pat_",
        f"{_ALNUM}{{22}}_{_ALNUM}{{59}}",
        f"github_pat_{_MIX[:22]}_{_MIX[10:69]}",
    ),
    token(
        "gitlab-token",
        "GitLab's personal, deploy, runner, trigger and job tokens",
        "gl(?:pat|dt|rt|ptt|cbt)-",
        "[A-Za-z0-9_.-]{20,}",
        f"glpat-{_MIX[:20]}",
        letters=("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-"),
    ),
    token(
        "anthropic-key",
        "keys and tokens of Anthropic",
        "sk-ant-",
        rf"[a-z]+\d\d-{_WORD}{{80,}}",
        f"sk-ant-api03-{_MIX}{_MIX[:18]}",
    ),
    token("openrouter-key", "keys of OpenRouter", "sk-or-v1-", "[0-9a-f]{64}", f"sk-or-v1-{(_HEX * 2)[:64]}"),
    token(
        "openai-key",
        "keys of OpenAI, and of all who begin theirs with `sk-`",
        "sk-",
        f"(?={_WORD}*[0-9])(?:(?={_ALNUM}{{32}})|(?={_WORD}*[A-Z])(?={_WORD}{{40}}|[a-z]+-{_ALNUM}{{20}})){_WORD}{{25,}}",
        f"sk-proj-{_MIX}",
    ),
    token(
        "slack-token",
        "Slack's tokens",
        "xox[a-z][.-]|xapp-",
        "[A-Za-z0-9.%+/=-]{36,}",
        f"xoxb-{'1234567890' * 2}-{_MIX[:24]}",
        letters=("xox", "xapp-"),
    ),
    token(
        "slack-webhook",
        "Slack's webhooks",
        r"hooks\.slack\.com/",
        "(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{40,}",
        f"hooks.slack.com/services/T0{_HEX[:8].upper()}/B0{_HEX[8:16].upper()}/{_MIX[:24]}",
    ),
    token(
        "discord-webhook",
        "Discord's webhooks",
        r"discord(?:app)?\.com/api/webhooks/",
        rf"\d{{15,}}/{_WORD}{{60,}}",
        f"discord.com/api/webhooks/112233445566778899/{_MIX[:68]}",
        letters=("discord.com/api/webhooks/", "discordapp.com/api/webhooks/"),
    ),
    token(
        "teams-webhook",
        "webhooks of Microsoft Teams",
        r"webhook\.office\.com/webhookb2/",
        "[A-Za-z0-9@-]{36,}/[A-Za-z]{3,40}/[A-Za-z0-9/-]{32,}",
        f"webhook.office.com/webhookb2/3f9a1c07-e5b2-4d64-80a9-c3b71e5d8246@0f9b3a7c/IncomingWebhook/{_HEX[:32]}/x",
    ),
    token(
        "discord-mfa",
        "tokens of Discord's users",
        r"mfa\.",
        f"{_WORD}{{80,100}}",
        f"mfa.{_MIX}{_MIX[:7]}",
    ),
    token(
        "matrix-token",
        "access tokens of Matrix",
        "syt_",
        f"{_ALNUM}{{2,80}}_{_ALNUM}{{20}}_{_ALNUM}{{6}}",
        f"syt_YWRh_{_MIX[:20]}_{_MIX[20:26]}",
    ),
    token(
        "meta-token",
        "access tokens of Meta: Facebook, Messenger, WhatsApp",
        "EAA",
        f"{_ALNUM}{{100,}}",
        f"EAAB{_MIX}{_MIX[:40]}",
    ),
    token(
        "stripe-key",
        "Stripe's keys",
        "[sr]k_(?:live|test)_",
        f"{_ALNUM}{{24,}}",
        f"sk_live_{_MIX[:24]}",
        letters=("sk_live_", "rk_live_", "sk_test_", "rk_test_"),
    ),
    token("stripe-webhook", "Stripe's webhook secrets", "whsec_", "[A-Za-z0-9+/=]{32,}", f"whsec_{_MIX[:32]}"),
    token("npm-token", "npm's tokens", "npm_", f"{_ALNUM}{{36}}", f"npm_{_MIX[:36]}"),
    token("pypi-token", "PyPI's tokens", "pypi-AgE", f"{_WORD}{{80,}}", f"pypi-AgEIcHlwaS5vcmc{_MIX}"),
    token("huggingface-token", "Hugging Face's tokens", "hf_", f"{_ALNUM}{{34}}", f"hf_{_LETTERS[:34]}"),
    token("groq-key", "keys of Groq", "gsk_", f"{_ALNUM}{{52}}", f"gsk_{_MIX[:52]}"),
    token("xai-key", "keys of xAI", "xai-", f"{_ALNUM}{{80}}", f"xai-{_MIX}{_MIX[:3]}"),
    token("replicate-token", "Replicate's tokens", "r8_", f"{_ALNUM}{{37}}", f"r8_{_MIX[:37]}"),
    token("perplexity-key", "keys of Perplexity", "pplx-", f"{_ALNUM}{{48}}", f"pplx-{_MIX[:48]}"),
    token("sendgrid-key", "SendGrid's keys", r"SG\.", rf"{_WORD}{{22}}\.{_WORD}{{43}}", f"SG.{_MIX[:22]}.{_MIX[:43]}"),
    token(
        "digitalocean-token",
        "DigitalOcean's tokens",
        "do[opr]_v1_",
        "[0-9a-f]{64}",
        f"dop_v1_{(_HEX * 2)[:64]}",
        letters=("dop_v1_", "doo_v1_", "dor_v1_"),
    ),
    token("docker-token", "Docker's tokens", "dckr_pat_", f"{_WORD}{{27}}", f"dckr_pat_{_MIX[:27]}"),
)


def _rule(name: str, what: str, letters: tuple[str, ...], pattern: str, example: str, **more: object) -> Rule:
    return Rule(name=name, what=what, letters=letters, pattern=re.compile(pattern), example=example, **more)  # type: ignore[arg-type]


_PEM = "-----BEGIN " + "RSA PRIVATE KEY-----"
_BREAK = r"\\?\r?\n[ \t]*"
_BROKEN = rf"(?:{_BREAK})?"
_JWT_HEAD = rf"[A-Za-z0-9_-]{{6,4000}}+(?:{_BREAK}[A-Za-z0-9_-]{{1,200}}+){{0,20}}+{_BROKEN}"
_JWT_CLAIMS = rf"[A-Za-z0-9_-]{{6,16000}}+(?:{_BREAK}[A-Za-z0-9_-]{{1,200}}+){{0,80}}+{_BROKEN}"
_MANUAL_WORD = re.compile("[a-z]{1,8}|[0-9]+,.*|[A-Z]{1,12}")
_QUOTE = r"""\\*["'`]?"""
_GAP = r"(?:\\\\?[nrt]|\s)[\s\d:→│|>+-]{0,20}+"
_MACHINE = re.compile(
    rf"{START}(?<![A-Za-z,;:] )(?:machine{_GAP}\S{{1,100}}+|default)"
    rf"(?:{_GAP}(?:login|account){_GAP}\S{{1,100}}+){{1,2}}+{_GAP}\Z"
)
_BEFORE = 400
_IN_AUTHORITY = r"""(?:[^\s/@"'<>`:]|:(?!//)|(?<=\w)['`"](?=\w)){1,200}+"""
_IN_ADDRESS = r"""(?:[^\s@"'<>`:]|:(?!//)|(?<=\w)['`"](?=\w)){2,200}+"""
_IS = rf"{_QUOTE}\s{{0,3}}(?::=|=>|[:=])\s{{0,3}}{_QUOTE}"

_DISCORD = base64.b64encode(b"112233445566778899").decode().rstrip("=")


def _is_url_password(match: re.Match[str]) -> bool:
    secret = match["secret"]
    if len(secret) < 3 or not could_be_password(secret) or _MANUAL_WORD.fullmatch(secret):
        return False
    return "/" not in secret or unlike_word(secret)


def _follows_machine(match: re.Match[str]) -> bool:
    """Does the name of a machine precede the password, or the word `default`?"""
    start = max(0, match.start() - _BEFORE)
    if match.string.find("login", start, match.start()) < 0:
        return False
    return _MACHINE.search(match.string, start, match.start()) is not None and could_be_password(match["secret"])


def _is_discord_user(match: re.Match[str]) -> bool:
    """Is the first piece the number of a user?"""
    try:
        return base64.b64decode(match["user"] + "=" * (-len(match["user"]) % 4)).isdigit()
    except binascii.Error:
        return False


SHAPES = (
    _rule(
        "telegram-token",
        "tokens of Telegram's bots",
        (":AA",),
        rf"(?<![0-9])\d{{8,10}}:AA{_WORD}{{33}}(?!{_WORD})",
        f"112233445:AA{_MIX[:33]}",
        before=re.compile(r"(?<![0-9])\d{8,10}\Z"),
    ),
    _rule(
        "discord-token",
        "tokens of Discord's bots",
        tuple(a + b for a in "MNO" for b in "DTjz"),  # how digits begin in base64
        rf"{START}(?P<user>{_ALNUM}{{23,28}}+)\.{_WORD}{{6,7}}+\.{_WORD}{{27,38}}(?!{_WORD})",
        f"{_DISCORD}.{_MIX[:6]}.{_MIX[6:44]}",
        check=_is_discord_user,
    ),
    _rule(
        "private-key",
        "private keys in PEM, as of SSH, TLS, PGP and service accounts; also in listings and diffs, with `\\n` for "
        "line ends, and cut off",
        ("-----BEGIN", "---- BEGIN"),
        r"----[- ]BEGIN[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?[- ]----(?P<body>(?:[^-]|-(?!---)){40,40000}+)"
        r"(?:-{4,9} ?END[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)?[- ]----)?",
        f"{_PEM}\n{_MIX[:64]}\n{_MIX[8:72]}\n{_MIX[:30]}==\n{_PEM.replace('BEGIN', 'END')}",
        reach=40_200,  # a key ends at the next dashes, so no place is searched twice
        check=lambda match: has_key_material(match["body"]),
    ),
    _rule(
        "google-key-id",
        "ids of the private keys of Google's service accounts",
        ("private_key_id",),
        rf"private_key_id{_IS}(?P<secret>[0-9a-f]{{40}})(?![0-9a-f])",
        f'"private_key_id": "{_HEX}"',
    ),
    _rule(
        "aws-secret",
        "secret access keys of AWS, after their name",
        ("secret_access_key", "secretaccesskey"),
        rf"(?i:secret_?access_?key){_IS}(?P<secret>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        f"aws_secret_access_key = {_MIX[:20]}/{_MIX[20:39]}",
        any_case=True,
        check=lambda match: looks_random(match["secret"]) or "/" in match["secret"],
    ),
    _rule(
        "azure-account-key",
        "keys of Azure's storage accounts, service buses and the like",
        ("accountkey=", "accesskey="),
        r"(?i:(?:account|access)key=)(?P<secret>[A-Za-z0-9+/]{43,86}={1,2})",
        f"AccountKey={(_MIX * 2)[:86]}==",
        any_case=True,
    ),
    _rule(
        "azure-client",
        "client secrets of Azure's applications",
        ("Q~",),
        r"(?:(?<![A-Za-z0-9_~.-])|(?<=\\[nrt]))[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        f"aB38Q~{_MIX[:34]}",
        before=re.compile(r"[A-Za-z0-9_~.-]{3}\d\Z"),
    ),
    _rule(
        "azure-signature",
        "signatures of shared links to Azure",
        ("sig=",),
        r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/]{40,}(?:%3[Dd]|=))",
        f"https://acme.blob.core.windows.net/box?sv=2024-11-04&sig={_MIX[:43]}%3D",
    ),
    _rule(
        "jwt",
        "JSON web tokens, signed ones",
        ("eyJ",),
        rf"{START}eyJ{_JWT_HEAD}\.{_BROKEN}eyJ{_JWT_CLAIMS}\.{_BROKEN}[A-Za-z0-9_-]{{20,}}",
        f"eyJ{_MIX[:33]}.eyJ{_MIX[:60]}.{_MIX[:43]}",
        reach=45_000,
    ),
    _rule(
        "url-password",
        "passwords in addresses: of databases, proxies, repositories",
        ("://",),
        rf"(?<=[A-Za-z0-9])://(?!\[secret:)[^\s/:@\"'<>`]{{0,300}}+:(?!\d{{1,5}}[/?#])"
        rf"(?P<secret>(?:{_IN_AUTHORITY}|[^/]{_IN_ADDRESS})(?:@{_IN_AUTHORITY})*)@(?!sha256:)(?=[\w.\[-])",
        "postgres://ada:kaffee7Rosen@db.internal:5432/shop",
        check=_is_url_password,
    ),
    _rule(
        "url-token",
        "tokens in place of a name in addresses",
        ("://",),
        rf"(?<=[A-Za-z0-9])://(?P<secret>{_WORD}{{20,200}}+)@(?=[\w.\[-])",
        f"https://{_HEX}@git.internal/ada/engine.git",
        check=lambda match: looks_random(match["secret"]),
    ),
    _rule(
        "connection-password",
        "passwords in connection strings",
        ("password=", "pwd="),
        r"(?i:(?<=;)\s?(?:password|pwd)=)(?P<secret>[^;\s\"'\\]{3,200})",
        "Server=db.internal;User Id=ada;Password=kaffee7Rosen;",
        any_case=True,
        check=lambda match: could_be_password(match["secret"]),
    ),
    _rule(
        "pgpass",
        "passwords in files of PostgreSQL: `host:5432:database:name:…`",
        (":5432:", ":*:"),
        r"(?<![\w.*-])[\w.*-]{1,60}:(?:\d{4}|\*):(?!\d+:)[^\s:\"']{1,63}:(?!\d+:)[^\s:\"']{1,63}:(?P<secret>[^\s\"']{6,200})",
        "db.internal:5432:shop:ada:kaffee7Rosen",
        before=re.compile(r"(?<![\w.*-])[\w.*-]{1,60}\Z"),
        check=lambda match: could_be_password(match["secret"]) and unlike_word(match["secret"]),
    ),
    _rule(
        "netrc",
        "passwords in `.netrc`, behind the name of a machine",
        ("password",),
        rf"password{_GAP}(?P<secret>[^\s\"'\\]{{3,200}})",
        "machine git.internal login ada password kaffee7Rosen",
        any_case=True,
        check=_follows_machine,
    ),
    _rule(
        "bearer",
        "tokens after `Bearer`, `Authorization: token` and the like, as in a header",
        ("bearer", "authorization"),
        rf"(?i:bearer(?::\s?|\s{{1,3}})|authorization{_IS}(?!basic\s|aws4-)(?:[a-z][a-z-]{{0,19}}+[\s:=]{{1,3}}+)?)"
        r"\\*[\"'`]?(?P<secret>[A-Za-z0-9._~+/-]{16,}={0,2})",
        f"Authorization: Bearer {_MIX[:40]}",
        any_case=True,
        check=lambda match: looks_random(match["secret"]),
    ),
    _rule(
        "basic",
        "a name and a password after `Basic`, as in a header",
        ("basic",),
        r"(?i:basic)(?::\s?|\s{1,3})(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        "Authorization: Basic YWRhOmthZmZlZTdSb3Nlbg==",
        any_case=True,
        check=lambda match: is_basic_credentials(match["secret"].rstrip("=")),
    ),
)
