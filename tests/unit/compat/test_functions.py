"""D2: the small functions and classes that DAG files and provider packages import from Airflow."""

import asyncio
import importlib
import itertools
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tradewind.compat.adapters import dates, kerberos, settings
from tradewind.compat.adapters.bundles import BaseDagBundle, LocalDagBundle
from tradewind.compat.adapters.callable_runner import (
    create_async_executable_runner,
    create_executable_runner,
    make_kwargs_callable,
)
from tradewind.compat.adapters.collections import (
    as_flattened_list,
    at_most_one,
    chunks,
    exactly_one,
    merge_dicts,
    partition,
    prune_dict,
)
from tradewind.compat.adapters.host import get_hostname, getuser
from tradewind.compat.adapters.json_encoding import XComDecoder, XComEncoder
from tradewind.compat.adapters.lineage_entities import File, Table, apply_lineage
from tradewind.compat.adapters.listeners import get_listener_manager, hookimpl
from tradewind.compat.adapters.log_handlers import JSONFormatter, StreamLogWriter, TimezoneAware, remove_escape_codes
from tradewind.compat.adapters.logging_config import DEFAULT_LOGGING_CONFIG
from tradewind.compat.adapters.moved_classes import add_deprecated_classes
from tradewind.compat.adapters.permissions import RESOURCE_DAG, resource_name, resource_name_for_dag
from tradewind.compat.adapters.plugins import AirflowPlugin, AirflowPluginException
from tradewind.compat.adapters.processes import execute_in_subprocess, patch_environ
from tradewind.compat.adapters.source_code import get_python_source, prepare_code_snippet
from tradewind.compat.adapters.testing_triggers import FailureTrigger, SuccessTrigger
from tradewind.compat.adapters.texts import convert_camel_to_snake, get_random_string, parse_template_string, to_boolean
from tradewind.compat.adapters.time_zones import is_localized, make_aware
from tradewind.compat.adapters.timeout import timeout
from tradewind.compat.adapters.web_links import build_airflow_dagrun_url
from tradewind.compat.deprecation import DeprecatedImportWarning
from tradewind.sdk import Asset, AssetAlias, Metadata
from tradewind.sdk.exceptions import AirflowTaskTimeout

NOON = datetime(2026, 3, 15, 12, 30, tzinfo=UTC)


def test_days_ago_counts_from_midnight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "utcnow", lambda: NOON)

    assert dates.days_ago(1) == datetime(2026, 3, 14, tzinfo=UTC)
    assert dates.days_ago(0, hour=6) == datetime(2026, 3, 15, 6, tzinfo=UTC)


def test_ranges_of_dates_have_an_end_or_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dates, "utcnow", lambda: NOON)
    day = timedelta(days=1)
    first, second, third = (datetime(2026, 3, number, tzinfo=UTC) for number in (13, 14, 15))

    assert dates.date_range(first, third, delta=day) == [first, second, third]
    assert dates.date_range(first, delta=day) == [first, second, third]
    assert dates.date_range(first, num=2, delta=day) == [first, second]
    assert dates.date_range(third, num=-2, delta=day) == [second, third]
    assert dates.date_range(first) == []
    with pytest.raises(ValueError, match="not both"):
        dates.date_range(first, third, num=2, delta=day)
    with pytest.raises(ValueError, match="after the end"):
        dates.date_range(third, first, delta=day)


def test_instants_are_read_and_rounded() -> None:
    assert dates.parse_execution_date("2026-03-15T12:30:00") == NOON
    assert dates.round_time(NOON, timedelta(days=1), datetime(2026, 3, 1, tzinfo=UTC)).day == 16
    assert dates.datetime_to_nano(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)) == 1_000_000_000
    with pytest.raises(ValueError, match="not a date"):
        dates.parse_execution_date("P1D")


def test_instants_get_a_zone() -> None:
    assert make_aware(datetime(2026, 3, 15, 12, 30)) == NOON  # noqa: DTZ001 - that it has none is the point
    assert is_localized(NOON)
    with pytest.raises(ValueError, match="without a time zone"):
        make_aware(NOON)


def test_collections_are_cut_and_joined() -> None:
    assert list(chunks([1, 2, 3], 2)) == [[1, 2], [3]]
    assert as_flattened_list([1, [2, (3, "four")]]) == [1, 2, 3, "four"]
    assert merge_dicts({"a": 1, "b": {"c": 2}}, {"b": {"d": 3}}) == {"a": 1, "b": {"c": 2, "d": 3}}
    assert prune_dict({"a": None, "b": {"c": None, "d": 0}}) == {"b": {"d": 0}}
    assert prune_dict({"a": 0, "b": [0, {"c": 1}]}, mode="truthy") == {"b": [{"c": 1}]}
    odd_and_even = [list(part) for part in partition(lambda number: number % 2 == 0, [1, 2, 3])]
    assert odd_and_even == [[1, 3], [2]]
    assert exactly_one(1, 0, None)
    assert not exactly_one(1, 1)
    assert at_most_one(None, 0)
    assert not at_most_one("a", "b")


def test_texts_are_understood() -> None:
    assert to_boolean("Yes")
    assert not to_boolean("off")
    assert convert_camel_to_snake("ExternalTaskSensor") == "external_task_sensor"
    assert len(get_random_string(12)) == 12
    assert parse_template_string("plain") == ("plain", None)
    assert parse_template_string("{{ x }}")[1].render(x=1) == "1"


def test_the_name_of_the_host_can_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__HOSTNAME_CALLABLE", "getpass.getuser")

    assert get_hostname() == getuser()


def test_settings_are_read_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRADEWIND_HOME", str(tmp_path))
    monkeypatch.setenv("AIRFLOW__CORE__DAGS_FOLDER", "/dags")

    assert str(tmp_path) == settings.AIRFLOW_HOME
    assert settings.DAGS_FOLDER == "/dags"
    assert settings.TIMEZONE.name.upper() == "UTC"


def test_values_of_xcoms_survive_json() -> None:
    value = {"at": NOON, "pair": (1, 2)}

    assert json.loads(json.dumps(value, cls=XComEncoder), cls=XComDecoder) == value


def test_a_block_has_a_time_limit() -> None:
    with pytest.raises(AirflowTaskTimeout, match="too slow"), timeout(0.01, error_message="too slow"):
        consume(itertools.repeat(None))
    with timeout(60):
        pass


def test_functions_are_called_with_what_they_take() -> None:
    def greet(name: str) -> str:
        return f"hello {name}"

    assert make_kwargs_callable(greet)(name="world", ds="2026-03-15") == "hello world"


def consume(endless: Iterator[None]) -> None:
    for _ in endless:
        pass


class Events(dict[Any, Any]):
    """Outlet events by asset, made when they are asked for."""

    def __missing__(self, key: Any) -> Any:
        self[key] = made = type("Event", (), {"extra": {}, "added": []})()
        made.add = lambda asset, extra: made.added.append((asset, extra))
        return made


def test_metadata_that_a_function_yields_becomes_part_of_the_event() -> None:
    asset, alias, events = Asset("sales"), AssetAlias("all"), Events()

    def load() -> Any:
        yield Metadata(asset, {"rows": 2}, alias=alias)
        return "done"

    async def load_async() -> Any:
        yield Metadata(asset, {"more": 1})

    assert create_executable_runner(load, events).run() == "done"
    assert asyncio.run(create_async_executable_runner(load_async, events).run()) is None
    assert events[asset].extra == {"rows": 2, "more": 1}
    assert events[alias].added == [(asset, {"rows": 2})]
    with pytest.raises(TypeError, match="only yield Metadata"):
        create_executable_runner(lambda: (yield 1), events).run()


def test_packages_say_where_their_classes_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "acme", ModuleType("acme"))

    add_deprecated_classes({"acme": {"Decoder": "json.JSONDecoder"}, "old": {"*": "json"}}, "acme")

    with pytest.warns(DeprecatedImportWarning, match="use json.JSONDecoder"):
        assert sys.modules["acme"].Decoder is json.JSONDecoder
    with pytest.warns(DeprecatedImportWarning, match="use json.dumps"):
        assert importlib.import_module("acme.old").dumps is json.dumps
    with pytest.raises(AttributeError):
        _ = sys.modules["acme"].Nothing
    sys.modules.pop("acme.old")


def test_listeners_hear_what_they_implement() -> None:
    heard: list[str] = []

    class Listener:
        @hookimpl
        def on_dag_run_success(self, dag_run: Any, msg: str) -> None:
            heard.append(dag_run)

    manager = get_listener_manager()
    listener = Listener()
    manager.add_listener(listener)
    manager.add_listener(listener)

    manager.hook.on_dag_run_success(dag_run="run", msg="")

    assert heard == ["run"]
    assert manager.has_listeners
    manager.clear()
    assert not manager.has_listeners


def test_plugins_need_a_name() -> None:
    class Nameless(AirflowPlugin):
        pass

    with pytest.raises(AirflowPluginException, match="Nameless"):
        Nameless.validate()


def test_permissions_name_resources_of_dags() -> None:
    assert resource_name("etl", RESOURCE_DAG) == "DAG:etl"
    assert resource_name_for_dag("DAG:etl") == "DAG:etl"
    assert resource_name("DAGs", RESOURCE_DAG) == "DAGs"


def test_commands_are_run_and_may_fail(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        execute_in_subprocess([sys.executable, "-c", "print('hello')"])

    assert "hello" in caplog.messages
    with pytest.raises(subprocess.CalledProcessError):
        execute_in_subprocess([sys.executable, "-c", "raise SystemExit(3)"])


def test_the_environment_is_changed_inside_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "before")
    code = "import os; print(os.environ.get('KEPT'), os.environ.get('ADDED'))"

    with patch_environ({"KEPT": "inside", "ADDED": "x"}):
        inside = subprocess.check_output([sys.executable, "-c", code], text=True)
    after = subprocess.check_output([sys.executable, "-c", code], text=True)

    assert (inside.strip(), after.strip()) == ("inside x", "before None")


def test_source_code_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "etl.py"
    file.write_text("one\ntwo\nthree\n", encoding="utf-8")

    assert "def test_source_code_is_shown" in (get_python_source(test_source_code_is_shown) or "")
    assert get_python_source(None, return_none_if_x_none=True) is None
    assert prepare_code_snippet(str(file), 2, 1) == "      1 one\n->    2 two\n      3 three"


def test_records_are_formatted() -> None:
    record = logging.LogRecord("task", logging.INFO, "etl.py", 7, "loaded %d", (3,), None)

    assert json.loads(JSONFormatter(json_fields=["message", "levelname"], extras={"try": 1}).format(record)) == {
        "message": "loaded 3",
        "levelname": "INFO",
        "try": 1,
    }
    assert TimezoneAware("%(asctime)s").format(record)[-5] in "+-"
    assert remove_escape_codes("\x1b[31mred\x1b[0m") == "red"


def test_what_is_printed_becomes_lines_of_a_log(caplog: pytest.LogCaptureFixture) -> None:
    writer = StreamLogWriter(logging.getLogger("printed"), logging.WARNING)

    writer.write("one\ntw")
    writer.write("o\nthree")
    writer.flush()

    assert caplog.messages == ["one", "two", "three"]


def test_the_logging_configuration_can_be_used() -> None:
    code = (
        "import logging, logging.config, tradewind.compat; tradewind.compat.install();"
        "from airflow.config_templates.airflow_local_settings import DEFAULT_LOGGING_CONFIG;"
        "logging.config.dictConfig(DEFAULT_LOGGING_CONFIG); logging.getLogger('airflow.task').info('hello')"
    )

    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "hello" in said.stdout, said.stderr
    assert DEFAULT_LOGGING_CONFIG["version"] == 1


def test_triggers_for_tests_end_at_once() -> None:
    async def events(trigger: Any) -> list[Any]:
        return [event.payload async for event in trigger.run()]

    assert asyncio.run(events(SuccessTrigger())) == [True]
    assert asyncio.run(events(FailureTrigger())) == []
    path, arguments = SuccessTrigger().serialize()
    assert (path.rpartition(".")[2], arguments) == ("SuccessTrigger", {})


def test_pages_have_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://flow.example.org/")

    assert build_airflow_dagrun_url("etl", "manual__1") == "https://flow.example.org/dags/etl/runs/manual__1"


def test_kerberos_names_have_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kerberos, "getfqdn", lambda name: name or "worker.example.org")

    assert kerberos.get_components("hive/_HOST@REALM") == ["hive", "_HOST", "REALM"]
    assert kerberos.replace_hostname_pattern(["hive", "_HOST", "REALM"]) == "hive/worker.example.org@REALM"
    assert kerberos.replace_hostname_pattern(["hive", "db", "REALM"]) == "hive/db@REALM"
    assert kerberos.principal_from_username("me", "REALM") == "me@REALM"


def test_a_folder_is_a_bundle(tmp_path: Path) -> None:
    bundle: BaseDagBundle = LocalDagBundle(name="dags", path=str(tmp_path))
    bundle.initialize()
    bundle.refresh()

    assert (bundle.path, bundle.get_current_version(), bundle.supports_versioning) == (tmp_path, None, False)


def test_lineage_of_airflow_2_can_still_be_written() -> None:
    def load() -> None: ...

    assert apply_lineage(load) is load
    assert File(url="s3://a/b").url == "s3://a/b"
    assert Table(database="db", cluster="c", name="t").tags == []
