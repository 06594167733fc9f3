"""Every JSON answer, made in one place for all views: one module for each family of commands.

It may import `lake`, and what lies below.
"""
