"""Every JSON answer, made in one place for all views: one module for each family of commands.

It may import `export`, and what lies below.
"""
