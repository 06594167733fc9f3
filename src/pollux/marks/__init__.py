"""What a person noted: marks on sessions and messages, and how far they were read. It is kept beside the archive.

It may import `wire`, and what lies below.
"""
