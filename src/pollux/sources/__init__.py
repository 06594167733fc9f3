"""One folder for each agent. Nothing outside an agent's folder knows its format.

It may import `marks` and `transforms` and `writers`, and what lies below.
"""

from pollux.sources.base import Bundle, File, FileAccount, Root, Source, SourceContext, Status

__all__ = ["Bundle", "File", "FileAccount", "Root", "Source", "SourceContext", "Status"]
