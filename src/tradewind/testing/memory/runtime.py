"""The runtime of one task instance in a test."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tradewind.errors import NotFound, TradewindError, UnknownDag
from tradewind.model.assignment import Asker
from tradewind.operations.task_requests.runtime import StoredRuntime
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.secrets.encryption import Encryption
from tradewind.storage.interface import Transaction
from tradewind.testing.memory.premises import Premises
from tradewind.testing.memory.questions import MemoryQuestions
from tradewind.testing.memory.secrets import MemorySecrets

_PLAIN: Final = Encryption()


class MemoryRuntime(MemorySecrets, MemoryQuestions):
    """Implements `sdk.runtime.Runtime`: by the same answers that workers get, wherever they come from the database."""

    def __init__(self, premises: Premises, asker: Asker) -> None:
        self.premises = premises
        self.asker = asker

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not hasattr(StoredRuntime, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        method = partial(self._ask, name)
        setattr(self, name, method)
        return method

    def _ask(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """One question, in a transaction of its own."""
        premises = self.premises

        def work(tx: Transaction) -> Any:
            runtime = StoredRuntime(
                tx, self.asker, now=premises.clock.now(), structures=premises.structures, secrets=_PLAIN
            )
            return getattr(runtime, name)(*args, **kwargs)

        try:
            return premises.transact(work)
        except UnknownDag as error:
            raise AirflowNotFoundException(f"{error} in this test: give it to run_dag as one of other_dags") from None
        except NotFound as error:
            raise AirflowNotFoundException(str(error)) from None
        except TradewindError as error:
            raise AirflowException(str(error)) from error
