"""The facts that a search filters by, as terms of the index: `agent:claude`, `tool:read`, `failed:yes`."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pollux.index.search.passages import Facts, Passage
from pollux.index.search.prepare.prepare_text import normalize_name
from pollux.model import Fate, Role
from pollux.text.folding import fold

if TYPE_CHECKING:
    import tantivy

# A fact is one term: white space, at which the index would split it, becomes a control character.
_NO_SPACES = str.maketrans(" \t\n\f\r", "\x1f\x1e\x1d\x1c\x1b")
_SPACES = {sign: space for space, sign in _NO_SPACES.items()}


def fact_term(name: str, value: str) -> str:
    """A fact as a term."""
    return f"{name}:{value.translate(_NO_SPACES)}"


def fact_values(searcher: tantivy.Searcher, name: str) -> list[str]:
    """All values of a fact. The facts that are asked for have few values."""
    terms = searcher.terms_with_prefix("fact", f"{name}:")
    return [term.removeprefix(f"{name}:").translate(_SPACES) for term, _ in terms]


def session_facts(facts: Facts) -> str:
    """The facts of a session as terms, with a space between them."""
    terms = [fact_term("agent", facts.agent), fact_term("kind", facts.kind)]
    if facts.project:
        terms.append(fact_term("project", normalize_name(facts.project)))
    if facts.project_hash:
        terms.append(fact_term("project", f"#{facts.project_hash}"))
    return " ".join((*terms, *(_name_term(fact, value) for fact, values in facts.others.items() for value in values)))


class _Action(NamedTuple):
    """The facts of a passage. Few passages differ in them."""

    fate: Fate
    role: Role | None
    model: str | None
    tools: tuple[str, ...]
    failed: bool | None
    exit_code: int | None


def passage_facts(passage: Passage) -> str:
    """The facts of a passage as terms, with a space between them."""
    return _action_facts(
        _Action(passage.fate, passage.role, passage.model, passage.tools, passage.failed, passage.exit_code)
    )


@lru_cache(maxsize=1 << 10)
def _action_facts(action: _Action) -> str:
    terms = [fact_term("fate", action.fate), *(_name_term("tool", tool) for tool in action.tools)]
    if action.role is not None:
        terms.append(fact_term("role", action.role))
    if action.model:
        terms.append(_name_term("model", action.model))
    if action.failed is not None:
        terms.append(fact_term("failed", "yes" if action.failed else "no"))
    if action.exit_code is not None:
        terms.append(fact_term("exit", str(action.exit_code)))
    return " ".join(terms)


def _name_term(fact: str, name: str) -> str:
    return fact_term(fact, fold(normalize_name(name)))
