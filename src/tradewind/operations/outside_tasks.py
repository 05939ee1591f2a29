"""Variables and connections for code that runs outside of tasks: DAG files that are being read, and callbacks."""

from collections.abc import Mapping
from typing import Protocol

from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import Cipher
from tradewind.operations.manage_connections import find_connection
from tradewind.operations.manage_variables import find_variable
from tradewind.storage.interface import Store


class Outside(Protocol):
    """What is asked before the database; `secrets.chain.SecretsChain` is one."""

    def answer(self, question: str, arguments: Mapping[str, object]) -> str | ConnectionResult | None:
        """The answer, if it has one."""


class OutsideTasks:
    """Answers as `sdk.runtime.SecretsRuntime` does, and only questions: nothing is written."""

    def __init__(self, store: Store, cipher: Cipher, outside: Outside) -> None:
        self._store = store
        self._cipher = cipher
        self._outside = outside

    def __call__(self, method: str, arguments: Mapping[str, object]) -> object:
        found = self._outside.answer(method, arguments)
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
