"""All of Tradewind on one machine with one command: `tradewind standalone` and `tradewind dev`.

- `deployment.py` is its course: prepare a home, keep the components running, leave nothing behind.
- `readiness.py` says when it can be used.
- `home.py` makes what a home needs: folders, keys, database, the first user.
- `terminal.py` is what it says; `task_log_lines.py` what tasks say, for `dev`.

Which components there are is said by `cli/components.py`. Their processes are kept by `runtime/keeper.py`, and end with
this one by `runtime/lifeline.py`. May import what every service does, and `bootstrap`.
"""
