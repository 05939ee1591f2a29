"""D2: arguments by the names of Airflow 2 are understood on the 2.x paths, and refused by `airflow.sdk`."""

import importlib
import warnings
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tradewind import sdk
from tradewind.compat.adapters import dag as old_dag
from tradewind.compat.adapters.context_keys import old_context_values
from tradewind.compat.adapters.operator import BaseOperator, with_old_arguments
from tradewind.compat.adapters.variable import Variable
from tradewind.compat.deprecation import DeprecatedSpellingWarning
from tradewind.sdk.node import DependencyMixin
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.python import PythonOperator

# What mypy knows of them is the new spelling.
DAG: Any = old_dag.DAG
dag: Any = old_dag.dag
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("old", ["schedule_interval", "timetable"])
def test_the_schedule_has_its_old_names(old: str) -> None:
    with pytest.warns(DeprecatedSpellingWarning, match=f"{old}=.* use schedule=") as noted:
        made = DAG("etl", start_date=START, **{old: timedelta(hours=1)})

    assert made.schedule == timedelta(hours=1)
    assert noted[0].filename == __file__


def test_limits_have_their_old_names() -> None:
    with pytest.warns(DeprecatedSpellingWarning):
        made = DAG("etl", concurrency=3, fail_stop=True, default_view="graph", orientation="LR")

    assert (made.max_active_tasks, made.fail_fast) == (3, True)


def test_the_old_and_the_new_name_together_are_refused() -> None:
    with pytest.raises(TypeError, match="both schedule_interval= and schedule="):
        DAG("etl", schedule_interval="@daily", schedule="@daily")


def test_the_sdk_refuses_old_names() -> None:
    """As Airflow 3.3 does."""
    with pytest.raises(TypeError):
        sdk.DAG("etl", schedule_interval="@daily")  # type: ignore[call-arg]


def test_the_decorator_understands_old_names() -> None:
    def etl() -> None:
        EmptyOperator(task_id="one")

    with pytest.warns(DeprecatedSpellingWarning, match="schedule_interval"):
        build = dag(schedule_interval="@daily", start_date=START)(etl)

    assert build().schedule == "@daily"
    assert dag(etl)().dag_id == "etl"


def test_a_dag_is_the_same_whichever_path_made_it() -> None:
    assert type(DAG("one")) is sdk.DAG
    assert isinstance(sdk.DAG("two"), DAG)
    assert issubclass(sdk.DAG, DAG)
    assert not isinstance("three", DAG)


def test_a_subclass_of_the_old_dag_understands_old_names() -> None:
    class TeamDag(DAG):  # type: ignore[misc]
        pass

    with pytest.warns(DeprecatedSpellingWarning):
        made = TeamDag("etl", schedule_interval=None)

    assert type(made) is TeamDag
    assert not isinstance(sdk.DAG("other"), TeamDag)


def test_default_arguments_have_their_old_names() -> None:
    with (
        pytest.warns(DeprecatedSpellingWarning, match="task_concurrency"),
        DAG("etl", default_args={"task_concurrency": 2}),
    ):
        task = EmptyOperator(task_id="one")

    assert task.max_active_tis_per_dag == 2


def test_operators_of_old_paths_understand_old_names() -> None:
    operator = with_old_arguments(PythonOperator)

    with pytest.warns(DeprecatedSpellingWarning) as noted, sdk.DAG("etl"):
        task = operator(
            task_id="one",
            python_callable=print,
            provide_context=True,
            task_concurrency=1,
            trigger_rule="none_failed_or_skipped",
        )

    assert type(task) is PythonOperator
    assert task.max_active_tis_per_dag == 1
    assert task.trigger_rule == "none_failed_min_one_success"
    assert {note.filename for note in noted} == {__file__}


def test_old_operator_paths_say_which_path_is_new() -> None:
    module = importlib.import_module("airflow.operators.python_operator")
    vars(module).pop("PythonOperator", None)

    with pytest.warns(FutureWarning, match="standard.operators.python.PythonOperator"):
        operator = module.PythonOperator

    assert issubclass(PythonOperator, operator)
    assert operator.__module__ == PythonOperator.__module__


def test_custom_operators_on_the_old_base_understand_old_names() -> None:
    class Load(BaseOperator):  # type: ignore[misc]
        def __init__(self, *, table: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.table = table

    with pytest.warns(DeprecatedSpellingWarning, match="task_concurrency"), sdk.DAG("etl"):
        task = Load(task_id="one", table="t", task_concurrency=1)

    assert (task.table, task.max_active_tis_per_dag, type(task)) == ("t", 1, Load)
    assert isinstance(task, sdk.BaseOperator)
    assert issubclass(EmptyOperator, BaseOperator)


def test_an_argument_that_the_operator_has_itself_is_left_alone() -> None:
    class Trigger(BaseOperator):  # type: ignore[misc]
        def __init__(self, *, execution_date: str, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.execution_date = execution_date

    with warnings.catch_warnings(), sdk.DAG("etl"):
        warnings.simplefilter("error")
        task = Trigger(task_id="one", execution_date="2026-01-01")

    assert task.execution_date == "2026-01-01"


def test_unknown_arguments_are_refused_on_old_paths_too() -> None:
    with pytest.raises(TypeError), sdk.DAG("etl"):
        with_old_arguments(EmptyOperator)(task_id="one", nonsense=1)


def test_variables_take_the_old_name_of_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_VAR_COLOUR", "red")

    assert Variable.get("colour", default_var="blue") == "red"
    assert Variable.get("nothing", default_var=None) is None
    assert Variable.get("nothing", default="new") == "new"
    with pytest.raises(KeyError):
        Variable.get("nothing")
    with pytest.raises(TypeError):
        sdk.Variable.get("nothing", default_var=None)  # type: ignore[call-arg]


def test_the_context_has_its_old_keys() -> None:
    values = old_context_values(
        {
            "logical_date": datetime(2026, 3, 1, tzinfo=UTC),
            "data_interval_end": datetime(2026, 3, 2, tzinfo=UTC),
            "triggering_asset_events": {},
        }
    )

    assert values == {
        "execution_date": datetime(2026, 3, 1, tzinfo=UTC),
        "next_execution_date": datetime(2026, 3, 2, tzinfo=UTC),
        "next_ds": "2026-03-02",
        "next_ds_nodash": "20260302",
        "tomorrow_ds": "2026-03-02",
        "tomorrow_ds_nodash": "20260302",
        "triggering_dataset_events": {},
        "yesterday_ds": "2026-02-28",
        "yesterday_ds_nodash": "20260228",
    }


def test_a_run_without_a_logical_date_has_no_old_dates() -> None:
    assert old_context_values({"run_id": "manual"}) == {}


def test_what_is_no_operator_is_none_of_an_old_path_either() -> None:
    assert isinstance(sdk.BaseOperator(task_id="a"), BaseOperator)
    assert not isinstance(["a list"], DependencyMixin)
    assert not isinstance(["a list"], BaseOperator)
    assert not issubclass(list, BaseOperator)
