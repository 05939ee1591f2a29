"""Tests of Tradewind, one folder per kind.

- `unit`: values only
- `property`: hypothesis
- `conformance`: one suite over every store and every executor
- `component`: one service on a real database with a fake clock
- `simulation`: many schedulers in virtual time
- `architecture`: the shape of the tree

Start reading in `tests/databases.py` (where the databases come from) and `tests/conftest.py` (the fixtures).
"""
