"""Importing the files of DAG authors: by whoever reads DAGs, and by whoever runs their tasks.

`load.py` imports from the very source, `observe.py` notes what that touches, `fingerprint.py` tells whether it changed.
"""
