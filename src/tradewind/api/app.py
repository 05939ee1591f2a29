"""The web application: all routes, and what stands around them."""

from collections.abc import Iterable
from typing import Final

from fastapi import FastAPI

from tradewind import __version__
from tradewind.api.errors import add_error_answers
from tradewind.api.operation import Operations
from tradewind.api.public import pools
from tradewind.api.public.not_built import make_router
from tradewind.api.services import Services

ALL: Final[tuple[Operations, ...]] = (pools.operations,)
"""Of all tags."""


def make_app(services: Services, operations: Iterable[Operations] = ALL) -> FastAPI:
    """All of it, working with these services."""
    app = FastAPI(
        title="Tradewind API",
        version=__version__,
        docs_url="/docs",
        redoc_url=None,
        openapi_url="/openapi.json",
        separate_input_output_schemas=False,
    )
    app.state.services = services
    add_error_answers(app)
    for each in operations:
        app.include_router(each.router)
    app.include_router(make_router())
    return app
