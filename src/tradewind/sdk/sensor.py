"""Tasks that wait: they look again and again until what they wait for is there, or their time is over."""

import hashlib
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from tradewind.sdk import timezone
from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import (
    AirflowException,
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
    AirflowTaskTimeout,
    TaskDeferralError,
    TaskDeferralTimeout,
)
from tradewind.sdk.operator import BaseOperator
from tradewind.sdk.task_clock import current_clock

_LONGEST_DOUBLING = 40
"""Waits stop doubling here; a second doubled this often is longer than thirty thousand years."""


class PokeReturnValue:
    """What `poke` returns to be done with a value for downstream tasks."""

    def __init__(self, is_done: bool, xcom_value: Any | None = None) -> None:
        self.is_done = is_done
        self.xcom_value = xcom_value

    def __bool__(self) -> bool:
        return self.is_done


class BaseSensorOperator(BaseOperator):
    """Base of sensors: implement `poke`.

    `timeout` counts from the first look, over all reschedules. In mode "poke" the sensor keeps its worker while it
    waits, in mode "reschedule" it gives it back between two looks.
    """

    ui_color: str = "#e6f1f2"
    valid_modes: Iterable[str] = ["poke", "reschedule"]
    _is_sensor: bool = True

    def __init__(
        self,
        *,
        poke_interval: timedelta | float = 60,
        timeout: timedelta | float | None = None,
        soft_fail: bool = False,
        mode: str = "poke",
        exponential_backoff: bool = False,
        max_wait: timedelta | float | None = None,
        silent_fail: bool = False,
        never_fail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if timeout is None:
            timeout = conf.getfloat("sensors", "default_timeout")
        self.poke_interval: float = _duration("poke_interval", poke_interval).total_seconds()
        self.timeout: float = _duration("timeout", timeout).total_seconds()
        self.max_wait = None if max_wait is None else _duration("max_wait", max_wait)
        self.soft_fail = soft_fail
        self.mode = mode
        self.exponential_backoff = exponential_backoff
        self.silent_fail = silent_fail
        self.never_fail = never_fail
        if soft_fail and never_fail:
            raise ValueError(f"sensor {self.task_id!r} has both soft_fail and never_fail; give only one of them")
        if self.mode not in self.valid_modes:
            raise ValueError(f"sensor {self.task_id!r} has mode {self.mode!r}; use one of {list(self.valid_modes)}")

    @property
    def reschedule(self) -> bool:
        """Whether the sensor gives its worker back between two looks."""
        return self.mode == "reschedule"

    def poke(self, context: Context) -> bool | PokeReturnValue:
        """Whether what the sensor waits for is there."""
        raise NotImplementedError(f"{type(self).__name__} must implement poke(context)")

    def execute(self, context: Context) -> Any:
        """Look until it is there; the value that `poke` gave with it is the task's result."""
        elapsed = self._stopwatch(context)
        poke_count = 1
        while not (found := self._poke_guarded(context)):
            waited = elapsed()
            if waited > self.timeout:
                message = f"sensor {self.task_id!r} waited {waited:.1f} s, longer than its timeout of {self.timeout} s"
                raise AirflowSkipException(message) if self.soft_fail else AirflowSensorTimeout(message)
            wait = self._next_wait(context, waited, poke_count)
            if self.reschedule:
                raise AirflowRescheduleException(timezone.utcnow() + timedelta(seconds=wait))
            current_clock().sleep(wait)
            poke_count += 1
        self.log.info("What sensor %s waited for is there", self.task_id)
        return found.xcom_value if isinstance(found, PokeReturnValue) else None

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context) -> Any:
        """Go on after a trigger; its timeout is the sensor's, and failures follow soft_fail and never_fail."""
        try:
            return super().resume_execution(next_method, next_kwargs, context)
        except TaskDeferralTimeout as timeout:
            if reason := self._reason_to_skip():
                raise AirflowSkipException(reason) from timeout
            raise AirflowSensorTimeout(*timeout.args) from timeout
        except AirflowSkipException:
            raise
        except (AirflowException, TaskDeferralError) as failure:
            if reason := self._reason_to_skip():
                raise AirflowSkipException(reason) from failure
            raise

    def _poke_guarded(self, context: Context) -> bool | PokeReturnValue:
        try:
            return self.poke(context)
        except AirflowSkipException:
            raise
        except (AirflowSensorTimeout, AirflowTaskTimeout, AirflowFailException) as failure:
            if reason := self._reason_to_skip():
                raise AirflowSkipException(reason) from failure
            raise
        except Exception as failure:
            if self.silent_fail:
                self.log.exception("Sensor %s goes on after an error in poke", self.task_id)
                return False
            if self.never_fail:
                raise AirflowSkipException(f"sensor {self.task_id!r} failed and has never_fail set") from failure
            raise

    def _reason_to_skip(self) -> str | None:
        for option in ("soft_fail", "never_fail"):
            if getattr(self, option):
                return f"sensor {self.task_id!r} failed and has {option} set"
        return None

    def _stopwatch(self, context: Context) -> Callable[[], float]:
        if self.reschedule:
            # The first look was in another process, so only the wall clock has seen both.
            first: datetime = context["ti"].get_first_reschedule_date(context) or timezone.utcnow()

            def since_first_look() -> float:
                return (timezone.utcnow() - first).total_seconds()

            return since_first_look
        clock = current_clock()
        started = clock.monotonic()
        return lambda: clock.monotonic() - started

    def _next_wait(self, context: Context, waited: float, poke_count: int) -> float:
        if not self.exponential_backoff:
            return self.poke_interval
        if self.reschedule:
            # Each look is a new process that does not know how many came before: replay them.
            poke_count, replayed = 1, self._backoff(context, 1)
            while replayed <= waited:
                poke_count += 1
                replayed += self._backoff(context, poke_count)
        # At least a second: a wait of none, with the timeout reached but not passed, would look again and again.
        wait = min(self._backoff(context, poke_count), max(self.timeout - int(waited), 1))
        if self.max_wait is not None:
            wait = min(wait, self.max_wait.total_seconds())
        self.log.info("Looking again in %s s", wait)
        return wait

    def _backoff(self, context: Context, poke_count: int) -> float:
        shortest = max(int(self.poke_interval * 2 ** min(poke_count - 2, _LONGEST_DOUBLING)), 1)
        # Chance would do to spread sensors that began together; a hash does so too and can be repeated in a test.
        ti = context["ti"]
        seed = f"{ti.dag_id}#{ti.task_id}#{ti.run_id}#{ti.map_index}#{poke_count}"
        return shortest + int(hashlib.sha1(seed.encode(), usedforsecurity=False).hexdigest(), 16) % shortest


SensorClass = TypeVar("SensorClass", bound=type[BaseSensorOperator])


def poke_mode_only(cls: SensorClass) -> SensorClass:
    """Class decorator for sensors that keep something in memory between two looks: they refuse to reschedule."""
    if not issubclass(cls, BaseSensorOperator):
        raise ValueError(f"poke_mode_only is for subclasses of BaseSensorOperator, not {cls!r}")  # noqa: TRY004

    def set_mode(_: BaseSensorOperator, mode: str) -> None:
        if mode != "poke":
            raise ValueError(f"{cls.__name__} works in mode 'poke' only, not in {mode!r}")

    setattr(cls, "mode", property(lambda _: "poke", set_mode))  # noqa: B010 - mypy knows `mode` as an instance attribute
    return cls


def _duration(name: str, value: Any) -> timedelta:
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        seconds = float(value)
    else:
        raise ValueError(f"{name} must be a timedelta or a number of seconds, not {value!r}")  # noqa: TRY004 - as Airflow
    if seconds < 0:
        raise ValueError(f"{name} must not be negative, but is {value!r}")
    return timedelta(seconds=seconds)
