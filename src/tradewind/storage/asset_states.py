"""Small values about assets."""

from datetime import datetime

import sqlalchemy as sa

from tradewind.model.asset import AssetKey
from tradewind.model.json_value import JsonValue
from tradewind.storage.interface.shared_stores import StateWriter
from tradewind.storage.json_text import from_optional_text, to_text
from tradewind.storage.schema import asset_state
from tradewind.storage.upsert import upsert

_OF_ASSET = asset_state.c.asset_key == sa.bindparam("asset")
_OF_KEY = asset_state.c.key == sa.bindparam("of_key")
_FIND = sa.select(asset_state.c.value).where(_OF_ASSET, _OF_KEY)
_DELETE = sa.delete(asset_state).where(_OF_ASSET, _OF_KEY)
_CLEAR = sa.delete(asset_state).where(_OF_ASSET)


class AssetStates:
    """Implements `interface.AssetStateStore`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def find(self, asset_key: AssetKey, key: str) -> JsonValue:
        found: JsonValue = from_optional_text(
            self._connection.execute(_FIND, {"asset": asset_key, "of_key": key}).scalar()
        )
        return found

    def put(self, asset_key: AssetKey, key: str, value: JsonValue, now: datetime, writer: StateWriter) -> None:
        row = {
            "asset_key": asset_key,
            "key": key,
            "value": to_text(value),
            "updated_at": now,
            "written_by": to_text(writer._asdict()),
        }
        upsert(self._connection, asset_state, [row])

    def delete(self, asset_key: AssetKey, key: str) -> None:
        self._connection.execute(_DELETE, {"asset": asset_key, "of_key": key})

    def clear(self, asset_key: AssetKey) -> None:
        self._connection.execute(_CLEAR, {"asset": asset_key})
