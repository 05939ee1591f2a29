"""Logs of tasks: where they lie, how they are written, read and kept elsewhere.

A log is a file of JSON lines for each try of a task instance. `places.py` says where, `writer.py` is used by whoever
runs the attempt, `reader.py` by whoever looks at it, `remote.py` copies logs to storage that outlives the machine.
"""
