"""The cache: `sync`, `cache info`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pollux.library.library import CacheInfo, Outcome


def sync_document(outcome: Outcome) -> dict[str, Any]:
    """`pollux sync --json`."""
    return {
        "sessions": outcome.sessions,
        "files": outcome.files,
        "changed": outcome.changed,
        "removed": outcome.removed,
        "kept": outcome.kept,
        "bytes": outcome.bytes,
        "seconds": outcome.seconds,
        "busy": outcome.busy,
    }


def cache_document(cache: CacheInfo) -> dict[str, Any]:
    """`pollux cache info --json`."""
    return {
        "folder": cache.folder,
        "catalogue_bytes": cache.catalogue_bytes,
        "index_bytes": cache.index_bytes,
        "sessions": cache.sessions,
        "passages": cache.passages,
        "pending": cache.pending,
        "generation": cache.generation,
    }
