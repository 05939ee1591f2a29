"""Where DAG files come from: a local folder, or a git repository whose versions runs are pinned to.

`interface.py` is what a bundle can do, `registry.py` makes those that the configuration names.
"""
