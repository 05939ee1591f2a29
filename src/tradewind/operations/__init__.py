"""What can be done to DAGs, runs and tasks; shared by API, CLI, scheduler and workers' reports.

Each operation is a function of one `Transaction` that loads, asks `decide`, writes guarded and emits; whoever calls it
says when the transaction ends. Imports `decide`, `storage.interface` and `telemetry`. Start reading at
`report_tasks.py`, the busiest of them.
"""
