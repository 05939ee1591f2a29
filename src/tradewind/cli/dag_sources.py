"""Where the file of a DAG is, and what its tasks may ask for, for commands that run tasks in their own process."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.cli.deferred import Deferred
from tradewind.errors import DatabaseError, NotFound, UnknownDag, UnknownRun

if TYPE_CHECKING:
    from tradewind import bootstrap, compat
    from tradewind.compat import plugin_loading
    from tradewind.operations import find_run, manage_connections, manage_variables
    from tradewind.secrets import encryption
    from tradewind.settings import Settings
    from tradewind.storage.interface import Transaction
    from tradewind.testing import by_hand
else:
    bootstrap = Deferred("tradewind.bootstrap")
    by_hand = Deferred("tradewind.testing.by_hand")
    compat = Deferred("tradewind.compat")
    encryption = Deferred("tradewind.secrets.encryption")
    find_run = Deferred("tradewind.operations.find_run")
    manage_connections = Deferred("tradewind.operations.manage_connections")
    manage_variables = Deferred("tradewind.operations.manage_variables")
    plugin_loading = Deferred("tradewind.compat.plugin_loading")


def load_dag(settings: "Settings", dag_id: str, bundle_names: list[str] | None, file: Path | None = None) -> Any:
    """The DAG from its file, as workers load it: with the plugins, and with Airflow's names.

    Raises:
        UnknownDag: no file has it.
        NotFound: its file is not where it is looked for.
        InvalidRequest: its file is broken.
    """
    folder, path = _in_folder(settings, file) if file is not None else _file_of(settings, dag_id, bundle_names)
    compat.install()
    plugin_loading.load_plugins(str(settings.plugins_folder))
    return by_hand.load_dag(folder, path, dag_id)


def add_stored_secrets(settings: "Settings", how: "by_hand.HandRun") -> None:
    """The variables and connections of the deployment, if it has a database."""
    cipher = encryption.Encryption.from_setting(settings.core.fernet_key)

    def work(tx: "Transaction") -> None:
        how.variables = {each.key: each.value for each in manage_variables.list_variables(tx, cipher)}
        how.connections = {each.conn_id: each for each in manage_connections.list_connections(tx, cipher)}

    if bootstrap.has_schema(settings):
        with bootstrap.wired(settings) as wiring:
            wiring.database.read(work)


def stored_outputs(
    settings: "Settings", dag_id: str, word: str | None
) -> tuple[dict[str, dict[int, Any]], "by_hand.HandRun"]:
    """What the tasks of a stored run returned, by map index, and what the run was; of a date, the date.

    Raises:
        InvalidRequest: it is neither a run nor a date.
    """
    how = by_hand.HandRun()
    if word is None:
        return {}, how

    def work(tx: "Transaction") -> dict[str, dict[int, Any]]:
        run = find_run.find_run(tx, dag_id, word, settings.core.default_timezone)
        how.logical_date, how.run_id = run.logical_date, run.run_id
        how.conf = run.conf if isinstance(run.conf, dict) else None
        found: dict[str, dict[int, Any]] = {}
        for xcom in tx.xcoms.of_run(run.key):
            if xcom.key == "return_value":
                found.setdefault(xcom.task.task_id, {})[xcom.task.map_index] = xcom.value
        return found

    if bootstrap.has_schema(settings):
        with bootstrap.wired(settings) as wiring, suppress(UnknownDag, UnknownRun):
            return wiring.database.read(work), how
    how.logical_date = find_run.read_instant(word, settings.core.default_timezone)
    return {}, how


def _in_folder(settings: "Settings", file: Path) -> tuple[Path, str]:
    full = file.absolute()
    root = settings.dags_folder if full.is_relative_to(settings.dags_folder) else full.parent
    return root, str(full.relative_to(root))


def _file_of(settings: "Settings", dag_id: str, bundle_names: list[str] | None) -> tuple[Path, str]:
    """Where the database says it is; where there is none, all files are read."""
    folders = bootstrap.bundle_folders(settings, bundle_names or ())
    try:
        with bootstrap.wired(settings) as wiring:
            record = wiring.database.read(lambda tx: tx.dags.find(dag_id))
        if record is not None and record.file is not None and record.file.bundle in folders:
            return _stored_place(dag_id, folders[record.file.bundle], record.file.path)
    except DatabaseError:
        pass  # a DAG can be tried out before there is a database
    for file in bootstrap.read_dag_files(settings, bundle_names or ()):
        if file.checked is not None and dag_id in [each.dag.dag_id for each in file.checked.publications]:
            return folders[file.bundle], file.path
    raise UnknownDag(dag_id)


def _stored_place(dag_id: str, folder: Path, path: str) -> tuple[Path, str]:
    if not (folder / path).exists():
        raise NotFound(
            f"DAG {dag_id!r} comes from {path}, which is not in {folder}: does [core] dags_folder say here what it"
            " says to the DAG processor?"
        )
    return folder, path
