"""Signing, verifying and hiding from the command line, as a person does it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import cbor2
import pytest

from tests.cli.program import Pollux

SESSION = "3274cde4"


@pytest.fixture
def signer(pollux: Pollux) -> Pollux:
    """A home with a record and a key."""
    assert pollux("export", SESSION, "-o", "one.vac.json").returncode == 0
    result = pollux("key", "new", "work")
    assert result.returncode == 0, result.stderr
    return pollux


def test_a_key_is_private_and_shown_in_public(signer: Pollux) -> None:
    folder = signer.folder / "xdg" / "data" / "pollux" / "keys"
    assert stat.S_IMODE((folder / "work.key").stat().st_mode) == 0o600
    assert signer("key", "show", "work").stdout == (folder / "work.pub").read_text("ascii")
    [listed] = json.loads(signer("key", "list", "--json").stdout)
    assert (listed["name"], listed["algorithm"]) == ("work", "ed25519")
    again = signer("key", "new", "work")
    assert (again.returncode, again.stderr) == (
        5,
        "pollux: A key work exists already, and keys are never overwritten.\n",
    )


@pytest.mark.parametrize("attach", [(), ("--attach",)])
def test_a_record_is_signed_and_verified(signer: Pollux, attach: tuple[str, ...]) -> None:
    result = signer("sign", "one.vac.json", "--issuer", "Ada", *attach)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "Signed: one.vac.json.cose\n")
    verdict = json.loads(signer("verify", "one.vac.json", "--json").stdout)
    assert verdict["verified"] is True
    assert (verdict["issuer"], verdict["subject"][:8]) == ("Ada", SESSION)
    if attach:
        assert signer("verify", "one.vac.json.cose").returncode == 0
    else:
        alone = signer("verify", "one.vac.json.cose")
        assert (alone.returncode, "detached" in alone.stderr) == (2, True)


def test_what_was_changed_is_refused(signer: Pollux) -> None:
    signer("sign", "one.vac.json", "--issuer", "Ada")
    file = signer.home / "one.vac.json"
    file.write_bytes(file.read_bytes().replace(b"3.0.0", b"3.0.1"))
    result = signer("verify", "one.vac.json")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.startswith("pollux: The signature does not hold")


def test_the_issuer_must_be_named(signer: Pollux) -> None:
    assert signer("sign", "one.vac.json").returncode == 2
    assert signer("sign", "one.vac.json", "--issuer", " ").returncode == 2
    assert not (signer.home / "one.vac.json.cose").exists()


def test_a_session_file_is_signed_as_the_agent_wrote_it(signer: Pollux) -> None:
    file = next(path for path in signer.home.rglob("session-*.jsonl") if SESSION in path.name)
    before = sorted(signer.home.rglob("*"))
    assert signer("sign", str(file), "--issuer", "Ada").stderr == f"Signed: {file.name}.cose\n"
    assert sorted(signer.home.rglob("*")) == sorted([*before, signer.home / f"{file.name}.cose"])
    verdict = json.loads(signer("verify", str(file), "--json").stdout)
    assert (verdict["subject"][:8], verdict["trace_format"]) == (SESSION, "gemini-json")
    among = signer("sign", str(file), "--issuer", "Ada", "-o", f"{file}.cose")
    assert among.returncode == 5


def test_a_copy_with_values_hidden_still_verifies(signer: Pollux) -> None:
    signer("sign", "one.vac.json", "--issuer", "Ada", "--salted")
    signature = ("--signature", "one.vac.salted.json.cose")
    whole = json.loads(signer("verify", "one.vac.salted.json", "--json").stdout)
    for options in (["--place", "session.entries[0]"], ["--place", "session.entries[0]", "--names"]):
        hid = signer("hide", "one.vac.salted.json", *options, "-o", "copy.json", "--force")
        assert (hid.returncode, hid.stderr.startswith("Hid ")) == (0, True)
        copy = json.loads(signer("verify", "copy.json", *signature, "--json").stdout)
        assert copy["hidden"] > 0
        assert {**copy, **{name: whole[name] for name in ("hidden", "proved", "not_proved")}} == whole
    text = (signer.home / "copy.json").read_text("utf-8")
    (signer.home / "copy.json").write_text(text.replace("google", "gopher"), "utf-8")
    assert signer("verify", "copy.json", *signature).returncode == 3


def test_hiding_says_what_it_did_not_find(signer: Pollux) -> None:
    signer("sign", "one.vac.json", "--issuer", "Ada", "--salted")
    hide = ("hide", "one.vac.salted.json", "-o", "copy.json")
    assert signer(*hide).returncode == 2
    for options in (["--text", "zanzibarquark"], ["--text", "google", "--text", "zanzibarquark"]):
        result = signer(*hide, *options, "--secrets")
        assert (result.returncode, "Nothing that is shown has 'zanzibarquark' in it." in result.stderr) == (1, True)
    assert signer(*hide, "--place", "session..entries[").returncode == 2
    salted = signer("check", "one.vac.salted.json")
    assert (salted.returncode, "Try: pollux verify one.vac.salted.json" in salted.stderr) == (3, True)
    plain = signer("hide", "one.vac.json", "--text", "a", "-o", "copy.json")
    assert (plain.returncode, "pollux sign RECORD --salted makes one." in plain.stderr) == (3, True)
    assert not (signer.home / "copy.json").exists()


def test_a_record_is_checked(signer: Pollux) -> None:
    result = signer("check", "one.vac.json")
    assert result.returncode == 0
    assert result.stdout.startswith("one.vac.json is a valid record of ")
    file = signer.home / "one.vac.json"
    record = json.loads(file.read_bytes())
    record["session"]["agent-meta"]["model-id"] = 7
    del record["id"]
    file.write_text(json.dumps(record), "utf-8")
    result = signer("check", "one.vac.json")
    assert result.returncode == 3
    assert sorted(result.stdout.splitlines()) == [
        "id is missing.",
        "session.agent-meta.model-id must be a text, and is a number.",
    ]
    document = json.loads(signer("check", "one.vac.json", "--json").stdout)
    assert (document["valid"], len(document["problems"])) == (False, 2)
    refused = signer("sign", "one.vac.json", "--issuer", "Ada", "--salted")
    assert (refused.returncode, "no valid record" in refused.stderr) == (2, True)


def test_records_in_cbor(signer: Pollux) -> None:
    assert signer("export", SESSION, "--to", "vac", "--cbor", "-o", "one.vac.cbor").returncode == 0
    data = (signer.home / "one.vac.cbor").read_bytes()
    assert cbor2.loads(data) == json.loads((signer.home / "one.vac.json").read_bytes())
    assert signer("check", "one.vac.cbor").returncode == 0
    signer("sign", "one.vac.cbor", "--issuer", "Ada")
    assert signer("verify", "one.vac.cbor").returncode == 0
    refused = signer("export", SESSION, "--to", "markdown", "--cbor")
    assert (refused.returncode, refused.stderr) == (
        2,
        "pollux: There is no markdown in CBOR.\nLeave out --cbor, or try: --to vac\n",
    )


@pytest.mark.parametrize(
    "command",
    [
        ["sign", "one.vac.json", "--issuer", "Ada"],
        ["verify", "one.vac.json"],
        ["key", "new", "other"],
        ["export", SESSION, "--to", "vac", "--cbor", "-o", "one.vac.cbor"],
    ],
    ids=lambda command: command[0],
)
def test_without_the_packages_it_says_what_to_install(signer: Pollux, command: list[str]) -> None:
    signer("sign", "one.vac.json", "--issuer", "Ada", "-o", "one.vac.json.cose")
    lacking = signer.folder / "lacking"
    lacking.mkdir()
    for name in ("cbor2", "cryptography"):
        text = f"raise ModuleNotFoundError('No module named {name}', name={name!r})\n"
        (lacking / f"{name}.py").write_text(text, "utf-8")
    path = os.pathsep.join(filter(None, (str(lacking), signer.env.get("PYTHONPATH"))))
    result = signer(*command, PYTHONPATH=path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith("Try: pip install 'pollux[sign]'\n")


@pytest.mark.parametrize(("options", "suffix"), [(["vac"], ".vac.json"), (["vac", "--cbor"], ".vac.cbor")])
def test_all_sessions_become_records(pollux: Pollux, options: list[str], suffix: str) -> None:
    result = pollux("export", "--all", "--to", *options, "-o", "out", "--redact", "--json-report", "report.json")
    assert result.returncode == 0, result.stderr
    files = sorted(path.name for path in (pollux.home / "out").iterdir() if not path.name.startswith("."))
    assert len(files) == json.loads((pollux.home / "report.json").read_text("utf-8"))["sessions"] > 10
    assert all(name.endswith(suffix) for name in files)
    assert pollux("check", str(Path("out") / files[0])).returncode == 0
    assert b"/home/ada" not in b"".join((pollux.home / "out" / name).read_bytes() for name in files)


def test_all_sessions_become_events_in_either_dialect(pollux: Pollux) -> None:
    for dialect in ([], ["--compat", "session-signals"]):
        result = pollux("export", "--all", "--to", "events", *dialect, "-o", "out", "--redact")
        assert result.returncode == 0, result.stderr
        for file in (pollux.home / "out").glob("*.events.jsonl"):
            kinds = [json.loads(line)["type"] for line in file.read_text("utf-8").splitlines()]
            assert (kinds[0], kinds[-1]) == ("session_start", "session_end")
            assert "/home/ada" not in file.read_text("utf-8")
    assert pollux("export", SESSION, "--to", "markdown", "--compat", "session-signals").returncode == 2
    assert pollux("export", SESSION, "--to", "events", "--compat", "latin").returncode == 2
