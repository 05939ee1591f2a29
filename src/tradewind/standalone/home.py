"""A home folder in which Tradewind can start: made where it is missing, left alone where it is there."""

import os
from pathlib import Path
from typing import Final

from tradewind.bootstrap import current_revision, needed_revision, upgrade
from tradewind.errors import SettingsError
from tradewind.secrets.encryption import new_key
from tradewind.settings import FILE_NAME, FILE_VARIABLE, Settings, load_settings, process_environment

_FILE: Final = """\
# Made by `tradewind standalone`. `tradewind config list` shows what else can be set here.

[core]
# Connections and variables are encrypted with it: whoever loses it loses them.
fernet_key = {fernet_key}
"""
_DAGS_FOLDER: Final = """
# Where DAG files are, as it was said when this home was made: commands in other terminals look there too.
dags_folder = {dags_folder}
"""


def prepare_home(settings: Settings) -> Settings:
    """Folders, and a configuration file with keys.

    Returns:
        The settings, with what was added.

    Raises:
        SettingsError: the home cannot be made.
    """
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (settings.dags_folder, settings.log_folder):
            folder.mkdir(parents=True, exist_ok=True)
        if _needs_file(settings):
            write_private(settings.home / FILE_NAME, _file_text(settings))
            settings = load_settings()
    except OSError as error:
        raise SettingsError(f"{settings.home} cannot be made a home: {error}") from error
    return settings


def prepare_database(settings: Settings) -> None:
    """Bring its schema to the newest revision.

    Raises:
        DatabaseError: it is another program's, or that of a newer version.
    """
    url = settings.database.sql_alchemy_conn
    if current_revision(url) != needed_revision():
        upgrade(url, default_pool_slots=settings.core.default_pool_task_slot_count)


def write_private(path: Path, text: str) -> None:
    """A file that only its owner may read."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _file_text(settings: Settings) -> str:
    text = _FILE.format(fernet_key=new_key())
    if settings.dags_folder.absolute() == (settings.home / "dags").absolute():
        return text
    return text + _DAGS_FOLDER.format(dags_folder=settings.dags_folder.absolute())


def _needs_file(settings: Settings) -> bool:
    """Not where somebody has written one, or keeps the keys elsewhere."""
    is_named = bool(process_environment().get(FILE_VARIABLE))
    return not is_named and not settings.core.fernet_key and not (settings.home / FILE_NAME).exists()
