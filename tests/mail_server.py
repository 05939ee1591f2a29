"""A real SMTP server on this machine, and what it was handed."""

import asyncio
import email
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import Message
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.instants import utc


@dataclass
class Mailbox:
    """What arrived. `hang_ups` is how many callers are hung up on before they hear a word."""

    port: int = 0
    hang_ups: int = 0
    messages: list[Message] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[tuple[str, str]] = field(default_factory=list)
    were_encrypted: list[bool] = field(default_factory=list)

    def authenticate(self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        """Everybody may come in."""
        assert isinstance(data, LoginPassword)
        self.logins.append((data.login.decode(), data.password.decode()))
        return AuthResult(success=True)

    @property
    def only_message(self) -> Message:
        """The one that arrived."""
        (message,) = self.messages
        return message

    @property
    def text(self) -> str:
        """The content of the only message."""
        part = next(part for part in self.only_message.walk() if part.get_content_maintype() == "text")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        return content.decode()


@contextmanager
def mail_server(
    *, starttls: ssl.SSLContext | None = None, encrypted: ssl.SSLContext | None = None
) -> Iterator[Mailbox]:
    """A server on a port of its own, with a thread of its own."""
    box = Mailbox()
    loop = asyncio.new_event_loop()

    def protocol() -> asyncio.Protocol:
        if box.hang_ups:
            box.hang_ups -= 1
            return _HangsUp()
        return SMTP(
            _Takes(box),
            hostname="here",
            authenticator=box.authenticate,
            auth_required=False,
            auth_require_tls=False,
            tls_context=starttls,
            loop=loop,
        )

    server = loop.run_until_complete(loop.create_server(protocol, "127.0.0.1", 0, ssl=encrypted))
    box.port = server.sockets[0].getsockname()[1]
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield box
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


class _Takes:
    """What aiosmtpd calls. It looks at all that its handler has, so the mailbox itself is none."""

    def __init__(self, box: Mailbox) -> None:
        self._box = box

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        self._box.senders.append(envelope.mail_from)
        self._box.recipients += envelope.rcpt_tos
        self._box.messages.append(email.message_from_bytes(envelope.content))
        self._box.were_encrypted.append(server.transport.get_extra_info("ssl_object") is not None)
        return "250 taken"


class _HangsUp(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


async def _stop(server: asyncio.Server) -> None:
    server.close()
    running = asyncio.all_tasks() - {asyncio.current_task()}
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def self_signed(folder: Path) -> ssl.SSLContext:
    """A certificate that nobody trusts, for a server on this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "127.0.0.1")])
    begin = utc("2020-01-01")
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "server.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
