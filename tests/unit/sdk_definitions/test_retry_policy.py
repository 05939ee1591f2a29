"""Retry policies: what an exception says about another try (D4)."""

import logging
from datetime import timedelta
from typing import Any

import pytest

from tradewind.sdk.retry_policy import ExceptionRetryPolicy, RetryAction, RetryDecision, RetryPolicy, RetryRule

MINUTE = timedelta(minutes=1)


class Custom(RetryPolicy):
    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        return RetryDecision.fail("enough") if try_number > 1 else RetryDecision.retry(MINUTE)


POLICY = ExceptionRetryPolicy(
    [
        RetryRule(ConnectionRefusedError, RetryAction.FAIL, reason="nobody listens"),
        RetryRule([ConnectionError, "builtins.TimeoutError"], retry_delay=MINUTE),
        RetryRule(LookupError, RetryAction.FAIL, match_subclasses=False),
        RetryRule("acme.NotInstalled", RetryAction.FAIL),
    ]
)


@pytest.mark.parametrize(
    ("error", "decision"),
    [
        (ConnectionRefusedError(), RetryDecision(RetryAction.FAIL, None, "nobody listens")),
        (
            ConnectionResetError(),
            RetryDecision(
                RetryAction.RETRY,
                MINUTE,
                "a rule about builtins.ConnectionError,builtins.TimeoutError matched ConnectionResetError",
            ),
        ),
        (
            TimeoutError(),
            RetryDecision(
                RetryAction.RETRY,
                MINUTE,
                "a rule about builtins.ConnectionError,builtins.TimeoutError matched TimeoutError",
            ),
        ),
        (LookupError(), RetryDecision(RetryAction.FAIL, None, "a rule about builtins.LookupError matched LookupError")),
        (KeyError(), RetryDecision.default()),
        (ValueError(), RetryDecision.default()),
    ],
)
def test_the_first_rule_about_an_exception_decides(error: Exception, decision: RetryDecision) -> None:
    assert POLICY.evaluate(error, try_number=1, max_tries=3) == decision


def test_what_no_rule_is_about_has_a_default() -> None:
    assert ExceptionRetryPolicy([], RetryAction.FAIL).evaluate(ValueError(), 1, 3) == RetryDecision(RetryAction.FAIL)


def test_a_policy_of_an_author_decides_as_it_likes() -> None:
    assert Custom().evaluate(ValueError(), 1, 3) == RetryDecision(RetryAction.RETRY, MINUTE)
    assert Custom().evaluate(ValueError(), 2, 3) == RetryDecision(RetryAction.FAIL, reason="enough")
    with pytest.raises(NotImplementedError, match=r"Custom has to say in serialize\(\)"):
        Custom().serialize()
    with pytest.raises(NotImplementedError, match=r"Custom has to say in deserialize\(\)"):
        Custom.deserialize({})


def test_a_rule_about_something_else_than_exceptions_is_refused() -> None:
    for spec in ("ValueError", "", ".ValueError"):
        with pytest.raises(ValueError, match="by its path"):
            RetryRule(spec)
    wrong: Any = int
    with pytest.raises(TypeError, match="not <class 'int'>"):
        RetryRule(wrong)
    instance: Any = [ValueError()]
    with pytest.raises(TypeError, match="a RetryRule is about exception classes"):
        RetryRule(instance)


@pytest.mark.parametrize("path", ["acme.Nothing", "builtins.len"])
def test_a_path_that_leads_to_no_exception_is_warned_about_and_matches_nothing(
    path: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        rule = RetryRule(path)

    assert path in caplog.text
    assert not rule.matches(ValueError())


def test_a_policy_is_written_and_read_again() -> None:
    stored = POLICY.serialize()

    assert stored["__type"] == "ExceptionRetryPolicy"
    assert stored["rules"][0] == {
        "exception": "builtins.ConnectionRefusedError",
        "action": "fail",
        "match_subclasses": True,
        "reason": "nobody listens",
    }
    assert stored["rules"][1] == {
        "exception": ["builtins.ConnectionError", "builtins.TimeoutError"],
        "action": "retry",
        "match_subclasses": True,
        "retry_delay": 60.0,
    }
    again = ExceptionRetryPolicy.deserialize(stored)
    assert again.serialize() == stored
    assert again.evaluate(ConnectionResetError(), 1, 3) == POLICY.evaluate(ConnectionResetError(), 1, 3)
    assert ExceptionRetryPolicy.deserialize({"rules": []}) == ExceptionRetryPolicy([])


def test_policies_are_equal_by_their_rules() -> None:
    assert ExceptionRetryPolicy([RetryRule(ValueError)]) == ExceptionRetryPolicy([RetryRule(ValueError)])
    assert ExceptionRetryPolicy([RetryRule(ValueError)]) != ExceptionRetryPolicy([RetryRule(KeyError)])
