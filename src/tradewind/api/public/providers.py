"""Provider packages that are installed where the server runs."""

from typing import Final

from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.installed import packages_offering
from tradewind.api.operation import Operations
from tradewind.api.paging import SIZES, USUAL, Limit, Offset

operations = Operations("Provider")

_READ: Final = Need(Resource.PROVIDER, Action.READ)
_GROUP: Final = "apache_airflow_provider"


class ProviderResponse(BaseModel):
    """A provider package."""

    package_name: str
    description: str
    version: str
    documentation_url: str | None


class ProviderCollectionResponse(BaseModel):
    """A page of them."""

    providers: list[ProviderResponse]
    total_entries: int


BUILT_IN: Final = ProviderResponse(
    package_name="apache-airflow-providers-standard",
    description="Operators, sensors, hooks and triggers that come with Tradewind.",
    version="1.21.0",
    documentation_url=None,
)
"""What answers to this package's name; a test holds it to `tradewind.providers.standard`."""


@operations.add("GET", "/providers", operation_id="get_providers", need=_READ)
def get_providers(limit: Limit = USUAL, offset: Offset = 0) -> ProviderCollectionResponse:
    """All of them, by name."""
    found = {
        package.name: ProviderResponse(
            package_name=package.name,
            description=package.summary,
            version=package.version,
            documentation_url=package.documentation_url,
        )
        for package in packages_offering(_GROUP)
    }
    providers = sorted({**found, BUILT_IN.package_name: BUILT_IN}.values(), key=lambda each: each.package_name)
    page = providers[offset : offset + SIZES.limited(limit)]
    return ProviderCollectionResponse(providers=page, total_entries=len(providers))
