"""Peeks into many files at once, by several processes. Grouping the files is fast when all peeks are known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import msgspec

from pollux.index.catalogue.catalogue import Peeks
from pollux.sources.base import File, Root, Source, SourceContext
from pollux.system.decoders import msgpack_decoder
from pollux.system.gc_pause import gc_paused
from pollux.system.workers import process_count, run_jobs

_TOGETHER = 40
"""How many files one process groups at a time: few, so that all processes end at the same time."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(list[tuple[str, str, str, bytes]]).decode


def peek_ahead(source: Source, root: Root, files: Sequence[File], known: Peeks) -> Peeks:
    """What peeks into these files give, as far as they are not known. Nothing if that is little work.

    Each process groups some of the files as if there were no others: only the peeks are used.
    """
    seen = {path for _, path in known}
    new = sorted((file for file in files if file.path not in seen), key=lambda file: file.path)
    pieces = [new[start : start + _TOGETHER] for start in range(0, len(new), _TOGETHER)]
    size = process_count([sum(file.size for file in piece) for piece in pieces])
    if size < 2:
        return {}

    def job(number: int) -> bytes:
        with gc_paused():
            return _peeks(source, root, pieces[number])

    peeks: Peeks = {}
    with closing(run_jobs(job, len(pieces), size)) as answers:
        for _, answer in answers:
            for kind, path, stamp, peek in _decode(answer) if answer else ():
                peeks[kind, path] = (stamp, peek)
    return peeks


def _peeks(source: Source, root: Root, files: list[File]) -> bytes:
    """Encoded peeks; nothing where grouping fails, or a name is no text: then the files are peeked into later."""
    context = SourceContext()
    try:
        for bundle in source.bundles(root.path, files, context):
            bundle.fingerprint()
        return _encode([(kind, path, stamp, peek) for (kind, path), (stamp, peek) in context.peeks.items()])
    except Exception:  # noqa: BLE001 (the same error is met, and reported, when all files are grouped)
        return b""
