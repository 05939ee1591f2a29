"""What happened, as typed events; metrics, logs and traces attach to the hub as handlers.

The engine only emits. Imports `model` only. Start reading at `events.py`.
"""
