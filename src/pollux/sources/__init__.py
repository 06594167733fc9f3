"""One folder an agent. Nothing outside an agent's folder knows its format."""

from pollux.sources.base import Bundle, File, FileAccount, Root, Source, SourceContext, Status

__all__ = ["Bundle", "File", "FileAccount", "Root", "Source", "SourceContext", "Status"]
