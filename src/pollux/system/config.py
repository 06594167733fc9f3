"""The user's settings: one typed file, read when something needs it, never written by pollux."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from pollux.errors import RequestError
from pollux.system.decoders import learned
from pollux.system.files import read
from pollux.text.suggest import did_you_mean

_PAGES = {
    "keys": "tui",
    "lake": "lake",
    "private": "marks",
    "redact": "redaction",
    "resume": "resume",
    "sync": "cache",
    "tui": "tui",
}
"""The pages that show examples of settings, where it is not that of prices."""

_SECTION = re.compile(r" at `(?:\$\.)?(\w+)")
_ANY_MODEL = "$.prices[...]"
_UNKNOWN_KEY = re.compile(r"Object contains unknown field `(.+?)`(?: - at `(.+)`)?")
_MISSING_KEY = re.compile(r"Object missing required field `(.+?)`")
_WRONG_KIND = re.compile(r"Expected `(\w+)`( (?:[<>]=|of length) .+?)?(?:, got `(\w+)`)?$")
_KINDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "bool": "true or false",
    "object": "a table",
    "array": "a list",
}
"""What the decoder calls a kind of value, and what a person does."""

Rate = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Other prices for requests whose prompt has more tokens than `above`. A price that is not named stays the same."""

    above: Annotated[int, msgspec.Meta(gt=0)]
    input: Rate | None = None
    output: Rate | None = None
    cached: Rate | None = None
    cache_write: Rate | None = None
    cache_write_long: Rate | None = None
    reasoning: Rate | None = None


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a model costs: dollars for a million tokens. A price that is not named is that of `input` or `output`."""

    input: Rate
    output: Rate
    cached: Rate | None = None
    cache_write: Rate | None = None
    cache_write_long: Rate | None = None
    reasoning: Rate | None = None
    tiers: tuple[Tier, ...] = ()

    def __post_init__(self) -> None:
        """Refuse two tiers that begin at the same size."""
        begins = [tier.above for tier in self.tiers]
        if len(set(begins)) < len(begins):
            raise ValueError("Two `tiers` have the same `above`")


class Private(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What agents never get to see. `projects` are paths or names, as in the filter `project:`."""

    projects: tuple[Annotated[str, msgspec.Meta(min_length=1)], ...] = ()


class Redact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What else is taken out of shared sessions, besides the secrets that pollux knows."""

    words: tuple[Annotated[str, msgspec.Meta(min_length=1)], ...] = ()
    emails: bool = False


class Sync(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the cache is brought up to date. `background`: a command may leave a process behind that completes it."""

    background: bool = True


class Resume(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How sessions are resumed. `args` are more arguments for each agent, by its name."""

    args: dict[str, tuple[str, ...]] = {}


class Lake(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where sessions are pushed, under which name of the user, and how much of them leaves the machine at most."""

    url: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    person: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    level: Literal["figures", "redacted", "whole"] | None = None


class Tui(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The terminal UI. `theme` is its colours; `auto` goes by what the terminal says of itself."""

    theme: Literal["auto", "dark", "light", "contrast"] = "auto"


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that can be set."""

    keys: dict[str, dict[str, str | tuple[str, ...]]] = {}
    lake: Lake = Lake()
    prices: dict[str, Price] = {}
    private: Private = Private()
    redact: Redact = Redact()
    resume: Resume = Resume()
    sync: Sync = Sync()
    tui: Tui = Tui()


def load(file: Path) -> Config:
    """The settings; the defaults where there is no file. Raises `RequestError` where a setting is wrong."""
    try:
        text = read(file).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise RequestError(f"The settings in {file} cannot be read: {reason}.") from None
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"The settings in {file} are not TOML: {error}.", _example("")) from None
    try:
        return msgspec.convert(settings, learned(Config))
    except msgspec.ValidationError as error:
        problem = _located(str(error), settings)
        hint = _key_hint(problem) or _example(problem)
        raise RequestError(f"The settings in {file} are wrong: {_in_words(problem)}.", hint) from None


def _example(problem: str) -> str:
    """Where an example of the setting stands that is wrong."""
    section = _SECTION.search(problem)
    return f"docs/{_PAGES.get(section[1] if section else '', 'usage')}.md shows an example."


def _key_hint(problem: str) -> str | None:
    """A hint at the key that was probably meant, where the problem is an unknown key."""
    unknown = _UNKNOWN_KEY.search(problem)
    if unknown is None:
        return None
    where = unknown[2] or ""
    sections: dict[str, type[msgspec.Struct]] = {
        "lake": Lake,
        "prices": Tier if ".tiers" in where else Price,
        "private": Private,
        "redact": Redact,
        "resume": Resume,
        "sync": Sync,
        "tui": Tui,
    }
    kind = sections.get(where.lstrip("$.").partition(".")[0].partition("[")[0], Config)
    return did_you_mean(unknown[1], kind.__struct_fields__)


def _located(problem: str, settings: dict[str, Any]) -> str:
    """The problem, with its place as the file names it: the decoder does not say which model's price is wrong."""
    for model, price in settings["prices"].items() if _ANY_MODEL in problem else ():
        try:
            msgspec.convert(price, learned(Price))
        except msgspec.ValidationError:
            problem = problem.replace(_ANY_MODEL, f'prices."{model}"')
            break
    return problem.replace("`$.", "`")


def _in_words(problem: str) -> str:
    """The decoder's problem as a person would put it."""
    what, _, where = problem.partition(" - at ")
    place = f" in {where}" if where else ""
    if unknown := _UNKNOWN_KEY.match(problem):
        return f"there is no setting `{unknown[1]}`{place}"
    if missing := _MISSING_KEY.match(what):
        return f"`{missing[1]}` is missing{place}"
    if kind := _WRONG_KIND.match(what):
        bounds = (kind[2] or "").replace("of length >= 1", "that is not empty").replace(".0", "")
        actual = f", not {_KINDS.get(kind[3], kind[3])}" if kind[3] else ""
        return f"{where} must be {_KINDS.get(kind[1], kind[1])}{bounds}{actual}"
    return what + place
