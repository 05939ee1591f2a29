"""Which version this is."""

from pydantic import BaseModel

from tradewind import __version__
from tradewind.api.operation import Operations

operations = Operations("Version")


class VersionInfo(BaseModel):
    """The version, and the commit that it was built from, if that is known."""

    version: str
    git_version: str | None


@operations.add("GET", "/version", operation_id="get_version", need=None)
def get_version() -> VersionInfo:
    """Which version this is."""
    return VersionInfo(version=__version__, git_version=None)
