"""Work on letters alone: compare, guess, escape.

It imports nothing.
"""
