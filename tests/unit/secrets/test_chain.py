"""Who is asked for variables and connections, in which order (D3)."""

import logging
from dataclasses import dataclass, field
from typing import Any

import pytest

from tradewind.errors import InvalidRequest, SecretRefused
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.exceptions import AirflowSecretsBackendAccessDenied
from tradewind.sdk.secrets_backend import BaseSecretsBackend
from tradewind.secrets.chain import BackendSource, EnvironmentSource, SecretsChain


class Vault(BaseSecretsBackend):
    """A backend from before there were teams."""

    def __init__(self, **values: str) -> None:
        self.values = values

    def get_conn_value(self, conn_id: str) -> str | None:  # type: ignore[override]
        return self.values.get(conn_id)

    def get_variable(self, key: str) -> str | None:  # type: ignore[override]
        return self.values.get(key)


@dataclass
class TeamVault:
    """A backend that knows teams, and is no subclass of anything."""

    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def get_variable(self, key: str, team_name: str | None = None) -> str | None:
        self.asked.append((key, team_name))
        return f"of {team_name}" if team_name else None


@dataclass
class Broken:
    """A backend that raises."""

    error: Exception

    def get_variable(self, **_: Any) -> str:
        raise self.error

    get_connection = get_variable


def test_first_source_that_has_it_answers() -> None:
    environment = EnvironmentSource({"TRADEWIND_VAR_A": "environment", "TRADEWIND_VAR_B": "environment"})
    chain = SecretsChain([BackendSource(Vault(a="vault")), environment])

    assert chain.get_variable("a") == "vault"
    assert chain.get_variable("b") == "environment"
    assert chain.get_variable("c") is None
    assert SecretsChain().get_variable("a") is None


def test_environment_takes_both_prefixes_and_empty_texts() -> None:
    chain = SecretsChain(
        [EnvironmentSource({"AIRFLOW_VAR_KEY": "theirs", "TRADEWIND_VAR_KEY": "ours", "AIRFLOW_VAR_OTHER": ""})]
    )

    assert chain.get_variable("Key") == "ours"
    assert chain.get_variable("other") == ""


@pytest.mark.parametrize(
    "text", ["postgres://me:hunter2@db:5432/app", '{"conn_type": "postgres", "login": "me", "password": "hunter2"}']
)
def test_connection_of_the_environment_is_a_uri_or_json(text: str) -> None:
    found = SecretsChain([EnvironmentSource({"AIRFLOW_CONN_MY_DB": text})]).get_connection("my_db")

    assert found is not None
    assert (found.conn_id, found.conn_type, found.login, found.password) == ("my_db", "postgres", "me", "hunter2")


def test_connection_that_cannot_be_read_is_refused_without_its_text() -> None:
    chain = SecretsChain([EnvironmentSource({"TRADEWIND_CONN_DB": "postgres://me:hunter2@db:notaport/app"})])

    with pytest.raises(InvalidRequest, match=r"connection 'db' cannot be read.*from the environment") as caught:
        chain.get_connection("db")
    assert "hunter2" not in str(caught.value)


def test_connection_of_a_backend_is_taken_by_its_fields() -> None:
    found = SecretsChain([BackendSource(Vault(db="http://me:pass@host:80/s?a=b"))]).get_connection("db")

    assert found == ConnectionResult(
        conn_id="db",
        conn_type="http",
        host="host",
        schema="s",
        login="me",
        password="pass",
        port=80,
        extra='{"a": "b"}',
    )


def test_team_is_named_to_those_who_take_it() -> None:
    backend = TeamVault()
    chain = SecretsChain([BackendSource(Vault()), BackendSource(backend)])

    assert chain.get_variable("a", team_name="red") == "of red"
    assert backend.asked == [("a", "red")]
    environment = EnvironmentSource({"AIRFLOW_VAR__RED___A": "theirs", "AIRFLOW_VAR_A": "everybody's"})
    assert environment.get_variable("a", "red") == "theirs"
    assert environment.get_variable("a", "blue") == "everybody's"
    assert environment.get_variable("a") == "everybody's"


def test_backend_out_of_reach_does_not_hide_what_the_next_has(caplog: pytest.LogCaptureFixture) -> None:
    chain = SecretsChain(
        [BackendSource(Broken(ConnectionError("away"))), BackendSource(Vault(a="vault", b="http://h"))]
    )

    with caplog.at_level(logging.WARNING):
        assert chain.get_variable("a") == "vault"
        assert chain.get_connection("b") is not None

    assert "Broken did not answer" in caplog.text


def test_denial_is_an_answer_that_nobody_overrides() -> None:
    denied = BackendSource(Broken(AirflowSecretsBackendAccessDenied("no")))
    chain = SecretsChain([denied, EnvironmentSource({"TRADEWIND_VAR_A": "x"})])

    with pytest.raises(SecretRefused, match="Broken does not let 'a' be read"):
        chain.get_variable("a")


def test_questions_of_tasks_are_answered_by_their_names() -> None:
    chain = SecretsChain([EnvironmentSource({"TRADEWIND_VAR_A": "x", "TRADEWIND_CONN_C": "http://h"})])

    assert chain.answer("get_variable", {"key": "a"}) == "x"
    assert chain.answer("get_connection", {"conn_id": "c"}) == ConnectionResult(
        conn_id="c", conn_type="http", host="h", schema=""
    )
    assert chain.answer("get_xcom", {"key": "a"}) is None
