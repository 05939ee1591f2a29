"""Keys that others add to the context of a task."""

from collections.abc import Mapping
from typing import Any

import pytest

from tradewind.sdk import context_sources
from tradewind.sdk.context_sources import extend_context, register_context_source


def test_source_adds_keys_and_replaces_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_sources, "_sources", [])

    def source(context: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"old_name": context["ds"], "ds": "replaced"}

    register_context_source(source)
    register_context_source(source)
    context: dict[str, Any] = {"ds": "2026-01-01"}
    extend_context(context)

    assert context == {"ds": "2026-01-01", "old_name": "2026-01-01"}
    assert len(context_sources._sources) == 1
