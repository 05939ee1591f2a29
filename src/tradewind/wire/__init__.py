"""What processes say to one another on one machine.

`frames.py` cuts a stream into messages; `work.py` is what executors and supervisors say. May import the model only, so
that every process can import it. Nothing is ever unpickled: contents are msgspec structures, checked when decoded.
"""
