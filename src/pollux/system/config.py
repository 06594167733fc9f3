"""The settings a user writes: one typed file, read when something needs it, never written by pollux."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any

import msgspec

from pollux.errors import RequestError
from pollux.system.files import read
from pollux.text.suggest import did_you_mean

EXAMPLE = "docs/usage.md shows an example."
_ANY_MODEL = "$.prices[...]"
_UNKNOWN_KEY = re.compile(r"unknown field `(.+?)`(?:, at `(.+)`)?")

Rate = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]


class Tier(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Other prices for requests whose prompt has more tokens than `above`; what is not named stays as it was."""

    above: Annotated[int, msgspec.Meta(gt=0)]
    input: Rate | None = None
    output: Rate | None = None
    cached: Rate | None = None
    cache_write: Rate | None = None
    cache_write_long: Rate | None = None
    reasoning: Rate | None = None


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a model costs: dollars for a million tokens. What is not named costs what `input` or `output` does."""

    input: Rate
    output: Rate
    cached: Rate | None = None
    cache_write: Rate | None = None
    cache_write_long: Rate | None = None
    reasoning: Rate | None = None
    tiers: tuple[Tier, ...] = ()

    def __post_init__(self) -> None:
        """Of two tiers that begin at the same size only one could count."""
        begins = [tier.above for tier in self.tiers]
        if len(set(begins)) < len(begins):
            raise ValueError("Two `tiers` have the same `above`")


class Redact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is to be taken out of what is shared, beside what pollux knows to be secret."""

    words: tuple[Annotated[str, msgspec.Meta(min_length=1)], ...] = ()
    emails: bool = False


class Config(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Everything that can be set."""

    prices: dict[str, Price] = {}
    redact: Redact = Redact()


def load(file: Path) -> Config:
    """The settings; the usual ones where there is no file. Raises `RequestError` where something in it is wrong."""
    try:
        text = read(file).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise RequestError(f"The settings in {file} cannot be read: {reason}.") from None
    try:
        held = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"The settings in {file} are no TOML: {error}.", EXAMPLE) from None
    try:
        return msgspec.convert(held, Config)
    except msgspec.ValidationError as error:
        told = _located(str(error), held)
        raise RequestError(f"The settings in {file} are wrong: {told}.", _key_meant(told) or EXAMPLE) from None


def _key_meant(told: str) -> str | None:
    """The key that was probably meant, where the decoder knows none of this name."""
    unknown = _UNKNOWN_KEY.search(told)
    if unknown is None:
        return None
    where = unknown[2] or ""
    kind = Tier if ".tiers" in where else Price if where.startswith("prices") else Redact if where else Config
    return did_you_mean(unknown[1], kind.__struct_fields__)


def _located(told: str, held: dict[str, Any]) -> str:
    """What is wrong, with the place as it is called in the file: the decoder leaves out whose price it is."""
    for model, price in held["prices"].items() if _ANY_MODEL in told else ():
        try:
            msgspec.convert(price, Price)
        except msgspec.ValidationError:
            told = told.replace(_ANY_MODEL, f'prices."{model}"')
            break
    return told.replace("`$.", "`").replace(" - at ", ", at ")
