"""Exports an archive, imports another one, and deletes what the user names."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec
from msgspec.structs import replace

from pollux.archive.appender import Appender
from pollux.archive.archive import Archive, cannot_read, cannot_write, head_of
from pollux.archive.content_reader import ContentReader
from pollux.archive.contents import LONGEST_CHAIN, Damaged, Unread, pack
from pollux.archive.packs import (
    MAGIC,
    MAKING,
    SUFFIX,
    Content,
    Damage,
    MarkLines,
    PackWriter,
    Record,
    ReplacedPack,
    Replacement,
    State,
    draft,
    is_sound,
    payload_of,
    recognise,
    scan,
)
from pollux.archive.survey import active_packs, hash_of
from pollux.archive.verify import sound_contents
from pollux.errors import OutputError, StoreError, Unreadable
from pollux.system.files import rename_new
from pollux.wire import display_path, opened

MOST_GROWTH = 200
"""Sessions are packed to a tenth of their size, and some to a fiftieth. What grows to more than this many times the
archive that holds it was made to fill a disk."""
SMALL = 1 << 26
"""So many bytes fill no disk, however few they were packed to."""
_BLOCK = 1 << 20


class TransferResult(msgspec.Struct, kw_only=True):
    """How much was copied or deleted. `damaged` counts contents without a readable copy, `marks` changes of marks."""

    contents: int = 0
    states: int = 0
    marks: int = 0
    bytes: int = 0
    damaged: int = 0


PackItem = tuple[Content, bytes] | tuple[State, bytes]


def export(archive: Archive, file: Path, marks: Sequence[bytes] = ()) -> TransferResult:
    """Write the whole archive into one new file, which is itself a pack, together with the user's marks."""
    if os.path.lexists(file):
        raise OutputError(f"{display_path(file)} exists already.", "Name another file, or remove it.")
    result = TransferResult()
    making = file.with_name(f".pollux.{os.getpid()}{MAKING}")  # a name may be as long as the system lets it be
    written: set[bytes] = set()
    lost = _Unreadable()
    try:
        with _new_pack(making) as writer:
            for head, payload in _records(active_packs(archive.folder), lost):
                if isinstance(head, State):
                    writer.write(head)
                    result.states += 1
                elif head.sha not in written:
                    written.add(head.sha)
                    writer.write(head, payload)
                    result.contents += 1
            if marks:
                writer.write(MarkLines(lines=len(marks)), b"\n".join(marks))
                result.marks = len(marks)
            result.bytes = writer.end
        archive.index.refresh()
        result.damaged = lost.stretches + len(lost.contents - written) + len(archive.index.gaps())
        rename_new(making, file)
    except OSError as error:
        raise OutputError(f"{display_path(file)} cannot be written: {error.strerror or error}.") from error
    finally:
        with contextlib.suppress(OSError):
            making.unlink(missing_ok=True)
    return result


@contextlib.contextmanager
def _new_pack(path: Path) -> Iterator[PackWriter]:
    """A new pack. All of it is on the disk at the end."""
    draft(path)
    with contextlib.closing(PackWriter(path)) as writer:
        yield writer
        writer.settle()


class _Unreadable(msgspec.Struct):
    """What is unreadable in some packs: contents, which may have another copy, and stretches that are no records."""

    contents: set[bytes] = set()
    stretches: int = 0


def _records(packs: Collection[Path], lost: _Unreadable) -> Iterator[PackItem]:
    """All readable records of some packs, each state once. A record that is cut off at the end was never finished."""
    states: set[State] = set()
    for path in packs:
        with opened(path) as file:
            for item in scan(file):
                if isinstance(item, Damage):
                    lost.stretches += not item.torn
                elif isinstance(item.head, Content):
                    payload = payload_of(file, item)
                    if payload is not None:
                        yield item.head, payload
                    else:
                        lost.contents.add(item.head.sha)
                elif isinstance(item.head, State) and item.head not in states:
                    states.add(item.head)
                    yield item.head, b""


def marks_in(file: Path) -> list[bytes]:
    """The lines of the marks in an exported archive; none where they are damaged, which `import_file` reports."""
    lines: list[bytes] = []
    with opened(file) as stream:
        for record in scan(stream):
            if isinstance(record, Record) and isinstance(record.head, MarkLines):
                lines += (payload_of(stream, record) or b"").split(b"\n")
    return [line for line in lines if line]


def import_file(archive: Archive, file: Path) -> TransferResult:
    """Add what another archive holds and this one does not. Each content is checked before it is added.

    A state is added if its content exists. Permissions for other users are not imported.
    """
    result = TransferResult()
    with opened(file) as head:
        try:
            if not recognise(head, file):
                raise Unreadable(f"{display_path(file)} is not a pollux archive.", "pollux archive export makes one.")
        except StoreError as error:
            raise Unreadable(str(error), error.hint) from error
    _refuse_bomb(file)
    imported = _ImportedContents(archive)
    with archive.appending() as appender:
        result.damaged = _import(archive, file, appender, imported, result)
        if not result.damaged:
            _learn_ends(archive, file)
    return result


def _learn_ends(archive: Archive, file: Path) -> None:
    """Note that a cut pack lacks nothing any more, if a file that begins with it was imported completely."""
    for name, missing in archive.index.gaps().items():
        reach = archive.index.reach(name)
        if _goes_on(file, archive.folder / name, reach, reach + missing):
            archive.index.learn_end(name, reach + missing)


def _goes_on(file: Path, pack: Path, reach: int, end: int) -> bool:
    """Does a file begin with what is left of a pack, and has it a record that ends where the pack did?"""
    if reach <= len(MAGIC) or not pack.is_file():
        return False
    with opened(file) as copy, opened(pack) as rest:
        ends = {item.end for item in scan(copy) if isinstance(item, Record)}
        copy.seek(0)
        rest.seek(0)
        sizes = (min(_BLOCK, reach - place) for place in range(0, reach, _BLOCK))
        return end in ends and all(copy.read(size) == rest.read(size) for size in sizes)


def _refuse_bomb(file: Path) -> None:
    """Raise `Unreadable` for an archive whose files, laid out, would be far larger than it.

    All states of a file may be needed at once, where it was rewritten. What a content only adds to another counts once.
    """
    sizes: dict[tuple[str, bytes, bytes], int] = {}
    fresh = 0
    with opened(file) as stream:
        for item in scan(stream):
            if isinstance(item, Record) and isinstance(item.head, State):
                state = item.head
                name = state.agent, state.home, state.path
                sizes[name] = max(sizes.get(name, 0), state.size)
            elif isinstance(item, Record) and isinstance(item.head, Content):
                new_bytes = max(0, item.head.size - item.head.copied)
                fresh += new_bytes if new_bytes <= _most(item.length) else 0  # such a one is left out
        packed = stream.seek(0, os.SEEK_END)
    if max(fresh, sum(sizes.values())) > _most(packed):
        raise Unreadable(
            f"{display_path(file)} was refused: its files would be more than {MOST_GROWTH} times as large as the "
            "archive, which sessions never are.",
            "Somebody may have made it to fill the disk.",
        )


def _most(packed: int) -> int:
    """How large something may become that was packed to so many bytes."""
    return max(SMALL, MOST_GROWTH * packed)


def _import(
    archive: Archive, file: Path, appender: Appender, imported: _ImportedContents, result: TransferResult
) -> int:
    """Read the other archive once. Returns how much of it could not be imported."""
    lost = _Unreadable()
    states: list[State] = []
    with opened(file) as stream:
        for record in _by_base(archive, stream, states, lost):
            head = record.head
            if not isinstance(head, Content) or archive.index.content(head.sha) is not None:
                continue
            try:
                copy = imported.proved(head, payload_of(stream, record))
            except Damaged:
                lost.contents.add(head.sha)
                continue
            appender.write(*copy)
            result.contents += 1
            result.bytes += head.size - head.copied
    refused = 0
    for state in states:
        if not is_sound(state) or not _satisfied(archive, state):
            refused += 1
        elif not archive.index.has(state):
            mode = None if state.mode is None else 0o400 | state.mode & 0o200
            appender.write(replace(state, mode=mode, taken=True))
            result.states += 1
    missing = [sha for sha in lost.contents if archive.index.content(sha) is None]
    return refused + lost.stretches + len(missing)


def _by_base(archive: Archive, file: IO[bytes], states: list[State], lost: _Unreadable) -> Iterator[Record]:
    """The contents of a pack, each after the one it is made from; its states, and what of it is lost.

    A content may stand before the one it is made from, where that was damaged once and packed again.
    """
    waiting: dict[bytes, list[Record]] = {}
    ready: deque[Record] = deque()
    for item in scan(file):
        if isinstance(item, Damage):
            lost.stretches += 1
        elif isinstance(item.head, State):
            states.append(item.head)
        elif isinstance(item.head, MarkLines):
            lost.stretches += payload_of(file, item) is None
        elif isinstance(item.head, Content):
            base = item.head.base
            if base is None or archive.index.content(base) is not None:
                ready.append(item)
            else:
                waiting.setdefault(base, []).append(item)
    while ready:
        record = ready.popleft()
        yield record
        if isinstance(record.head, Content) and archive.index.content(record.head.sha) is not None:
            ready.extend(waiting.pop(record.head.sha, ()))
    lost.contents.update(one.head.sha for every in waiting.values() for one in every if isinstance(one.head, Content))


def _satisfied(archive: Archive, state: State) -> bool:
    """Does the archive have the content of this state?"""
    if state.sha is None:
        return not state.size
    place = archive.index.content(state.sha)
    return place is not None and head_of(place).size == state.size


class _ImportedContents:
    """Checks the contents of another archive one by one."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._recent = ContentReader(archive)
        self._chains: dict[bytes, int] = {}

    def proved(self, head: Content, payload: bytes | None) -> tuple[Content, bytes]:
        """A content as it is written here: on its own if its chain of bases is too long. Raises `Damaged`."""
        if payload is None:
            raise Damaged("its bytes are not those that were packed")
        base = b"" if head.base is None else self._recent.read(head.base)
        if head.size - len(base) > _most(len(payload)):
            raise Damaged("it is far larger than what was packed")
        content = self._recent.prove(head, payload, base)
        self._chains[head.sha] = chain = 0 if head.base is None else self._chain(head.base) + 1
        if chain <= LONGEST_CHAIN:
            return head, payload
        self._chains[head.sha] = 0
        return pack(content, head.sha, None, self._archive.read)

    def _chain(self, sha: bytes) -> int:
        """The length of a content's chain of bases, up to the longest that is allowed."""
        length = 0
        next_sha: bytes | None = sha
        while next_sha is not None and length <= LONGEST_CHAIN:
            if next_sha in self._chains:
                return length + self._chains[next_sha]
            place = self._archive.index.content(next_sha)
            next_sha = head_of(place).base if place is not None else None
            length += next_sha is not None
        return length


def prune(archive: Archive, files: Collection[tuple[str, bytes, bytes]]) -> TransferResult:
    """Delete every state of some files (agent, home, path), and contents that no other state has.

    Known losses are still reported.
    """
    paths = set(files)
    with archive.exclusive():
        archive.index.refresh(anew=True)
        result = _rewrite(archive, lambda state: (state.agent, state.home, state.path) in paths)
        archive.index.forget_files(paths)
        archive.index.refresh()
        archive.index.settle_ends()
    archive.close()
    return result


def prune_lost(archive: Archive) -> TransferResult:
    """Delete what is unreadable, and stop reporting the loss."""
    if not archive.exists and archive.loss is None:
        return TransferResult()
    result = TransferResult()
    with archive.exclusive():
        index = archive.index
        index.refresh(anew=True)
        missing, places = len(index.lost()), index.contents()
        sound = sound_contents(archive, places)
        unreadable = any(_is_unreadable(state, sound) for state in index.states())
        if missing or unreadable or index.gaps() or index.damaged() or len(sound) < len(places):
            result = _rewrite(archive, lambda state: _is_unreadable(state, sound), losses=False)
            result.states += missing
            index.forget_losses()
    archive.close()
    return result


def _is_unreadable(state: State, sound: Collection[bytes]) -> bool:
    """Is the content of this state unreadable?"""
    return state.sha is not None and state.sha not in sound


def _rewrite(archive: Archive, forgotten: Callable[[State], bool], *, losses: bool = True) -> TransferResult:
    """Replace all packs with a new one, without some states. If this fails, nothing changes.

    With `losses`, the new pack still reports the losses of the old ones.
    """
    result = TransferResult()
    packs = active_packs(archive.folder)
    contents = {state.sha for state in archive.index.states() if not forgotten(state)}
    path = archive.folder / f"{archive.index.next_number():06}{SUFFIX}"
    making = path.with_suffix(MAKING)
    try:
        with _new_pack(making) as writer:
            writer.write(
                Replacement(
                    packs=tuple(pack.name for pack in packs), taken=_replaced_packs(archive, packs, losses=losses)
                )
            )
            written: set[bytes] = set()
            for head, payload in _records(packs, _Unreadable()):
                if isinstance(head, State):
                    if forgotten(head):
                        result.states += 1
                    else:
                        writer.write(head)
                elif head.sha not in contents:
                    result.contents += 1
                elif head.sha not in written:
                    written.add(head.sha)
                    writer.write(*_freed(archive, head, payload, contents))
            result.bytes = sum(packs.values()) - writer.end
        rename_new(making, path)
    except OSError as error:
        raise cannot_write(archive.folder, error) from error
    finally:
        with contextlib.suppress(OSError):
            making.unlink(missing_ok=True)
    for old in packs:
        old.unlink(missing_ok=True)
    return result


def _replaced_packs(archive: Archive, packs: Mapping[Path, int], *, losses: bool) -> tuple[ReplacedPack, ...]:
    """What a new pack takes from these, and what they took from earlier ones."""
    index = archive.index
    damages = index.damages() if losses else {}
    entries = {name: one if name in damages else replace(one, damaged=0, hole=0) for name, one in index.taken.items()}
    for path, size in packs.items():
        name, damaged = path.name, damages.get(path.name, 0)
        hole = max(_hole(path), entries[name].hole if name in entries else 0) if damaged else 0
        reach, sha = index.reach(name), hash_of(path)
        entries[name] = ReplacedPack(name=name, reach=reach, size=size, sha=sha, damaged=damaged, hole=hole)
    return tuple(entries.values())


def _hole(path: Path) -> int:
    """The end of the last stretch of a pack that is no record."""
    with opened(path) as file:
        ends = [item.end for item in scan(file) if isinstance(item, Damage) and not item.torn]
    return max(ends, default=len(MAGIC))


def _freed(
    archive: Archive, head: Content, payload: bytes, contents: Collection[bytes | None]
) -> tuple[Content, bytes]:
    """A content without a deleted base. Raises `StoreError` if the system does not give it."""
    if head.base is None or head.base in contents:
        return head, payload
    try:
        return pack(archive.read(head.sha), head.sha, None, archive.read)
    except Unread as error:
        raise cannot_read(archive.folder, error) from error
    except Damaged:
        return head, payload
