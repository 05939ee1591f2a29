"""How a trigger or a watcher asks its supervisor."""

from typing import cast

from tradewind.sdk.runtime import Runtime
from tradewind.triggerer.runner.link import Link
from tradewind.worker.child.pipe_runtime import PipeRuntime, RequestFailed
from tradewind.worker.protocol import Answer


class Line:
    """Asks in the name of one of them. Implements `worker.child.pipe_runtime.Line`."""

    __slots__ = ("_asker", "_link")

    def __init__(self, link: Link, asker: int) -> None:
        self._link = link
        self._asker = asker

    def hide(self, texts: list[str]) -> None:
        """What they log and print is masked here."""

    def tell(self, method: str, arguments: bytes) -> None:
        """See `Line.tell`. Here it is answered, too: nothing that comes later would show that it was refused."""
        answer = self.ask(method, arguments)
        if answer.error_kind is not None:
            raise RequestFailed(answer.error)

    def ask(self, method: str, arguments: bytes) -> Answer:
        """See `Line.ask`."""
        return self._link.ask(self._asker, method, arguments)


def runtime_of(link: Link, asker: int) -> Runtime:
    """What answers where the code of this one runs."""
    return cast("Runtime", PipeRuntime(Line(link, asker)))
