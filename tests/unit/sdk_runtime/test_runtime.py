"""Who answers user code: the runtime of the block, of the process, or the environment (D3)."""

import asyncio
import threading

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.sdk.connection_text import InvalidConnection
from tradewind.sdk.environment_runtime import EnvironmentRuntime, OutsideTask
from tradewind.sdk.runtime import current_runtime, set_process_runtime, use_runtime


def test_the_innermost_runtime_answers() -> None:
    outer, inner = MemoryRuntime(), MemoryRuntime()

    with use_runtime(outer):
        with use_runtime(inner):
            assert current_runtime() is inner
        assert current_runtime() is outer


def test_without_a_runtime_the_environment_answers() -> None:
    assert isinstance(current_runtime(), EnvironmentRuntime)


def test_the_runtime_reaches_threads_that_asyncio_starts() -> None:
    async def ask() -> object:
        return await asyncio.to_thread(current_runtime)

    with use_runtime(MemoryRuntime()) as runtime:
        assert asyncio.run(ask()) is runtime


def test_the_runtime_of_the_process_answers_in_threads_that_user_code_starts() -> None:
    runtime = MemoryRuntime()
    before = set_process_runtime(runtime)
    answers: list[object] = []

    thread = threading.Thread(target=lambda: answers.append(current_runtime()))
    thread.start()
    thread.join()

    set_process_runtime(before)
    assert answers == [runtime]


def test_tasks_of_an_event_loop_have_runtimes_of_their_own() -> None:
    async def ask(runtime: MemoryRuntime) -> bool:
        with use_runtime(runtime):
            await asyncio.sleep(0)
            return current_runtime() is runtime

    async def both() -> list[bool]:
        return list(await asyncio.gather(ask(MemoryRuntime()), ask(MemoryRuntime())))

    assert asyncio.run(both()) == [True, True]


def test_the_environment_has_variables_and_ours_win() -> None:
    runtime = EnvironmentRuntime({"AIRFLOW_VAR_KEY": "theirs", "TRADEWIND_VAR_KEY": "ours", "AIRFLOW_VAR_OTHER": ""})

    assert runtime.get_variable("key") == "ours"
    assert runtime.get_variable("other") == ""
    assert runtime.get_variable("none") is None
    assert runtime.get_variable_keys() == ["key", "other"]
    assert runtime.get_variable_keys("o") == ["other"]


URI = "postgresql://me:s3cret%2F@db:5432/app?sslmode=require"
JSON = """{"conn_type": "postgresql", "login": "me", "password": "s3cret/", "host": "db", "port": "5432",
           "schema": "app", "extra": {"sslmode": "require"}}"""


@pytest.mark.parametrize("text", [URI, JSON])
def test_the_environment_has_connections_as_uri_and_as_json(text: str) -> None:
    connection = EnvironmentRuntime({"AIRFLOW_CONN_MY_DB": text}).get_connection("my_db")

    assert connection is not None
    assert (connection.conn_type, connection.host, connection.port) == ("postgres", "db", 5432)
    assert (connection.login, connection.password, connection.schema) == ("me", "s3cret/", "app")
    assert connection.extra == '{"sslmode": "require"}'


def test_a_broken_connection_is_named_and_its_password_is_not_shown() -> None:
    runtime = EnvironmentRuntime({"TRADEWIND_CONN_DB": "postgres://me:hunter2@db:notaport/app"})

    with pytest.raises(InvalidConnection, match=r"'db'.*port") as refusal:
        runtime.get_connection("db")

    assert "hunter2" not in str(refusal.value)


def test_what_only_a_task_may_ask_is_refused_with_its_name() -> None:
    with pytest.raises(OutsideTask, match=r"set_variable\('key', 'value'\) needs a running task"):
        current_runtime().set_variable("key", "value")

    with pytest.raises(OutsideTask, match="get_xcom"):
        current_runtime().get_xcom(dag_id="d", run_id="r", task_id="t", key="k")
