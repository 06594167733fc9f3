"""The release of the program that recorded a session, and the vendor of a model."""

from __future__ import annotations

from pollux.model import Session, Value

_VERSION = ("version", "cli_version", "cliVersion")


class Vendor(Value, frozen=True, kw_only=True):
    """A vendor of models, as models.dev and as OpenTelemetry names it."""

    name: str
    provider: str


_GOOGLE = Vendor(name="google", provider="gcp.gen_ai")
_OPENAI = Vendor(name="openai", provider="openai")
# By how the names of their models begin.
_VENDORS = {
    "gemini-": _GOOGLE,
    "gemma-": _GOOGLE,
    "claude-": Vendor(name="anthropic", provider="anthropic"),
    **dict.fromkeys(("gpt-", "chatgpt-", "codex-", "o1", "o3", "o4"), _OPENAI),
    "deepseek-": Vendor(name="deepseek", provider="deepseek"),
    "grok-": Vendor(name="xai", provider="x_ai"),
    "mistral-": Vendor(name="mistral", provider="mistral_ai"),
}


def vendor(model: str | None) -> Vendor | None:
    """The vendor of a model, where its name says so."""
    return next((vendor for head, vendor in _VENDORS.items() if model is not None and model.startswith(head)), None)


def version(session: Session) -> str | None:
    """The release of the agent, where it wrote that down."""
    meta = session.extra.get("meta")
    places = (session.extra, meta if isinstance(meta, dict) else {})
    versions = (place.get(name) for place in places for name in _VERSION)
    return next((value for value in versions if isinstance(value, str) and value), None)
