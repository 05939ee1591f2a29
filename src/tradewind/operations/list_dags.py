"""Which DAGs there are, and where they come from."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from tradewind.storage.interface import Transaction

_DEFAULT_OWNER = "airflow"


@dataclass(frozen=True, slots=True)
class DagLine:
    """One DAG, as people ask for it."""

    dag_id: str
    path: str | None
    owners: str
    is_paused: bool
    bundle_name: str | None
    bundle_version: str | None


def list_dags(tx: Transaction, bundles: Collection[str] | None = None) -> list[DagLine]:
    """Those that are not stale, by id; of these bundles, if any are named."""
    chosen = [
        record
        for record in tx.dags.all()
        if not record.is_stale and (bundles is None or (record.file is not None and record.file.bundle in bundles))
    ]
    keys = [record.version_key for record in chosen if record.version_key is not None]
    data = tx.dags.version_data(keys)
    origins = tx.versions.origins(keys)
    lines = []
    for record in chosen:
        if record.version_key is None or record.version_key not in data:
            lines.append(DagLine(record.dag_id, None, "", record.is_paused, None, None))
            continue
        lines.append(
            DagLine(
                record.dag_id,
                record.file and record.file.path,
                _owners(data[record.version_key][1]),
                record.is_paused,
                record.file and record.file.bundle,
                origins[record.version_key].bundle_version,
            )
        )
    return lines


def _owners(data: str) -> str:
    """Read from the text itself: a DAG that a newer version has written still has owners."""
    try:
        tasks = json.loads(data)["dag"].get("tasks", [])
        return ", ".join(sorted({task.get("owner", _DEFAULT_OWNER) for task in tasks}))
    except (ValueError, KeyError, AttributeError, TypeError):
        return ""
