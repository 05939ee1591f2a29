"""A8: an answer is sent as one piece, and the head of a stream does not wait for its first word."""

import asyncio
from collections.abc import Callable, Iterable

from tradewind.api.whole_answers import HeadsWithBodies

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class Wire(asyncio.Transport):
    """Notes what is sent at once."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[bytes | str] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.sent.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        self.sent.append(b"".join(list_of_data))

    def close(self) -> None:
        self.sent.append("closed")

    def abort(self) -> None:
        self.sent.append("aborted")


def sent_after(*steps: Callable[[HeadsWithBodies], None] | None) -> list[bytes | str]:
    """What was sent when each step was done and the loop has had a turn. None: a turn between two of them."""
    wire = Wire()

    async def go() -> None:
        transport = HeadsWithBodies(wire, asyncio.get_running_loop())
        for step in (*steps, None):
            if step is None:
                await asyncio.sleep(0)
            else:
                step(transport)

    asyncio.run(go())
    return wire.sent


def writing(data: bytes) -> Callable[[HeadsWithBodies], None]:
    return lambda transport: transport.write(data)


def test_head_and_body_leave_together() -> None:
    assert sent_after(writing(HEAD), writing(b"all of it")) == [HEAD + b"all of it"]


def test_the_head_of_a_stream_does_not_wait_for_its_first_word() -> None:
    assert sent_after(writing(HEAD), None, writing(b"one"), writing(b"two")) == [HEAD, b"one", b"two"]


def test_what_was_written_is_sent_before_the_end() -> None:
    assert sent_after(writing(HEAD), HeadsWithBodies.close) == [HEAD, "closed"]


def test_nothing_is_sent_once_the_connection_is_given_up() -> None:
    assert sent_after(writing(HEAD), HeadsWithBodies.abort) == ["aborted"]
