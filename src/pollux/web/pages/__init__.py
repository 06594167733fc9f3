"""The pages: each a function that gives markup."""
