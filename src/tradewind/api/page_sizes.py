"""How long pages of lists are: as `[api] maximum_page_limit` and `fallback_page_limit` say, for all routes at once."""

import inspect
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from fastapi import Query as Parameter
from fastapi.routing import APIRoute

from tradewind.api.paging import SIZES, USUAL
from tradewind.settings import ApiSettings

_NAME: Final = "limit"


def use_page_sizes(routes: Iterable[APIRoute], settings: ApiSettings) -> None:
    """Let these routes, and their document, have the sizes of this process.

    Routes are made with their modules, before anybody has read the configuration. What their parameters are is worked
    out once, so it is said to them once, rather than looked up with each request.
    """
    SIZES.most = settings.maximum_page_limit
    for route in routes:
        fields = route.dependant.query_params
        for place, field in enumerate(fields):
            if field.alias == _NAME and _is_usual(route) and field.default != settings.fallback_page_limit:
                info: Any = Parameter(settings.fallback_page_limit, ge=0)
                info.annotation = field.field_info.annotation
                fields[place] = replace(field, field_info=info)


def _is_usual(route: APIRoute) -> bool:
    """Some lists, such as that of upcoming runs, are short unless somebody wants them long."""
    return inspect.signature(route.endpoint).parameters[_NAME].default is USUAL
