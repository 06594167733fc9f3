"""Conversations in other files than session logs: saved chats, checkpoints, captured runs."""
