"""Waits for what deferred tasks wait for: thousands of triggers in one event loop.

`service.py` is the supervisor, which has the database and runs no user code; `runner/` is the process that runs
triggers, and has no database. `protocol.py` is what they say to each other. See decision 0011.
"""
