"""The command line that marks what a key marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.text.shell import shell_line

if TYPE_CHECKING:
    from pollux.library.marks import Edit, Target


def mark_command(target: Target, edit: Edit) -> str:
    """The same change in a shell."""
    words = ["pollux", "mark", target.key + (f"#{target.message.id}" if target.message is not None else "")]
    if edit.starred is not None:
        words.append("--star" if edit.starred else "--unstar")
    if edit.private is not None:
        words.append("--private" if edit.private else "--public")
    for tag, is_added in edit.tags.items():
        words += ["--tag" if is_added else "--untag", tag]
    for option, text in (("--note", edit.note), ("--name", edit.name)):
        if text is not None:
            words += [option, text]
    return shell_line(*words)


def done(sentence: str, target: Target, edit: Edit) -> str:
    """What to say of a change."""
    return f"{sentence} · {mark_command(target, edit)}"
