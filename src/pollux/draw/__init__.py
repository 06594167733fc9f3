"""Lines of text for views in a terminal: widths, tables, Markdown, lists of sessions, transcripts.

It writes to no terminal itself. It may import `lake`, and what lies below.
"""
