"""Which directory a session belongs to, and where that directory is now.

It may import `registry`, and what lies below.
"""
