"""`SlackWebhookNotifier`: tells in a channel of Slack, or of what takes the same messages (Mattermost, Rocket.Chat).

The same arguments, and the same connection, as in Airflow's provider package `slack`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final

from tradewind.sdk.connection import Connection
from tradewind.sdk.context import Context
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.sdk.notifier import BaseNotifier
from tradewind.sdk.notifiers.webhook import base_address, send

_SLACK: Final = "https://hooks.slack.com/services"


class SlackWebhookNotifier(BaseNotifier):
    """Sends a message to an incoming webhook.

    The connection has the token of the webhook, or its whole address, as its password.
    """

    template_fields: Sequence[str] = ("slack_webhook_conn_id", "text", "attachments", "blocks", "timeout")

    def __init__(
        self,
        *,
        slack_webhook_conn_id: str = "slackwebhook_default",
        text: str = "",
        blocks: Sequence[Any] | None = None,
        attachments: Sequence[Any] | None = None,
        unfurl_links: bool | None = None,
        unfurl_media: bool | None = None,
        timeout: int | None = None,
        context: Context | None = None,
    ) -> None:
        super().__init__(context)
        self.slack_webhook_conn_id = slack_webhook_conn_id
        self.text = text
        self.blocks = blocks
        self.attachments = attachments
        self.unfurl_links = unfurl_links
        self.unfurl_media = unfurl_media
        self.timeout = timeout

    def notify(self, context: Context) -> None:
        connection: Connection = Connection.get(self.slack_webhook_conn_id)
        message = {
            "text": self.text,
            "blocks": self.blocks,
            "attachments": self.attachments,
            "unfurl_links": self.unfurl_links,
            "unfurl_media": self.unfurl_media,
        }
        body = json.dumps({name: value for name, value in message.items() if value is not None}).encode()
        timeout_s = self.timeout or connection.extra_dejson.get("timeout") or 30
        headers = {"Content-Type": "application/json"}
        answer = send(webhook_address(connection), body, headers, timeout_s=float(timeout_s))
        if answer.strip() != "ok":
            raise AirflowException(f"Slack did not take the message: {answer.strip()[:500]}")

    async def async_notify(self, context: Context) -> None:
        await asyncio.to_thread(self.notify, context)


def webhook_address(connection: Connection) -> str:
    """Where the webhook of a connection is."""
    secret = (connection.password or "").strip()
    if not secret:
        raise AirflowNotFoundException(
            f"the connection {connection.conn_id!r} needs the token of a Slack webhook, or its address, as its password"
        )
    if "://" in secret:
        return secret
    base = base_address(connection, host=_SLACK, protocol="https")
    return f"{base.rstrip('/')}/{secret.lstrip('/')}"


send_slack_webhook_notification = SlackWebhookNotifier
