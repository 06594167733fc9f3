"""Signatures over records and session files, and copies with hidden parts that still verify.

It may import `archive` and `usage`, and what lies below.
"""
