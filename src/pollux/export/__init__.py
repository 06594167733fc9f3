"""Writes sessions in other formats: one session to a file, or many into a folder.

It may import `library`, and what lies below.
"""
