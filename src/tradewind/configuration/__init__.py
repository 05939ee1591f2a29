"""Where the text of an option comes from: environment, files, commands, defaults. For the services and for user code.

- `sources.py` looks an option up in all places; `defaults.json` has every option that Airflow knows, with its default.
- `tradewind.settings` makes frozen, checked values of what the services use; `tradewind.sdk.configuration` is Airflow's
  `conf` for DAG files and operators. Both ask here, so they cannot disagree.

Light to import: user code does. May import `errors` only.
"""
