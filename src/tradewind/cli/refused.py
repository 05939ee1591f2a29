"""What Airflow's command line has, or had in 2.x, and ours has not: who types it is told why, rather than "unknown"."""

from collections.abc import Mapping, Sequence
from typing import Final

COMMANDS: Final[Mapping[str, str]] = {
    "celery": "an executor that uses Celery comes later",
    "dags backfill": "runs of past dates are asked for by backfill create",
    "db init": "the schema is made, and brought up to date, by db migrate",
    "db upgrade": "the schema is made, and brought up to date, by db migrate",
    "db-manager": "there is one schema, which db migrate looks after",
    "edge": "an executor for workers at the edge comes later",
    "fab-db": "users are kept in the one database, which db migrate looks after",
    "internal-api": "workers without a database ask the web server: worker --execution-api-url",
    "kerberos": "tickets are renewed by k5start or a timer of the system",
    "kubernetes": "an executor that uses Kubernetes comes later",
    "permissions-cleanup": "what a DAG grants is kept with the DAG, and goes with it",
    "providers lazy-loaded": "all that providers bring is loaded when it is needed; providers list shows it",
    "sync-perm": "what a DAG grants is read with the DAG, so that there is nothing to bring in line",
    "tasks run": "tasks are run by workers; tasks test runs one here",
    "teams": "deployments are not divided into teams",
    "webserver": "the web server is started by api-server",
}
"""By the words after `tradewind`, or the first of them where it is a group."""

OPTIONS: Final[Mapping[str, str]] = {
    "--dev": "tradewind dev starts everything again when its files change",
    "--file-io": "nothing is sent anywhere; info --anonymize leaves out what is private",
    "--imgcat": "dags show --save writes an SVG that terminals can show",
    "--imgcat-dagrun": "dags show --save writes an SVG that terminals can show",
    "--log-config": "[logging] says what is logged",
    "--skip-serve-logs": "no server for logs is started, so that there is none to leave out",
    "--ssl-ca-file": "clients are known by tokens, not by certificates",
    "--ssl-cert-reqs": "clients are known by tokens, not by certificates",
    "--team-name": "deployments are not divided into teams",
    "--worker-timeout": "requests have limits of their own, and no process is ended for a slow one",
}
"""Of some command or other; where a command has an option of the name, that is meant."""


def why_no_command(words: Sequence[str]) -> str | None:
    """Why there is no such command, if it is one of Airflow's."""
    given = [word for word in words if not word.startswith("-")]
    found = next((name for name in COMMANDS if given[: name.count(" ") + 1] == name.split()), None)
    return None if found is None else f"there is no {found}: {COMMANDS[found]}"


def why_no_option(name: str) -> str | None:
    """Why there is no such option, if it is one of Airflow's."""
    return f"there is no {name} here: {OPTIONS[name]}" if name in OPTIONS else None
