"""Airflow compatibility as people meet it: import statements, example files, provider packages, whole environments."""
