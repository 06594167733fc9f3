"""What a person may ask of a hand-over."""

from __future__ import annotations

from pollux.model import Value


class DraftOptions(Value, frozen=True, kw_only=True):
    """How a session becomes a conversation.

    `tools`: calls go over as calls (`native`), or are told in words (`told`). `thinking`: the model's thinking goes
    over as text. `fate`: only what is `live`, or `all`, the rest as marked text. `upto` is the id of the last message,
    or the beginning of it. `fit` is how many tokens there is room for.
    """

    tools: str = "native"
    thinking: bool = False
    fate: str = "live"
    upto: str | None = None
    fit: int | None = None


AS_IT_WAS = DraftOptions()
"""All that is live, as it was."""
