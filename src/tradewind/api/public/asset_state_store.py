"""Small values about assets, which tasks and clients leave for one another."""

import json
from typing import Annotated, Any, Final

from fastapi import HTTPException
from pydantic import AfterValidator, BaseModel, ConfigDict, JsonValue

from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, is_, listed
from tradewind.api.public.asset_schemas import AssetStateStoreCollectionResponse, AssetStateStoreResponse
from tradewind.api.public.assets import DELETE, EDIT, READ
from tradewind.api.services import Given
from tradewind.errors import NotFound, UnknownAssetId
from tradewind.model.asset import AssetKey
from tradewind.model.listing import Listed, Page, Row
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import StateWriter

operations = Operations("Asset State Store")

_ALL: Final = "/assets/{asset_id}/state-store"
_ONE: Final = f"{_ALL}/{{key:path}}"
_LONGEST_KEY: Final = 512


def _not_null(value: JsonValue) -> JsonValue:
    if value is None:
        raise ValueError("null is no value: delete the key instead")
    return value


class AssetStateStoreBody(BaseModel):
    """A value to be."""

    model_config = ConfigDict(extra="forbid")
    value: Annotated[JsonValue, AfterValidator(_not_null)]


@operations.add("GET", _ALL, operation_id="list_asset_state_store", need=READ)
def list_asset_state_store(
    asset_id: int, services: Given, limit: Limit = USUAL, offset: Offset = 0
) -> AssetStateStoreCollectionResponse:
    """All values about an asset."""

    def work(tx: Transaction) -> Page:
        _check(tx, asset_id)
        return listed(tx, Listed.ASSET_STATES, conditions=[is_("asset_id", asset_id)], limit=limit, offset=offset)

    page = services.store.read(work)
    return AssetStateStoreCollectionResponse(
        asset_state_store=[_shown(row) for row in page.rows], total_entries=page.total
    )


@operations.add("DELETE", _ALL, operation_id="clear_asset_state_store", need=DELETE, status=204)
def clear_asset_state_store(asset_id: int, services: Given) -> None:
    """Forget all of them."""
    services.store.transact(lambda tx: tx.asset_states.clear(_check(tx, asset_id)))


@operations.add("GET", _ONE, operation_id="get_asset_state_store", need=READ)
def get_asset_state_store(key: str, asset_id: int, services: Given) -> AssetStateStoreResponse:
    """One of them."""

    def work(tx: Transaction) -> Page:
        _check(tx, asset_id)
        return listed(tx, Listed.ASSET_STATES, conditions=[is_("asset_id", asset_id), is_("key", key)])

    page = services.store.read(work)
    if not page.rows:
        raise NotFound(f"nothing is kept as {key!r} about the asset with the id {asset_id}")
    return _shown(page.rows[0])


@operations.add("PUT", _ONE, operation_id="set_asset_state_store", need=EDIT, status=204)
def set_asset_state_store(key: str, asset_id: int, body: AssetStateStoreBody, services: Given) -> None:
    """Keep a value, in place of one that is there."""
    if not 0 < len(key) <= _LONGEST_KEY:
        raise HTTPException(422, f"a key has 1 to {_LONGEST_KEY} characters, not {len(key)}")
    most, size = services.settings.state_store.max_value_storage_bytes, len(json.dumps(body.value).encode())
    if most and size > most:
        raise HTTPException(422, f"the value takes {size} bytes, and [state_store] max_value_storage_bytes is {most}")
    value: Any = body.value

    def work(tx: Transaction) -> None:
        tx.asset_states.put(_check(tx, asset_id), key, value, services.clock.now(), StateWriter("api"))

    services.store.transact(work)


@operations.add("DELETE", _ONE, operation_id="delete_asset_state_store", need=DELETE, status=204)
def delete_asset_state_store(key: str, asset_id: int, services: Given) -> None:
    """Forget one; nothing happens if it is not there."""
    services.store.transact(lambda tx: tx.asset_states.delete(_check(tx, asset_id), key))


def _check(tx: Transaction, asset_id: int) -> AssetKey:
    if not tx.assets.read([AssetKey(asset_id)]):
        raise UnknownAssetId(asset_id)
    return AssetKey(asset_id)


def _shown(row: Row) -> AssetStateStoreResponse:
    value, writer = row["value"], row["written_by"]
    assert isinstance(value, str)
    return AssetStateStoreResponse.model_validate(
        {
            "key": row["key"],
            "value": json.loads(value),
            "updated_at": row["updated_at"],
            "last_updated_by": json.loads(writer) if isinstance(writer, str) else None,
        }
    )
