"""What a DAG file may ask for while it is read, and callbacks while they run: variables and connections. What follows
the end of a task may ask for XComs too, and leave some."""

import threading
from collections.abc import Callable
from typing import Any

import msgspec

from tradewind.dag_processor.protocol import Answer, FrameKind, Question
from tradewind.model.task_answers import ConnectionResult, XComResult
from tradewind.sdk.environment_runtime import EnvironmentRuntime
from tradewind.sdk.exceptions import AirflowException
from tradewind.wire.frames import FrameReader, pack


class AskingRuntime(EnvironmentRuntime):
    """Asks the service, over the socket of the child; where that has no answer, the environment may."""

    def __init__(self, send: Callable[[bytes], object], receive: Callable[[], bytes]) -> None:
        super().__init__()
        self._send = send
        self._receive = receive
        self._reader = FrameReader()
        # Callbacks may use threads.
        self._lock = threading.Lock()
        self.has_asked = False
        """Then the file says something else when the answer does."""

    def get_variable(self, key: str) -> str | None:
        found: str | None = self.ask("get_variable", key=key)
        return super().get_variable(key) if found is None else found

    def get_variable_keys(self, prefix: str | None = None) -> list[str]:
        found: list[str] | None = self.ask("get_variable_keys", prefix=prefix)
        return sorted({*super().get_variable_keys(prefix), *(found or ())})

    def get_connection(self, conn_id: str) -> ConnectionResult | None:
        found: dict[str, Any] | None = self.ask("get_connection", conn_id=conn_id)
        return super().get_connection(conn_id) if found is None else ConnectionResult(**found)

    def ask(self, method: str, **arguments: Any) -> Any:
        """The answer of the service.

        Raises:
            AirflowException: it refuses, or is gone.
        """
        with self._lock:
            self.has_asked = True
            self._send(pack(FrameKind.QUESTION, Question(method=method, arguments=arguments)))
            answer = self._heard()
        if answer.error is not None:
            raise AirflowException(answer.error)
        return answer.value

    def _heard(self) -> Answer:
        while data := self._receive():
            for _, content in self._reader.feed(data):
                return msgspec.msgpack.decode(content, type=Answer)
        raise AirflowException("the DAG processor does not answer any more")


class AfterwardsRuntime:
    """What code gets that runs after the end of a task without a worker: all that DAG files get, and XComs."""

    def __init__(self, asking: AskingRuntime) -> None:
        self._asking = asking
        self.left: list[tuple[str, Any]] = []
        """The XComs that it leaves, by key, which are stored when all is done."""

    def get_xcom(self, **which: Any) -> XComResult | None:
        found: dict[str, Any] | None = self._asking.ask("get_xcom", **which)
        return None if found is None else XComResult(**found)

    def set_xcom(self, *, key: str, value: Any, **_whose: Any) -> None:
        self.left.append((key, value))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._asking, name)
