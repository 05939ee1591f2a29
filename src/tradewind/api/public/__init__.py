"""The REST API of Airflow 3.3, `/api/v2`: one module per tag of its document, with its schemas."""
