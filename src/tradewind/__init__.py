"""Tradewind: a workflow orchestrator that runs Airflow 3 DAG files.

The tree reads as: what authors import (`sdk`), what a run is (`model`), how we decide (`decide`), where we
keep it (`storage`), who runs it (`scheduler`, `executors`, `worker`, `triggerer`, `dag_processor`) and who
asks (`api`, `cli`).

May import: nothing, so that `import tradewind` stays free. Start reading in `tradewind.decide`.

pytest: PYTEST_DONT_REWRITE. The package is imported before pytest is, by `tradewind.startup`, and has no assertion.
"""

__version__ = "0.1.0"
