"""The supervisor's end of the nursery."""

import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tradewind.worker.protocol import Command, Notice, decode_notice, encode
from tradewind.worker.supervisor.channel import Packets

_NURSERY: Final = "tradewind.worker.child.nursery"
_STOP_PATIENCE_S: Final = 5.0


class Nursery:
    """One life of the nursery process."""

    def __init__(
        self,
        selector: selectors.BaseSelector,
        environ: Mapping[str, str],
        *,
        noticed: Callable[[Notice], None],
        died: Callable[[], None],
    ) -> None:
        """`environ` is what user code gets to see."""
        self._noticed = noticed
        self._died = died
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", _NURSERY, str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        theirs.close()
        self._packets = Packets(ours, selector, self._heard)

    def send(self, command: Command, descriptors: Sequence[int] = ()) -> None:
        """Have something done."""
        self._packets.send(encode(command), descriptors)

    def close(self) -> None:
        """End it with all that it and its descendants have forked."""
        self._packets.close()
        try:
            self._process.wait(_STOP_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def _heard(self, packet: bytes) -> None:
        if packet:
            self._noticed(decode_notice(packet))
        else:
            self._died()
