"""Finds DAG files, has each read by a child process, and stores what they say.

- `service.py` is the service: which duty is done when; `state.py` is what it remembers.
- `discover.py` finds files in a bundle, `folder.py` tells which have changed.
- `pool.py` hands files to the warm process of `parse_child/`, which forks a child for each; `protocol.py` is what they
  say to each other. Only `parse_child/` and `compile/` load what authors import, and they never load the database.
- `lint.py` is the same reading without a database.

May import model, operations, storage.interface and runtime; see `pyproject.toml`. Start reading at `service.py`.
"""
