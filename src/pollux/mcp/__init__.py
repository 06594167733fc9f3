"""The server for agents: the Model Context Protocol over standard input and output, and the tools that it offers.

It may import `answers` and `draw`, and what lies below.
"""
