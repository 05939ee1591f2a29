"""Connections: where other systems are, and how to log in there. What is secret goes in, and does not come out."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Header, HTTPException
from fastapi import Query as Parameter

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.auth.identities import hash_of
from tradewind.api.errors import NotBuilt
from tradewind.api.operation import Operations
from tradewind.api.paging import USUAL, Limit, Offset, listed, matches, starts_with
from tradewind.api.public.bulk import BulkBody, BulkResponse, Named, bulk_response
from tradewind.api.public.connection_schemas import (
    AsyncConnectionTestResponse,
    ConnectionBody,
    ConnectionCollectionResponse,
    ConnectionResponse,
    ConnectionTestQueuedResponse,
    ConnectionTestRequestBody,
    ConnectionTestResponse,
)
from tradewind.api.public.update_mask import changed_fields
from tradewind.api.services import Given, Services
from tradewind.errors import InvalidRequest, UndecipherableSecret, UnknownConnection
from tradewind.model.connection_test import ConnectionTest
from tradewind.model.listing import Listed, Row
from tradewind.model.masking import REPLACEMENT
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.cipher import opened_extra
from tradewind.operations.connection_tests import enqueue_test
from tradewind.operations.default_connections import add_default_connections
from tradewind.operations.manage_connections import (
    ConnectionChanges,
    add_connection,
    delete_connection,
    find_connection,
    update_connection,
)
from tradewind.operations.shown_secrets import meant_extra, shown_extra, without_secrets
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.shared_stores import ConnectionRecord

operations = Operations("Connection")

_READ: Final = Need(Resource.CONNECTION, Action.READ)
_EDIT: Final = Need(Resource.CONNECTION, Action.EDIT)
_DELETE: Final = Need(Resource.CONNECTION, Action.DELETE)
_ENABLED: Final = "enabled"

Mask = Annotated[list[str] | None, Parameter()]


@operations.add("GET", "/connections", operation_id="get_connections", need=_READ)
def get_connections(
    services: Given,
    limit: Limit = USUAL,
    offset: Offset = 0,
    order_by: Annotated[list[str], Parameter()] = ["id"],  # noqa: B006 - never changed
    connection_id_pattern: str | None = None,
    connection_id_prefix_pattern: str | None = None,
) -> ConnectionCollectionResponse:
    """All connections."""
    conditions = [matches("conn_id", connection_id_pattern), starts_with("conn_id", connection_id_prefix_pattern)]

    def work(tx: Transaction) -> ConnectionCollectionResponse:
        page = listed(tx, Listed.CONNECTIONS, conditions=conditions, order_by=order_by, limit=limit, offset=offset)
        shown = [_shown(services, _record(row)) for row in page.rows]
        return ConnectionCollectionResponse(connections=shown, total_entries=page.total)

    return services.store.read(work)


@operations.add("POST", "/connections", operation_id="post_connection", need=_EDIT, status=201)
def post_connection(body: ConnectionBody, services: Given) -> ConnectionResponse:
    """Make one."""

    def work(tx: Transaction) -> ConnectionResponse:
        add_connection(tx, _connection(body), cipher=services.cipher, now=services.clock.now())
        return _found(tx, services, body.connection_id)

    return services.store.transact(work)


@operations.add("PATCH", "/connections", operation_id="bulk_connections", need=_EDIT)
def bulk_connections(body: BulkBody[ConnectionBody], services: Given) -> BulkResponse:
    """Make, change and delete many."""

    def work(tx: Transaction) -> BulkResponse:
        named: Named[ConnectionBody] = Named(
            word="connections",
            name_of=lambda each: each.connection_id,
            there=tx.connections.existing,
            create=lambda each: _put(tx, services, each),
            update=lambda each, mask: _update(tx, services, each, mask),
            delete=lambda conn_id: delete_connection(tx, conn_id),
        )
        return bulk_response(named, body)

    return services.store.transact(work)


@operations.add("POST", "/connections/test", operation_id="test_connection", need=_EDIT)
def test_connection(body: ConnectionBody, services: Given) -> ConnectionTestResponse:
    """Try one out, without storing it. What stands for a stored secret is that secret."""
    _check_tests_are_enabled(services)
    if services.try_connection is None:
        raise NotBuilt("this server has nobody who could try connections out")
    connection = services.store.read(lambda tx: _meant(tx, services, body))
    works, message = services.try_connection(connection)
    return ConnectionTestResponse(status=works, message=without_secrets(message, connection, services.masking))


@operations.add("POST", "/connections/enqueue-test", operation_id="enqueue_connection_test", need=_EDIT, status=202)
def enqueue_connection_test(body: ConnectionTestRequestBody, services: Given) -> ConnectionTestQueuedResponse:
    """Have one tried out where tasks run."""
    _check_tests_are_enabled(services)
    executor = None if body.executor is None else services.executors.get(body.executor)
    if body.executor is not None and executor is None:
        raise HTTPException(422, f"[core] executor does not name {body.executor!r}")
    token = secrets.token_urlsafe(32)

    def work(tx: Transaction) -> ConnectionTest:
        return enqueue_test(
            tx,
            _meant(tx, services, body),
            token_hash=hash_of(token),
            executor=executor,
            queue=body.queue,
            saves=body.commit_on_success,
            cipher=services.cipher,
            now=services.clock.now(),
        )

    test = services.store.transact(work)
    return ConnectionTestQueuedResponse(token=token, connection_id=test.conn_id, state=test.state)


@operations.add("GET", "/connections/enqueue-test", operation_id="get_connection_test", need=_READ)
def get_connection_test(
    token: Annotated[str, Header(alias="Airflow-Connection-Test-Token")], services: Given
) -> AsyncConnectionTestResponse:
    """How far such a test has come."""
    test = services.store.read(lambda tx: tx.connection_tests.find(hash_of(token)))
    if test is None:
        # The token is the right to see the test, so it is not repeated.
        raise HTTPException(404, "there is no test of a connection with this token")
    return AsyncConnectionTestResponse(
        token=token,
        connection_id=test.conn_id,
        state=test.state,
        result_message=test.message,
        created_at=test.created_at,
    )


@operations.add("POST", "/connections/defaults", operation_id="create_default_connections", need=_EDIT, status=204)
def create_default_connections(services: Given) -> None:
    """Make those that Airflow has from the start, as far as they are not there."""
    services.store.transact(lambda tx: add_default_connections(tx, cipher=services.cipher, now=services.clock.now()))


@operations.add("GET", "/connections/{connection_id}", operation_id="get_connection", need=_READ)
def get_connection(connection_id: str, services: Given) -> ConnectionResponse:
    """One of them."""
    return services.store.read(lambda tx: _found(tx, services, connection_id))


@operations.add("PATCH", "/connections/{connection_id}", operation_id="patch_connection", need=_EDIT)
def patch_connection(
    connection_id: str, body: ConnectionBody, services: Given, update_mask: Mask = None
) -> ConnectionResponse:
    """Change one."""
    if body.connection_id != connection_id:
        raise InvalidRequest("the id of the connection in the body is not that of the path")

    def work(tx: Transaction) -> ConnectionResponse:
        _update(tx, services, body, update_mask)
        return _found(tx, services, connection_id)

    return services.store.transact(work)


@operations.add("DELETE", "/connections/{connection_id}", operation_id="delete_connection", need=_DELETE, status=204)
def remove_connection(connection_id: str, services: Given) -> None:
    """Delete one."""
    services.store.transact(lambda tx: delete_connection(tx, connection_id))


def _check_tests_are_enabled(services: Services) -> None:
    if services.settings.core.test_connection != _ENABLED:
        raise HTTPException(403, "[core] test_connection does not allow connections to be tried out")


def _connection(body: ConnectionBody) -> ConnectionResult:
    return ConnectionResult(
        conn_id=body.connection_id,
        conn_type=body.conn_type,
        description=body.description,
        host=body.host,
        schema=body.schema_,
        login=body.login,
        password=body.password,
        port=body.port,
        extra=body.extra,
    )


def _meant(tx: Transaction, services: Services, body: ConnectionBody) -> ConnectionResult:
    given = _connection(body)
    stored = find_connection(tx, body.connection_id, services.cipher)
    if stored is None:
        return given
    password = stored.password if given.password in (None, REPLACEMENT) else given.password
    return replace(given, password=password, extra=meant_extra(given.extra, lambda: stored.extra, services.masking))


def _put(tx: Transaction, services: Services, body: ConnectionBody) -> None:
    """Make one, or let one that is there be like this. A password that was not sent is not meant to stay."""
    if tx.connections.find(body.connection_id) is None:
        add_connection(tx, _connection(body), cipher=services.cipher, now=services.clock.now())
        return
    fields = body.model_dump()
    _change(tx, services, body.connection_id, {**fields, "password": body.password or ""})


def _update(tx: Transaction, services: Services, body: ConnectionBody, mask: Sequence[str] | None) -> None:
    names = None if mask is None else ["schema_" if name == "schema" else name for name in mask]
    _change(tx, services, body.connection_id, changed_fields(body, names))


def _change(tx: Transaction, services: Services, conn_id: str, fields: dict[str, Any]) -> None:
    known = {"schema" if name == "schema_" else name: value for name, value in fields.items()}
    changes = ConnectionChanges(
        **{name: known[name] for name in ConnectionChanges.__annotations__ if name in known}  # type: ignore[typeddict-item]
    )
    update_connection(tx, conn_id, changes, cipher=services.cipher, rules=services.masking, now=services.clock.now())


def _found(tx: Transaction, services: Services, conn_id: str) -> ConnectionResponse:
    record = tx.connections.find(conn_id)
    if record is None:
        raise UnknownConnection(conn_id)
    return _shown(services, record)


def _record(row: Row) -> ConnectionRecord:
    fields: dict[str, Any] = dict(row)
    is_encrypted, is_extra_encrypted = fields.pop("is_encrypted"), fields.pop("is_extra_encrypted")
    return ConnectionRecord(ConnectionResult(**fields), is_encrypted, is_extra_encrypted)


def _shown(services: Services, record: ConnectionRecord) -> ConnectionResponse:
    fields = record.fields
    try:
        extra = shown_extra(opened_extra(record, services.cipher), services.masking)
    except UndecipherableSecret:
        extra = None
    return ConnectionResponse.model_validate(
        {
            "connection_id": fields.conn_id,
            "conn_type": fields.conn_type or "",
            "description": fields.description,
            "host": fields.host,
            "login": fields.login,
            "schema": fields.schema,
            "port": fields.port,
            "password": REPLACEMENT if fields.password else None,
            "extra": extra,
            "team_name": None,
        }
    )
