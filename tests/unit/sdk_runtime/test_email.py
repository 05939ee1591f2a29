"""E-mail by SMTP, to a server on this machine (D2, D4)."""

import json
import smtplib
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mail_server import Mailbox, mail_server, self_signed
from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.email import build_mime_message, get_email_address_list, send_email, send_email_smtp
from tradewind.sdk.exceptions import AirflowConfigException

sent_elsewhere: list[tuple[str, dict[str, Any]]] = []


def elsewhere(to: str, subject: str, html_content: str, **kwargs: Any) -> None:
    """Another backend."""
    sent_elsewhere.append((to, {"subject": subject, **kwargs}))


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch, runtime: MemoryRuntime) -> Iterator[Mailbox]:
    """An SMTP server, and the configuration that leads to it."""
    with mail_server() as box:
        for key, value in {
            "SMTP__SMTP_HOST": "127.0.0.1",
            "SMTP__SMTP_PORT": str(box.port),
            "SMTP__SMTP_STARTTLS": "False",
            "SMTP__SMTP_MAIL_FROM": "me@here",
            "SMTP__SMTP_RETRY_LIMIT": "1",
        }.items():
            monkeypatch.setenv(f"TRADEWIND__{key}", value)
        yield box


def test_message_reaches_all_recipients(mailbox: Mailbox, tmp_path: Path) -> None:
    attached = tmp_path / "a.txt"
    attached.write_text("attached")

    send_email(
        ["a@x", "b@x"],
        "Subject",
        "<b>text</b>",
        files=[str(attached)],
        cc="c@x; d@x",
        bcc=["e@x"],
        custom_headers={"X-Mine": "1"},
    )

    message = mailbox.only_message
    assert mailbox.recipients == ["a@x", "b@x", "c@x", "d@x", "e@x"]
    assert (message["From"], message["To"], message["CC"]) == ("me@here", "a@x, b@x", "c@x, d@x")
    assert message["X-Mine"] == "1"
    assert "e@x" not in message.as_string()
    text, file = list(message.walk())[1:]
    assert text.get_payload(decode=True) == b"<b>text</b>"
    assert (file.get_filename(), file.get_payload(decode=True)) == ("a.txt", b"attached")


def test_login_is_that_of_the_connection(mailbox: Mailbox, runtime: MemoryRuntime) -> None:
    send_email_smtp("a@x", "s", "t")
    assert mailbox.logins == []

    runtime.connections["smtp_default"] = ConnectionResult(conn_id="smtp_default", login="me", password="secret")
    send_email_smtp("a@x", "s", "t")

    assert mailbox.logins == [("me", "secret")]


def smtp_connection(port: int, **extra: Any) -> ConnectionResult:
    return ConnectionResult(conn_id="smtp_default", host="127.0.0.1", port=port, extra=json.dumps(extra))


def test_connection_with_a_host_says_where_the_server_is(
    runtime: MemoryRuntime, mailbox: Mailbox, tmp_path: Path
) -> None:
    with mail_server(starttls=self_signed(tmp_path)) as other:
        runtime.connections["smtp_default"] = smtp_connection(
            other.port, disable_ssl="true", ssl_context="none", from_email="conn@here"
        )
        send_email("a@x", "s", "t")

    assert mailbox.messages == []
    assert (other.senders, other.were_encrypted) == (["conn@here"], [True])


def test_connection_may_be_encrypted_from_its_first_byte(runtime: MemoryRuntime, tmp_path: Path) -> None:
    with mail_server(encrypted=self_signed(tmp_path)) as box:
        runtime.connections["smtp_default"] = smtp_connection(box.port, ssl_context="none")
        send_email("a@x", "s", "t")

        runtime.connections["smtp_default"] = smtp_connection(box.port)
        with pytest.raises(ssl.SSLCertVerificationError):
            send_email("a@x", "s", "t")

    assert box.were_encrypted == [True]


def test_tokens_that_would_have_to_be_fetched_are_refused_by_name(runtime: MemoryRuntime) -> None:
    runtime.connections["smtp_default"] = smtp_connection(1, auth_type="oauth2")

    with pytest.raises(AirflowConfigException, match="oauth2 but no access_token"):
        send_email("a@x", "s", "t")


def test_dry_run_sends_nothing(mailbox: Mailbox) -> None:
    send_email("a@x", "s", "t", dryrun=True)

    assert mailbox.messages == []


def test_server_that_hangs_up_is_tried_again(mailbox: Mailbox) -> None:
    mailbox.hang_ups = 1
    send_email("a@x", "s", "t")
    assert len(mailbox.messages) == 1

    mailbox.hang_ups = 2
    with pytest.raises(smtplib.SMTPServerDisconnected):
        send_email("a@x", "s", "t")


def test_other_backend_may_be_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__EMAIL__EMAIL_BACKEND", f"{__name__}.elsewhere")
    monkeypatch.setenv("TRADEWIND__EMAIL__FROM_EMAIL", "from@here")

    send_email("a@x, b@x", "s", "t", conn_id="mine")

    to, arguments = sent_elsewhere.pop()
    assert to == "a@x, b@x"
    assert (arguments["subject"], arguments["conn_id"], arguments["from_email"]) == ("s", "mine", "from@here")


def test_sender_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__SMTP__SMTP_MAIL_FROM", "")

    with pytest.raises(AirflowConfigException, match="needs a sender"):
        send_email_smtp("a@x", "s", "t")


def test_wrong_ssl_context_is_named(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEWIND__SMTP__SMTP_STARTTLS", "True")
    monkeypatch.setenv("TRADEWIND__EMAIL__SSL_CONTEXT", "maybe")

    with pytest.raises(AirflowConfigException, match="'default' or 'none', not 'maybe'"):
        send_email("a@x", "s", "t")


def test_addresses_are_split() -> None:
    assert get_email_address_list(" a@x , b@x;c@x ") == ["a@x", "b@x", "c@x"]
    assert get_email_address_list(("a@x",)) == ["a@x"]
    with pytest.raises(TypeError, match="has to be a text, not 5"):
        get_email_address_list(["a@x", 5])  # type: ignore[list-item]


def test_message_without_copies_has_no_such_header() -> None:
    message, recipients = build_mime_message(None, "a@x", "s", "t")

    assert "CC" not in message
    assert "From" not in message
    assert recipients == ["a@x"]
