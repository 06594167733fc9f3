"""What Claude Code is called elsewhere, and what its sessions tell of their surroundings."""

from __future__ import annotations

from pollux.model import About, Session


def about(session: Session) -> About:
    """The release that wrote the session, and the branch it worked on: "HEAD" stands for none, also outside git."""
    version, branch = (session.extra.get(name) for name in ("version", "gitBranch"))
    return About(
        program="claude-code",
        harness="claude_code",
        vendor="anthropic",
        trace="claude-jsonl",
        version=version if isinstance(version, str) and version else None,
        branch=branch if isinstance(branch, str) and branch not in ("", "HEAD") else None,
    )
