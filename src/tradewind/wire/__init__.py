"""What processes say to one another: on one machine, and over HTTP.

`frames.py` cuts a stream into messages; `work.py` is what executors and supervisors say; `calls.py` makes messages of
the methods of a class; `execution.py` is what supervisors and the Execution API say. May import the model only, so that
every process can import it. Nothing is ever unpickled: contents are msgspec structures, checked when decoded.
"""
