"""The arguments of tools that change files, by the same names for all agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PATHS = ("file_path", "filePath", "notebook_path", "absolute_path", "path")
"""How tools call the file that they change, the surest name first."""

_COMMON = {
    "filePath": "file_path",
    "oldString": "old_string",
    "newString": "new_string",
    "replaceAll": "replace_all",
    "old_str": "old_string",
    "new_str": "new_string",
    "file_text": "content",
}
_is_usual = _COMMON.keys().isdisjoint


def common_name(name: str) -> str:
    """The name by which most agents know an argument."""
    return _COMMON.get(name, name)


def with_common_names(arguments: Any) -> Any:
    """Arguments by the names that most agents use. Where both names stand there, they are left as they are."""
    if not isinstance(arguments, Mapping) or _is_usual(arguments):
        return arguments
    named = {common_name(name): value for name, value in arguments.items()}
    if "path" in named and {"old_string", "content"} & named.keys():
        named.setdefault("file_path", named.pop("path"))
    return named if len(named) == len(arguments) else arguments
