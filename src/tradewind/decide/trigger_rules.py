"""The thirteen trigger rules: what the ends of the upstream tasks mean for a task.

One short function a rule, each returning a verdict and its reason. They see counts only, so a rule costs the same
for two upstream tasks and for ten thousand.
"""

from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from tradewind.model.states import TaskState, TriggerRule


class Outcome(StrEnum):
    """What shall become of an undecided task."""

    WAIT = "wait"
    RUN = "run"
    SKIP = "skip"
    UPSTREAM_FAIL = "upstream_fail"


class Verdict(NamedTuple):
    """An outcome and the reason for it, in words for people."""

    outcome: Outcome
    reason: str


class UpstreamCounts:
    """How many upstream task instances there are and how they ended. Removed instances do not count."""

    __slots__ = (
        "failed",
        "setups",
        "setups_skipped",
        "setups_success",
        "skipped",
        "success",
        "total",
        "upstream_failed",
    )

    def __init__(self) -> None:
        self.total = 0
        self.success = 0
        self.failed = 0
        self.upstream_failed = 0
        self.skipped = 0
        self.setups = 0
        self.setups_success = 0
        self.setups_skipped = 0

    @property
    def done(self) -> int:
        """How many ended, in whatever way."""
        return self.success + self.failed + self.upstream_failed + self.skipped

    @property
    def is_all_done(self) -> bool:
        """Whether nothing upstream can still change."""
        return self.done >= self.total

    @property
    def failures(self) -> int:
        """Failed, itself or because of something before it."""
        return self.failed + self.upstream_failed

    def add(self, state: TaskState, amount: int, is_setup: bool) -> None:
        """Count `amount` (which may be negative) more instances in `state`."""
        if state is TaskState.REMOVED:
            return
        self.total += amount
        self.setups += amount if is_setup else 0
        match state:
            case TaskState.SUCCESS:
                self.success += amount
                self.setups_success += amount if is_setup else 0
            case TaskState.FAILED:
                self.failed += amount
            case TaskState.UPSTREAM_FAILED:
                self.upstream_failed += amount
            case TaskState.SKIPPED:
                self.skipped += amount
                self.setups_skipped += amount if is_setup else 0
            case _:
                pass

    def plus(self, other: "UpstreamCounts") -> "UpstreamCounts":
        """Both counts together."""
        both = UpstreamCounts()
        for name in UpstreamCounts.__slots__:
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both


_WAIT = Verdict(Outcome.WAIT, "upstream tasks have not ended yet")
_RUN = Verdict(Outcome.RUN, "its trigger rule is met")


def _skip(reason: str) -> Verdict:
    return Verdict(Outcome.SKIP, reason)


def _upstream_fail(reason: str) -> Verdict:
    return Verdict(Outcome.UPSTREAM_FAIL, reason)


_A_FAILURE = _upstream_fail("an upstream task failed")
_NO_SUCCESS = _upstream_fail("no upstream task succeeded")
_A_SKIP = _skip("an upstream task was skipped")
_ALL_SKIPPED = _skip("all upstream tasks were skipped")
_A_NON_FAILURE = _skip("an upstream task did not fail")
_NO_FAILURE = _skip("no upstream task failed")
_A_NON_SKIP = _skip("an upstream task was not skipped")
_NONE_RAN = _skip("no upstream task was run")
_SETUPS_SKIPPED = _skip("all its setup tasks were skipped")
_NO_SETUP = _upstream_fail("none of its setup tasks succeeded")


def _all_success(up: UpstreamCounts) -> Verdict:
    if up.failures:
        return _A_FAILURE
    if up.skipped:
        return _A_SKIP
    return _RUN if up.is_all_done else _WAIT


def _all_failed(up: UpstreamCounts) -> Verdict:
    if up.success or up.skipped:
        return _A_NON_FAILURE
    return _RUN if up.is_all_done else _WAIT


def _all_done(up: UpstreamCounts) -> Verdict:
    return _RUN if up.is_all_done else _WAIT


def _all_skipped(up: UpstreamCounts) -> Verdict:
    if up.success or up.failures:
        return _A_NON_SKIP
    return _RUN if up.is_all_done else _WAIT


def _one_success(up: UpstreamCounts) -> Verdict:
    if up.success:
        return _RUN
    if not up.is_all_done:
        return _WAIT
    return _ALL_SKIPPED if up.skipped == up.total else _NO_SUCCESS


def _one_failed(up: UpstreamCounts) -> Verdict:
    if up.failures:
        return _RUN
    return _NO_FAILURE if up.is_all_done else _WAIT


def _one_done(up: UpstreamCounts) -> Verdict:
    if up.success or up.failed:
        return _RUN
    return _NONE_RAN if up.is_all_done else _WAIT


def _none_failed(up: UpstreamCounts) -> Verdict:
    if up.failures:
        return _A_FAILURE
    return _RUN if up.is_all_done else _WAIT


def _none_failed_min_one_success(up: UpstreamCounts) -> Verdict:
    if up.failures:
        return _A_FAILURE
    if not up.is_all_done:
        return _WAIT
    return _RUN if up.success else _ALL_SKIPPED


def _none_skipped(up: UpstreamCounts) -> Verdict:
    if up.skipped:
        return _A_SKIP
    return _RUN if up.is_all_done else _WAIT


def _all_done_min_one_success(up: UpstreamCounts) -> Verdict:
    if up.skipped:
        return _A_SKIP
    if not up.is_all_done:
        return _WAIT
    return _RUN if up.success else _NO_SUCCESS


def _all_done_setup_success(up: UpstreamCounts) -> Verdict:
    if not up.is_all_done:
        return _WAIT
    if not up.setups or up.setups_success:
        return _RUN
    return _SETUPS_SKIPPED if up.setups_skipped == up.setups else _NO_SETUP


def _always(_: UpstreamCounts) -> Verdict:
    return _RUN


RULES: MappingProxyType[TriggerRule, Callable[[UpstreamCounts], Verdict]] = MappingProxyType(
    {
        TriggerRule.ALL_SUCCESS: _all_success,
        TriggerRule.ALL_FAILED: _all_failed,
        TriggerRule.ALL_DONE: _all_done,
        TriggerRule.ALL_SKIPPED: _all_skipped,
        TriggerRule.ONE_SUCCESS: _one_success,
        TriggerRule.ONE_FAILED: _one_failed,
        TriggerRule.ONE_DONE: _one_done,
        TriggerRule.NONE_FAILED: _none_failed,
        TriggerRule.NONE_FAILED_MIN_ONE_SUCCESS: _none_failed_min_one_success,
        TriggerRule.NONE_SKIPPED: _none_skipped,
        TriggerRule.ALL_DONE_MIN_ONE_SUCCESS: _all_done_min_one_success,
        TriggerRule.ALL_DONE_SETUP_SUCCESS: _all_done_setup_success,
        TriggerRule.ALWAYS: _always,
    }
)


def evaluate(rule: TriggerRule, up: UpstreamCounts) -> Verdict:
    """What `rule` says, given how the upstream instances stand. A task without any runs at once."""
    if up.total == 0:
        return _RUN
    return RULES[rule](up)
