"""DAG files get the variables and connections they ask for while they are read, but not the database (A5, D3)."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tradewind.cli.main import main
from tradewind.dag_processor.pool import ParsePool
from tradewind.dag_processor.protocol import Ended, Outcome, ParseRequest
from tradewind.model.task_answers import ConnectionResult
from tradewind.secrets.encryption import new_key
from tradewind.settings import load_settings
from tradewind.storage.migrate import upgrade

PATIENCE_S = 60.0
FILE = """
from airflow.sdk import DAG, Connection, Variable
from airflow.providers.standard.operators.empty import EmptyOperator

with DAG({dag_id}, schedule=None, is_paused_upon_creation=False):
    EmptyOperator(task_id="a")
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A deployment with an empty DAG folder."""
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("TRADEWIND__CORE__FERNET_KEY", new_key())
    upgrade(load_settings().database.sql_alchemy_conn)
    (tmp_path / "dags").mkdir()
    return tmp_path


def read_files(capsys: Captured) -> tuple[list[str], str]:
    """Read all files once: the DAGs that are there, and what was said."""
    assert main(["dag-processor", "-n", "1"]) == 0
    said = capsys.readouterr().err
    main(["dags", "list", "-o", "json"])
    shown = capsys.readouterr().out
    return [row["dag_id"] for row in json.loads(shown)] if shown else [], said


def test_file_gets_stored_variables_and_connections(home: Path, capsys: Captured) -> None:
    main(["variables", "set", "place", "here"])
    main(["connections", "add", "db", "--conn-uri", "postgres://me:hunter2@host/app"])
    dag_id = (
        "f\"{Variable.get('place')}_{Connection.get('db').host}_{','.join(Variable.keys())}\".replace(\",\", \".\")"
    )
    (home / "dags" / "a.py").write_text(FILE.format(dag_id=dag_id))

    assert read_files(capsys)[0] == ["here_host_place"]


def test_file_that_asks_is_read_again_when_the_answer_changes(home: Path, capsys: Captured) -> None:
    main(["variables", "set", "place", "here"])
    (home / "dags" / "a.py").write_text(FILE.format(dag_id="Variable.get('place')"))
    assert read_files(capsys)[0] == ["here"]

    main(["variables", "set", "place", "there"])
    assert main(["dags", "reserialize"]) == 0
    capsys.readouterr()
    main(["dags", "list", "-o", "plain"])

    assert "there" in capsys.readouterr().out


def test_secrets_backend_is_asked_first(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["variables", "set", "place", "database"])
    (home / "secrets.json").write_text('{"place": "backend"}')
    backend = "airflow.secrets.local_filesystem.LocalFilesystemBackend"
    monkeypatch.setenv("AIRFLOW__SECRETS__BACKEND", backend)
    arguments = json.dumps({"variables_file_path": str(home / "secrets.json")})
    monkeypatch.setenv("AIRFLOW__SECRETS__BACKEND_KWARGS", arguments)
    (home / "dags" / "a.py").write_text(FILE.format(dag_id="Variable.get('place')"))

    assert read_files(capsys)[0] == ["backend"]


def test_what_is_missing_is_an_error_of_the_file(home: Path, capsys: Captured) -> None:
    (home / "dags" / "a.py").write_text(FILE.format(dag_id="Variable.get('missing')"))
    (home / "dags" / "b.py").write_text(FILE.format(dag_id="Variable.get('missing', default='b')"))

    dags, said = read_files(capsys)

    assert dags == ["b"]
    assert "there is no variable 'missing'" in said


def test_secrets_do_not_show_in_the_error_of_a_file(home: Path, capsys: Captured) -> None:
    main(["variables", "set", "api_key", "hunter2222"])
    (home / "dags" / "a.py").write_text(
        "from airflow.sdk import DAG, Variable\nraise ValueError(f\"no good: {Variable.get('api_key')}\")\n"
    )

    _, said = read_files(capsys)

    assert "no good: ***" in said
    assert "hunter2222" not in said


@contextmanager
def reading(folder: Path, text: str, answer: Callable[[str, Mapping[str, Any]], object]) -> Iterator[Outcome]:
    """One file read by a warm process whose questions are answered so."""
    (folder / "a.py").write_text(text)
    arrived = threading.Event()
    pool = ParsePool(processes=1, environ={"PATH": "/bin"}, preloads=False, wake=arrived.set, answer=answer)
    pool.submit(ParseRequest(number=pool.next_number(), bundle="b", root=str(folder), path="a.py"))
    try:
        while not (outcomes := pool.outcomes()):
            assert arrived.wait(PATIENCE_S)
            arrived.clear()
        yield outcomes[0]
    finally:
        pool.close()


def ended(outcome: Outcome) -> Ended:
    assert outcome.ended is not None, outcome.output
    return msgspec.msgpack.decode(outcome.ended, type=Ended)


def test_answer_may_be_large(tmp_path: Path) -> None:
    text = "from airflow.sdk import Variable\nassert len(Variable.get('a')) == 5_000_000"

    with reading(tmp_path, text, lambda _method, _arguments: "x" * 5_000_000) as outcome:
        assert ended(outcome).problems == []
        assert ended(outcome).is_volatile


def test_refusal_is_raised_where_it_was_asked(tmp_path: Path) -> None:
    def refuse(_method: str, _arguments: Mapping[str, Any]) -> object:
        raise ValueError("the vault is closed")

    text = "from airflow.sdk import Variable\nVariable.get('a', default=1)"

    with reading(tmp_path, text, refuse) as outcome:
        (problem,) = ended(outcome).problems
        assert "ValueError: the vault is closed" in problem.message


def test_file_that_asks_from_many_threads_gets_each_answer_where_it_belongs(tmp_path: Path) -> None:
    text = """
from concurrent.futures import ThreadPoolExecutor
from airflow.sdk import Variable
with ThreadPoolExecutor(8) as threads:
    assert list(threads.map(Variable.get, map(str, range(200)))) == [f"answer {i}" for i in range(200)]
"""

    with reading(tmp_path, text, lambda _method, arguments: f"answer {arguments['key']}") as outcome:
        assert ended(outcome).problems == []


def test_connection_arrives_as_it_was_sent(tmp_path: Path) -> None:
    sent = ConnectionResult(conn_id="a", conn_type="http", password="ü", port=1, extra='{"x": 1}')
    text = "from airflow.sdk import Connection\nc = Connection.get('a')\nassert (c.password, c.port) == ('ü', 1)"

    with reading(tmp_path, text, lambda _method, _arguments: sent) as outcome:
        assert ended(outcome).problems == []


def test_child_that_ends_without_hearing_its_answer_is_told_of_as_any_other(tmp_path: Path) -> None:
    text = """
import os, threading
from airflow.sdk import Variable
threading.Thread(target=Variable.get, args=("a",)).start()
while not asked.exists(): pass
os._exit(7)
""".replace("asked", f"__import__('pathlib').Path({str(tmp_path / 'asked')!r})")

    def answer(_method: str, _arguments: Mapping[str, Any]) -> object:
        (tmp_path / "asked").touch()
        return "x" * 5_000_000

    with reading(tmp_path, text, answer) as outcome:
        assert outcome.ended is None
        assert outcome.exit_code == 7
