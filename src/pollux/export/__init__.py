"""Many sessions into a folder: quickly, whole, and without touching what is not ours."""

from pollux.export.folder import Folder
from pollux.export.names import file_name
from pollux.export.run import Export, Layout, Outcome, redacted
from pollux.export.target import Target, replaced
from pollux.export.work import Job

__all__ = ["Export", "Folder", "Job", "Layout", "Outcome", "Target", "file_name", "redacted", "replaced"]
