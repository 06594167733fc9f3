"""Keys: private, never overwritten, and known for what they are."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from pollux.errors import OutputError, RequestError, UnknownName, Unreadable
from pollux.signing.keys import Keys, algorithm_of, key_id, read_private


@pytest.mark.parametrize("algorithm", ["ed25519", "es256"])
def test_a_new_key_is_private_and_found_again(tmp_path: Path, algorithm: str) -> None:
    keys = Keys(tmp_path / "keys")
    before = os.umask(0)
    try:
        result = keys.new("work", algorithm)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "keys" / "work.key").stat().st_mode) == 0o600
    assert keys.all() == [result]
    private = keys.private(None)
    assert algorithm_of(private) == result.algorithm == algorithm
    assert key_id(private.public_key()).hex() == result.id
    assert key_id(keys.public(None, bytes.fromhex(result.id))).hex() == result.id
    assert key_id(keys.public(str(tmp_path / "keys" / "work.key"), None)).hex() == result.id


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    keys.new("work", "ed25519")
    content = (tmp_path / "work.key").read_bytes()
    with pytest.raises(OutputError, match="never overwritten"):
        keys.new("work", "es256")
    assert (tmp_path / "work.key").read_bytes() == content


def test_a_key_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    keys = Keys(tmp_path / "keys")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        with pytest.raises(OutputError, match="File too large"):
            keys.new("work", "ed25519")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list((tmp_path / "keys").iterdir()) == []
    key = keys.new("work", "ed25519")
    assert keys.all() == [key]


def test_a_file_in_place_of_the_folder_is_not_taken_for_a_key(tmp_path: Path) -> None:
    (tmp_path / "keys").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be written: Not a directory"):
        Keys(tmp_path / "keys").new("work", "ed25519")


def test_a_private_key_never_stays_without_its_public_half(tmp_path: Path) -> None:
    (tmp_path / "work.pub").write_bytes(b"")
    with pytest.raises(OutputError, match="never overwritten"):
        Keys(tmp_path).new("work", "ed25519")
    assert [file.name for file in tmp_path.iterdir()] == ["work.pub"]


@pytest.mark.parametrize("name", ["", "../work", "a/b", ".hidden", "-x", "a\x1b[2J", "a b", "\udcff"])
def test_odd_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(RequestError, match="cannot be called"):
        Keys(tmp_path).new(name, "ed25519")


def test_which_key_must_be_clear(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    with pytest.raises(RequestError, match="There is no key to sign with"):
        keys.private(None)
    keys.new("one", "ed25519")
    keys.new("two", "ed25519")
    with pytest.raises(RequestError, match=r"Which key\?"):
        keys.private(None)
    with pytest.raises(UnknownName, match="No key is called 'three'"):
        keys.private("three")
    with pytest.raises(RequestError, match="none of your own keys"):
        keys.public(None, b"other")


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    keys = Keys(tmp_path)
    keys.new("work", "ed25519")
    (tmp_path / "work.key").chmod(0o644)
    with pytest.raises(RequestError, match="Others can read"):
        keys.private("work")


def test_keys_of_other_kinds_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "odd.key"
    for key in (ec.generate_private_key(ec.SECP384R1()), rsa.generate_private_key(65537, 2048)):
        file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.chmod(0o600)
        with pytest.raises(Unreadable, match="neither an Ed25519 nor a P-256 key"):
            read_private(file)
    file.write_text("no key", "utf-8")
    with pytest.raises(Unreadable, match="not a private key"):
        read_private(file)
