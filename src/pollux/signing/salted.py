"""A record divided into salted leaves: leaves can be hidden, and the signature over their tree stays valid.

docs/evidence.md specifies the scheme, with test vectors.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Value
from pollux.signing import cose
from pollux.system.decoders import json_decoder
from pollux.text.escape import one_line
from pollux.wire.trampoline import Walk, run_walk

SCHEME = "pollux-salted-1"
SALT = 16
_PLACE = 200

# The prefixes of the three kinds of hashes.
LEAF, NODE, VALUE = b"\x00", b"\x01", b"\x02"

Path = tuple[str | int, ...]


class Leaf(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A value at its place.

    `shown` is the JSON text of its salt and the value. If the value is hidden, `hidden` is the hash of that text. If
    its place is hidden too, `leaf` is the hash of both.
    """

    path: Path | None = None
    shown: str | None = None
    hidden: str | None = None
    leaf: str | None = None

    @property
    def hash(self) -> bytes:
        """The hash of the leaf in the tree."""
        if self.leaf is not None:
            return _unhex(self.leaf)
        commitment = _sha(VALUE, self.shown.encode()) if self.shown is not None else _unhex(self.hidden or "")
        return _sha(LEAF, cose.encode([list(self.path or ()), commitment]))

    @property
    def value(self) -> Any:
        """The value, if it is shown."""
        try:
            pair = json.loads(self.shown or "")
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and not _has_values(pair[1]):
                return pair[1]
        except (ValueError, RecursionError):
            pass
        raise Unreadable(f"The leaf at {_place(self.path)} does not hold a salt and a value.")

    def without_value(self) -> Leaf:
        """The leaf with its value hidden."""
        if self.shown is None:
            return self
        return Leaf(path=self.path, hidden=_sha(VALUE, self.shown.encode()).hex())

    def without_place(self) -> Leaf:
        """The leaf with its place hidden too."""
        return Leaf(leaf=self.hash.hex())


class Salted(Value, frozen=True, kw_only=True):
    """A record as leaves, in order. Two copies are the same evidence if their trees have the same root."""

    leaves: tuple[Leaf, ...]

    @property
    def payload(self) -> bytes:
        """The signed bytes: the root of the tree and the number of its leaves."""
        hashes = [leaf.hash for leaf in self.leaves]
        return cose.encode({"scheme": SCHEME, "leaves": len(hashes), "root": root(hashes)})

    @property
    def hidden(self) -> int:
        """How many leaves are hidden."""
        return sum(leaf.shown is None for leaf in self.leaves)

    def record(self) -> Any:
        """The record. A hidden value reads `{"hidden": its hash}`; a leaf with a hidden place is missing."""
        return _build([(leaf.path, _content(leaf)) for leaf in self.leaves if leaf.path is not None])

    def hide(self, wanted: Callable[[Path, Any], bool], *, places: bool = False) -> Salted:
        """A copy in which the leaves are hidden for which `wanted` is true; with `places`, their places too."""

        def hide_leaf(leaf: Leaf) -> Leaf:
            if leaf.path is None or leaf.shown is None or not wanted(leaf.path, leaf.value):
                return leaf
            return leaf.without_place() if places else leaf.without_value()

        return Salted(leaves=tuple(map(hide_leaf, self.leaves)))

    def document(self) -> str:
        """The text of the file."""
        lines = ",\n".join(msgspec.json.encode(leaf).decode() for leaf in self.leaves)
        return f'{{"scheme":"{SCHEME}","leaves":[\n{lines}\n]}}\n'


class _Document(msgspec.Struct, forbid_unknown_fields=True):
    scheme: str
    leaves: list[Leaf]


def salt(record: Any, draw: Callable[[int], bytes] = secrets.token_bytes) -> Salted:
    """The leaves of a record, each with its own salt."""
    return Salted(
        leaves=tuple(Leaf(path=path, shown=_salted_text(draw(SALT), value)) for path, value in _leaves(record))
    )


def parse_salted(data: bytes) -> Salted:
    """The leaves in a file. Each must be either shown, or hidden, or hidden with its place."""
    hint = "pollux sign RECORD --salted makes one."
    try:
        document = json_decoder(_Document).decode(data)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"This is not a salted record: {error}.", hint) from error
    if document.scheme != SCHEME:
        raise Unreadable(f"This is not a salted record: its scheme is {document.scheme!r}.", hint)
    forms = ((True, True, False, False), (True, False, True, False), (False, False, False, True))
    for number, leaf in enumerate(document.leaves):
        if tuple(part is not None for part in (leaf.path, leaf.shown, leaf.hidden, leaf.leaf)) not in forms:
            raise Unreadable(f"Leaf {number} of the salted record is neither shown nor hidden.")
    return Salted(leaves=tuple(document.leaves))


def root(hashes: Sequence[bytes]) -> bytes:
    """The root of the tree over these leaves, as in RFC 9162: split at the largest power of two below their number."""
    if len(hashes) == 1:
        return hashes[0]
    if not hashes:
        return hashlib.sha256(b"").digest()
    half = 1 << (len(hashes) - 1).bit_length() - 1
    return _sha(NODE, root(hashes[:half]), root(hashes[half:]))


def _leaves(record: Any) -> Iterator[tuple[Path, Any]]:
    """Every value that holds no other value, depth first: members by name, items by number. Empty values are leaves."""
    waiting: list[tuple[Path, Any]] = [((), record)]
    while waiting:
        path, value = waiting.pop()
        if not _has_values(value):
            yield path, value
            continue
        steps = sorted(value) if isinstance(value, Mapping) else range(len(value))
        waiting += [((*path, step), value[step]) for step in reversed(steps)]


def _has_values(value: Any) -> bool:
    """Does this value hold other values?"""
    return isinstance(value, Mapping | list | tuple) and bool(value)


def _salted_text(salt: bytes, value: Any) -> str:
    text = base64.urlsafe_b64encode(salt).rstrip(b"=").decode()
    return json.dumps([text, value], ensure_ascii=False, separators=(",", ":"))


def _content(leaf: Leaf) -> Any:
    return leaf.value if leaf.shown is not None else {"hidden": leaf.hidden}


def _build(leaves: list[tuple[Path, Any]]) -> Any:
    """The value with these leaves. A list with missing leaves has only the others."""
    return run_walk(_walk(leaves, 0))


def _walk(leaves: list[tuple[Path, Any]], depth: int) -> Walk:
    if len(leaves) == 1 and len(leaves[0][0]) == depth:
        return leaves[0][1]
    groups: dict[str | int, list[tuple[Path, Any]]] = {}
    for path, value in leaves:
        if len(path) <= depth:
            raise Unreadable(f"Two leaves of the salted record stand at {_place(path)}.")
        groups.setdefault(path[depth], []).append((path, value))
    kinds = {type(step) for step in groups}
    if len(kinds) > 1:
        raise Unreadable(f"At {_place(leaves[0][0][:depth])} the salted record is both a list and an object.")
    result: dict[Any, Any] = {}
    for step, group in groups.items():
        result[step] = yield _walk(group, depth + 1)
    return [result[step] for step in sorted(result, key=int)] if kinds == {int} else result


def _place(path: Path | None) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path or ())
    return one_line("".join(steps).removeprefix("."), _PLACE) or "the top"


def _sha(*pieces: bytes) -> bytes:
    return hashlib.sha256(b"".join(pieces)).digest()


def _unhex(text: str) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if len(data) != 32 or data.hex() != text:
        raise Unreadable("A hidden leaf of the salted record is not a SHA-256 in lower case.")
    return data
