"""The mail server: where it is, who we are to it, and handing it a message.

A connection that names a host says all of it, in the words of Airflow's provider package `smtp`. One without a host
only has the login, and the options of `[smtp]` say the rest.
"""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.connection import Connection
from tradewind.sdk.exceptions import AirflowConfigException, AirflowNotFoundException

log = logging.getLogger(__name__)

_TRUE: Final = frozenset({"1", "t", "true", "y", "yes", "on"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SmtpServer:
    """A mail server. Port 0 is the usual one of the protocol."""

    host: str
    port: int = 0
    login: str | None = None
    password: str | None = None
    access_token: str | None = None
    """With it, the login is by OAuth 2 in place of the password."""
    is_ssl: bool = False
    is_starttls: bool = True
    timeout_s: float = 30
    retries: int = 5
    ssl_context: str = "default"
    from_email: str | None = None
    subject_template: str | None = None
    html_content_template: str | None = None

    def deliver(self, sender: str, recipients: str | Sequence[str], message: Message) -> None:
        """Hand over a message. A server that hangs up before it said hello is tried again."""
        with self._connected() as server:
            if self.is_starttls:
                server.starttls(context=self._ssl_context())
            self._log_in(server)
            server.sendmail(sender, recipients, message.as_string())

    def _connected(self) -> smtplib.SMTP:
        for attempt in range(1, self.retries + 1):
            try:
                return self._connect()
            except smtplib.SMTPServerDisconnected:
                log.warning("The SMTP server hung up in attempt %d of %d", attempt, self.retries + 1)
        return self._connect()

    def _connect(self) -> smtplib.SMTP:
        if self.is_ssl:
            return smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout_s, context=self._ssl_context())
        return smtplib.SMTP(self.host, self.port, timeout=self.timeout_s)

    def _log_in(self, server: smtplib.SMTP) -> None:
        if self.access_token:
            who = self.login or self.from_email
            if not who:
                raise AirflowConfigException("OAuth 2 needs to know who sends: set the login of the SMTP connection")
            words = f"user={who}\x01auth=Bearer {self.access_token}\x01\x01"
            server.ehlo_or_helo_if_needed()
            server.auth("XOAUTH2", lambda challenge=None: words if challenge is None else "")
        elif self.login and self.password:
            server.login(self.login, self.password)

    def _ssl_context(self) -> ssl.SSLContext | None:
        if self.ssl_context == "default":
            return ssl.create_default_context()
        if self.ssl_context == "none":
            return None
        raise AirflowConfigException(f"ssl_context has to be 'default' or 'none', not {self.ssl_context!r}")


def smtp_server(conn_id: str | None) -> SmtpServer:
    """The server of that connection, or that of `[smtp]` where there is no such connection or it names no host."""
    connection = _connection(conn_id)
    if connection is not None and connection.host:
        return _described_by(connection)
    return SmtpServer(
        host=conf.get("smtp", "smtp_host", fallback="localhost"),
        port=conf.getint("smtp", "smtp_port", fallback=25),
        login=None if connection is None else connection.login,
        password=None if connection is None else connection.password,
        is_ssl=conf.getboolean("smtp", "smtp_ssl", fallback=False),
        is_starttls=conf.getboolean("smtp", "smtp_starttls", fallback=True),
        timeout_s=conf.getint("smtp", "smtp_timeout", fallback=30),
        retries=conf.getint("smtp", "smtp_retry_limit", fallback=5),
        ssl_context=conf.get("email", "ssl_context", fallback="default"),
    )


def _connection(conn_id: str | None) -> Connection | None:
    if not conn_id:
        return None
    try:
        found: Connection = Connection.get(conn_id)
    except AirflowNotFoundException:
        log.debug("There is no connection %r: the SMTP server is used without a login", conn_id)
        return None
    return found


def _described_by(connection: Connection) -> SmtpServer:
    extra = connection.extra_dejson
    is_ssl = not _is_true(extra, "disable_ssl")
    if extra.get("auth_type", "basic") == "oauth2" and not extra.get("access_token"):
        raise AirflowConfigException(
            f"the connection {connection.conn_id!r} has auth_type oauth2 but no access_token: to have tokens fetched,"
            " install the provider package smtp and use its notifier"
        )
    return SmtpServer(
        host=str(connection.host),
        port=connection.port or 0,
        login=connection.login,
        password=connection.password,
        access_token=extra.get("access_token") if extra.get("auth_type") == "oauth2" else None,
        is_ssl=is_ssl,
        # What is encrypted from its first byte on cannot be encrypted again.
        is_starttls=not is_ssl and not _is_true(extra, "disable_tls"),
        timeout_s=float(extra.get("timeout") or 30),
        retries=int(extra.get("retry_limit", 5)),
        ssl_context=extra.get("ssl_context") or "default",
        from_email=extra.get("from_email") or None,
        subject_template=extra.get("subject_template") or None,
        html_content_template=extra.get("html_content_template") or None,
    )


def _is_true(extra: Mapping[str, Any], name: str) -> bool:
    """Extras that were written into a URI are texts."""
    value = extra.get(name, False)
    return value.strip().lower() in _TRUE if isinstance(value, str) else bool(value)
