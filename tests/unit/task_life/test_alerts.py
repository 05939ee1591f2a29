"""E-mail on failure and on retry, taken by a real SMTP server (D4)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mail_server import Mailbox, mail_server
from tests.unit.task_life.attempts import attempt, one_task, raises
from tradewind.sdk.exceptions import AirflowSkipException
from tradewind.sdk.log import mask_secret
from tradewind.sdk.secrets_masker import reset_secrets_masker


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mailbox]:
    """An SMTP server, and the options that lead to it."""
    with mail_server() as box:
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_HOST", "127.0.0.1")
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_PORT", str(box.port))
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_STARTTLS", "False")
        yield box
    reset_secrets_masker()


def ends_with(error: Exception, *, is_last: bool = True, **arguments: Any) -> None:
    """A task of Ada's ends like that."""
    dag = one_task(raises(error), email=["ada@example.org", "bob@example.org"], **arguments)
    attempt(dag, has_tries_left=not is_last, try_number=2, max_tries=2)


def test_a_failure_is_told_to_everybody_with_its_reason(mailbox: Mailbox) -> None:
    ends_with(ValueError("<boom>"))

    assert mailbox.recipients == ["ada@example.org", "bob@example.org"]
    assert mailbox.only_message["Subject"] == "Tradewind alert: d.t in run r: failed"
    assert "Try 2 of 3" in mailbox.text
    assert "ValueError: &lt;boom&gt;" in mailbox.text


@pytest.mark.parametrize(
    ("is_last", "arguments", "subject"),
    [
        (False, {}, "Tradewind alert: d.t in run r: up_for_retry"),
        (False, {"email_on_retry": False}, None),
        (False, {"email_on_failure": False}, "Tradewind alert: d.t in run r: up_for_retry"),
        (True, {"email_on_retry": False}, "Tradewind alert: d.t in run r: failed"),
        (True, {"email_on_failure": False}, None),
    ],
)
def test_which_ends_are_told_is_up_to_the_task(
    mailbox: Mailbox, is_last: bool, arguments: dict[str, Any], subject: str | None
) -> None:
    ends_with(ValueError("boom"), is_last=is_last, **arguments)

    assert [message["Subject"] for message in mailbox.messages] == ([] if subject is None else [subject])


def test_a_skip_is_no_reason_for_a_mail(mailbox: Mailbox) -> None:
    ends_with(AirflowSkipException("not today"))

    assert mailbox.messages == []


def test_the_words_may_come_from_files(mailbox: Mailbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "subject").write_text("{{ ti.task_id }}\n{{ ti.state }}\n")
    (tmp_path / "content").write_text("{{ exception }} in try {{ try_number }}")
    monkeypatch.setenv("AIRFLOW__EMAIL__SUBJECT_TEMPLATE", str(tmp_path / "subject"))
    monkeypatch.setenv("AIRFLOW__EMAIL__HTML_CONTENT_TEMPLATE", str(tmp_path / "content"))

    ends_with(ValueError("boom"))

    assert (mailbox.only_message["Subject"], mailbox.text) == ("t failed", "boom in try 2")


def test_a_secret_in_the_reason_is_not_mailed(mailbox: Mailbox) -> None:
    mask_secret("hunter22")

    ends_with(ValueError("login with hunter22 refused"))

    assert "hunter22" not in mailbox.only_message.as_string()
    assert "login with *** refused" in mailbox.text
