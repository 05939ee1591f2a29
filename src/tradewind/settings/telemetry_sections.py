"""Where metrics and traces go: sections of their own, with Airflow's names and defaults."""

from dataclasses import dataclass

from tradewind.settings.readers import BOOLEAN, PATTERNS, TEXT, port_number, whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class OtelSettings:
    """What `[metrics]` and `[traces]` say alike of a collector of OpenTelemetry.

    Without a host, the variables of OpenTelemetry itself say where it is: `OTEL_EXPORTER_OTLP_ENDPOINT` and others.
    """

    otel_on: bool = BOOLEAN.option(False)
    otel_host: str = TEXT.option("")
    otel_port: int = port_number().option(8889)
    otel_ssl_active: bool = BOOLEAN.option(False)
    otel_service: str = TEXT.option("")  # empty: OTEL_SERVICE_NAME, else Airflow

    def otel_url(self, signal: str) -> str | None:
        """Where to send this kind of thing; None: as OpenTelemetry's own variables say."""
        if not self.otel_host:
            return None
        return f"{'https' if self.otel_ssl_active else 'http'}://{self.otel_host}:{self.otel_port}/v1/{signal}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSettings(OtelSettings):
    """`[metrics]`. Any number of receivers at once."""

    # Regular expressions, with commas between them, looked for anywhere in a name. The first list wins.
    metrics_allow_list: str = PATTERNS.option("")
    metrics_block_list: str = PATTERNS.option("")
    legacy_names_on: bool = BOOLEAN.option(True)  # StatsD gets old names besides, with tags as parts of them

    statsd_on: bool = BOOLEAN.option(False)
    statsd_host: str = TEXT.option("localhost")
    statsd_ipv6: bool = BOOLEAN.option(False)
    statsd_port: int = port_number().option(8125)
    statsd_prefix: str = TEXT.option("airflow")
    stat_name_handler: str = TEXT.option("")  # the path of a function that names metrics as you like
    statsd_disabled_tags: str = PATTERNS.option("job_id,run_id")
    statsd_influxdb_enabled: bool = BOOLEAN.option(False)
    statsd_datadog_enabled: bool = BOOLEAN.option(False)
    statsd_datadog_tags: str = TEXT.option("")  # of every metric: key:value,key:value
    statsd_datadog_metrics_tags: bool = BOOLEAN.option(True)

    otel_prefix: str = TEXT.option("airflow")
    otel_interval_milliseconds: int = whole_number(1).option(60_000)

    # Tradewind's own: GET /metrics of the web server, and of the health servers that run. Without a token, it is for
    # this machine only, unless everybody may see it.
    prometheus_on: bool = BOOLEAN.option(False)
    prometheus_prefix: str = TEXT.option("airflow")
    prometheus_token: str = TEXT.secret("")
    prometheus_public: bool = BOOLEAN.option(False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TracesSettings(OtelSettings):
    """`[traces]`: a span for each run and each attempt of a task."""
