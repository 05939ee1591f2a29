"""Streams, packets and outputs of many processes in one loop (D3)."""

import os
import selectors
from collections.abc import Iterator

import pytest

from tradewind.worker.supervisor.channel import Output, dispatch


@pytest.fixture
def selector() -> Iterator[selectors.BaseSelector]:
    with selectors.DefaultSelector() as made:
        yield made


def test_what_takes_the_place_of_something_closed_is_not_read_in_its_name(selector: selectors.BaseSelector) -> None:
    """Both are ready at once; what comes of the first closes the second, whose number the system gives away again."""
    heard: dict[str, bytes] = {}
    outputs: dict[str, Output] = {}
    pipes = {name: os.pipe() for name in ("one", "other")}

    def listen(name: str, descriptor: int) -> None:
        def hear(data: bytes) -> None:
            heard[name] = data
            if len(heard) == 1:
                outputs["one" if name == "other" else "other"].drain()
                pipes["new"] = os.pipe()
                os.write(pipes["new"][1], b"for the new one")
                listen("new", pipes["new"][0])

        outputs[name] = Output(descriptor, selector, hear)

    for name, (reading, writing) in pipes.items():
        os.write(writing, b"hello")
        listen(name, reading)

    dispatch(selector, 1.0)
    dispatch(selector, 1.0)

    assert pipes["new"][0] in {pipes[name][0] for name in ("one", "other")}, "the number was not given away again"
    assert heard.pop("new") == b"for the new one"
    assert heard == {"one": b"hello", "other": b"hello"}
    for name, output in outputs.items():
        output.drain()
        os.close(pipes[name][1])
