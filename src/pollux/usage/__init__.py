"""Tokens and money: what was used, what it cost, when, and how that is known.

It may import `projects` and `index`, and what lies below.
"""
