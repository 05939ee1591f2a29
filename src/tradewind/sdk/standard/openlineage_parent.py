"""Telling a triggered run who triggered it, in the words of the OpenLineage provider, where that is installed."""

import logging
from importlib import import_module
from typing import Any

log = logging.getLogger(__name__)

_PROVIDER = "airflow.providers.openlineage"
_PARENT_KEYS = ("parentRunId", "parentJobName", "parentJobNamespace", "rootParentRunId", "rootParentJobName")


def with_openlineage_parent(conf: dict[str, Any] | None, ti: Any) -> dict[str, Any] | None:
    """The conf with the running task as the parent; unchanged without OpenLineage, or if it names a parent already."""
    known = (conf or {}).get("openlineage") or {}
    if not isinstance(known, dict) or any(key in known for key in _PARENT_KEYS):
        return conf
    # Lineage is a by-product: whatever goes wrong in somebody else's package must not keep the run from starting.
    try:
        parent = _parent_of(ti)
    except Exception:
        log.warning("The OpenLineage provider failed; the triggered run will not know its parent", exc_info=True)
        return conf
    return conf if parent is None else {**(conf or {}), "openlineage": {**parent, **known}}


def _parent_of(ti: Any) -> dict[str, str] | None:
    try:
        settings = import_module(f"{_PROVIDER}.conf")
        listener = import_module(f"{_PROVIDER}.plugins.listener")
        macros = import_module(f"{_PROVIDER}.plugins.macros")
    except ImportError:
        return None
    if settings.is_disabled() or not listener.get_openlineage_listener():
        return None
    return {
        "parentRunId": macros.lineage_run_id(ti),
        "parentJobName": macros.lineage_job_name(ti),
        "parentJobNamespace": macros.lineage_job_namespace(),
        "rootParentRunId": macros.lineage_root_run_id(ti),
        "rootParentJobName": macros.lineage_root_job_name(ti),
        "rootParentJobNamespace": macros.lineage_root_job_namespace(ti),
    }
