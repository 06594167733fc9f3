"""The list alone, a few lines high, for scripts: it draws on the terminal and gives the session that was chosen.

It does without Textual, so that it is there at once.
"""
