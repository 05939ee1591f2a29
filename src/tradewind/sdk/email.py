"""E-mail, as the options of `[email]` say: by SMTP, or with a backend of one's own."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import formatdate
from pathlib import Path
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.exceptions import AirflowConfigException
from tradewind.sdk.module_loading import import_string
from tradewind.sdk.smtp_server import SmtpServer, smtp_server

log = logging.getLogger(__name__)

_OWN_BACKENDS: Final = frozenset({"", "airflow.utils.email.send_email_smtp", "tradewind.sdk.email.send_email_smtp"})
_BETWEEN_ADDRESSES: Final = re.compile(r"\s*[,;]\s*")

Addresses = str | Iterable[str]


def send_email(
    to: Addresses,
    subject: str,
    html_content: str,
    files: Sequence[str] | None = None,
    dryrun: bool = False,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    conn_id: str | None = None,
    custom_headers: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Send an e-mail with `[email] email_backend`, by default by SMTP."""
    path = conf.get("email", "email_backend", fallback="") or ""
    backend = send_email_smtp if path in _OWN_BACKENDS else import_string(path)
    backend(
        ", ".join(get_email_address_list(to)),
        subject,
        html_content,
        files=files,
        dryrun=dryrun,
        cc=cc,
        bcc=bcc,
        mime_subtype=mime_subtype,
        mime_charset=mime_charset,
        conn_id=conn_id or conf.get("email", "email_conn_id", fallback="smtp_default"),
        from_email=conf.get("email", "from_email", fallback=None),
        custom_headers=custom_headers,
        **kwargs,
    )


def send_email_smtp(
    to: Addresses,
    subject: str,
    html_content: str,
    files: Sequence[str] | None = None,
    dryrun: bool = False,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    conn_id: str | None = "smtp_default",
    from_email: str | None = None,
    custom_headers: Mapping[str, Any] | None = None,
    **kwargs: Any,  # noqa: ARG001 - what other backends take
) -> None:
    """Send an e-mail by SMTP. With `dryrun` all is done except sending."""
    server = smtp_server(conn_id)
    sender = server.from_email or conf.get("smtp", "smtp_mail_from", fallback=None) or from_email
    if not sender:
        raise AirflowConfigException(
            "an e-mail needs a sender: set from_email in the extras of the SMTP connection, [smtp] smtp_mail_from, or"
            " [email] from_email"
        )
    message, recipients = build_mime_message(
        sender, to, subject, html_content, files, cc, bcc, mime_subtype, mime_charset, custom_headers
    )
    _hand_over(server, sender, recipients, message, dryrun)


def build_mime_message(
    mail_from: str | None,
    to: Addresses,
    subject: str,
    html_content: str,
    files: Sequence[str] | None = None,
    cc: Addresses | None = None,
    bcc: Addresses | None = None,
    mime_subtype: str = "mixed",
    mime_charset: str = "utf-8",
    custom_headers: Mapping[str, Any] | None = None,
) -> tuple[MIMEMultipart, list[str]]:
    """The message, and all who get it. Those of `bcc` are in the second only."""
    direct, copied, hidden = (get_email_address_list(addresses or []) for addresses in (to, cc, bcc))
    message = MIMEMultipart(mime_subtype)
    message["Subject"] = subject
    if mail_from:
        message["From"] = mail_from
    message["To"] = ", ".join(direct)
    if copied:
        message["CC"] = ", ".join(copied)
    message["Date"] = formatdate(localtime=True)
    message.attach(MIMEText(html_content, "html", mime_charset))
    for name in files or ():
        message.attach(_attachment(Path(name)))
    for header, value in (custom_headers or {}).items():
        message[header] = value
    return message, [*direct, *copied, *hidden]


def _attachment(path: Path) -> MIMEApplication:
    part = MIMEApplication(path.read_bytes(), Name=path.name)
    part["Content-Disposition"] = f'attachment; filename="{path.name}"'
    part["Content-ID"] = f"<{path.name}>"
    return part


def send_mime_email(
    e_from: str,
    e_to: str | Sequence[str],
    mime_msg: MIMEMultipart,
    conn_id: str | None = "smtp_default",
    dryrun: bool = False,
) -> None:
    """Hand a message to the SMTP server of the connection, or to that of `[smtp]`: see `smtp_server.py`."""
    _hand_over(smtp_server(conn_id), e_from, e_to, mime_msg, dryrun)


def _hand_over(
    server: SmtpServer, sender: str, recipients: str | Sequence[str], message: MIMEMultipart, dryrun: bool
) -> None:
    if dryrun:
        log.info("This e-mail to %s is not sent: dryrun", recipients)
        return
    server.deliver(sender, recipients, message)
    log.info("Sent an e-mail to %s", recipients)


def get_email_address_list(addresses: Addresses) -> list[str]:
    """Addresses as a list; in a text they stand between commas or semicolons."""
    if isinstance(addresses, str):
        return [address for address in _BETWEEN_ADDRESSES.split(addresses.strip()) if address]
    found: list[Any] = list(addresses)
    if wrong := [address for address in found if not isinstance(address, str)]:
        raise TypeError(f"an e-mail address has to be a text, not {wrong[0]!r}")
    return found
