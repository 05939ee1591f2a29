"""Webhooks: what others post becomes events of assets, by watchers that wait for it."""

from typing import Annotated, Final

from fastapi import Body, Path
from pydantic import BaseModel, JsonValue

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.services import Given
from tradewind.operations.post_webhook import post_webhook

operations = Operations("Webhooks", prefix="/webhooks")

_POST: Final = Need(Resource.ASSET, Action.EDIT)


class PostedResponse(BaseModel):
    """What was posted is kept until a watcher is done with it."""

    id: int


@operations.add("POST", "/{hook}", operation_id="post_webhook", need=_POST, status=202)
def post(
    hook: Annotated[str, Path(min_length=1, max_length=250)], body: Annotated[JsonValue, Body()], services: Given
) -> PostedResponse:
    """Hand over JSON to the watcher that waits for this webhook."""
    return services.store.transact(lambda tx: PostedResponse(id=post_webhook(tx, hook, body, services.clock.now())))
