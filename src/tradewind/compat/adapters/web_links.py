"""Addresses of pages of the UI."""

from typing import Any
from urllib.parse import quote, urlencode

from tradewind.sdk.configuration import conf


def build_airflow_dagrun_url(dag_id: str, run_id: str) -> str:
    """The page of a run."""
    base = conf.get("api", "base_url", fallback="/").rstrip("/")
    return f"{base}/dags/{quote(dag_id, safe='')}/runs/{quote(run_id, safe='')}"


def build_airflow_url_with_query(query: dict[str, Any]) -> str:
    """The page of a DAG, in the form that Airflow 2 had for it."""
    base = conf.get("api", "base_url", fallback="/").rstrip("/")
    return f"{base}/dags/{quote(str(query.get('dag_id', '')), safe='')}?{urlencode(query)}"
