"""Deadlines and their callbacks (D4)."""

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar

import pytest

from tests.instants import utc
from tradewind.sdk import deadline
from tradewind.sdk.callback import AsyncCallback, Callback, SyncCallback
from tradewind.sdk.deadline import (
    AverageRuntimeDeadline,
    BaseDeadlineReference,
    DagRunLogicalDateDeadline,
    DagRunQueuedAtDeadline,
    DeadlineAlert,
    DeadlineReference,
    FixedDatetimeDeadline,
    VariableInterval,
    deadline_reference,
)
from tradewind.sdk.notifier import BaseNotifier

HOUR = timedelta(hours=1)
HERE = __name__


async def tell_async(**kwargs: Any) -> None:
    """An awaitable callback."""


def tell(**kwargs: Any) -> None:
    """A plain callback."""


class Told(BaseNotifier):
    def notify(self, context: Any) -> None:
        return None

    async def async_notify(self, context: Any) -> None:
        return None


NOT_CALLABLE = 3


@pytest.fixture(autouse=True)
def untouched_references() -> Iterator[None]:
    """References that a test registers are gone after it."""
    before, kinds = dict(vars(DeadlineReference)), dict(vars(DeadlineReference.TYPES))
    yield
    for name in set(vars(DeadlineReference)) - set(before):
        delattr(DeadlineReference, name)
    for name in ("DAGRUN_CREATED", "DAGRUN_QUEUED", "DAGRUN"):
        setattr(DeadlineReference.TYPES, name, kinds[name])


def test_a_function_is_named_by_its_path() -> None:
    assert SyncCallback(tell).path == f"{HERE}.tell"
    assert AsyncCallback(tell_async).path == f"{HERE}.tell_async"
    assert AsyncCallback(Told).path == f"{HERE}.Told"
    assert SyncCallback(f" {HERE}.tell ").path == f"{HERE}.tell"


def test_a_path_that_cannot_be_imported_here_may_be_elsewhere() -> None:
    assert AsyncCallback("acme.alerts.tell").path == "acme.alerts.tell"


@pytest.mark.parametrize("path", ["", "tell", "a b.c", "acme..tell", "acme.alerts.tell()", "3.x"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ImportError, match=r"is no path of the form package\.module\.function"):
        SyncCallback(path)


def test_what_cannot_be_called_or_awaited_is_refused() -> None:
    with pytest.raises(AttributeError, match="cannot be called: it is 3"):
        SyncCallback(f"{HERE}.NOT_CALLABLE")
    with pytest.raises(AttributeError, match="cannot be awaited; write it with async def"):
        AsyncCallback(tell)
    with pytest.raises(AttributeError, match="cannot be awaited"):
        AsyncCallback(f"{HERE}.tell")
    wrong: Any = 3
    with pytest.raises(TypeError, match="a function or the path of one, not 3"):
        SyncCallback(wrong)


def test_a_function_that_nobody_else_can_import_is_refused() -> None:
    def local() -> None: ...

    for callback in (lambda: None, local):
        with pytest.raises(ValueError, match="define it at the top of a module"):
            SyncCallback(callback)


def test_the_context_is_not_for_the_author_to_give() -> None:
    with pytest.raises(ValueError, match="cannot be given 'context'"):
        SyncCallback(tell, {"context": {}})


def test_a_callback_is_written_and_read_again_without_importing(monkeypatch: pytest.MonkeyPatch) -> None:
    sync = SyncCallback(tell, {"a": [1]}, executor="local")
    stored = sync.serialize()

    def refuse(path: str) -> Any:
        raise AssertionError(f"imported {path}")

    monkeypatch.setattr("tradewind.sdk.callback.import_string", refuse)
    assert stored == {"path": f"{HERE}.tell", "kwargs": {"a": [1]}, "executor": "local"}
    assert SyncCallback.deserialize(stored, 1) == sync
    assert "path" in stored
    assert AsyncCallback.deserialize({"path": f"{HERE}.tell", "kwargs": {}}, 1).path == f"{HERE}.tell"


def test_callbacks_are_equal_by_what_they_say() -> None:
    assert SyncCallback(tell, {"a": 1}) == SyncCallback(f"{HERE}.tell", {"a": 1})
    assert SyncCallback(tell, {"a": 1}) != SyncCallback(tell)
    assert SyncCallback(tell, executor="x") != SyncCallback(tell)
    assert Callback(tell_async) != AsyncCallback(tell_async)
    assert len({SyncCallback(tell, {"a": [1]}), SyncCallback(tell, {"a": [1]})}) == 1
    assert repr(AsyncCallback(tell_async)) == f"AsyncCallback(path='{HERE}.tell_async', kwargs={{}})"


def test_the_references_that_everybody_has() -> None:
    assert isinstance(DeadlineReference.DAGRUN_LOGICAL_DATE, DagRunLogicalDateDeadline)
    assert isinstance(DeadlineReference.DAGRUN_QUEUED_AT, DagRunQueuedAtDeadline)
    assert DeadlineReference.AVERAGE_RUNTIME().serialize_reference() == {
        "reference_type": "AverageRuntimeDeadline",
        "max_runs": 10,
        "min_runs": 10,
    }
    assert DeadlineReference.AVERAGE_RUNTIME(5, min_runs=2) == AverageRuntimeDeadline(5, 2)
    assert DeadlineReference.FIXED_DATETIME(utc("2026-01-01")).serialize_reference() == {
        "reference_type": "FixedDatetimeDeadline",
        "datetime": utc("2026-01-01").timestamp(),
    }
    with pytest.raises(ValueError, match="at least one run, but min_runs is 0"):
        DeadlineReference.AVERAGE_RUNTIME(3, min_runs=0)


@pytest.mark.parametrize(
    "reference",
    [
        DeadlineReference.DAGRUN_LOGICAL_DATE,
        DeadlineReference.DAGRUN_QUEUED_AT,
        DeadlineReference.AVERAGE_RUNTIME(5, 2),
        DeadlineReference.FIXED_DATETIME(utc("2026-01-01")),
    ],
)
def test_a_reference_is_written_and_read_again(reference: BaseDeadlineReference) -> None:
    assert type(reference).deserialize_reference(reference.serialize_reference()) == reference


def test_a_date_without_a_zone_is_in_the_default_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW__CORE__DEFAULT_TIMEZONE", "Asia/Tokyo")

    fixed = DeadlineReference.FIXED_DATETIME(datetime.fromisoformat("2026-01-01 09:00"))

    assert fixed == FixedDatetimeDeadline(utc("2026-01-01"))
    assert fixed.evaluate_with(interval=HOUR) == utc("2026-01-01 01:00")
    monkeypatch.setenv("AIRFLOW__CORE__DEFAULT_TIMEZONE", "system")
    assert (
        DeadlineReference.FIXED_DATETIME(datetime.fromisoformat("2026-01-01")).evaluate_with(interval=HOUR) is not None
    )


def test_references_differ_by_kind_and_by_arguments() -> None:
    assert DeadlineReference.AVERAGE_RUNTIME(5) != DeadlineReference.AVERAGE_RUNTIME(6)
    assert DeadlineReference.DAGRUN_QUEUED_AT != DeadlineReference.DAGRUN_LOGICAL_DATE
    assert DeadlineReference.DAGRUN_QUEUED_AT != "DagRunQueuedAtDeadline"
    assert len({DagRunQueuedAtDeadline(), DagRunQueuedAtDeadline()}) == 1


def test_a_reference_of_an_author_becomes_known() -> None:
    @deadline_reference
    class AtNoon(BaseDeadlineReference):
        required_kwargs: ClassVar[set[str]] = {"day"}

        def _evaluate_with(self, *, session: Any, **kwargs: Any) -> datetime | None:
            return utc(f"{kwargs['day']} 12:00") if kwargs["day"] else None

    @deadline_reference(DeadlineReference.TYPES.DAGRUN_QUEUED)
    class WhenQueued(BaseDeadlineReference):
        pass

    @deadline_reference()
    @dataclass(eq=False)
    class WithDefault(BaseDeadlineReference):
        minutes: int = 5

    known: Any = DeadlineReference
    assert isinstance(known.AtNoon, AtNoon)
    assert known.WithDefault.minutes == 5
    assert AtNoon in DeadlineReference.TYPES.DAGRUN_CREATED
    assert WithDefault in DeadlineReference.TYPES.DAGRUN_CREATED
    assert WhenQueued in DeadlineReference.TYPES.DAGRUN_QUEUED
    assert {AtNoon, WhenQueued, WithDefault} <= set(DeadlineReference.TYPES.DAGRUN)
    assert known.AtNoon.evaluate_with(interval=-HOUR, day="2026-01-01", other=1) == utc("2026-01-01 11:00")
    assert known.AtNoon.evaluate_with(interval=HOUR, day=None) is None
    with pytest.raises(ValueError, match="AtNoon needs day"):
        known.AtNoon.evaluate_with(interval=HOUR)
    with pytest.raises(NotImplementedError, match=r"WhenQueued has to say in _evaluate_with\(\)"):
        known.WhenQueued.evaluate_with(interval=HOUR)


def test_what_cannot_be_a_reference_is_refused() -> None:
    wrong: Any = int
    with pytest.raises(ValueError, match="int must be a subclass of BaseDeadlineReference"):
        deadline_reference(wrong)

    @dataclass(eq=False)
    class Needy(BaseDeadlineReference):
        minutes: int

    with pytest.raises(TypeError, match="Needy must work without arguments"):
        DeadlineReference.register_custom_reference(Needy)
    with pytest.raises(ValueError, match=r"is neither DeadlineReference\.TYPES\.DAGRUN_CREATED nor"):
        DeadlineReference.register_custom_reference(DagRunQueuedAtDeadline, DeadlineReference.TYPES.DAGRUN)
    assert not hasattr(DeadlineReference, "Needy")


def test_an_interval_may_stand_in_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"seconds": "90", "text": "soon"}
    variable = importlib.import_module("tradewind.sdk.variable").Variable

    def get(key: str, *, default: Any) -> Any:
        return values.get(key, default)

    monkeypatch.setattr(variable, "get", get)

    assert VariableInterval("seconds").resolve() == timedelta(seconds=90)
    with pytest.raises(ValueError, match="the variable 'text' must be a number of seconds"):
        VariableInterval("text").resolve()
    with pytest.raises(ValueError, match="there is no variable 'none'"):
        VariableInterval("none").resolve()


def alert(**changed: Any) -> DeadlineAlert:
    return DeadlineAlert(
        **{
            "reference": DeadlineReference.DAGRUN_QUEUED_AT,
            "interval": HOUR,
            "callback": SyncCallback(tell, {"a": 1}, executor="x"),
            "name": "late",
            **changed,
        }
    )


def test_an_alert_is_stored_as_data() -> None:
    assert alert().to_json() == {
        "name": "late",
        "reference": {"reference_type": "DagRunQueuedAtDeadline"},
        "interval": {"seconds": 3600.0},
        "callback": {"kind": "SyncCallback", "path": f"{HERE}.tell", "kwargs": {"a": 1}, "executor": "x"},
    }
    variable: Any = alert(interval=VariableInterval("k"), callback=AsyncCallback(tell_async)).to_json()
    assert variable["interval"] == {"variable": "k"}
    assert variable["callback"] == {"kind": "AsyncCallback", "path": f"{HERE}.tell_async", "kwargs": {}}
    with pytest.raises(TypeError, match=r"kwargs of the callback of the deadline 'late'\['when'\] is a datetime"):
        alert(callback=SyncCallback(tell, {"when": utc("2026-01-01")})).to_json()


def test_alerts_are_equal_by_what_they_say() -> None:
    assert alert() == alert()
    assert alert() != alert(interval=-HOUR)
    assert alert() != alert(reference=DeadlineReference.DAGRUN_LOGICAL_DATE)
    assert alert() != "alert"
    assert len({alert(), alert()}) == 1


@pytest.mark.parametrize(
    ("changed", "error", "problem"),
    [
        ({"reference": "queued"}, TypeError, "one of DeadlineReference, not 'queued'"),
        ({"interval": 3600}, TypeError, "a timedelta or a VariableInterval, not 3600"),
        ({"callback": tell}, ValueError, "an AsyncCallback or a SyncCallback"),
    ],
)
def test_an_alert_that_makes_no_sense_is_refused(changed: Any, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        alert(**changed)


def test_the_type_of_a_reference_has_a_name() -> None:
    assert deadline.DeadlineReferenceType is BaseDeadlineReference
