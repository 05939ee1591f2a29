"""Deadlines: until when a run has to be over, and who is told if it is not.

The instant is a reference plus an interval. A reference of an author's own says in `_evaluate_with` what it stands for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any, ClassVar, TypeVar, overload

from tradewind.model.json_value import JsonValue
from tradewind.model.local_time import time_zone
from tradewind.sdk.callback import AsyncCallback, Callback, SyncCallback
from tradewind.sdk.configuration import conf
from tradewind.sdk.durations import zone_name
from tradewind.sdk.json_values import as_json

REFERENCE_TYPE_FIELD = "reference_type"

R = TypeVar("R", bound="type[BaseDeadlineReference]")


class BaseDeadlineReference:
    """A point in the life of a run from which a deadline is counted.

    A subclass overrides `_evaluate_with`, which gets those of the facts about the run that `required_kwargs` names. If
    it has arguments, it also overrides `serialize_reference` and `deserialize_reference`.
    """

    required_kwargs: ClassVar[set[str]] = set()

    @property
    def reference_name(self) -> str:
        """What tells one kind of reference from another."""
        return type(self).__name__

    def serialize_reference(self) -> dict[str, Any]:
        """What is stored."""
        return {REFERENCE_TYPE_FIELD: self.reference_name}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> "BaseDeadlineReference":  # noqa: ARG003
        """The reference again; without arguments there is nothing to read."""
        return cls()

    def evaluate_with(self, *, interval: timedelta, session: Any = None, **kwargs: Any) -> datetime | None:
        """The deadline of a run; `None` if it has none."""
        missing = sorted(self.required_kwargs - kwargs.keys())
        if missing:
            raise ValueError(f"the deadline reference {self.reference_name} needs {', '.join(missing)}")
        wanted = {name: kwargs[name] for name in self.required_kwargs}
        reference = self._evaluate_with(session=session, **wanted)
        return None if reference is None else reference + interval

    def _evaluate_with(self, *, session: Any, **kwargs: Any) -> datetime | None:
        raise NotImplementedError(f"{self.reference_name} has to say in _evaluate_with() what instant it stands for")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BaseDeadlineReference):
            return NotImplemented
        return self.serialize_reference() == other.serialize_reference()

    def __hash__(self) -> int:
        return hash(self.reference_name)


class DagRunLogicalDateDeadline(BaseDeadlineReference):
    """The logical date of the run."""


class DagRunQueuedAtDeadline(BaseDeadlineReference):
    """When the run was queued."""


@dataclass(eq=False)
class FixedDatetimeDeadline(BaseDeadlineReference):
    """Always the same instant. One without a zone is in `[core] default_timezone`."""

    _datetime: datetime

    def __post_init__(self) -> None:
        if self._datetime.tzinfo is None:
            self._datetime = _located(self._datetime)

    def serialize_reference(self) -> dict[str, Any]:
        """With the instant, in seconds since 1970."""
        return {**super().serialize_reference(), "datetime": self._datetime.timestamp()}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> "FixedDatetimeDeadline":
        """The reference again."""
        return cls(datetime.fromtimestamp(reference_data["datetime"], UTC))

    def _evaluate_with(self, *, session: Any, **kwargs: Any) -> datetime | None:
        return self._datetime


@dataclass(eq=False)
class AverageRuntimeDeadline(BaseDeadlineReference):
    """How long the last `max_runs` successful runs took on average; needs `min_runs` of them."""

    DEFAULT_LIMIT: ClassVar[int] = 10

    max_runs: int
    min_runs: int | None = None

    def __post_init__(self) -> None:
        self.min_runs = self.max_runs if self.min_runs is None else self.min_runs
        if self.min_runs < 1:
            raise ValueError(f"an average needs at least one run, but min_runs is {self.min_runs}")

    def serialize_reference(self) -> dict[str, Any]:
        """With both numbers."""
        return {**super().serialize_reference(), "max_runs": self.max_runs, "min_runs": self.min_runs}

    @classmethod
    def deserialize_reference(cls, reference_data: dict[str, Any]) -> "AverageRuntimeDeadline":
        """The reference again."""
        return cls(reference_data.get("max_runs", cls.DEFAULT_LIMIT), reference_data.get("min_runs"))


DeadlineReferenceType = BaseDeadlineReference
DeadlineReferenceTypes = tuple[type[BaseDeadlineReference], ...]


@dataclass(frozen=True)
class VariableInterval:
    """A number of seconds that stands in a variable; read when a run is made."""

    key: str

    def resolve(self) -> timedelta:
        """The interval as the variable says now."""
        # Variables come from the runtime, which a DAG file that is only read has no use for.
        value = import_module("tradewind.sdk.variable").Variable.get(self.key, default=None)
        if value is None:
            raise ValueError(f"there is no variable {self.key!r} for the interval of the deadline")
        try:
            return timedelta(seconds=int(value))
        except (TypeError, ValueError):
            message = f"the variable {self.key!r} must be a number of seconds, for the interval of the deadline"
            raise ValueError(message) from None


class DeadlineAlert:
    """One deadline: `reference` + `interval` (which may be negative), and the callback for a run that misses it."""

    def __init__(
        self,
        reference: BaseDeadlineReference,
        interval: timedelta | VariableInterval,
        callback: Callback,
        name: str | None = None,
    ) -> None:
        if not isinstance(reference, BaseDeadlineReference):
            raise TypeError(f"the reference of a deadline is one of DeadlineReference, not {reference!r}")
        if not isinstance(interval, timedelta | VariableInterval):
            raise TypeError(f"the interval of a deadline is a timedelta or a VariableInterval, not {interval!r}")
        if not isinstance(callback, AsyncCallback | SyncCallback):
            raise ValueError(  # noqa: TRY004 - a ValueError, as in Airflow
                f"the callback of a deadline is an AsyncCallback or a SyncCallback, not {callback!r}"
            )
        self.reference = reference
        self.interval = interval
        self.callback = callback
        self.name = name

    def to_json(self) -> JsonValue:
        """What is stored."""
        interval: JsonValue = (
            {"variable": self.interval.key}
            if isinstance(self.interval, VariableInterval)
            else {"seconds": self.interval.total_seconds()}
        )
        what = "deadline" if self.name is None else f"deadline {self.name!r}"
        return {
            "name": self.name,
            "reference": as_json(self.reference.serialize_reference(), f"reference of the {what}"),
            "interval": interval,
            "callback": {
                "kind": type(self.callback).__name__,
                **self.callback.serialize(),
                "kwargs": as_json(self.callback.kwargs, f"kwargs of the callback of the {what}"),
            },
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeadlineAlert):
            return NotImplemented
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.reference, self.interval, self.callback))


class DeadlineReference:
    """From what a deadline is counted. References of authors' own become attributes of this class."""

    class TYPES:
        """When each kind of reference is known."""

        DAGRUN_CREATED: DeadlineReferenceTypes = (
            DagRunLogicalDateDeadline,
            FixedDatetimeDeadline,
            AverageRuntimeDeadline,
        )
        DAGRUN_QUEUED: DeadlineReferenceTypes = (DagRunQueuedAtDeadline,)
        DAGRUN: DeadlineReferenceTypes = DAGRUN_CREATED + DAGRUN_QUEUED

    DAGRUN_LOGICAL_DATE: BaseDeadlineReference = DagRunLogicalDateDeadline()
    DAGRUN_QUEUED_AT: BaseDeadlineReference = DagRunQueuedAtDeadline()

    @classmethod
    def AVERAGE_RUNTIME(cls, max_runs: int = 0, min_runs: int | None = None) -> BaseDeadlineReference:  # noqa: N802
        """How long runs take on average: the last `max_runs` (0: 10) of them, if there are `min_runs` (as many)."""
        return AverageRuntimeDeadline(max_runs or AverageRuntimeDeadline.DEFAULT_LIMIT, min_runs)

    @classmethod
    def FIXED_DATETIME(cls, dt: datetime) -> BaseDeadlineReference:  # noqa: N802
        """An instant."""
        return FixedDatetimeDeadline(dt)

    @classmethod
    def register_custom_reference(
        cls, reference_class: R, deadline_reference_type: DeadlineReferenceTypes | None = None
    ) -> R:
        """Make a reference of an author's own known, under the name of its class.

        `deadline_reference_type` is `TYPES.DAGRUN_CREATED`, which is usual, or `TYPES.DAGRUN_QUEUED`.
        """
        name = reference_class.__name__
        if not issubclass(reference_class, BaseDeadlineReference):
            raise ValueError(f"{name} must be a subclass of BaseDeadlineReference")  # noqa: TRY004 - as in Airflow
        when = cls._when_known(deadline_reference_type)
        try:
            reference = reference_class()
        except TypeError as error:
            raise TypeError(f"{name} must work without arguments, so give each of them a default: {error}") from error
        setattr(cls, name, reference)
        setattr(cls.TYPES, when, (*getattr(cls.TYPES, when), reference_class))
        cls.TYPES.DAGRUN = cls.TYPES.DAGRUN_CREATED + cls.TYPES.DAGRUN_QUEUED
        return reference_class

    @classmethod
    def _when_known(cls, kinds: DeadlineReferenceTypes | None) -> str:
        if kinds is None or kinds is cls.TYPES.DAGRUN_CREATED:
            return "DAGRUN_CREATED"
        if kinds is cls.TYPES.DAGRUN_QUEUED:
            return "DAGRUN_QUEUED"
        raise ValueError(f"{kinds!r} is neither DeadlineReference.TYPES.DAGRUN_CREATED nor .DAGRUN_QUEUED")


def _located(reading: datetime) -> datetime:
    name = conf.get("core", "default_timezone", fallback="UTC")
    return reading.astimezone() if name == "system" else reading.replace(tzinfo=time_zone(zone_name(name)))


@overload
def deadline_reference(deadline_reference_type: R) -> R: ...


@overload
def deadline_reference(deadline_reference_type: DeadlineReferenceTypes | None = None) -> Callable[[R], R]: ...


def deadline_reference(deadline_reference_type: Any = None) -> Any:
    """Make a reference of an author's own known: `@deadline_reference`, or with one of `DeadlineReference.TYPES`."""
    if isinstance(deadline_reference_type, type):
        return DeadlineReference.register_custom_reference(deadline_reference_type)

    def register(reference_class: R) -> R:
        return DeadlineReference.register_custom_reference(reference_class, deadline_reference_type)

    return register
