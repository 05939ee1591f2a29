"""The REST API is the one that Airflow's clients know.

`contract.json` holds the facts of the OpenAPI document of Airflow 3.3.2: operations, parameters, bodies, answers and
their fields, without any of its texts.
"""
