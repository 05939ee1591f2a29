"""The first user: somebody must be able to log in."""

from pathlib import Path
from typing import Final

from tradewind.bootstrap import wired
from tradewind.model.account import BuiltInRole, Profile
from tradewind.operations.manage_users import create_user, set_password
from tradewind.secrets.passwords import hash_password, is_password, random_password
from tradewind.settings import Settings, process_environment
from tradewind.standalone.home import write_private
from tradewind.storage.interface import Store

NAME: Final = "admin"
VARIABLE: Final = "TRADEWIND_ADMIN_PASSWORD"
FILE_NAME: Final = "admin_password"


def make_first_user(settings: Settings) -> list[str]:
    """An administrator where there is no user at all, with the password of the environment or a random one.

    The random one is told once, and kept in a file that only its owner can read. A password in the environment that
    has changed since is set.

    Returns:
        What to tell whoever starts it.
    """
    given = process_environment().get(VARIABLE, "")
    if settings.core.simple_auth_manager_all_admins and not given:
        return ["nobody needs to log in on this machine"]
    path = settings.home / FILE_NAME
    with wired(settings) as wiring:
        store = wiring.database
        if not store.read(lambda tx: tx.accounts.all()):
            password = given or random_password()
            hashed = hash_password(password)
            profile = Profile(NAME, roles=frozenset({BuiltInRole.ADMIN}))
            store.transact(lambda tx: create_user(tx, profile, hashed, wiring.clock.now()))
            return _told(path, None if given else password)
        if given:
            _set(store, given, path)
    kept = f"; the password is in {path}" if path.exists() else ""
    return [f"log in as {NAME}{kept}"]


def _told(path: Path, password: str | None) -> list[str]:
    if password is None:
        return [f"log in as {NAME} with the password of {VARIABLE}"]
    write_private(path, password + "\n")
    return [f"log in as {NAME} with the password {password}", f"it is not shown again, but kept in {path}"]


def _set(store: Store, password: str, path: Path) -> None:
    account = store.transact(lambda tx: tx.accounts.find(NAME))
    if account is not None and not is_password(password, account.password_hash):
        hashed = hash_password(password)
        store.transact(lambda tx: set_password(tx, NAME, hashed))
        path.unlink(missing_ok=True)  # what it says is no longer true
