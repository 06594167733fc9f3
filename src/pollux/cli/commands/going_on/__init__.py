"""Commands that go on with a session in an agent: its own, or another one."""
