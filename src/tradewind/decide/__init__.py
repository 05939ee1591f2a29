"""The verbs of Tradewind: pure functions over `model` values. No clock, no log, no I/O, no randomness.

Everything that may happen to a run or a task is decided here and nowhere else; `explain` answers "why not?" by
calling the same functions. Imports `model` only. Start reading at `transitions.py`, then `trigger_rules.py`,
`progress.py` (what a run's tasks may do next) and `admission.py` (which of them get slots).
"""
