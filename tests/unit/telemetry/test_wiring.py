"""Which receivers there are, by the configuration (B8)."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.udp_receiver import udp_receiver
from tests.web_server import web_server
from tradewind.bootstrap_telemetry import measured
from tradewind.errors import SettingsError
from tradewind.settings import MetricsSettings, Settings, load_settings
from tradewind.telemetry.hub import Hub
from tradewind.telemetry.measurements import JobStarted

STARTED = JobStarted("scheduler")


def shout(name: str) -> str:
    """A `stat_name_handler`."""
    return name.upper()


def settings_of(home: Path, **environ: object) -> Settings:
    named = {f"AIRFLOW__{name}": str(value) for name, value in environ.items()}
    return load_settings({"TRADEWIND_HOME": str(home), **named})


def test_nothing_is_measured_unless_somebody_wants_it(tmp_path: Path) -> None:
    hub = Hub()

    with measured(settings_of(tmp_path), hub, "scheduler") as page:
        hub.emit(STARTED)

    assert (hub.measures, page) == (False, None)


def test_all_receivers_at_once(tmp_path: Path) -> None:
    hub = Hub()
    with udp_receiver() as statsd, web_server() as collector:
        settings = settings_of(
            tmp_path,
            METRICS__STATSD_ON=True,
            METRICS__STATSD_HOST="127.0.0.1",
            METRICS__STATSD_PORT=statsd.port,
            METRICS__STATSD_PREFIX="mine",
            METRICS__STAT_NAME_HANDLER=f"{__name__}.shout",
            METRICS__PROMETHEUS_ON=True,
            METRICS__PROMETHEUS_TOKEN="sesame",
            METRICS__OTEL_ON=True,
            METRICS__OTEL_HOST="127.0.0.1",
            METRICS__OTEL_PORT=collector.port,
            TRACES__OTEL_ON=True,
            TRACES__OTEL_HOST="127.0.0.1",
            TRACES__OTEL_PORT=collector.port,
        )
        with measured(settings, hub, "scheduler") as page:
            hub.emit(STARTED)

        assert statsd.until(bool) == ["mine.SCHEDULERJOB_START:1|c"]
        assert {asked.path for asked in collector.asked} == {"/v1/metrics"}
    assert hub.measures
    assert page is not None
    answer = page.answer(accept="", authorization="Bearer sesame", is_local=False)
    assert "airflow_schedulerjob_start_total 1" in answer.body


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"METRICS__STATSD_ON": True, "METRICS__STAT_NAME_HANDLER": "no.such.function"}, "cannot be loaded"),
        ({"METRICS__STATSD_ON": True, "METRICS__STAT_NAME_HANDLER": "sys.path"}, "is no function"),
        ({"METRICS__STATSD_ON": True, "METRICS__STAT_NAME_HANDLER": "nodots"}, "cannot be loaded"),
    ],
)
def test_what_is_wrongly_described_is_refused_at_the_start(
    tmp_path: Path, environ: dict[str, object], message: str
) -> None:
    with pytest.raises(SettingsError, match=message), measured(settings_of(tmp_path, **environ), Hub(), "scheduler"):
        pass


@pytest.mark.parametrize("section", ["METRICS", "TRACES"])
def test_a_package_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str
) -> None:
    monkeypatch.delitem(sys.modules, "tradewind.telemetry.otel_metrics", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.metrics", None)
    settings = settings_of(tmp_path, **{f"{section}__OTEL_ON": True})

    with pytest.raises(SettingsError, match=r"pip install 'tradewind\[otel\]'"), measured(settings, Hub(), "scheduler"):
        pass


@pytest.mark.parametrize("key", ["METRICS_ALLOW_LIST", "METRICS_BLOCK_LIST", "STATSD_DISABLED_TAGS"])
def test_what_is_no_pattern_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(SettingsError, match="regular expressions"):
        settings_of(tmp_path, **{f"METRICS__{key}": "fine,(broken"})


def test_the_token_is_a_secret(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, METRICS__PROMETHEUS_TOKEN="sesame")

    assert settings.metrics.prometheus_token == "sesame"
    assert "sesame" not in repr(settings)


@pytest.mark.parametrize(
    ("options", "url"),
    [
        ({}, None),
        ({"otel_host": "collector"}, "http://collector:8889/v1/traces"),
        ({"otel_host": "collector", "otel_port": 4318, "otel_ssl_active": True}, "https://collector:4318/v1/traces"),
    ],
)
def test_where_the_collector_is(options: dict[str, object], url: str | None) -> None:
    make: Callable[..., MetricsSettings] = MetricsSettings

    assert make(**options).otel_url("traces") == url
