"""JSON of XCom values, by the names of `airflow.utils.json`."""

import json
from typing import Any

from tradewind.sdk.serde import deserialize, serialize


class XComEncoder(json.JSONEncoder):
    """Writes whatever can be an XCom."""

    def default(self, o: object) -> Any:
        return serialize(o)

    def encode(self, o: Any) -> str:
        # The whole value at once: a tuple or a named tuple would become a list before `default` hears of it.
        return super().encode(serialize(o))


class XComDecoder(json.JSONDecoder):
    """Reads what `XComEncoder` wrote."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("object_hook", self.object_hook)
        super().__init__(*args, **kwargs)

    def object_hook(self, dct: dict[str, Any]) -> Any:
        """An object of JSON as what it was."""
        return deserialize(dct)
