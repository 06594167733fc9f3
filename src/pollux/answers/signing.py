"""Records, keys and signatures: `check`, `key`, `verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pollux.signing.keys import NamedKey
    from pollux.signing.statement import Verdict
    from pollux.writers.vac.check import Problem


def check_document(problems: Sequence[Problem], entries: int) -> dict[str, Any]:
    """`pollux check --json`."""
    broken = [{"place": problem.place, "text": problem.text} for problem in problems]
    return {"valid": not problems, "entries": entries, "problems": broken}


def keys_document(keys: Iterable[NamedKey]) -> list[dict[str, str]]:
    """`pollux key list --json`."""
    return [key_document(key) for key in keys]


def key_document(key: NamedKey) -> dict[str, str]:
    """`pollux key show NAME --json`."""
    return {"name": key.name, "algorithm": key.algorithm, "id": key.id, "public": key.public}


def signature_document(verdict: Verdict) -> dict[str, Any]:
    """`pollux verify --json`, of a signature that holds."""
    return {
        "verified": True,
        "issuer": verdict.issuer,
        "subject": verdict.subject,
        "algorithm": verdict.algorithm,
        "key": verdict.key,
        "content_type": verdict.content_type,
        "content_hash": verdict.content_hash,
        "trace_format": verdict.trace_format,
        "hidden": verdict.hidden,
        "proved": verdict.proved,
        "not_proved": verdict.not_proved,
    }
