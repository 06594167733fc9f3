"""Answers that do not wait for all files: what they need, what they lack, and what does the rest."""
