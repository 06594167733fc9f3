"""Sessions of many people and machines in one object store, as documents and open tables.

It may import `export`, and what lies below.
"""
