"""Have a DAG file parsed again, changed or not."""

from tradewind.errors import UnknownFile
from tradewind.model.dag_file import DagFile, FileName
from tradewind.storage.interface import Transaction


def dags_of_file(tx: Transaction, name: FileName) -> set[str]:
    """The DAGs that the file has, or had when it could last be read.

    Raises:
        UnknownFile: there is none of that name.
    """
    file = _found(tx, name)
    return tx.files.declared([file.key])[file.key]


def request_parse(tx: Transaction, name: FileName) -> None:
    """Ask the DAG processors for it.

    Raises:
        UnknownFile: there is none of that name.
    """
    tx.files.request([_found(tx, name).key])


def _found(tx: Transaction, name: FileName) -> DagFile:
    file = tx.files.find(name)
    if file is None:
        raise UnknownFile(name.bundle, name.path)
    return file
