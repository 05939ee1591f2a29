"""Tokens of attempts: who made them, for what, and how long they count (D1)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import pytest

from tradewind.api.auth.signer import Signer, TokenRefused
from tradewind.api.auth.tokens import Tokens
from tradewind.api.execution.tokens import AttemptTokens, Handed, Running, Said, Supervising, lifetime_of
from tradewind.errors import SettingsError
from tradewind.model.assignment import Asker
from tradewind.model.ids import AttemptKey, RunKey, TaskKey
from tradewind.settings import DatabaseSettings, ExecutionApiSettings, SchedulerSettings, Settings

SECRET = "the secret of these tests"
NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LIFETIME = timedelta(minutes=10)
KEY = AttemptKey(RunKey(7), "load", 2, 3)
HANDED = Handed(7, "load", 2, 3)
RUNNING = Running(7, "load", 2, 3, "sales", "r1", 5)
SUPERVISING = Supervising(5, "there", 11)


@pytest.fixture
def tokens() -> AttemptTokens:
    return AttemptTokens(SECRET, LIFETIME)


@pytest.mark.parametrize("said", [HANDED, RUNNING, SUPERVISING])
def test_a_token_says_what_it_was_made_for(tokens: AttemptTokens, said: Said) -> None:
    known = tokens.read(tokens.make(said, NOW), NOW)

    assert (known.said, known.is_expired, known.is_old) == (said, False, False)


def test_an_attempt_is_named_by_its_keys(tokens: AttemptTokens) -> None:
    assert tokens.read(tokens.hand_out(KEY, NOW), NOW).said == HANDED
    assert HANDED.key == RUNNING.key == KEY
    assert RUNNING.asker == Asker(TaskKey(RunKey(7), "load", 2), "sales", "r1")


def test_the_token_of_a_running_attempt_is_short_lived(tokens: AttemptTokens) -> None:
    token = tokens.make(RUNNING, NOW)

    assert tokens.read(token, NOW + LIFETIME * 0.6).is_old
    assert not tokens.read(token, NOW + LIFETIME * 0.9).is_expired
    assert tokens.read(token, NOW + LIFETIME).is_expired
    assert not tokens.read(tokens.hand_out(KEY, NOW), NOW + LIFETIME).is_expired


def test_people_and_attempts_cannot_use_the_tokens_of_each_other(tokens: AttemptTokens) -> None:
    of_people = Tokens(SECRET)

    with pytest.raises(TokenRefused):
        tokens.read(of_people.make("admin", NOW), NOW)
    for said in (HANDED, RUNNING, SUPERVISING):
        with pytest.raises(TokenRefused):
            of_people.read(tokens.make(said, NOW), NOW)


@pytest.mark.parametrize("claim", [{"task": "other"}, {"attempt": 4}, {"run": 8}, {"map": 0}, {"job": 6}, {"exp": 9e9}])
def test_a_token_that_was_changed_does_not_count(tokens: AttemptTokens, claim: dict[str, object]) -> None:
    head, body, signature = tokens.make(RUNNING, NOW).split(".")
    claims = jwt.decode(f"{head}.{body}.{signature}", options={"verify_signature": False})
    forged = jwt.encode({**claims, **claim}, "the key of somebody else, as long as it has to be" * 2, algorithm="HS512")

    for token in (
        forged,
        f"{head}.{forged.split('.')[1]}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}",
        "",
        "x.y.z",
    ):
        with pytest.raises(TokenRefused):
            tokens.read(token, NOW)


def test_a_token_without_a_signature_does_not_count(tokens: AttemptTokens) -> None:
    claims = jwt.decode(tokens.make(RUNNING, NOW), options={"verify_signature": False})

    with pytest.raises(TokenRefused):
        tokens.read(jwt.encode(claims, "", algorithm="none"), NOW)


@pytest.mark.parametrize("claims", [{}, {"scope": "everything"}, {"scope": "run"}, {"scope": "begin", "run": "x"}])
def test_a_token_that_says_something_else_does_not_count(tokens: AttemptTokens, claims: dict[str, object]) -> None:
    signer = Signer(SECRET, b"tokens of attempts", "tradewind.execution")

    with pytest.raises(TokenRefused):
        tokens.read(signer.sign(claims, NOW, NOW + LIFETIME), NOW)


def test_the_secret_can_be_changed(tokens: AttemptTokens) -> None:
    token = tokens.make(RUNNING, NOW)

    assert AttemptTokens(f"a new secret of these tests,{SECRET}", LIFETIME).read(token, NOW).said == RUNNING
    with pytest.raises(TokenRefused):
        AttemptTokens("a new secret of these tests", LIFETIME).read(token, NOW)
    with pytest.raises(SettingsError):
        AttemptTokens("short", LIFETIME)


def test_a_token_lives_longer_than_the_engine_waits_for_a_heartbeat() -> None:
    settings = Settings(home=Path("/nowhere"), database=DatabaseSettings(sql_alchemy_conn="sqlite://"))
    patient = replace(settings, scheduler=SchedulerSettings(task_instance_heartbeat_timeout=1000.0))
    generous = replace(settings, execution_api=ExecutionApiSettings(jwt_expiration_time=5000.0))

    assert lifetime_of(settings) == timedelta(seconds=600)
    assert lifetime_of(patient) == timedelta(seconds=2000)
    assert lifetime_of(generous) == timedelta(seconds=5000)
