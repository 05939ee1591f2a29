"""Triggers that tasks began with: what the runner is told of them, and what it finds out."""

import json
from dataclasses import replace
from typing import Any, Final

import msgspec

from tradewind.model.trigger import ClaimedTrigger, Prepared
from tradewind.operations.cipher import Cipher
from tradewind.triggerer.protocol import Ready, Start
from tradewind.triggerer.runner_host import RunningTrigger

UNUSABLE: Final = "the version of its DAG that the run has cannot be used, so nobody knows what the task waits for\n"

_encode: Final = msgspec.msgpack.Encoder().encode


def order_of(claimed: ClaimedTrigger) -> bytes:
    """What the author's code must know to say what the trigger is; nothing if that is known."""
    return b"" if claimed.is_prepared else _encode(claimed.assignment)


class Beginnings:
    """Keeps what was found out until it is stored."""

    def __init__(self, cipher: Cipher) -> None:
        self._cipher = cipher
        self.prepared: list[Prepared] = []

    def take(self, running: RunningTrigger, ready: Ready) -> None:
        """The runner knows what it is, and waits until everybody can who may have to go on with it, or to end it."""
        claimed, start = running.claimed, running.start
        if claimed.is_prepared or start is None:
            return
        sealed, is_encrypted = self._cipher.encrypt(ready.kwargs)
        next_kwargs: Any = json.loads(ready.next_kwargs)
        self.prepared.append(
            Prepared(
                trigger=claimed.key,
                attempt=claimed.attempt,
                class_path=ready.class_path,
                kwargs=sealed,
                is_encrypted=is_encrypted,
                next_method=ready.next_method,
                next_kwargs=next_kwargs,
                timeout_s=ready.timeout_s,
                rendered_fields=None if ready.rendered_fields is None else json.loads(ready.rendered_fields),
                rendered_map_index=ready.rendered_map_index,
            )
        )
        running.claimed = replace(claimed, class_path=ready.class_path, is_prepared=True, assignment=None)
        running.unstored = _known(start, ready)


def _known(start: Start, ready: Ready) -> Start:
    return msgspec.structs.replace(start, class_path=ready.class_path, kwargs=ready.kwargs, order=b"")
