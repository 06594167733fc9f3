"""The web UI: the whole history in a browser, for the user of this machine alone.

It may import `answers` and `draw`, and what lies below.
Only this package imports starlette and uvicorn, and nothing imports it before `pollux web` is started.
"""
