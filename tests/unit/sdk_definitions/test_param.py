"""Params: values that each run may bring anew, and what they may be (D3)."""

import copy
import sys
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from tradewind.sdk.exceptions import ParamValidationError
from tradewind.sdk.notset import NOTSET
from tradewind.sdk.param import DagParam, Param, ParamsDict, param_from_value, process_params


def test_a_param_without_a_schema_takes_any_json() -> None:
    for value in (None, 1, 1.5, "x", [1, {"a": None}], {"b": [True]}):
        assert Param(value).resolve() == value


def test_a_param_without_a_default_has_to_be_given() -> None:
    required = Param(type="integer")

    with pytest.raises(ParamValidationError, match="no value was given"):
        required.resolve()
    assert required.resolve(suppress_exception=True) is None
    assert required.resolve(3) == 3
    assert required.resolve() == 3


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "integer", "minimum": 2, "maximum": 4}, 3, 5),
        ({"type": ["string", "null"]}, None, 3),
        ({"type": "string", "enum": ["a", "b"]}, "a", "c"),
        ({"type": "string", "pattern": "^a+$"}, "aaa", "b"),
        ({"type": "array", "items": {"type": "number"}, "maxItems": 2}, [1, 2.5], [1, "x"]),
        ({"type": "object", "required": ["k"]}, {"k": 1}, {}),
        ({"const": True}, True, False),
        ({"type": "boolean"}, True, 1),
        ({"type": "string", "format": "date"}, "2026-02-28", "2026-02-30"),
        ({"type": "string", "format": "date-time"}, "2026-01-01T12:17:00+00:00", "2026-01-01 12:17"),
        ({"type": "string", "format": "time"}, "12:13:14", "25:00:00"),
        ({"type": "string", "format": "time"}, "12:13:14Z", "noon"),
        ({"type": "string", "format": "email"}, "a@example.org", "a"),
        ({"type": "string", "format": "ipv4"}, "10.0.0.1", "10.0.0.256"),
    ],
)
def test_a_schema_says_what_is_allowed(schema: dict[str, Any], good: Any, bad: Any) -> None:
    """D3: draft 7, formats included."""
    assert Param(good, **schema).resolve() == good
    with pytest.raises(ParamValidationError):
        Param(bad, **schema).resolve()


def test_hints_for_the_form_are_no_rules() -> None:
    text = Param(
        "a\nb",
        type="string",
        format="multiline",
        section="Texts",
        title="A text",
        values_display={"a": "A"},
        description_md="**Text**",
        examples=["x"],
    )

    assert text.resolve() == "a\nb"


def test_a_problem_is_told_with_its_place() -> None:
    with pytest.raises(ParamValidationError, match=r'"x" is not of type "integer" \(at \[.a.\]\[1\]\)'):
        Param({"a": [1, "x"]}, properties={"a": {"items": {"type": "integer"}}}).resolve()


@pytest.mark.parametrize("schema", [{"type": "strng"}, {"$ref": "http://nowhere.invalid/schema"}, {"enum": [{1}]}])
def test_a_schema_that_is_none_is_told(schema: dict[str, Any]) -> None:
    with pytest.raises(ParamValidationError, match=r"its schema .* is none"):
        Param("x", **schema).resolve()


def test_a_value_that_is_no_json_is_refused_at_once() -> None:
    with pytest.raises(ParamValidationError, match="a param must be JSON"):
        Param(datetime(2026, 1, 1, tzinfo=UTC))
    param = Param(1)
    with pytest.raises(ParamValidationError, match="a param must be JSON"):
        param.resolve({1, 2})
    assert param.resolve() == 1


def test_a_value_that_is_not_allowed_changes_nothing() -> None:
    param = Param(1, type="integer")

    assert param.resolve("x", suppress_exception=True) is None
    assert param.resolve() == 1


def test_none_is_a_value_but_none_to_speak_of() -> None:
    assert Param(0).has_value
    assert not Param(None).has_value
    assert not Param().has_value


def test_a_param_can_be_dumped_for_clients() -> None:
    dumped = Param(3, "how many", "dag", type="integer").dump()

    assert dumped == {
        "__class": "airflow.sdk.definitions.param.Param",
        "value": 3,
        "description": "how many",
        "schema": {"type": "integer"},
        "source": "dag",
    }
    assert Param().dump()["value"] is None


def test_a_subclass_is_dumped_under_its_own_name() -> None:
    class Region(Param):
        pass

    assert Region("eu").dump()["__class"] == f"{__name__}.Region"


def test_a_param_is_written_and_read_again() -> None:
    param = Param(3, "how many", "task", type="integer")

    assert Param.deserialize(param.serialize(), 1) == param
    assert Param.deserialize(Param().serialize(), 1).value is NOTSET
    with pytest.raises(TypeError, match="version 2"):
        Param.deserialize(param.serialize(), 2)


def test_a_schema_may_be_given_whole() -> None:
    assert Param(1, schema={"type": "integer"}) == Param(1, type="integer")


def test_params_are_equal_by_all_that_they_say() -> None:
    assert Param([1, {"a": 2}], type="array") == Param([1, {"a": 2}], type="array")
    assert Param(1) != Param(1, "described")
    assert Param(1) != Param(2)
    assert Param() == Param()
    assert copy.copy(Param(1, "d", "dag", type="integer")) == Param(1, "d", "dag", type="integer")
    assert copy.deepcopy(Param()) == Param()


def test_a_plain_value_becomes_a_param() -> None:
    param = Param(1)

    assert param_from_value(param) is param
    assert param_from_value(1) == param


def test_reading_gives_values_and_writing_checks_them() -> None:
    params = ParamsDict({"a": 1, "b": Param(2, type="integer", maximum=5)})

    params["a"] = "anything"
    params["b"] = 4
    params["c"] = 3
    assert dict(params) == {"a": "anything", "b": 4, "c": 3}
    with pytest.raises(ParamValidationError, match="Invalid input for param b: 6 is greater than the maximum of 5"):
        params["b"] = 6
    assert params["b"] == 4


def test_a_param_takes_the_place_of_another() -> None:
    params = ParamsDict({"a": Param(1, type="integer")})

    params["a"] = Param("x", type="string")

    assert params["a"] == "x"
    assert params.get_param("a").schema == {"type": "string"}


def test_a_dict_of_params_is_a_mapping() -> None:
    params = ParamsDict({"a": 1})

    assert len(params) == 1
    assert "a" in params
    assert list(params) == ["a"]
    assert params.get("b", 7) == 7
    assert list(params.items()) == [("a", Param(1))]
    assert list(params.values()) == [Param(1)]
    del params["a"]
    assert not params
    with pytest.raises(KeyError):
        params["a"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(params)


def test_validation_gives_all_values_or_the_first_problem() -> None:
    params = ParamsDict({"a": 1, "b": Param(type="integer")})

    with pytest.raises(ParamValidationError, match="Invalid input for param b: no value was given"):
        params.validate()
    params["b"] = 2
    assert params.validate() == {"a": 1, "b": 2}


def test_problems_may_be_suppressed() -> None:
    params = ParamsDict({"a": Param("x", type="integer"), "b": 1}, suppress_exception=True)

    assert params.validate() == {"a": None, "b": 1}
    assert params["a"] is None
    params["a"] = "y"
    assert params.dump() == {"a": None, "b": 1}


def test_params_are_equal_by_their_values() -> None:
    assert ParamsDict({"a": Param(1, type="integer")}) == ParamsDict({"a": 1})
    assert ParamsDict({"a": [1]}) == {"a": [1]}
    assert ParamsDict({"a": 1}) != ParamsDict({"a": 2})
    assert ParamsDict() != []
    assert repr(ParamsDict({"a": 1})) == "{'a': 1}"


def test_a_deep_copy_shares_nothing() -> None:
    params = ParamsDict({"a": {"b": [1]}})

    deep, shallow = copy.deepcopy(params), copy.copy(params)
    deep["a"]["b"].append(2)
    deep["a"] = "changed"

    assert params == {"a": {"b": [1]}}
    assert shallow.get_param("a") is params.get_param("a")


def test_a_value_set_after_an_update_stays_where_it_was_set() -> None:
    dag, run = ParamsDict({"a": Param(1, type="integer")}), ParamsDict()

    run.update(dag)
    run["a"] = 2
    run.update({"b": 3}, c=4)

    assert dag["a"] == 1
    assert run == {"a": 2, "b": 3, "c": 4}
    with pytest.raises(ParamValidationError):
        run["a"] = "x"


def test_params_are_written_and_read_again() -> None:
    params = ParamsDict({"a": 1})

    assert ParamsDict.deserialize(params.serialize(), 1) == params
    with pytest.raises(TypeError, match="version 2"):
        ParamsDict.deserialize({}, 2)


def test_params_know_whose_they_are() -> None:
    params = ParamsDict({"a": 1, "b": Param(2, source="task")})

    params.fill_missing_param_source("dag")

    assert ParamsDict.filter_params_by_source(params, "dag") == {"a": 1}
    assert ParamsDict.filter_params_by_source(params, "task") == {"b": 2}


def dag_with(**params: Any) -> Any:
    return SimpleNamespace(dag_id="d", params=ParamsDict(params))


def context_of(conf: dict[str, Any] | None, **params: Any) -> Any:
    return {"dag_run": SimpleNamespace(conf=conf), "params": params}


def test_a_reference_means_what_the_run_was_started_with() -> None:
    """D3: run conf, then the default in the file, then the params of the DAG."""
    dag = dag_with(a=1)

    assert DagParam(dag, "b", 2).resolve(context_of({"b": 3})) == 3
    assert DagParam(dag, "b", 2).resolve(context_of(None)) == 2
    assert dag.params["b"] == 2
    assert DagParam(dag, "a").resolve(context_of({}, a=1)) == 1
    with pytest.raises(RuntimeError, match="no value for the param 'z'"):
        DagParam(dag, "z").resolve(context_of({}))


def test_a_reference_to_nothing_is_none_and_depends_on_no_task() -> None:
    param = DagParam(dag_with(), "a", None)

    assert param.resolve(context_of({})) is None
    assert list(param.iter_references()) == []


def test_a_reference_is_written_and_read_again() -> None:
    dag = dag_with()
    param = DagParam(dag, "a", 1)

    again = DagParam.deserialize(param.serialize(), {"d": dag})
    assert again.serialize() == {"dag_id": "d", "name": "a", "default": 1}
    with pytest.raises(ValueError, match="there is no DAG 'd'"):
        DagParam.deserialize(param.serialize(), {})


def test_the_params_of_a_task_instance_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """D3: the run's over the task's over the DAG's."""
    dag = dag_with(a=1, b=Param(2, type="integer"), c=3)
    task = SimpleNamespace(params=ParamsDict({"b": 20, "c": 30}))

    assert process_params(dag, task, {"c": 300, "d": 4}, suppress_exception=False) == {
        "a": 1,
        "b": 20,
        "c": 300,
        "d": 4,
    }
    assert process_params(dag, SimpleNamespace(), None, suppress_exception=False) == {"a": 1, "b": 2, "c": 3}
    with pytest.raises(ParamValidationError, match="param b"):
        process_params(dag, SimpleNamespace(), {"b": "x"}, suppress_exception=False)
    assert dag.params == {"a": 1, "b": 2, "c": 3}
    monkeypatch.setenv("AIRFLOW__CORE__DAG_RUN_CONF_OVERRIDES_PARAMS", "False")
    assert process_params(dag, task, {"c": 300}, suppress_exception=False) == {"a": 1, "b": 20, "c": 30}


def test_without_a_schema_no_validator_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tradewind.param_schema", None)

    assert ParamsDict({"a": 1}).validate() == {"a": 1}
