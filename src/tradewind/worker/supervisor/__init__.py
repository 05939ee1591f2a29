"""The process that watches over the attempts of one executor on one machine. It never runs user code.

- `service.py` is the loop: what came in during one turn goes to the engine in one exchange.
- `attempt.py` is an attempt as seen from outside; `ends.py` turns how its process ended into a report.
- `zygotes.py` has attempts forked, through `nursery.py`; `clients.py` hears executors.
- `watch.py` ends what takes too long or too much; `leftovers.py` what a former supervisor left running.

May import model, runtime, wire, task_logs and bundles; never the database: see `worker/engine.py`.
"""
