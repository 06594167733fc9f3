"""The cache of what the agents' files hold: a catalogue of all sessions and an index of their words.

It may import `registry`, and what lies below.
"""
