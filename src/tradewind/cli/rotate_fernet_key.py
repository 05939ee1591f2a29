"""`tradewind rotate-fernet-key`: encrypt all stored secrets with the newest key."""

from typing import TYPE_CHECKING

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.errors import InvalidRequest

if TYPE_CHECKING:
    from tradewind.operations import rotate_keys
    from tradewind.secrets import encryption
else:
    encryption = Deferred("tradewind.secrets.encryption")
    rotate_keys = Deferred("tradewind.operations.rotate_keys")


def command() -> None:
    """Encrypt all variables and connections with the first key of `[core] fernet_key`.

    To change the key, put the new one before the old one, separated by a comma; restart the services; run this; then
    take the old one out.
    """
    settings = load_settings()
    cipher = encryption.Encryption.from_setting(settings.core.fernet_key)
    if not cipher.has_key:
        raise InvalidRequest("[core] fernet_key has no key to encrypt with")
    with wired(settings) as wiring:
        now = wiring.clock.now()
        rotated = wiring.database.transact(lambda tx: rotate_keys.rotate_keys(tx, cipher, now))
    typer.echo(
        f"{rotated.variables} variables, {rotated.connections} connections and the arguments of {rotated.triggers}"
        " triggers are encrypted with the first key"
    )
