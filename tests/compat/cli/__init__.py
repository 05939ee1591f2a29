"""The command line, beside the facts of Airflow's: `commands.json` has what each command takes, without any text."""
