"""Tries a connection out: `python -P -m tradewind.worker.child.connection_test`, told on the standard input which.

A hook is code of a provider package, and may do anything. So it runs in a process of its own, which knows no secret but
those of this one connection, and whose last word is all that anybody takes from it.
"""

import json
import os
import sys

from tradewind.compat import install
from tradewind.sdk.connection import Connection


def main() -> None:
    """Answer on the standard output, as JSON: whether it works, and a sentence about it."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what a hook prints is not the answer
    given = json.loads(sys.stdin.buffer.read())
    install()
    works, message = Connection.from_json(given["connection"], given["conn_id"]).test_connection()
    with os.fdopen(answer, "w") as stream:
        json.dump([works, message], stream)


if __name__ == "__main__":
    main()
