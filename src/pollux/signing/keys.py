"""Keys to sign with: made here, kept in private files, never overwritten."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.errors import OutputError, RequestError, StoreError, UnknownName, Unreadable, needs
from pollux.model import Value
from pollux.system.files import list_folder, read, write_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

    Private = Ed25519PrivateKey | EllipticCurvePrivateKey
    Public = Ed25519PublicKey | EllipticCurvePublicKey

ED25519, ES256 = "ed25519", "es256"
ALGORITHMS = {ED25519: -8, ES256: -7}
"""The algorithms, each with its number in COSE."""

SUFFIX, PUBLIC = ".key", ".pub"


class NamedKey(Value, frozen=True, kw_only=True):
    """A key of the user: its name, its algorithm, its id, and the file of its public half."""

    name: str
    algorithm: str
    id: str
    public: str


NAME = re.compile(r"\w[\w.@-]*")


class Keys:
    """The user's keys, in a folder that only the user can read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def new(self, name: str, algorithm: str) -> NamedKey:
        """Make a key. An existing key is never overwritten."""
        if NAME.fullmatch(name) is None:
            raise RequestError(f"A key cannot be called {name!r}.", "Use letters, digits, dashes, dots and @.")
        with needs("Signing", "sign"):
            from cryptography.hazmat.primitives import serialization as form
            from cryptography.hazmat.primitives.asymmetric import ec, ed25519
        key = ed25519.Ed25519PrivateKey.generate() if algorithm == ED25519 else ec.generate_private_key(ec.SECP256R1())
        secret = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
        public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
        self._write(name, secret, public)
        return self._key(name)

    def _write(self, name: str, secret: bytes, public: bytes) -> None:
        """Write both halves of a new key, or neither."""
        file = self._folder / f"{name}{SUFFIX}"
        try:
            write_file(file, secret, over=False, durable=True)
            try:
                write_file(file.with_name(f"{name}{PUBLIC}"), public, over=False, durable=True)
            except BaseException:
                file.unlink()
                raise
        except FileExistsError as error:
            raise OutputError(f"A key {name} exists already, and keys are never overwritten.") from error
        except OSError as error:
            raise OutputError(f"The key cannot be written: {error.strerror or error}.") from error

    def all(self) -> list[NamedKey]:
        """Every key, by name."""
        try:
            paths = list_folder(self._folder, PUBLIC)
        except OSError as error:
            raise StoreError(f"The keys in {self._folder} cannot be read: {error.strerror or error}.") from error
        return [self._key(path.name.removesuffix(PUBLIC)) for path in paths]

    def _key(self, name: str) -> NamedKey:
        path = self._folder / f"{name}{PUBLIC}"
        public = read_public(path)
        return NamedKey(name=name, algorithm=algorithm_of(public), id=key_id(public).hex(), public=str(path))

    def private(self, name: str | None) -> Private:
        """The key to sign with: by its name, by its file, or the only key."""
        if name is None:
            names = [key.name for key in self.all()]
            if len(names) != 1:
                hint = f"Try: --key NAME. There are: {', '.join(names)}." if names else "Try: pollux key new NAME"
                raise RequestError("Which key?" if names else "There is no key to sign with.", hint)
            name = names[0]
        return read_private(self._path(name, SUFFIX))

    def public(self, name: str | None, id: bytes | None) -> Public:
        """The key to verify with: by its name, by its file, or the user's key that a signature names."""
        if name is not None:
            return read_public(self._path(name, PUBLIC))
        for key in self.all():
            if id is not None and key.id == id.hex():
                return read_public(Path(key.public))
        raise RequestError("The signature is by none of your own keys.", "Try: --key FILE, with its public key.")

    def _path(self, name: str, suffix: str) -> Path:
        own = self._folder / f"{name}{suffix}"
        if Path(name).name == name and own.exists():
            return own
        if Path(name).is_file():
            return Path(name)
        raise UnknownName("key", name, (key.name for key in self.all()))


def read_private(path: Path) -> Private:
    """A private key. Raises `RequestError` where others can read its file."""
    with needs("Signing", "sign"):
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise RequestError(f"Others can read the private key {path}.", f"Try: chmod 600 {path}")
    try:
        key = load_pem_private_key(_bytes(path), password=None)
    except (ValueError, TypeError) as error:
        raise Unreadable(f"{path} is not a private key in PEM without a password.") from error
    private: Private = _supported(key, path)
    return private


def read_public(path: Path) -> Public:
    """A public key, or the public half of a private one."""
    with needs("Verifying", "sign"):
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
    data = _bytes(path)
    if b"PRIVATE KEY" in data:
        return read_private(path).public_key()
    try:
        key = load_pem_public_key(data)
    except ValueError as error:
        raise Unreadable(f"{path} is not a public key in PEM.") from error
    public: Public = _supported(key, path)
    return public


def algorithm_of(key: Private | Public) -> str:
    """The algorithm of a key."""
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ED25519 if isinstance(key, ed25519.Ed25519PrivateKey | ed25519.Ed25519PublicKey) else ES256


def key_id(key: Public) -> bytes:
    """The id of a key: the first half of the SHA-256 of its SubjectPublicKeyInfo."""
    from cryptography.hazmat.primitives import serialization as form

    spki = key.public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)
    return hashlib.sha256(spki).digest()[:16]


def _supported(key: Any, path: Path) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    match key:
        case ed25519.Ed25519PrivateKey() | ed25519.Ed25519PublicKey():
            return key
        case ec.EllipticCurvePrivateKey() | ec.EllipticCurvePublicKey() if isinstance(key.curve, ec.SECP256R1):
            return key
    raise Unreadable(f"{path} is neither an Ed25519 nor a P-256 key.")


def _bytes(path: Path) -> bytes:
    try:
        return read(path)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from error
