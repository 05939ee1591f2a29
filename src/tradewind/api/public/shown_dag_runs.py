"""From rows of the list of runs to what answers show of them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, Final

import msgspec

from tradewind.api.auth.access import Need, Principal, dags_within_reach
from tradewind.api.encoded import raw_object
from tradewind.api.paging import is_
from tradewind.api.public.dag_run_schemas import DAGRunResponse
from tradewind.api.public.dag_version_schema import version_id
from tradewind.errors import UnknownDag, UnknownRun
from tradewind.model.listing import Condition, Listed, Query, Row, Test
from tradewind.storage.interface import Transaction

ANY: Final = "~"
_FIELDS: Final = tuple(DAGRunResponse.model_fields)
_MADE: Final = ("duration", "dag_versions")
_STORED: Final = tuple(name for name in _FIELDS if name not in _MADE)
_stored: Final = itemgetter(*_STORED)


def shown_run(tx: Transaction, dag_id: str, run_id: str) -> DAGRunResponse:
    """One run. Raises `UnknownRun`."""
    runs = shown_runs(tx, [is_("dag_id", dag_id), is_("run_id", run_id)])
    if not runs:
        raise UnknownRun(dag_id, run_id)
    return runs[0]


def shown_runs(tx: Transaction, conditions: Iterable[Condition | None]) -> list[DAGRunResponse]:
    """All runs that are so, uncounted."""
    asked = tuple(each for each in conditions if each is not None)
    rows = tx.listings.page(Listed.DAG_RUNS, Query(asked, is_counted=False)).rows
    return [
        DAGRunResponse.model_validate({**values, "conf": _conf(row["conf"])})
        for values, row in zip(run_values(rows), rows, strict=True)
    ]


def run_values(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The fields of `DAGRunResponse` of each, to be encoded as they are."""
    return [_values(row) for row in rows]


def of_dag(dag_id: str, caller: Principal, need: Need) -> Condition | None:
    """Those of the DAG; for `~`, of all that the caller may see."""
    if dag_id != ANY:
        return is_("dag_id", dag_id)
    reach = dags_within_reach(caller, need)
    return None if reach is None else Condition("dag_id", Test.ONE_OF, sorted(reach))


def refuse_unknown_dag(tx: Transaction, dag_id: str) -> None:
    """Where nothing was found of a DAG: whether there is one at all. Raises `UnknownDag`."""
    if dag_id != ANY and tx.dags.find(dag_id) is None:
        raise UnknownDag(dag_id)


def _values(row: Row) -> dict[str, Any]:
    values: Any = row
    conf: str | None = values["conf"]
    shown: dict[str, Any] = dict.fromkeys(_FIELDS)
    shown.update(zip(_STORED, _stored(values), strict=True))
    shown["duration"] = _duration(values["start_date"], values["end_date"])
    shown["conf"] = raw_object(conf) if not conf or conf.startswith("{") else None
    shown["dag_display_name"] = values["dag_display_name"] or values["dag_id"]
    shown["dag_versions"] = [] if values["version_number"] is None else [_version(values)]
    return shown


def _conf(text: Any) -> dict[str, Any] | None:
    conf = msgspec.json.decode(text) if text else {}
    return conf if isinstance(conf, dict) else None


def _duration(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()


def _version(values: Any) -> dict[str, Any]:
    return {
        "id": version_id(values["version_key"]),
        "version_number": values["version_number"],
        "dag_id": values["dag_id"],
        "bundle_name": values["version_bundle_name"],
        "bundle_version": values["version_bundle_version"],
        "created_at": values["version_created_at"],
        "dag_display_name": values["dag_display_name"] or values["dag_id"],
        "bundle_url": None,
    }
