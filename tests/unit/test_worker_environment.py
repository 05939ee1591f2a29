"""What a worker without a database finds in its environment (D1)."""

import pytest

from tradewind.settings import environment_of_workers

NEEDED = {
    "TRADEWIND__CORE__EXECUTION_API_SERVER_URL": "http://server:8080",
    "TRADEWIND__SECRETS__BACKEND_KWARGS": "{}",
    "AIRFLOW__WORKERS__SECRETS_BACKEND_KWARGS": "{}",
    "AIRFLOW_VAR_COLOUR": "blue",
}
SECRET = {
    "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": "postgresql://user:pass@host/db",
    "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "postgresql://user:pass@host/db",
    "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD": "cat url",
    "TRADEWIND__API_AUTH__JWT_SECRET": "x",
    "TRADEWIND__CORE__FERNET_KEY": "x",
    "TRADEWIND__CORE__FERNET_KEY_SECRET": "x",
    "TRADEWIND_ADMIN_PASSWORD": "x",
}


def test_a_worker_without_a_database_has_no_secret_of_the_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (NEEDED | SECRET).items():
        monkeypatch.setenv(name, value)

    environ = environment_of_workers()

    assert environ.items() >= NEEDED.items()
    assert environ.keys() & SECRET.keys() == set()
