"""Sessions of many people and machines in one object store, as documents and open tables."""
