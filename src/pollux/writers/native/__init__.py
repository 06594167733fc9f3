"""What the writers of agents' own files share: a conversation that any agent can hold, and the account of it.

A session becomes a `Conversation` (`draft`), and a `NativeFormat`, which lives with its agent, writes it as a file that
the agent resumes. It may import what `writers` may.
"""
