"""E-mail by SMTP, to a server on this machine (D2, D4)."""

import smtplib
import socketserver
import threading
from collections.abc import Iterator
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.email import build_mime_message, get_email_address_list, send_email, send_email_smtp
from tradewind.sdk.exceptions import AirflowConfigException

sent_elsewhere: list[tuple[str, dict[str, Any]]] = []


def elsewhere(to: str, subject: str, html_content: str, **kwargs: Any) -> None:
    """Another backend."""
    sent_elsewhere.append((to, {"subject": subject, **kwargs}))


class Mailbox(socketserver.TCPServer):
    """What an SMTP server was told."""

    allow_reuse_address = True

    def __init__(self) -> None:
        self.hang_ups = 0
        self.recipients: list[str] = []
        self.logins: list[str] = []
        self.messages: list[Message] = []
        super().__init__(("127.0.0.1", 0), Postman)


class Postman(socketserver.StreamRequestHandler):
    """As much of SMTP as it takes."""

    def handle(self) -> None:
        box = self.server
        assert isinstance(box, Mailbox)
        if box.hang_ups:
            box.hang_ups -= 1
            return
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(lambda: self.rfile.readline().decode().rstrip("\r\n"), ".")
                box.messages.append(message_from_string("\n".join(lines)))
            elif verb == "RCPT":
                box.recipients.append(line.partition("<")[2].rstrip(">"))
            elif verb == "AUTH":
                box.logins.append(line)
            greeting = b"250-here\r\n250 AUTH PLAIN\r\n"
            replies = {"EHLO": greeting, "AUTH": b"235 welcome\r\n", "QUIT": b"221 bye\r\n"}
            self.wfile.write(replies.get(verb, b"250 fine\r\n"))
            if verb == "QUIT":
                return


@pytest.fixture
def mailbox(monkeypatch: pytest.MonkeyPatch, runtime: MemoryRuntime) -> Iterator[Mailbox]:
    """An SMTP server, and the configuration that leads to it."""
    with Mailbox() as box:
        thread = threading.Thread(target=box.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        for key, value in {
            "SMTP__SMTP_HOST": "127.0.0.1",
            "SMTP__SMTP_PORT": str(box.server_address[1]),
            "SMTP__SMTP_STARTTLS": "False",
            "SMTP__SMTP_MAIL_FROM": "me@here",
            "SMTP__SMTP_RETRY_LIMIT": "1",
        }.items():
            monkeypatch.setenv(f"TRADEWIND__{key}", value)
        yield box
        box.shutdown()
        thread.join()


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

    (message,) = mailbox.messages
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

    assert len(mailbox.logins) == 1


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
