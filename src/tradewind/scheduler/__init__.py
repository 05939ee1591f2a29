"""The scheduler: creates runs, advances them, and hands tasks to executors.

One file per duty, each of the same shape: load a snapshot, decide (pure, in `decide`), write guarded, tell. Any number
of schedulers may run at once; they share nothing but the database. `service.py` is the loop; `state.py` what a
scheduler keeps in memory, none of which it needs to be right. Start reading at `service.py`, then `advance_runs.py`.
"""
