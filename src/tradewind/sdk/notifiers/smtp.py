"""`SmtpNotifier`: tells by e-mail. The same arguments as that of Airflow's provider package `smtp`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.context import Context
from tradewind.sdk.email import Addresses, build_mime_message
from tradewind.sdk.notifier import BaseNotifier
from tradewind.sdk.smtp_server import SmtpServer, smtp_server

_SUBJECT: Final = (
    "{% if ti is defined %}DAG {{ ti.dag_id }} - Task {{ ti.task_id }} - Run ID {{ ti.run_id }} in State {{ ti.state }}"
    "{% else %}DAG {{ dag.dag_id }}{% if run_id is defined %} - Run ID {{ run_id }}{% endif %}{% endif %}"
)
_CONTENT: Final = """\
{% if ti is defined %}<p>Task <b>{{ ti.task_id }}</b> of DAG <b>{{ ti.dag_id }}</b>: {{ ti.state }}</p>
<p>Run: {{ ti.run_id }}{% if ti.map_index >= 0 %}, map index: {{ ti.map_index }}{% endif %}<br>
Try: {{ ti.try_number }} of {{ ti.max_tries + 1 }}<br>
Host: {{ ti.hostname }}<br>
<a href="{{ ti.log_url }}">Log</a></p>
{% else %}<p>DAG <b>{{ dag.dag_id }}</b>{% if run_id is defined %}, run {{ run_id }}{% endif %}</p>{% endif %}
{% if exception is defined and exception %}<pre>{{ exception | e }}</pre>{% endif %}
{% if reason is defined and reason %}<p>{{ reason | e }}</p>{% endif %}
"""


class SmtpNotifier(BaseNotifier):
    """Sends an e-mail. Without a subject or content of its own, it says which task of which run is in which state."""

    template_fields: Sequence[str] = (
        "from_email",
        "to",
        "subject",
        "html_content",
        "files",
        "cc",
        "bcc",
        "mime_subtype",
        "mime_charset",
        "custom_headers",
    )

    def __init__(
        self,
        to: Addresses,
        from_email: str | None = None,
        subject: str | None = None,
        html_content: str | None = None,
        files: list[str] | None = None,
        cc: Addresses | None = None,
        bcc: Addresses | None = None,
        mime_subtype: str = "mixed",
        mime_charset: str = "utf-8",
        custom_headers: dict[str, Any] | None = None,
        smtp_conn_id: str | None = None,
        auth_type: str = "basic",
        *,
        template: str | None = None,
        context: Context | None = None,
    ) -> None:
        super().__init__(context)
        self.to = to
        self.from_email = from_email
        self.subject = subject
        self.html_content = _read(template) if html_content is None and template is not None else html_content
        self.files = files
        self.cc = cc
        self.bcc = bcc
        self.mime_subtype = mime_subtype
        self.mime_charset = mime_charset
        self.custom_headers = custom_headers
        self.smtp_conn_id = smtp_conn_id or conf.get("email", "email_conn_id", fallback="smtp_default")
        # What the connection says counts; the argument is there for those who pass it.
        self.auth_type = auth_type

    def notify(self, context: Context) -> None:
        server = smtp_server(self.smtp_conn_id)
        sender = self._sender(server)
        message, recipients = build_mime_message(
            sender,
            self.to,
            " ".join(self._text(self.subject, server.subject_template, _SUBJECT, context).split()),
            self._text(self.html_content, server.html_content_template, _CONTENT, context),
            self.files,
            self.cc,
            self.bcc,
            self.mime_subtype,
            self.mime_charset,
            self.custom_headers,
        )
        server.deliver(sender, recipients, message)
        self.log.info("Sent an e-mail to %s", recipients)

    async def async_notify(self, context: Context) -> None:
        await asyncio.to_thread(self.notify, context)

    def _sender(self, server: SmtpServer) -> str:
        sender = self.from_email or server.from_email or conf.get("smtp", "smtp_mail_from", fallback=None)
        if not sender:
            raise ValueError(f"an e-mail needs from_email: as an argument, or as an extra of {self.smtp_conn_id!r}")
        return str(sender)

    def _text(self, own: str | None, path: str | None, ours: str, context: Context) -> str:
        """What the author wrote, which is rendered already; else what the connection names; else ours."""
        if own is not None:
            return own
        template = ours if path is None else _read(path)
        return str(self.render_template(template, context, self.get_template_env(context.get("dag"))))


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8").strip()


send_smtp_notification = SmtpNotifier
