"""Logs of tasks: where they lie, how they are written and read."""
