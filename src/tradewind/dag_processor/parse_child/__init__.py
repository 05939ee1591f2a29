"""The processes that run authors' files: a warm one, and a child of it for each file.

- `server.py` is the warm process: it has imported the SDK, forks, watches the limits, passes results on.
- `child.py` is the life of a child; `load.py` imports the file, `observe.py` notes what it touches on the way,
  `explain.py` says what went wrong, `source_check.py` what will hurt.

Imports model, sdk, compat and compile; never the database (see `pyproject.toml`).
"""
