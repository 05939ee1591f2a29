"""What a child that reads no file does: ask plugins of what their listeners want to hear, or tell them."""

from collections.abc import Callable
from importlib import import_module

from tradewind.dag_processor.protocol import Ended, FrameKind, ParseRequest
from tradewind.wire.frames import pack

Send = Callable[[bytes], object]


def speak_with_plugins(request: ParseRequest, send: Send) -> Ended:
    """Returns its last word."""
    # Brings plugins, for which hardly any child has a use.
    telling = import_module("tradewind.dag_processor.parse_child.tell_news")
    if request.news:
        telling.tell_news(
            request.plugins,
            request.news,
            lambda number: send(pack(FrameKind.ENDED, Ended(is_read=True, begun=number))),
        )
        return Ended(is_read=True, begun=len(request.news))
    runs = import_module("tradewind.dag_processor.parse_child.run_listeners")
    return Ended(is_read=True, heard=runs.heard_events(request.plugins), hooks=telling.heard_hooks(request.plugins))
