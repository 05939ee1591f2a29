"""Variables and connections for code that runs outside of tasks: DAG files that are being read, and callbacks. Links of
operators, which are looked up there too, may ask for XComs besides."""

from collections.abc import Mapping
from typing import Protocol

from tradewind.model.task_answers import ConnectionResult, XComResult
from tradewind.operations.cipher import Cipher
from tradewind.operations.manage_connections import find_connection
from tradewind.operations.manage_variables import find_variable
from tradewind.storage.interface import Store, Transaction
from tradewind.storage.interface.kept_stores import XComPlace


class Outside(Protocol):
    """What is asked before the database; `secrets.chain.SecretsChain` is one."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> str | ConnectionResult | None:
        """The answer, if it has one."""


class OutsideTasks:
    """Answers as `sdk.runtime.SecretsRuntime` does, and only questions: nothing is written."""

    def __init__(self, store: Store, cipher: Cipher, outside: Outside | None = None) -> None:
        """`outside`: else only the database is asked."""
        self._store = store
        self._cipher = cipher
        self._outside = outside

    def __call__(self, method: str, arguments: Mapping[str, object]) -> object:
        found = None if self._outside is None else self._outside.answer(method, arguments)
        if found is not None:
            return found
        match method:
            case "get_variable":
                key = str(arguments["key"])
                return self._store.transact(lambda tx: find_variable(tx, key, self._cipher))
            case "get_connection":
                conn_id = str(arguments["conn_id"])
                return self._store.transact(lambda tx: find_connection(tx, conn_id, self._cipher))
            case "get_variable_keys":
                prefix = str(arguments.get("prefix") or "")
                return self._store.transact(lambda tx: tx.variables.keys(prefix))
            case _:
                raise ValueError(f"{method} needs a running task")


class OutsideWorkers(OutsideTasks):
    """Answers questions about XComs too, for what follows the end of a task that had no worker."""

    def __call__(self, method: str, arguments: Mapping[str, object]) -> object:
        if method == "get_xcom":
            return self._store.transact(lambda tx: _xcom(tx, arguments))
        return super().__call__(method, arguments)


def _xcom(tx: Transaction, arguments: Mapping[str, object]) -> XComResult | None:
    run = tx.runs.find(str(arguments["dag_id"]), str(arguments["run_id"]))
    if run is None:
        return None
    task_id, key, map_index = str(arguments["task_id"]), str(arguments["key"]), arguments.get("map_index")
    if arguments.get("include_prior_dates"):
        found = tx.xcoms.latest_run(run, task_id, key, _whole(map_index))
    else:
        found = run.key
    return None if found is None else tx.xcoms.find(XComPlace(found, task_id, key), _whole(map_index))


def _whole(number: object) -> int | None:
    return number if isinstance(number, int) else None
