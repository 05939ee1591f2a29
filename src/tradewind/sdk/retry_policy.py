"""Retry policies: what the exception itself says about whether another try makes sense.

Asked on the worker, where the exception is. A policy can give up early or choose the delay; it cannot go beyond
`retries`, and it is not asked about exceptions that forbid a retry by themselves.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any

from tradewind.sdk.module_loading import import_string

if TYPE_CHECKING:
    from tradewind.sdk.context import Context

log = logging.getLogger(__name__)


class RetryAction(Enum):
    """What follows a failure."""

    RETRY = "retry"
    """Another try, while there are tries left."""
    FAIL = "fail"
    """No further try."""
    DEFAULT = "default"
    """As the task is configured."""


@dataclass(frozen=True)
class RetryDecision:
    """The answer of a policy. Without a `retry_delay`, that of the task counts."""

    action: RetryAction = RetryAction.DEFAULT
    retry_delay: timedelta | None = None
    reason: str | None = None

    @classmethod
    def fail(cls, reason: str | None = None) -> "RetryDecision":
        """No further try."""
        return cls(RetryAction.FAIL, reason=reason)

    @classmethod
    def retry(cls, delay: timedelta | None = None, reason: str | None = None) -> "RetryDecision":
        """Another try, after this delay if one is given."""
        return cls(RetryAction.RETRY, delay, reason)

    @classmethod
    def default(cls) -> "RetryDecision":
        """As the task is configured."""
        return cls()


class RetryPolicy(ABC):
    """The base of policies of authors' own."""

    @abstractmethod
    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: "Context | None" = None
    ) -> RetryDecision:
        """What follows this failure of try `try_number` (from 1 on) of at most `max_tries` retries."""

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs, as JSON."""
        raise NotImplementedError(f"{type(self).__name__} has to say in serialize() how it is stored")

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "RetryPolicy":
        """The policy again."""
        raise NotImplementedError(f"{cls.__name__} has to say in deserialize() how it is built from {data!r}")


ExceptionSpec = type[BaseException] | str
"""An exception class, or where it can be imported from."""


@dataclass
class RetryRule:
    """What follows certain exceptions. A class need not be importable where the DAG is written, only on the worker."""

    exception: ExceptionSpec | list[ExceptionSpec]
    action: RetryAction = RetryAction.RETRY
    retry_delay: timedelta | None = None
    reason: str | None = None
    match_subclasses: bool = True

    def __post_init__(self) -> None:
        for spec in self._specs:
            if isinstance(spec, str):
                _require_path(spec)
                if _found(spec) is None:
                    log.warning("the exception %r of a RetryRule cannot be imported here; is it spelt right?", spec)
            elif not isinstance(spec, type) or not issubclass(spec, BaseException):
                raise TypeError(f"a RetryRule is about exception classes or their paths, not {spec!r}")

    @property
    def _specs(self) -> list[Any]:
        return self.exception if isinstance(self.exception, list) else [self.exception]

    @property
    def exception_path(self) -> str:
        """Where the exceptions can be imported from, with commas between them."""
        return ",".join(map(_path, self._specs))

    def matches(self, exc: BaseException) -> bool:
        """Whether the rule is about this exception."""
        classes = tuple(self._classes())
        return isinstance(exc, classes) if self.match_subclasses else type(exc) in classes

    def _classes(self) -> Iterator[type[BaseException]]:
        for spec in self._specs:
            found = _found(spec) if isinstance(spec, str) else spec
            if found is not None:
                yield found

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs, as JSON."""
        paths = [_path(spec) for spec in self._specs]
        stored: dict[str, Any] = {
            "exception": paths if len(paths) != 1 else paths[0],
            "action": self.action.value,
            "match_subclasses": self.match_subclasses,
        }
        if self.retry_delay is not None:
            stored["retry_delay"] = self.retry_delay.total_seconds()
        if self.reason is not None:
            stored["reason"] = self.reason
        return stored

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "RetryRule":
        """The rule again."""
        seconds = data.get("retry_delay")
        return cls(
            data["exception"],
            RetryAction(data["action"]),
            None if seconds is None else timedelta(seconds=seconds),
            data.get("reason"),
            data.get("match_subclasses", True),
        )


class ExceptionRetryPolicy(RetryPolicy):
    """The first rule that is about the exception decides; `default` if none is."""

    def __init__(self, rules: list[RetryRule], default: RetryAction = RetryAction.DEFAULT) -> None:
        self.rules = rules
        self.default = default

    def evaluate(
        self, exception: BaseException, try_number: int, max_tries: int, context: "Context | None" = None
    ) -> RetryDecision:
        """What the rules say."""
        rule = next((rule for rule in self.rules if rule.matches(exception)), None)
        if rule is None:
            return RetryDecision(self.default)
        reason = rule.reason or f"a rule about {rule.exception_path} matched {type(exception).__name__}"
        return RetryDecision(rule.action, rule.retry_delay, reason)

    def serialize(self) -> dict[str, Any]:
        """What `deserialize` needs, as JSON."""
        return {
            "__type": type(self).__name__,
            "rules": [rule.serialize() for rule in self.rules],
            "default": self.default.value,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> "ExceptionRetryPolicy":
        """The policy again."""
        default = RetryAction(data.get("default", RetryAction.DEFAULT.value))
        return cls([RetryRule.deserialize(rule) for rule in data["rules"]], default)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment] # rules may be changed


def _require_path(spec: str) -> None:
    if "." not in spec.strip("."):
        raise ValueError(f"a RetryRule names an exception by its path, such as 'builtins.ValueError', not by {spec!r}")


def _path(spec: ExceptionSpec) -> str:
    return spec if isinstance(spec, str) else f"{spec.__module__}.{spec.__qualname__}"


def _found(path: str) -> type[BaseException] | None:
    try:
        found = import_string(path)
    except ImportError:
        return None
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
