"""The object that a view holds: all sessions of this machine, and the services that answer questions about them.

It may import `signing`, and what lies below.
"""
