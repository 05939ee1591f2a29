"""Pictures of pages that are small enough to be kept with the sources: a palette of 256 colours says it all."""

import base64
import struct
import zlib
from typing import Final

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

_COLOURS: Final = 256
_PIXELS: Final = """async (picture) => {
    const image = await createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const bytes = canvas.getImageData(0, 0, image.width, image.height).data;
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return [image.width, image.height, btoa(text)];
}"""


def small_picture(page: Page) -> bytes:
    """What the page shows now, as a PNG of few colours."""
    picture = base64.b64encode(page.screenshot(animations="disabled", caret="hide")).decode()
    canvas = page.context.new_page()  # an empty one has no policy that forbids it
    width, height, pixels = canvas.evaluate(_PIXELS, picture)
    canvas.close()
    rgba = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height * width, 4)
    palette, numbers = _few_colours(rgba[:, :3].astype(np.int64))
    return _png(width, height, palette, numbers.reshape(height, width))


def _few_colours(rgb: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The most frequent colours, and for each pixel the number of the one that is nearest."""
    packed = rgb[:, 0] << 16 | rgb[:, 1] << 8 | rgb[:, 2]
    colours, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    every = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)
    palette = every[np.argsort(-counts)[:_COLOURS]]
    distances = ((every[:, None, :] - palette[None, :, :]) ** 2).sum(axis=2)
    return palette.astype(np.uint8), distances.argmin(axis=1)[places].astype(np.uint8)


def _png(width: int, height: int, palette: NDArray[np.uint8], rows: NDArray[np.uint8]) -> bytes:
    unfiltered = np.concatenate([np.zeros((height, 1), np.uint8), rows], axis=1)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(unfiltered.tobytes(), 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
