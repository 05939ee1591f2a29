"""StatsD over UDP, against a real receiver (B8)."""

import socket
from collections.abc import Iterator

import pytest

from tests.udp_receiver import UdpReceiver, udp_receiver
from tradewind.telemetry import catalog
from tradewind.telemetry.metric import Metric, MetricKind
from tradewind.telemetry.statsd import StatsdOptions, StatsdSink, TagStyle

TAGS = {"dag_id": "sales.eu", "task_id": "load", "run_id": "r1"}


@pytest.fixture
def receiver() -> Iterator[UdpReceiver]:
    with udp_receiver() as made:
        yield made


def sent(receiver: UdpReceiver, options: StatsdOptions, count: int) -> list[str]:
    """What arrives of one value of each kind."""
    sink = StatsdSink(options)
    sink.count(catalog.TI_START, 2, TAGS)
    sink.gauge(catalog.TASKS_STARVING, -3, {})
    sink.gauge(catalog.TASKS_STARVING, 1.5, {}, is_change=True)
    sink.timing(catalog.TASK_DURATION, 0.0125, TAGS)
    sink.close()
    return receiver.until(lambda lines: len(lines) >= count)


def options_of(receiver: UdpReceiver, **more: object) -> StatsdOptions:
    return StatsdOptions(host="127.0.0.1", port=receiver.port, prefix="airflow", **more)  # type: ignore[arg-type]


def test_plain_lines_have_the_tags_in_their_old_names(receiver: UdpReceiver) -> None:
    """Dots in tags would be parts of the name, and are written otherwise, as in Airflow."""
    assert sent(receiver, options_of(receiver), 7) == [
        "airflow.ti.start:2|c",
        "airflow.ti.start.sales__eu.load:2|c",
        "airflow.scheduler.tasks.starving:0|g",
        "airflow.scheduler.tasks.starving:-3|g",
        "airflow.scheduler.tasks.starving:+1.5|g",
        "airflow.task.duration:12.5|ms",
        "airflow.dag.sales__eu.load.duration:12.5|ms",
    ]


def test_lines_for_influxdb_have_tags_behind_the_name(receiver: UdpReceiver) -> None:
    options = options_of(receiver, style=TagStyle.INFLUXDB, disabled_tags="job_id,run_id", has_legacy_names=False)

    assert sent(receiver, options, 5) == [
        "airflow.ti.start,dag_id=sales.eu,task_id=load:2|c",
        "airflow.scheduler.tasks.starving:0|g",
        "airflow.scheduler.tasks.starving:-3|g",
        "airflow.scheduler.tasks.starving:+1.5|g",
        "airflow.task.duration,dag_id=sales.eu,task_id=load:12.5|ms",
    ]


def test_lines_for_datadog_have_tags_at_the_end(receiver: UdpReceiver) -> None:
    options = options_of(
        receiver, style=TagStyle.DATADOG, constant_tags=("env:prod",), disabled_tags="run_id", has_legacy_names=True
    )

    assert sent(receiver, options, 7)[:3] == [
        "airflow.ti.start:2|c|#env:prod,dag_id:sales.eu,task_id:load",
        "airflow.ti.start.sales__eu.load:2|c|#env:prod",
        "airflow.scheduler.tasks.starving:0|g|#env:prod",
    ]


def test_what_is_no_name_or_no_tag_is_left_out(receiver: UdpReceiver) -> None:
    odd = Metric("rows in|stock", MetricKind.COUNTER, "")
    plain = Metric("rows", MetricKind.COUNTER, "")
    influx = StatsdSink(options_of(receiver, style=TagStyle.INFLUXDB))
    influx.count(odd, 1, {})
    influx.count(plain, 1, {"a": "x,y=z", "b": "ok", "c": "two\nlines"})
    influx.close()
    datadog = StatsdSink(options_of(receiver, style=TagStyle.DATADOG))
    datadog.count(plain, 1, {"a": "x|y\nz,1#", "b": "half \udc00"})
    datadog.close()

    assert receiver.until(lambda lines: len(lines) >= 2) == [
        "airflow.rows,b=ok:1|c",
        "airflow.rows:1|c|#a:x_y_z_1_,b:half_?",
    ]


def test_names_are_made_by_the_handler_of_the_configuration(receiver: UdpReceiver) -> None:
    def rename(name: str) -> str:
        if name == "bad":
            raise ValueError(name)
        return name.upper()

    sink = StatsdSink(options_of(receiver, rename=rename))
    sink.count(Metric("bad", MetricKind.COUNTER, ""), 1, {})
    sink.count(Metric("good", MetricKind.COUNTER, ""), 1, {})
    sink.close()

    assert receiver.until(bool) == ["airflow.GOOD:1|c"]


def test_many_lines_share_a_datagram_that_any_network_takes(receiver: UdpReceiver) -> None:
    sink = StatsdSink(options_of(receiver))
    for _ in range(500):
        sink.count(catalog.TASKS_EXECUTABLE, 1, {})
    sink.close()

    receiver.until(lambda lines: len(lines) == 500)
    assert len(receiver.datagrams) < 50
    assert max(map(len, receiver.datagrams)) <= 1400


@pytest.mark.parametrize("host", ["127.0.0.1", "no.such.host.invalid"])
def test_a_receiver_that_is_away_is_nobodys_trouble(host: str) -> None:
    """Neither is it waited for, nor is what it misses kept without end."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    sink = StatsdSink(StatsdOptions(host=host, port=port))

    for _ in range(25_000):
        sink.count(catalog.SCHEDULE_DELAY, 1, {})

    sink.close()
