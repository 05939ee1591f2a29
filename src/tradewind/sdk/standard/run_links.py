"""Addresses of runs in the user interface."""

from urllib.parse import quote, urljoin

from tradewind.sdk.configuration import conf


def run_url(dag_id: str, run_id: str) -> str:
    """The page of a run; without `[api] base_url`, its path on whatever host the reader looks at."""
    base: str = conf.get("api", "base_url", fallback="/") or "/"
    path = f"dags/{quote(dag_id, safe='')}/runs/{quote(run_id, safe='')}"
    return urljoin(base.rstrip("/") + "/", path)
