"""What Airflow has and `tradewind.sdk` does not: one module per idea, reached only through the table.

Two sorts. Spellings of Airflow 2 that Airflow 3 still half knows (`dag.py`, `operator.py`, `variable.py`,
`connection.py`, `context_keys.py`) and small functions that DAG files and provider packages import. And names of
Airflow's servers and tables (`database.py`, `server_side.py`): they import, since much code only mentions them, and
say why not when they are used.
"""
