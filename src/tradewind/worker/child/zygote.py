"""A zygote: it has imported one DAG file, and forks a child for each attempt of its tasks."""

import gc
import os
import socket
from typing import NoReturn

import setproctitle

from tradewind.runtime.die_with_parent import die_with_parent, live_without_parent
from tradewind.runtime.huge_pages import gather_in_huge_pages
from tradewind.worker.child import attempt
from tradewind.worker.child.dag_file import ImportedFile, import_file
from tradewind.worker.child.forker import Forker
from tradewind.worker.child.output import CAPTURE
from tradewind.worker.child.structlog_records import join_structlog
from tradewind.worker.child.termination import release_termination
from tradewind.worker.protocol import LARGEST_TEXT, Command, DagFile, Fork, Loaded, Stale


class Zygote(Forker):
    """Forks children from what it has imported, as long as that is what lies on disk."""

    def __init__(self, control: socket.socket, imported: ImportedFile) -> None:
        super().__init__(control)
        self._imported = imported

    def obey(self, command: Command, descriptors: list[int]) -> None:
        """See `Forker.obey`."""
        if not isinstance(command, Fork):
            raise TypeError(f"a zygote cannot {command!r}")
        if self._imported.has_changed():
            self.tell(Stale(command.number))
        else:
            self.fork(command.number, lambda: attempt.live(self._imported, *descriptors))


def live(file: DagFile, control_descriptor: int) -> NoReturn:
    """The zygote, from its first to its last moment. It returns to nobody."""
    exit_code = os.EX_SOFTWARE
    try:
        os.setsid()
        release_termination()
        die_with_parent()  # a file that takes for ever must not keep the process when nobody is there any more
        setproctitle.setproctitle(f"tradewind: zygote of {file.path}")
        control = socket.socket(fileno=control_descriptor)
        gc.enable()
        imported = import_file(file)
        CAPTURE.install()
        join_structlog()
        gc.disable()
        gc.collect()
        gc.freeze()
        gather_in_huge_pages()
        live_without_parent()  # it ends its children before itself
        zygote = Zygote(control, imported)
        zygote.tell(Loaded(imported.error[-LARGEST_TEXT:], imported.why_alone[-LARGEST_TEXT:]))
        if not imported.error and not imported.why_alone:
            zygote.run()
        exit_code = os.EX_OK
    finally:
        os._exit(exit_code)
