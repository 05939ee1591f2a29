"""The thirteen trigger rules, as the reference has them (D3)."""

import itertools

import pytest

from tests.property.run_oracle import rule_verdict, teardown_verdict
from tradewind.decide.trigger_rules import RULES, Outcome, UpstreamCounts, evaluate
from tradewind.model.states import TaskState, TriggerRule

S, R = TaskState, TriggerRule
LETTERS = {"s": S.SUCCESS, "f": S.FAILED, "u": S.UPSTREAM_FAILED, "k": S.SKIPPED, ".": S.NONE, "x": S.REMOVED}


def counted(states: list[TaskState], setups: list[TaskState] | None = None) -> UpstreamCounts:
    """Upstream instances in these states."""
    up = UpstreamCounts()
    for state in states:
        up.add(state, 1, is_setup=False)
    for state in setups or []:
        up.add(state, 1, is_setup=True)
    return up


# s success, f failed, u upstream_failed, k skipped, . not yet ended. By outcome, the upstreams that lead to it.
TABLE = [
    (R.ALL_SUCCESS, "run", "s ss sss"),
    (R.ALL_SUCCESS, "wait", ". s. ss."),
    (R.ALL_SUCCESS, "skip", "k sk k. sk."),
    (R.ALL_SUCCESS, "upstream_fail", "f u sf fk f. ku."),
    (R.ALL_FAILED, "run", "f u fu ff"),
    (R.ALL_FAILED, "wait", ". f. u."),
    (R.ALL_FAILED, "skip", "s k fs fk s. k."),
    (R.ALL_DONE, "run", "s f u k sfuk"),
    (R.ALL_DONE, "wait", ". sfuk."),
    (R.ALL_SKIPPED, "run", "k kk"),
    (R.ALL_SKIPPED, "wait", ". k."),
    (R.ALL_SKIPPED, "skip", "s f u ks kf ku s."),
    (R.ONE_SUCCESS, "run", "s sf sk s. su."),
    (R.ONE_SUCCESS, "wait", ". f. k. u."),
    (R.ONE_SUCCESS, "skip", "k kk"),
    (R.ONE_SUCCESS, "upstream_fail", "f u fk uk"),
    (R.ONE_FAILED, "run", "f u f. us"),
    (R.ONE_FAILED, "wait", ". s. k."),
    (R.ONE_FAILED, "skip", "s k sk"),
    (R.ONE_DONE, "run", "s f s. f. sk fu"),
    (R.ONE_DONE, "wait", ". k. u. ku."),
    (R.ONE_DONE, "skip", "k u ku"),
    (R.NONE_FAILED, "run", "s k sk"),
    (R.NONE_FAILED, "wait", ". s. k."),
    (R.NONE_FAILED, "upstream_fail", "f u sf f."),
    (R.NONE_FAILED_MIN_ONE_SUCCESS, "run", "s sk"),
    (R.NONE_FAILED_MIN_ONE_SUCCESS, "wait", ". s. k."),
    (R.NONE_FAILED_MIN_ONE_SUCCESS, "skip", "k kk"),
    (R.NONE_FAILED_MIN_ONE_SUCCESS, "upstream_fail", "f u fs f."),
    (R.NONE_SKIPPED, "run", "s f u sfu"),
    (R.NONE_SKIPPED, "wait", ". s. f."),
    (R.NONE_SKIPPED, "skip", "k sk k."),
    (R.ALL_DONE_MIN_ONE_SUCCESS, "run", "s sf su"),
    (R.ALL_DONE_MIN_ONE_SUCCESS, "wait", ". s. f."),
    (R.ALL_DONE_MIN_ONE_SUCCESS, "skip", "k sk fk k."),
    (R.ALL_DONE_MIN_ONE_SUCCESS, "upstream_fail", "f u fu"),
    (R.ALWAYS, "run", ". s f u k sfuk."),
]


@pytest.mark.parametrize(
    ("rule", "outcome", "upstream"),
    [
        pytest.param(rule, outcome, upstream, id=f"{rule}: {upstream} -> {outcome}")
        for rule, outcome, many in TABLE
        for upstream in many.split()
    ],
)
def test_a_rule_says_what_the_reference_says(rule: TriggerRule, outcome: str, upstream: str) -> None:
    verdict = evaluate(rule, counted([LETTERS[letter] for letter in upstream]))

    assert verdict.outcome == outcome
    assert verdict.reason


@pytest.mark.parametrize(
    ("setups", "others", "outcome"),
    [
        ("s", "sfk", "run"),
        ("sf", "", "run"),
        ("s.", "", "wait"),
        ("s", ".", "wait"),
        ("k", "s", "skip"),
        ("kk", "f", "skip"),
        ("f", "u", "upstream_fail"),
        ("fk", "", "upstream_fail"),
        ("", "f", "run"),
        ("x", "f", "run"),
    ],
)
def test_a_teardown_runs_when_all_is_over_and_a_setup_succeeded(setups: str, others: str, outcome: str) -> None:
    up = counted([LETTERS[letter] for letter in others], [LETTERS[letter] for letter in setups])

    assert evaluate(R.ALL_DONE_SETUP_SUCCESS, up).outcome == outcome


def test_every_rule_has_a_function() -> None:
    assert set(RULES) == set(TriggerRule)
    assert len(RULES) == 13


@pytest.mark.parametrize("rule", sorted(set(TriggerRule) - {R.ALL_DONE_SETUP_SUCCESS}))
def test_a_rule_agrees_with_its_definition_for_every_upstream_of_up_to_four(rule: TriggerRule) -> None:
    for size in range(5):
        for states in itertools.combinations_with_replacement(LETTERS.values(), size):
            expected = rule_verdict(rule, list(states))
            assert evaluate(rule, counted(list(states))).outcome == expected, states


def test_the_teardown_rule_agrees_with_its_definition_for_every_upstream_of_up_to_four() -> None:
    for setups, others in itertools.product(range(3), range(3)):
        for some in itertools.combinations_with_replacement(LETTERS.values(), setups):
            for rest in itertools.combinations_with_replacement(LETTERS.values(), others):
                expected = teardown_verdict([*some, *rest], list(some))
                up = counted(list(rest), list(some))
                assert evaluate(R.ALL_DONE_SETUP_SUCCESS, up).outcome == expected


@pytest.mark.parametrize("rule", TriggerRule)
def test_a_task_without_upstream_runs_at_once(rule: TriggerRule) -> None:
    assert evaluate(rule, UpstreamCounts()).outcome is Outcome.RUN
    assert evaluate(rule, counted([S.REMOVED, S.REMOVED])).outcome is Outcome.RUN


def test_counts_can_be_taken_back() -> None:
    up = counted([S.SUCCESS, S.FAILED], [S.SKIPPED])
    up.add(S.FAILED, -1, is_setup=False)
    up.add(S.SKIPPED, -1, is_setup=True)

    assert all(getattr(up, name) == getattr(counted([S.SUCCESS]), name) for name in UpstreamCounts.__slots__)


def test_counts_add_up() -> None:
    both = counted([S.SUCCESS], [S.FAILED]).plus(counted([S.SKIPPED, S.NONE], [S.SUCCESS]))

    assert (both.total, both.success, both.failed, both.skipped, both.setups, both.setups_success) == (5, 2, 1, 1, 2, 1)
    assert (both.done, both.is_all_done, both.failures) == (4, False, 1)
