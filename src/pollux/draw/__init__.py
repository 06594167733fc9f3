"""Lines of text for views in a terminal: widths, tables, bars, times, Markdown, whole transcripts.

It writes to no terminal itself. It may import `export`, and what lies below.
"""
