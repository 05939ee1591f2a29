"""The exceptions of DAG files: names, bases and arguments are a contract with every operator ever written (D2, D4)."""

import contextlib
import inspect
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.instants import utc
from tradewind.sdk import exceptions, server_exceptions
from tradewind.sdk.exceptions import (
    AirflowException,
    AirflowInactiveAssetInInletOrOutletException,
    AirflowRescheduleException,
    AirflowRuntimeError,
    DagRunTriggerException,
    DownstreamTasksSkipped,
    ErrorType,
    FailFastDagInvalidTriggerRule,
    NodeNotFound,
    TaskAlreadyInTaskGroup,
    TaskAwaitingInput,
    TaskDeferred,
    UnmappableXComTypePushed,
    XComForMappingNotPushed,
    XComNotFound,
)
from tradewind.sdk.states import TriggerRule

# Name and direct bases, for every exception of the task SDK.
BASES = {
    "AirflowException": "Exception",
    "AirflowSkipException": "AirflowException",
    "AirflowFailException": "AirflowException",
    "AirflowSensorTimeout": "AirflowException",
    "AirflowTaskTimeout": "BaseException",
    "AirflowTaskTerminated": "BaseException",
    "AirflowRescheduleException": "AirflowException",
    "TaskDeferred": "BaseException",
    "TaskAwaitingInput": "BaseException",
    "TaskDeferralError": "AirflowException",
    "TaskDeferralTimeout": "AirflowException",
    "DagRunTriggerException": "AirflowException",
    "DownstreamTasksSkipped": "AirflowException",
    "AirflowNotFoundException": "AirflowException",
    "AirflowOptionalProviderFeatureException": "AirflowException",
    "AirflowSecretsBackendAccessDenied": "PermissionError",
    "AirflowDagCycleException": "AirflowException",
    "AirflowRuntimeError": "Exception",
    "AirflowTimetableInvalid": "AirflowException",
    "AirflowConfigException": "Exception",
    "XComNotFound": "AirflowException",
    "XComForMappingNotPushed": "TypeError",
    "UnmappableXComTypePushed": "TypeError",
    "AirflowInactiveAssetInInletOrOutletException": "AirflowFailException",
    "ParamValidationError": "AirflowException ValueError",
    "DuplicateTaskIdFound": "AirflowException",
    "TaskAlreadyInTaskGroup": "AirflowException",
    "TaskNotFound": "AirflowException",
    "NodeNotFound": "TaskNotFound KeyError",
    "TaskAlreadyRunningError": "AirflowException",
    "FailFastDagInvalidTriggerRule": "AirflowException",
    "RemovedInAirflow4Warning": "DeprecationWarning",
}

# Arguments: * marks keyword-only ones, = those that may be left out.
ARGUMENTS = {
    "AirflowRescheduleException": ["reschedule_date"],
    "TaskDeferred": ["*trigger", "*method_name", "*kwargs=", "*timeout="],
    "TaskAwaitingInput": ["*method_name", "*kwargs=", "*timeout="],
    "DagRunTriggerException": [
        "*trigger_dag_id",
        "*dag_run_id",
        "*conf",
        "*logical_date=",
        "*run_after=",
        "*reset_dag_run",
        "*skip_when_already_exists",
        "*wait_for_completion",
        "*allowed_states",
        "*failed_states",
        "*poke_interval",
        "*deferrable",
        "*note=",
    ],
    "DownstreamTasksSkipped": ["*tasks"],
    "XComNotFound": ["dag_id", "task_id", "key"],
    "TaskAlreadyInTaskGroup": ["task_id", "existing_group_id", "new_group_id"],
    "AirflowRuntimeError": ["error"],
    "AirflowInactiveAssetInInletOrOutletException": ["inactive_asset_keys"],
}


@pytest.mark.parametrize(("name", "bases"), BASES.items())
def test_each_exception_of_the_sdk_has_its_bases(name: str, bases: str) -> None:
    assert [base.__name__ for base in getattr(exceptions, name).__bases__] == bases.split()


@pytest.mark.parametrize(("name", "arguments"), ARGUMENTS.items())
def test_each_exception_takes_the_arguments_that_operators_give(name: str, arguments: list[str]) -> None:
    parameters = inspect.signature(getattr(exceptions, name)).parameters.values()

    assert [
        ("*" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else "")
        + parameter.name
        + ("" if parameter.default is inspect.Parameter.empty else "=")
        for parameter in parameters
    ] == arguments


def test_every_error_type_has_its_name_as_value() -> None:
    assert [kind.value for kind in ErrorType] == [
        "CONNECTION_NOT_FOUND",
        "VARIABLE_NOT_FOUND",
        "XCOM_NOT_FOUND",
        "ASSET_NOT_FOUND",
        "TASK_STORE_NOT_FOUND",
        "ASSET_STORE_NOT_FOUND",
        "DAGRUN_ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "GENERIC_ERROR",
        "API_SERVER_ERROR",
    ]


def test_an_author_who_catches_exceptions_does_not_swallow_the_signals() -> None:
    """E1: a deferral passes through `except Exception`."""

    def execute(signal: BaseException) -> None:
        with contextlib.suppress(Exception):
            raise signal

    for signal in (TaskDeferred(trigger=None, method_name="go"), TaskAwaitingInput(method_name="go")):
        with pytest.raises(type(signal)):
            execute(signal)


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (AirflowException("broken"), (("broken",), {})),
        (AirflowRescheduleException(utc("2026-01-01")), ((), {"reschedule_date": utc("2026-01-01")})),
        (XComNotFound("d", "t", "k"), ((), {"dag_id": "d", "task_id": "t", "key": "k"})),
        (
            TaskDeferred(trigger="t", method_name="go", kwargs={"a": 1}, timeout=timedelta(1)),
            ((), {"trigger": "t", "method_name": "go", "kwargs": {"a": 1}, "timeout": timedelta(1)}),
        ),
        (TaskAwaitingInput(method_name="go"), ((), {"method_name": "go", "kwargs": None, "timeout": None})),
    ],
)
def test_an_exception_can_be_raised_again_elsewhere(error: Any, arguments: Any) -> None:
    path, *rest = error.serialize()

    assert path == f"tradewind.sdk.exceptions.{type(error).__name__}"
    assert tuple(rest) == arguments
    assert repr(type(error)(*rest[0], **rest[1])) == repr(error)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (XComNotFound("d", "t", "k"), "task 't' of DAG 'd' pushed no XCom with the key 'k'"),
        (XComForMappingNotPushed(), "a task that others are mapped over pushed no XCom"),
        (UnmappableXComTypePushed([1], 1), "cannot map over a value of type list[int]; return a list or a dict"),
        (TaskAlreadyInTaskGroup("t", None, "g"), "cannot add 't' to 'g': it is already in the root of its DAG"),
        (TaskAlreadyInTaskGroup("t", "h", "g"), "cannot add 't' to 'g': it is already in group 'h'"),
        (NodeNotFound("no task 'x'"), "no task 'x'"),
        (
            AirflowInactiveAssetInInletOrOutletException(
                [SimpleNamespace(name="a", uri="b"), SimpleNamespace(name="a"), SimpleNamespace(uri="b")]
            ),
            (
                "inlets or outlets of the task that no DAG declares any more:"
                " Asset(name='a', uri='b'), Asset.ref(name='a'), Asset.ref(uri='b')"
            ),
        ),
        (
            AirflowRuntimeError(SimpleNamespace(error=ErrorType.GENERIC_ERROR, detail={"a": 1})),
            "GENERIC_ERROR: {'a': 1}",
        ),
        (
            server_exceptions.AirflowDagDuplicatedIdException("d", "b.py", "a.py"),
            "DAG 'd' of b.py is already defined in a.py",
        ),
        (
            server_exceptions.AirflowFileParseException(
                "bad file", "f.json", [server_exceptions.FileSyntaxError(3, "a comma")]
            ),
            "bad file: f.json\n- line 3: a comma",
        ),
        (
            server_exceptions.DagRunAlreadyExists(SimpleNamespace(dag_id="d", run_id="r")),
            "DAG 'd' already has a run 'r'",
        ),
    ],
)
def test_a_message_names_the_thing(error: BaseException, text: str) -> None:
    assert str(error) == text


def test_fail_fast_allows_two_trigger_rules() -> None:
    for rule in TriggerRule:
        allowed = rule in (TriggerRule.ALL_SUCCESS, TriggerRule.ALL_DONE_SETUP_SUCCESS)
        FailFastDagInvalidTriggerRule.check(fail_fast=False, trigger_rule=rule)
        if allowed:
            FailFastDagInvalidTriggerRule.check(fail_fast=True, trigger_rule=rule)
        else:
            with pytest.raises(FailFastDagInvalidTriggerRule, match="all_success and all_done_setup_success"):
                FailFastDagInvalidTriggerRule.check(fail_fast=True, trigger_rule=rule)


def test_what_a_task_asked_for_is_kept() -> None:
    skip = DownstreamTasksSkipped(tasks=["a", ("b", 1)])
    wish = DagRunTriggerException(
        trigger_dag_id="other",
        dag_run_id="r",
        conf={},
        reset_dag_run=False,
        skip_when_already_exists=True,
        wait_for_completion=True,
        allowed_states=["success"],
        failed_states=["failed"],
        poke_interval=60,
        deferrable=False,
    )

    assert skip.tasks == ["a", ("b", 1)]
    assert (wish.trigger_dag_id, wish.note, wish.poke_interval) == ("other", None, 60)


def test_status_codes_follow_the_kind() -> None:
    assert AirflowException.status_code == 500
    assert server_exceptions.PoolNotFound.status_code == 404
    assert server_exceptions.DagRunAlreadyExists.status_code == 400
