"""The archive keeps what agents delete, empty or break, in append-only packs.

It may import `projects` and `index`, and what lies below.
"""
