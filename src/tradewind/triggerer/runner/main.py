"""The runner's process."""

import signal
import socket
import sys

import setproctitle
import uvloop

from tradewind.triggerer.board import Board
from tradewind.triggerer.runner.link import Link
from tradewind.triggerer.runner.runner import Runner


def main() -> None:
    """Until the other end of the socket is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # whoever stops the triggerer means the supervisor, which ends this too
    setproctitle.setproctitle("tradewind: triggerer runner")
    link = Link(socket.socket(fileno=int(sys.argv[1])))
    uvloop.run(Runner(link, Board(int(sys.argv[2]))).run())


if __name__ == "__main__":
    main()
