"""The known name that a person probably meant by an unknown one. Only this module guesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_ALIKE = 0.7


def closest(word: str, known: Iterable[str], *, alike: float = _ALIKE) -> str | None:
    """The known name that is most similar to a word, whatever the case; None where none is similar.

    The beginning of exactly one name means that name. So do some letters of it in their order: `md` is `markdown`.
    """
    from difflib import get_close_matches  # the import is slow, and few people mistype

    names = {name.casefold(): name for name in reversed([*known])}
    typed = word.casefold().strip()
    if typed in names:
        return names[typed]
    completions = [name for name in names if len(typed) > 1 and name.startswith(typed)]
    if len(completions) == 1:
        return names[completions[0]]
    swaps = [name for name in _swaps(typed) if name in names]
    if swaps:
        return names[swaps[0]]
    similar = get_close_matches(typed, names, n=1, cutoff=alike)
    if similar:
        return names[similar[0]]
    spread = [name for name in names if len(typed) > 1 and name[:1] == typed[:1] and _in_order(typed, name)]
    return names[spread[0]] if len(spread) == 1 else None


def _swaps(word: str) -> Iterator[str]:
    """The word with two neighbouring letters swapped, for each pair of neighbours."""
    return (f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}" for place in range(len(word) - 1))


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None, lead: str = "") -> str | None:
    """A hint: the name that was probably meant, after `lead`; `otherwise` where no known name is similar."""
    close = closest(word, known)
    return f"Did you mean: {lead}{close}?" if close is not None else otherwise
