"""What was probably meant by a name that nothing has. The only place that guesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_ALIKE = 0.7


def closest(word: str, known: Iterable[str], *, alike: float = _ALIKE) -> str | None:
    """The known name that is written most like a word, whatever the case; None where none is like it.

    The beginning of a single name means that name, and so do letters of it in their order: `md` is `markdown`.
    """
    from difflib import get_close_matches  # few mistype, so only they wait for the import

    names = {name.casefold(): name for name in reversed([*known])}
    asked = word.casefold().strip()
    if asked in names:
        return names[asked]
    begun = [name for name in names if len(asked) > 1 and name.startswith(asked)]
    if len(begun) == 1:
        return names[begun[0]]
    swapped = [name for name in _swapped(asked) if name in names]
    if swapped:
        return names[swapped[0]]
    close = get_close_matches(asked, names, n=1, cutoff=alike)
    if close:
        return names[close[0]]
    held = [name for name in names if len(asked) > 1 and name[:1] == asked[:1] and _in_order(asked, name)]
    return names[held[0]] if len(held) == 1 else None


def _swapped(word: str) -> Iterator[str]:
    """The word with two neighbours in each other's place."""
    return (f"{word[:place]}{word[place + 1]}{word[place]}{word[place + 2 :]}" for place in range(len(word) - 1))


def _in_order(letters: str, name: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)


def did_you_mean(word: str, known: Iterable[str], otherwise: str | None = None, lead: str = "") -> str | None:
    """A hint: what was probably meant, behind `lead`; `otherwise` where nothing known is like it."""
    close = closest(word, known)
    return f"Did you mean: {lead}{close}?" if close is not None else otherwise
