"""How Codex CLI goes on with a thread.

It finds a thread by its id from any folder, and asks in which folder to work if that is not the recorded one, unless it
is told. Since 0.166 it goes on only with the provider that the thread names; a copy takes the present provider.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pollux.errors import CannotResume
from pollux.sources.codex import find
from pollux.sources.codex.flatten import missing_beginning
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, no_home
from pollux.system.files import read
from pollux.text.shell import shell_word

PROGRAM = Program(name="codex", package="@openai/codex", background=("--managed-daemon", "pid-update-loop"))

_PROVIDER = "model_provider"
DEFAULT_PROVIDER = "openai"
_BUILT_IN = (DEFAULT_PROVIDER, "ollama", "lmstudio")
_LAST_WITHOUT_FORK = (0, 80, 0)


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`codex resume ID`, or `codex fork ID` for a copy; `-C` names the folder if the thread was not held there."""
    session = request.session
    if request.root.name == find.ARCHIVE:
        raise CannotResume(
            "archived",
            f"{shell_word(session.key)} is archived in Codex CLI.",
            f"Try: codex unarchive {shell_word(session.id)}, then pollux resume {shell_word(session.key)}",
        )
    if request.root.name != find.LIVE:
        raise no_home(request, "Codex CLI", find.LIVE)
    if all(find.parse_name(file)[0] != session.id for file in session.files) or "version" not in session.facts:
        raise CannotResume(
            "format",
            f"No present release of Codex CLI resumes the files of {shell_word(session.key)}.",
            _copied(session.key),
        )
    if (reason := missing_beginning(session.id, session.files)) is not None:
        raise CannotResume("beginning", f"Codex CLI refuses {shell_word(session.key)}: {reason}.", _copied(session.key))
    if request.fork and request.release is not None and request.release <= _LAST_WITHOUT_FORK:
        raise CannotResume(
            "fork", f"Codex CLI {request.release_name} cannot fork a session.", "Update Codex CLI, or leave --fork out."
        )
    if not request.fork:
        _require_provider(request)
    folder = ("-C", request.folder) if request.elsewhere else ()
    return ResumeCommand(
        words=(PROGRAM.name, "fork" if request.fork else "resume", session.id, *folder, *request.arguments),
        environ=home_variable(request, "CODEX_HOME", request.root.parent, request.home / ".codex"),
        fork=request.fork,
        warnings=tuple(_without_provider(request)),
    )


def _copied(key: str) -> str:
    """What works where the files do not."""
    return f"Go on with a copy that it resumes: pollux handoff {shell_word(key)} --to {PROGRAM.name}"


def running_sessions(_root: Path) -> dict[int, str]:
    """Codex CLI writes down nowhere which process has which thread."""
    return {}


def _require_provider(request: ResumeRequest) -> None:
    """Raise `CannotResume` for a thread of another provider than the present one."""
    thread = next(reversed(request.session.facts.get("provider", ())), None)
    if thread is None or request.is_before(0, 166) or any(_PROVIDER in word for word in request.arguments):
        return
    settings = _settings(request.root.parent)
    if (present := _present_provider(settings)) == thread:
        return
    key = request.session.key
    if thread in _BUILT_IN or thread in _table(settings, "model_providers"):
        hint = f"Try: pollux resume {shell_word(key)} -- -c {_PROVIDER}={thread}"
    else:
        hint = f"Try: pollux resume {shell_word(key)} --fork, which goes on with a copy"
    raise CannotResume(
        "provider", f"{key} was held with the model provider {thread!r}, and Codex CLI now uses {present!r}.", hint
    )


def _without_provider(request: ResumeRequest) -> Iterator[str]:
    """A sentence about a thread that names no provider, such as those of 0.40 and before."""
    if request.fork or request.is_before(0, 166) or request.session.facts.get("provider"):
        return
    yield (
        "The thread names no model provider, and Codex CLI refuses it if its database does not, either. "
        f"Then try: pollux resume {shell_word(request.session.key)} --fork"
    )


def present_provider(home: Path) -> str:
    """The model provider that Codex CLI uses now, by the settings in its home."""
    return _present_provider(_settings(home))


def _present_provider(settings: dict[str, Any]) -> str:
    profile = _table(_table(settings, "profiles"), str(settings.get("profile")))
    return str(profile.get(_PROVIDER) or settings.get(_PROVIDER) or DEFAULT_PROVIDER)


def _settings(home: Path) -> dict[str, Any]:
    """The settings; none where they cannot be read: Codex CLI itself will say so."""
    try:
        return tomllib.loads(read(home / "config.toml").decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _table(settings: dict[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    return value if isinstance(value, dict) else {}
