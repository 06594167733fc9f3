"""The terminal UI: a list that searches as you type, and a reader of conversations.

It may import `answers` and `draw`, and what lies below.
Textual takes longer to import than all of pollux: nothing here imports it before the UI is opened.
"""
