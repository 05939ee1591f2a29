"""What the people who run the deployment want to tell those who look at the overview."""

from collections.abc import Collection
from typing import Final, Literal

from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Principal, Resource
from tradewind.api.local_settings import find_alerts
from tradewind.api.operation import Caller, Operations
from tradewind.api.services import Given, Services

operations = Operations("Pages", prefix="/ui")

_READ: Final = Need(Resource.DAG, Action.READ)


class AlertResponse(BaseModel):
    """A sentence, or more: Markdown."""

    text: str
    category: Literal["info", "warning", "error"]


class AlertsResponse(BaseModel):
    """In the order in which they are written."""

    alerts: list[AlertResponse]


@operations.add("GET", "/alerts", operation_id="get_alerts", need=_READ)
def get_alerts(services: Given, caller: Caller) -> AlertsResponse:
    """Those of `DASHBOARD_UIALERTS` that are meant for the caller."""
    settings = services.settings
    found = find_alerts((settings.home / "config", settings.plugins_folder))
    # Whose alerts are for everybody, nobody is asked for their roles.
    roles = _roles_of(services, caller) if any(each.roles is not None for each in found) else ()
    meant = [each for each in found if each.roles is None or not each.roles.isdisjoint(roles)]
    return AlertsResponse(
        alerts=[AlertResponse.model_validate({"text": each.text, "category": each.category}) for each in meant]
    )


def _roles_of(services: Services, caller: Principal) -> Collection[str]:
    account = services.store.read(lambda tx: tx.accounts.find(caller.name))
    return {caller.level.name.title(), *(account.profile.roles if account is not None else ())}
