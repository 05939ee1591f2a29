"""What Prometheus reads, read by its own parsers (B8)."""

import pytest
from prometheus_client.metrics_core import Metric as Parsed
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open_metrics
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from tradewind.telemetry import catalog
from tradewind.telemetry.exposition import OPEN_METRICS, PLAIN, content_type, render
from tradewind.telemetry.metric import Metric, MetricKind
from tradewind.telemetry.prometheus import Registry, merged
from tradewind.telemetry.scrape import MetricsPage

ODD = 'a "quoted" \\ and\nbroken, {strange} ünïcode'


def told() -> Registry:
    registry = Registry("airflow")
    for amount in (1, 2):
        registry.count(catalog.TI_START, amount, {"dag_id": ODD, "task_id": "load"})
    registry.gauge(catalog.POOL_SLOTS["open"], 5, {"pool_name": "gpu"})
    registry.gauge(catalog.POOL_SLOTS["open"], -1, {"pool_name": "cpu"})
    for seconds in (0.01, 0.02, 7200.0, 1e6):
        registry.timing(catalog.RUN_SUCCESS, seconds, {"dag_id": "sales", "run_type": "manual"})
    return registry


def parsed(kind: str) -> dict[str, Parsed]:
    parse = parse_open_metrics if kind == OPEN_METRICS else parse_plain
    return {family.name: family for family in parse(render(merged([told().families()]), kind))}


@pytest.mark.parametrize("kind", [PLAIN, OPEN_METRICS])
def test_both_formats_are_understood(kind: str) -> None:
    families = parsed(kind)

    assert {name: family.type for name, family in families.items()} == {
        "airflow_ti_start": "counter",
        "airflow_pool_open_slots": "gauge",
        "airflow_dagrun_duration_success_seconds": "histogram",
    }
    assert families["airflow_ti_start"].documentation == "attempts that began"
    (sample,) = families["airflow_ti_start"].samples
    assert (sample.name, sample.labels, sample.value) == (
        "airflow_ti_start_total",
        {"dag_id": ODD, "task_id": "load"},
        3,
    )
    slots = {sample.labels["pool_name"]: sample.value for sample in families["airflow_pool_open_slots"].samples}
    assert slots == {"gpu": 5, "cpu": -1}


@pytest.mark.parametrize("kind", [PLAIN, OPEN_METRICS])
def test_durations_are_counted_in_buckets_that_include_shorter_ones(kind: str) -> None:
    samples = parsed(kind)["airflow_dagrun_duration_success_seconds"].samples
    buckets = {each.labels["le"]: each.value for each in samples if each.name.endswith("_bucket")}
    others = {each.name.rpartition("_")[2]: each.value for each in samples if not each.name.endswith("_bucket")}

    assert (buckets["0.01"], buckets["0.05"], buckets["3600.0"], buckets["21600.0"], buckets["+Inf"]) == (1, 2, 2, 3, 4)
    assert list(buckets.values()) == sorted(buckets.values())
    assert others["count"] == 4
    assert others["sum"] == pytest.approx(1_007_200.03)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("", PLAIN),
        ("*/*", PLAIN),
        ("text/html", PLAIN),
        ("application/openmetrics-text", OPEN_METRICS),
        ("application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.6,*/*;q=0.1", OPEN_METRICS),
        ("text/plain;version=0.0.4;q=0.9, application/openmetrics-text;q=0.2", PLAIN),
        ("application/openmetrics-text;q=0", PLAIN),
        ("application/openmetrics-text;q=0.0.0", PLAIN),
    ],
)
def test_the_client_chooses_the_format(accept: str, kind: str) -> None:
    assert content_type(accept) == kind


def test_whatever_tasks_name_their_metrics_is_a_name_here() -> None:
    registry = Registry("airflow")
    for name in ("9 lives", "ünï.code", "a-b/c", ""):
        registry.count(
            Metric(name, MetricKind.COUNTER, 'says "hello"\n\\'), 1, {"le": "1", "9": "x", "": "y", "__n": "z"}
        )
    registry.gauge(Metric("a.b", MetricKind.GAUGE, ""), 2, {}, is_change=True)
    registry.gauge(Metric("a_b", MetricKind.GAUGE, ""), 3, {}, is_change=True)
    registry.count(Metric("a.b", MetricKind.COUNTER, ""), 1, {})
    registry.count(Metric("down", MetricKind.COUNTER, ""), -1, {})

    text = render(merged([registry.families()]), OPEN_METRICS)
    families = {family.name: family for family in parse_open_metrics(text)}  # type: ignore[no-untyped-call]

    assert families["airflow_a_b"].samples[0].value == 5
    assert families["airflow_9_lives"].samples[0].labels == {"tag_": "y", "tag_9": "x", "tag___n": "z", "tag_le": "1"}
    assert "airflow_down" not in families


def test_what_is_named_without_end_is_not_kept_without_end() -> None:
    registry = Registry()
    for number in range(12_000):
        registry.count(catalog.TI_START, 1, {"dag_id": str(number)})
        registry.gauge(Metric(f"m{number}", MetricKind.GAUGE, ""), 1, {})

    families = registry.families()

    assert len(families) == 2_000
    assert len(families[0].values) == 10_000


def test_the_page_is_for_this_machine_or_for_who_has_the_token() -> None:
    def status(page: MetricsPage, *, is_local: bool, authorization: str = "") -> int:
        return page.answer(accept="", authorization=authorization, is_local=is_local).status

    closed = MetricsPage(registry=told())
    public = MetricsPage(registry=told(), is_public=True)
    guarded = MetricsPage(registry=told(), is_public=True, token="sesame")

    assert [status(closed, is_local=True), status(closed, is_local=False)] == [200, 403]
    assert status(public, is_local=False) == 200
    assert status(guarded, is_local=True) == 401
    assert status(guarded, is_local=False, authorization="Bearer sesame") == 200
    assert status(guarded, is_local=False, authorization="bearer wrong") == 401
    assert status(guarded, is_local=False, authorization="Basic sesame") == 401
    assert "sesame" not in repr(guarded)


def test_what_is_said_of_the_deployment_comes_with_what_the_process_says() -> None:
    whole = Registry("airflow")
    whole.gauge(catalog.POOL_SLOTS["open"], 9, {"pool_name": "gpu"})
    whole.gauge(catalog.DAGBAG_SIZE, 3, {})
    page = MetricsPage(registry=told(), deployment=lambda: whole)

    answer = page.answer(accept="", authorization="", is_local=True)
    families = {family.name: family for family in parse_plain(answer.body)}

    assert answer.content_type == PLAIN
    assert families["airflow_dagbag_size"].samples[0].value == 3
    assert {each.labels["pool_name"]: each.value for each in families["airflow_pool_open_slots"].samples}["gpu"] == 9
