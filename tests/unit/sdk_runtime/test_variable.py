"""Variables: texts and JSON, with and without defaults (D3)."""

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.sdk.environment_runtime import EnvironmentRuntime, OutsideTask
from tradewind.sdk.exceptions import AirflowRuntimeError, ErrorType
from tradewind.sdk.log import redact
from tradewind.sdk.variable import Variable, VariableNotFound


def test_text_is_read_as_it_is(runtime: MemoryRuntime) -> None:
    runtime.variables["key"] = '{"a": 1}'

    assert Variable.get("key") == '{"a": 1}'
    assert Variable.get("key", deserialize_json=True) == {"a": 1}


def test_missing_variable_gives_the_default_even_if_it_is_none(runtime: MemoryRuntime) -> None:
    assert Variable.get("nope", default=None) is None
    assert Variable.get("nope", "x") == "x"
    assert Variable.get("nope", default={}, deserialize_json=True) == {}


def test_missing_variable_without_a_default_is_an_error_that_old_dag_files_catch(runtime: MemoryRuntime) -> None:
    with pytest.raises(KeyError):
        Variable.get("nope")
    with pytest.raises(VariableNotFound, match="there is no variable 'nope'") as missing:
        Variable.get("nope")

    assert isinstance(missing.value, AirflowRuntimeError)
    assert missing.value.error.error is ErrorType.VARIABLE_NOT_FOUND


def test_text_that_is_no_json_is_named(runtime: MemoryRuntime) -> None:
    runtime.variables["key"] = "{"

    with pytest.raises(ValueError, match="variable 'key' holds no JSON"):
        Variable.get("key", deserialize_json=True)


def test_value_is_stored_as_text_or_as_json(runtime: MemoryRuntime) -> None:
    Variable.set("text", 5)
    Variable.set("json", {"a": [1]}, serialize_json=True)

    assert runtime.variables["text"] == "5"
    assert Variable.get("json", deserialize_json=True) == {"a": [1]}


def test_what_json_cannot_say_is_refused(runtime: MemoryRuntime) -> None:
    with pytest.raises(ValueError, match="variable 'key' cannot be stored as JSON"):
        Variable.set("key", object(), serialize_json=True)

    assert runtime.variables == {}


def test_keys_and_delete(runtime: MemoryRuntime) -> None:
    for key in ("b", "a1", "a2"):
        Variable.set(key, "x")

    Variable.delete("a2")

    assert Variable.keys() == ["a1", "b"]
    assert Variable.keys(prefix="a") == ["a1"]


def test_variable_with_a_secret_name_is_masked_and_others_are_not(runtime: MemoryRuntime) -> None:
    runtime.variables |= {"db_password": "hunter2222", "place": "somewhere"}
    runtime.variables["settings"] = '{"token": "abcdefgh", "place": "elsewhere"}'

    Variable.get("db_password")
    Variable.get("place")
    Variable.get("settings", deserialize_json=True)

    assert redact("hunter2222 somewhere abcdefgh elsewhere") == "*** somewhere *** elsewhere"


def test_outside_a_task_variables_are_read_from_the_environment_and_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_PLACE", "here")

    assert Variable.get("place") == "here"
    assert "place" in EnvironmentRuntime().get_variable_keys()
    with pytest.raises(OutsideTask, match="set_variable"):
        Variable.set("place", "there")
