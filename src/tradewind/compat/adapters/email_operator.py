"""`EmailOperator`: send a mail. For where the provider package `smtp` is not installed."""

from collections.abc import Sequence
from typing import Any

from tradewind.sdk.email import build_mime_message, send_email, send_mime_email
from tradewind.sdk.operator import BaseOperator


class EmailOperator(BaseOperator):
    """Sends a mail with the backend of `[email] email_backend`; with a sender of its own, by SMTP."""

    template_fields: Sequence[str] = ("to", "subject", "html_content", "from_email", "files", "cc", "bcc")
    template_ext: Sequence[str] = (".html",)
    ui_color = "#e6faf9"

    def __init__(
        self,
        *,
        to: list[str] | str,
        subject: str,
        html_content: str,
        from_email: str | None = None,
        files: list[str] | None = None,
        cc: list[str] | str | None = None,
        bcc: list[str] | str | None = None,
        mime_subtype: str = "mixed",
        mime_charset: str = "utf-8",
        conn_id: str | None = None,
        custom_headers: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.to = to
        self.subject = subject
        self.html_content = html_content
        self.from_email = from_email
        self.files = files or []
        self.cc = cc
        self.bcc = bcc
        self.mime_subtype = mime_subtype
        self.mime_charset = mime_charset
        self.conn_id = conn_id
        self.custom_headers = custom_headers

    def execute(self, context: Any) -> None:
        message: dict[str, Any] = {
            "to": self.to,
            "subject": self.subject,
            "html_content": self.html_content,
            "files": self.files,
            "cc": self.cc,
            "bcc": self.bcc,
            "mime_subtype": self.mime_subtype,
            "mime_charset": self.mime_charset,
            "custom_headers": self.custom_headers,
        }
        if self.from_email:
            mail, recipients = build_mime_message(self.from_email, **message)
            send_mime_email(self.from_email, recipients, mail, self.conn_id)
        else:
            send_email(**message, conn_id=self.conn_id)
