"""The runtime of a task that runs under a supervisor: every question goes over its pipe."""

import os
from collections.abc import Callable
from typing import Any, Final, NoReturn, Protocol

from tradewind.model.exchange import TOLD
from tradewind.sdk.exceptions import AirflowException, AirflowNotFoundException
from tradewind.sdk.secrets_masker import secrets_masker
from tradewind.worker.protocol import Answer
from tradewind.worker.questions import decode_answer, encode_arguments, is_known

_NOT_FOUND: Final = frozenset(
    {"NotFound", "UnknownAsset", "UnknownDag", "UnknownPool", "UnknownRun", "UnknownTask", "UnknownVariable"}
)


class RequestFailed(AirflowException):
    """The supervisor could not answer."""


class Line(Protocol):
    """The way to the supervisor; `worker.child.pipe.Pipe` is one."""

    def hide(self, texts: list[str]) -> None:
        """These must not be seen in what this process prints."""

    def tell(self, method: str, arguments: bytes) -> None:
        """Call a method whose answer does not matter."""

    def ask(self, method: str, arguments: bytes) -> Answer:
        """Call a method, and wait for its answer."""


class PipeRuntime:
    """Implements `sdk.runtime.Runtime`. Its methods are made from the protocol's when they are first used."""

    def __init__(self, pipe: Line) -> None:
        self._pipe = pipe
        self._pid = os.getpid()
        self._told: tuple[str, ...] = ()

    def mask_secret(self, secret: Any, name: str | None = None) -> None:
        """See `Runtime.mask_secret`."""
        secrets_masker().add_mask(secret, name)
        self.tell_secrets()

    def tell_secrets(self) -> None:
        """What user code prints past the SDK is masked by the supervisor: it gets the texts to look for."""
        forms = secrets_masker().forms
        if forms is not self._told:  # they are replaced, never changed
            self._told = forms
            if os.getpid() == self._pid:  # what a copy prints is masked by what the task knows
                self._pipe.hide(sorted(forms))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not is_known(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        method = self._telling(name) if name in TOLD else self._asking(name)
        setattr(self, name, method)
        return method

    def _telling(self, name: str) -> Callable[..., None]:
        def tell(*args: Any, **kwargs: Any) -> None:
            self._refuse_copies(name)
            self._pipe.tell(name, encode_arguments(name, args, kwargs))

        return tell

    def _asking(self, name: str) -> Callable[..., Any]:
        def ask(*args: Any, **kwargs: Any) -> Any:
            self._refuse_copies(name)
            answer = self._pipe.ask(name, encode_arguments(name, args, kwargs))
            if answer.error_kind is not None:
                _refuse(answer.error_kind, answer.error)
            return decode_answer(name, answer.value)

        return ask

    def _refuse_copies(self, name: str) -> None:
        """Two processes at one stream would take each other's answers, and wait for ever."""
        if os.getpid() != self._pid:
            raise RequestFailed(
                f"{name}: only the process of the task itself can ask for connections, variables, XComs and the like,"
                " not one that it has forked; ask before forking, and pass the answers on"
            )


def _refuse(kind: str, message: str) -> NoReturn:
    raise AirflowNotFoundException(message) if kind in _NOT_FOUND else RequestFailed(message)
