"""The web application: all routes, and what stands around them."""

from collections.abc import Iterable
from typing import Final

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware

from tradewind import __version__
from tradewind.api.compressed import Compressed
from tradewind.api.direct import Direct
from tradewind.api.docs_page import add_docs_page
from tradewind.api.errors import add_error_answers
from tradewind.api.execution import routes as execution
from tradewind.api.measured import Measured
from tradewind.api.metrics_page import add_metrics_page
from tradewind.api.operation import Operations
from tradewind.api.page_sizes import use_page_sizes
from tradewind.api.public import (
    api_tokens,
    asset_events,
    asset_state_store,
    assets,
    backfills,
    config,
    connections,
    dag_parsing,
    dag_run_changes,
    dag_run_wait,
    dag_runs,
    dag_sources,
    dag_stats,
    dag_tags,
    dag_versions,
    dag_warnings,
    dags,
    event_logs,
    explain_runs,
    extra_links,
    hitl,
    import_errors,
    jobs,
    login,
    monitor,
    oidc_login,
    own_account,
    plugins,
    pools,
    providers,
    queued_events,
    roles,
    slots,
    task_bulk,
    task_changes,
    task_clearing,
    task_instances,
    task_logs,
    task_state_store,
    task_tries,
    task_waits,
    tasks,
    upcoming,
    users,
    variables,
    version,
    webhooks,
    xcoms,
)
from tradewind.api.security import Guard
from tradewind.api.services import Services
from tradewind.api.ui import (
    alerts,
    asset_graph,
    dag_list,
    deadlines,
    events,
    graph,
    history,
    home,
    overview,
    run_views,
    search,
    triggers,
    warnings,
)
from tradewind.api.ui import plugins as plugin_pages
from tradewind.api.ui.static_pages import add_pages
from tradewind.api.unchanged import Unchanged
from tradewind.settings import ApiSettings

ALL: Final[tuple[Operations, ...]] = (
    dag_parsing.operations,
    dag_sources.operations,
    dag_stats.operations,
    dag_tags.operations,
    dag_versions.operations,
    dag_warnings.operations,
    dags.operations,
    upcoming.operations,
    import_errors.operations,
    tasks.operations,
    pools.operations,
    task_instances.operations,
    task_logs.operations,
    task_bulk.operations,
    task_changes.operations,
    task_clearing.operations,
    task_tries.operations,
    task_waits.operations,
    variables.operations,
    connections.operations,
    dag_runs.operations,
    dag_run_changes.operations,
    dag_run_wait.operations,
    explain_runs.operations,
    slots.operations,
    xcoms.operations,
    extra_links.operations,
    hitl.operations,
    task_state_store.operations,
    event_logs.operations,
    login.operations,
    login.own_operations,
    oidc_login.operations,
    own_account.operations,
    users.operations,
    roles.operations,
    api_tokens.operations,
    asset_events.operations,
    queued_events.operations,
    asset_state_store.operations,
    assets.operations,
    backfills.operations,
    config.operations,
    jobs.operations,
    monitor.operations,
    plugins.operations,
    providers.operations,
    version.operations,
    webhooks.operations,
    events.operations,
    overview.operations,
    home.operations,
    dag_list.operations,
    history.operations,
    alerts.operations,
    asset_graph.operations,
    graph.operations,
    warnings.operations,
    run_views.operations,
    search.operations,
    deadlines.operations,
    triggers.operations,
    plugin_pages.operations,
    execution.operations,
)
"""Of all tags."""


def make_app(services: Services, operations: Iterable[Operations] = ALL) -> FastAPI:
    """All of it, working with these services."""
    app = FastAPI(
        title="Tradewind API",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        separate_input_output_schemas=False,
    )
    app.state.services = services
    add_error_answers(app)
    routes = [route for each in operations for route in each.routes]
    use_page_sizes(routes, _settings(services))
    app.add_middleware(Direct, routes=routes)
    app.add_middleware(Unchanged)
    app.add_middleware(Compressed)
    _let_others_in(app, _settings(services))
    app.add_middleware(Guard, longest_body=_settings(services).longest_body)
    if _measures(services):
        app.add_middleware(Measured, tell=services.hub.emit)
    add_metrics_page(app)
    for each in operations:
        # Not included: FastAPI would work out all of them a second time when it is first asked for one.
        app.router.routes.extend(each.routes)
    add_docs_page(app, operations)
    add_pages(app)
    return app


def _measures(services: Services | None) -> bool:
    return services is not None and services.hub.measures


def _let_others_in(app: FastAPI, settings: ApiSettings) -> None:
    """Pages of these origins may call us. In Airflow also with the cookie of whoever is logged in: here with a token
    only, so that a page of others can do nothing in the name of somebody who merely looks at it."""
    if settings.access_control_allow_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.access_control_allow_origins,
            allow_methods=settings.access_control_allow_methods,
            allow_headers=settings.access_control_allow_headers,
        )


def _settings(services: Services | None) -> ApiSettings:
    """Without services, the app is there to be described rather than to serve."""
    return ApiSettings() if services is None else services.settings.api
