"""`tradewind rotate-fernet-key`: encrypt all stored secrets with the newest key."""

import typer

from tradewind.bootstrap import wired
from tradewind.errors import InvalidRequest
from tradewind.operations.rotate_keys import rotate_keys
from tradewind.secrets.encryption import Encryption
from tradewind.settings import load_settings


def command() -> None:
    """Encrypt all variables and connections with the first key of `[core] fernet_key`.

    To change the key, put the new one before the old one, separated by a comma; restart the services; run this; then
    take the old one out.
    """
    settings = load_settings()
    encryption = Encryption.from_setting(settings.core.fernet_key)
    if not encryption.has_key:
        raise InvalidRequest("[core] fernet_key has no key to encrypt with")
    with wired(settings) as wiring:
        now = wiring.clock.now()
        rotated = wiring.database.transact(lambda tx: rotate_keys(tx, encryption, now))
    typer.echo(f"{rotated.variables} variables and {rotated.connections} connections are encrypted with the first key")
