"""Notifiers that reach people: real servers on this machine take what they send (D4)."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mail_server import Mailbox, mail_server
from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tests.unit.task_life.attempts import attempt, one_task, raises
from tests.web_server import WebServer, web_server
from tradewind.model.task_answers import ConnectionResult
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.sdk.notifiers.slack import SlackWebhookNotifier
from tradewind.sdk.notifiers.smtp import SmtpNotifier
from tradewind.sdk.notifiers.webhook import WebhookNotifier


@pytest.fixture
def web() -> Iterator[WebServer]:
    """An HTTP server."""
    with web_server() as server:
        yield server


@pytest.fixture
def mailbox(runtime: MemoryRuntime) -> Iterator[Mailbox]:
    """An SMTP server, and a connection that leads to it."""
    with mail_server() as box:
        extra = {"disable_ssl": True, "disable_tls": True, "from_email": "tradewind@here"}
        runtime.connections["smtp_default"] = smtp_connection(box.port, **extra)
        yield box


def smtp_connection(port: int, **extra: Any) -> ConnectionResult:
    return ConnectionResult(conn_id="smtp_default", host="127.0.0.1", port=port, extra=json.dumps(extra))


def fail(runtime: MemoryRuntime, callback: Any, **given: Any) -> None:
    """A task fails, and the notifier is its callback."""
    dag = one_task(raises(ValueError("<boom>")), on_failure_callback=callback)
    attempt(dag, runtime=runtime, **given)


def test_a_failed_task_is_told_by_mail(runtime: MemoryRuntime, mailbox: Mailbox) -> None:
    fail(runtime, SmtpNotifier(to="a@x, b@x"))

    assert (mailbox.senders, mailbox.recipients) == (["tradewind@here"], ["a@x", "b@x"])
    assert mailbox.only_message["Subject"] == "DAG d - Task t - Run ID r in State failed"
    assert "Try: 1 of 1" in mailbox.text
    assert "&lt;boom&gt;" in mailbox.text


def test_a_mail_has_the_words_of_its_author(runtime: MemoryRuntime, mailbox: Mailbox, tmp_path: Path) -> None:
    words = tmp_path / "words.html"
    words.write_text("{{ ti.task_id }} failed: {{ exception }}\n")

    fail(
        runtime,
        SmtpNotifier(
            to=["{{ dag.dag_id }}@x"], from_email="me@x", subject="Task {{ ti.task_id }}", template=str(words), cc="c@x"
        ),
    )

    assert (mailbox.senders, mailbox.recipients) == (["me@x"], ["d@x", "c@x"])
    assert mailbox.only_message["Subject"] == "Task t"
    assert mailbox.text == "t failed: <boom>"


def test_the_connection_may_have_the_words(runtime: MemoryRuntime, mailbox: Mailbox, tmp_path: Path) -> None:
    (tmp_path / "subject").write_text("{{ ti.task_id }}\n in short\n")
    (tmp_path / "content").write_text("{{ ti.run_id }}")
    runtime.connections["smtp_default"] = smtp_connection(
        mailbox.port,
        disable_ssl=True,
        disable_tls=True,
        subject_template=str(tmp_path / "subject"),
        html_content_template=str(tmp_path / "content"),
    )

    fail(runtime, SmtpNotifier(to="a@x"))

    assert (mailbox.only_message["Subject"], mailbox.text) == ("t in short", "r")


def test_a_run_without_a_task_is_told_by_mail_from_a_coroutine(mailbox: Mailbox) -> None:
    context: Any = {"dag": one_task(), "run_id": "r", "reason": "task_failure"}

    async def tell() -> None:
        await SmtpNotifier(to="a@x", context=context)

    asyncio.run(tell())

    assert mailbox.only_message["Subject"] == "DAG d - Run ID r"
    assert "task_failure" in mailbox.text


def test_one_notifier_tells_of_many_tasks(runtime: MemoryRuntime, mailbox: Mailbox) -> None:
    notifier = SmtpNotifier(to="a@x", subject="try {{ ti.try_number }}")

    fail(runtime, notifier, try_number=1)
    fail(runtime, notifier, try_number=2)

    assert [message["Subject"] for message in mailbox.messages] == ["try 1", "try 2"]


def test_a_webhook_is_told_what_happened(runtime: MemoryRuntime, web: WebServer) -> None:
    fail(runtime, WebhookNotifier(f"{web.url}/alerts?team=a b", headers={"X-Team": "{{ dag.dag_id }}"}))

    (asked,) = web.asked
    assert (asked.method, asked.path, asked.headers["X-Team"]) == ("POST", "/alerts?team=a%20b", "d")
    assert asked.headers["Content-Type"] == "application/json"
    said = json.loads(asked.body)
    assert said.pop("log_url")
    assert said == {
        "dag_id": "d",
        "run_id": "r",
        "task_id": "t",
        "map_index": -1,
        "try_number": 1,
        "state": "failed",
        "exception": "<boom>",
    }


def test_a_webhook_gets_the_body_of_its_author(runtime: MemoryRuntime, web: WebServer) -> None:
    fail(runtime, WebhookNotifier(web.url, json={"text": ["{{ ti.task_id }}"], "urgent": True}, method="PUT"))
    fail(runtime, WebhookNotifier(web.url, data="{{ ti.task_id }} ü"))

    assert [(asked.method, asked.body) for asked in web.asked] == [
        ("PUT", '{"text": ["t"], "urgent": true}'),
        ("POST", "t ü"),
    ]


def test_a_webhook_is_found_by_its_connection(runtime: MemoryRuntime, web: WebServer) -> None:
    runtime.connections["hook"] = ConnectionResult(
        conn_id="hook", host="127.0.0.1", port=web.port, login="me", password="secret", extra='{"X-Key": "k"}'
    )

    fail(runtime, WebhookNotifier(http_conn_id="hook", endpoint="/v1/{{ ti.task_id }}"))

    (asked,) = web.asked
    assert asked.path == "/v1/t"
    assert (asked.headers["X-Key"], asked.headers["Authorization"]) == ("k", "Basic bWU6c2VjcmV0")


def told(notifier: Any) -> None:
    notifier(Context())


@pytest.mark.parametrize("status", [302, 404, 500])
def test_an_answer_that_is_no_success_is_an_error(web: WebServer, status: int) -> None:
    web.status, web.answer, web.answer_headers = status, "no such hook", {"Location": "/elsewhere"}

    with pytest.raises(AirflowException, match=rf"127.0.0.1 answered {status} .*no such hook"):
        told(WebhookNotifier(f"{web.url}/secret", data="x"))

    assert len(web.asked) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "nowhere", "http://"])
def test_only_the_web_can_be_told(url: str) -> None:
    with pytest.raises(ValueError, match="http:// or https://"):
        told(WebhookNotifier(url, data="x"))


def test_arguments_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="either a url or a http_conn_id"):
        _ = WebhookNotifier()
    with pytest.raises(ValueError, match="either json or data"):
        _ = WebhookNotifier("http://x", json={}, data="")


def slack(web: WebServer, **fields: Any) -> ConnectionResult:
    given = {"host": "127.0.0.1/services", "schema": "http", "port": web.port, "password": "T0/B0/x", **fields}
    return ConnectionResult(conn_id="slackwebhook_default", **given)


@pytest.mark.parametrize("whole_address", [False, True])
def test_a_channel_of_slack_is_told(runtime: MemoryRuntime, web: WebServer, whole_address: bool) -> None:
    fields = {"password": f"{web.url}/services/T0/B0/x", "host": None} if whole_address else {}
    runtime.connections["slackwebhook_default"] = slack(web, **fields)

    fail(runtime, SlackWebhookNotifier(text="{{ ti.task_id }} failed", blocks=[{"type": "{{ dag.dag_id }}"}]))

    (asked,) = web.asked
    assert asked.path == "/services/T0/B0/x"
    assert json.loads(asked.body) == {"text": "t failed", "blocks": [{"type": "d"}]}


def test_what_slack_does_not_take_is_an_error(runtime: MemoryRuntime, web: WebServer) -> None:
    runtime.connections["slackwebhook_default"] = slack(web)
    web.answer = "no_text"

    with pytest.raises(AirflowException, match="Slack did not take the message: no_text"):
        told(SlackWebhookNotifier())


def test_a_webhook_of_slack_needs_its_secret(runtime: MemoryRuntime, web: WebServer) -> None:
    runtime.connections["slackwebhook_default"] = slack(web, password=None)

    with pytest.raises(AirflowNotFoundException, match="needs the token"):
        told(SlackWebhookNotifier(text="x"))


def test_coroutines_tell_too(runtime: MemoryRuntime, web: WebServer) -> None:
    runtime.connections["slackwebhook_default"] = slack(web)

    async def tell() -> None:
        await SlackWebhookNotifier(text="x", context=Context())
        await WebhookNotifier(web.url, data="x", context=Context())

    asyncio.run(tell())

    assert len(web.asked) == 2
