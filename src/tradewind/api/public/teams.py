"""Teams, which clients may name and which there are none of."""

from typing import Annotated

from pydantic import AfterValidator, Field


def _refuse(name: str) -> str:
    raise ValueError(f"there is no team {name!r}: this deployment has no teams")


Team = Annotated[str, Field(max_length=50), AfterValidator(_refuse)]
"""The `team_name` of a body: only null is one."""
