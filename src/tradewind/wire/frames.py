"""Messages on a stream: the length of each in four bytes, its kind in one, its content."""

import struct
from collections.abc import Iterator
from typing import Final

import msgspec

LARGEST_FRAME: Final = 1024 * 1024 * 1024
_HEADER: Final = struct.Struct("!IB")
_encode: Final = msgspec.msgpack.Encoder().encode


def pack(kind: int, content: object = b"") -> bytes:
    """One frame."""
    data = content if isinstance(content, bytes) else _encode(content)
    return _HEADER.pack(len(data), kind) + data


class FrameReader:
    """Cuts a stream of bytes into frames."""

    def __init__(self, largest: int = LARGEST_FRAME) -> None:
        self._buffer = bytearray()
        self._largest = largest

    def feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """(kind, content) of each frame that is complete now.

        Raises:
            ValueError: a frame is larger than any frame may be; whoever sent it is not to be trusted.
        """
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            length, kind = _HEADER.unpack_from(self._buffer)
            if length > self._largest:
                raise ValueError(f"a frame of {length} bytes")
            end = _HEADER.size + length
            if len(self._buffer) < end:
                return
            content = bytes(self._buffer[_HEADER.size : end])
            del self._buffer[:end]
            yield kind, content
