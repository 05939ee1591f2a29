"""What happens elsewhere becomes events of assets, whoever dies meanwhile (C2, E5, E6)."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import aio_pika
import pytest
import redis

from tests.acceptance.deployment import Deployment, deployed
from tests.brokers import broker_url, url_of
from tests.databases import DatabaseKind, DatabaseUrls
from tests.web_server import WebServer, web_server
from tradewind.model.listing import Listed, Query
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.post_webhook import post_webhook
from tradewind.runtime.clock import SystemClock
from tradewind.storage.interface.shared_stores import AssetEventChoice

DAGS: Final = Path(__file__).with_name("watcher_dags")
QUEUE: Final = f"test-{uuid4()}"
KEY: Final = "cGFzc3dvcmRwYXNzd29yZHBhc3N3b3JkcGFzc3dvcmQ="

pytestmark = pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)


@pytest.fixture(scope="module")
def watching(
    database_urls: DatabaseUrls, database_kind: DatabaseKind, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    """A deployment with a triggerer, and the DAGs of `watcher_dags/`."""
    url = database_urls(database_kind)
    home = tmp_path_factory.mktemp("watching") / database_kind
    variables = {
        "AIRFLOW_VAR_COLOR": "red",
        "TRADEWIND__CORE__FERNET_KEY": KEY,
        "TRADEWIND__TRIGGERER__JOB_HEARTBEAT_SEC": "0.5",
        "TRADEWIND__TRIGGERER__QUARANTINE_AFTER_SECONDS": "2",
        "ACCEPTANCE_QUEUE": QUEUE,
        "AIRFLOW_CONN_REDIS_DEFAULT": url_of("redis"),
        "AIRFLOW_CONN_RABBITMQ_DEFAULT": url_of("rabbitmq"),
    }
    with (
        web_server() as server,
        deployed(home, url, dags_folder=DAGS, variables={**variables, "AIRFLOW_CONN_HTTP_DEFAULT": server.url}) as made,
    ):
        _SERVERS[made.home] = server
        made.start("triggerer")
        # Three services start at once: beside others that need the processors this alone may take a minute.
        made.until(lambda: len(watchers(made)) == 9, "the watchers to be declared", within_s=180)
        made.until(lambda: all(each["triggerer_id"] for each in watchers(made)), "the watchers to be claimed")
        yield made


_SERVERS: Final[dict[Path, WebServer]] = {}


def watchers(deployment: Deployment) -> list[dict[str, Any]]:
    """All, once for each DAG."""
    with deployment.wiring.database.begin() as tx:
        return [dict(row) for row in tx.listings.page(Listed.WATCHERS, Query(())).rows]


def watcher(deployment: Deployment, name: str) -> dict[str, Any]:
    """The one of that name."""
    return next(each for each in watchers(deployment) if each["name"] == name)


def events(deployment: Deployment, asset: str) -> list[Any]:
    """What the watchers of an asset told."""
    with deployment.wiring.database.begin() as tx:
        found = [stored.event.extra for stored in tx.asset_events.choose(AssetEventChoice(name=asset))]
    assert all(isinstance(extra, dict) and extra["from_trigger"] is True for extra in found)
    return [extra["payload"] for extra in found if isinstance(extra, dict)]


def drop(deployment: Deployment, line: str) -> None:
    """Another line for the watcher of `drops`."""
    with (deployment.notes / "drops").open("a") as file:
        file.write(f"{line}\n")


def lines(deployment: Deployment) -> list[str]:
    """Those that became events. Who is killed before it notes how far it is sees the last one again."""
    return list(dict.fromkeys(payload["line"] for payload in events(deployment, "drops")))


def starts(deployment: Deployment) -> list[int]:
    """The processes in which the watcher of `drops` was started."""
    noted = deployment.notes / "drops.started"
    return [int(line) for line in noted.read_text().splitlines()] if noted.exists() else []


def test_what_a_watcher_sees_becomes_an_event_of_its_asset_whoever_dies(watching: Deployment) -> None:
    """C2, E6: the runner is killed, the triggerer is killed, and then stopped in good order."""
    before, started = lines(watching), len(starts(watching))

    def until_seen(*words: str) -> None:
        watching.until(lambda: lines(watching) == [*before, *words], f"the event {words[-1]}")

    drop(watching, "one")
    until_seen("one")
    os.kill(starts(watching)[-1], signal.SIGKILL)
    drop(watching, "two")
    until_seen("one", "two")
    watching.stop("triggerer", signal.SIGKILL)
    drop(watching, "three")
    watching.start("triggerer")
    until_seen("one", "two", "three")
    assert watching.stop("triggerer") == 0
    drop(watching, "four")
    watching.start("triggerer")
    until_seen("one", "two", "three", "four")

    assert {"line": "one", "color": "red"} in events(watching, "drops")
    assert len(starts(watching)) == max(started, 1) + 3


def test_a_watcher_of_two_dags_runs_once_and_hides_what_it_was_given(watching: Deployment) -> None:
    """E5."""
    of_drops = [each for each in watchers(watching) if each["name"] == "lines"]

    assert sorted(each["dag_id"] for each in of_drops) == ["also_on_drops", "on_drops"]
    assert len({each["trigger_id"] for each in of_drops}) == 1
    with watching.wiring.database.begin() as tx:
        sealed = tx.watchers.sealed()
        (record,) = [each for each in tx.dags.all() if each.dag_id == "on_drops"]
        assert record.version_key is not None
        ((_, data),) = tx.dags.version_data([record.version_key]).values()
    assert all(each.is_encrypted and "hush" not in each.kwargs for each in sealed)
    assert "hush" not in data


def test_a_file_announces_an_asset_each_time(watching: Deployment) -> None:
    """A trigger that ends after its event is started again."""
    for number in (1, 2):
        (watching.notes / "flag").touch()
        watching.until(lambda number=number: len(events(watching, "flag")) == number, "the flag to be seen")  # type: ignore[misc]

    assert events(watching, "flag") == [True, True]
    assert not (watching.notes / "flag").exists()


def test_a_shared_source_is_told_what_is_done_when_it_is_stored(watching: Deployment) -> None:
    """One poll for both; a message is done when both are past it, and what was made of it is stored."""
    for number, letter in enumerate(("ada:hello", "bob:hi", "nobody:hm", "ada:bye")):
        written = watching.notes / f"{number}.written"
        written.write_text(letter)
        written.rename(written.with_suffix(".letter"))  # nobody shall read half of it
    watching.until(lambda: not list(watching.notes.glob("*.letter")), "all letters to be done")

    assert events(watching, "letters_to_ada") == [{"letter": "hello"}, {"letter": "bye"}]
    assert events(watching, "letters_to_bob") == [{"letter": "hi"}]
    assert [path.name for path in sorted(watching.notes.glob("*.d*"))] == ["0.done", "1.done", "2.dropped", "3.done"]


def test_a_watcher_that_fails_says_so_and_is_started_again(watching: Deployment) -> None:
    before = len(lines(watching))
    drop(watching, "crack")
    watching.until(lambda: watcher(watching, "lines")["failures"] == 1, "the failure to be noted")
    assert "ValueError: the drop is cracked" in watching.command("assets", "watchers", "--columns", "name,error")

    drop(watching, "after")
    watching.until(lambda: lines(watching)[before:] == ["after"], "the next event")

    seen = watcher(watching, "lines")
    assert (seen["failures"], seen["error"]) == (0, None)


def test_a_watcher_that_blocks_keeps_no_other_from_watching(watching: Deployment) -> None:
    """E8: it is named with the place where it stands, and goes on apart from the others."""
    before = len(lines(watching))
    (watching.notes / "doze").touch()
    watching.until(lambda: watcher(watching, "dozes")["is_quarantined"], "the watcher to be kept apart")

    drop(watching, "meanwhile")
    watching.until(lambda: lines(watching)[before:] == ["meanwhile"], "the others to go on", within_s=20)

    shown = watching.command("assets", "watchers", "--columns", "name,blocked_count,last_blocked_stack")
    assert "time.sleep(1000)" in shown
    assert "Dozes kept all other watchers waiting" in (watching.home / "triggerer.txt").read_text()
    (watching.notes / "doze").unlink()


def test_a_watcher_runs_while_a_dag_that_is_not_paused_waits_for_it(watching: Deployment) -> None:
    database, now = watching.wiring.database, SystemClock().now()
    for paused, left in ((("on_drops",), True), (("also_on_drops",), False)):
        for dag_id in paused:
            database.transact(lambda tx, dag_id=dag_id: pause_dag(tx, dag_id, now, is_paused=True))  # type: ignore[misc]
        watching.until(lambda left=left: bool(watcher(watching, "lines")["triggerer_id"]) is left, "pausing")  # type: ignore[misc]

    database.transact(lambda tx: pause_dag(tx, "on_drops", now, is_paused=False))
    watching.until(lambda: bool(watcher(watching, "lines")["triggerer_id"]), "it to be claimed again")


def test_messages_of_redis_become_events(watching: Deployment) -> None:
    """From the stream to the database and back: it is acknowledged."""
    client: Any = redis.Redis.from_url(broker_url("redis"), decode_responses=True)
    try:
        for number in range(20):
            client.xadd(QUEUE, {"n": number})
        watching.until(lambda: len(events(watching, "stream")) == 20, "the messages of the stream")
        watching.until(lambda: client.xpending(QUEUE, "tradewind")["pending"] == 0, "all to be acknowledged")
    finally:
        client.delete(QUEUE)
        client.close()

    assert [payload["fields"]["n"] for payload in events(watching, "stream")] == [str(number) for number in range(20)]


def test_messages_of_rabbitmq_become_events(watching: Deployment) -> None:
    url = broker_url("rabbitmq")

    async def publish() -> None:
        async with await aio_pika.connect(url) as connection:
            channel = await connection.channel()
            await channel.declare_queue(QUEUE, durable=True)
            for number in range(20):
                await channel.default_exchange.publish(aio_pika.Message(str(number).encode()), routing_key=QUEUE)

    async def delete() -> None:
        async with await aio_pika.connect(url) as connection:
            await (await connection.channel()).queue_delete(QUEUE)

    asyncio.run(publish())
    watching.until(lambda: len(events(watching, "rabbit")) == 20, "the messages of the queue")
    asyncio.run(delete())

    assert [payload["body"] for payload in events(watching, "rabbit")] == [str(number) for number in range(20)]


def test_what_is_posted_to_a_webhook_becomes_an_event(watching: Deployment) -> None:
    database, now = watching.wiring.database, SystemClock().now()
    for number in (1, 2):
        database.transact(lambda tx, number=number: post_webhook(tx, "orders", {"n": number}, now))  # type: ignore[misc]
    watching.until(lambda: len(events(watching, "hook")) == 2, "what was posted")

    def nothing_waits() -> bool:
        with database.begin() as tx:
            return tx.watchers.count_posted("orders") == 0

    watching.until(nothing_waits, "it to be done with")
    assert events(watching, "hook") == [{"hook": "orders", "body": {"n": number}} for number in (1, 2)]


def test_tasks_wait_for_web_servers_processes_and_instants_without_a_worker(watching: Deployment) -> None:
    """A4, E2: each goes on in a second attempt, once what it waits for is there."""
    server = _SERVERS[watching.home]
    server.status = 404
    with subprocess.Popen(["sleep", "1000"]) as process:
        (watching.notes / "pid").write_text(str(process.pid))
        key = watching.trigger("waits", "all")
        watching.until(
            lambda: (
                set(watching.seen(key).states.values()) <= {"deferred", "success"}
                and watching.seen(key).states["process"] == watching.seen(key).states["http"] == "deferred"
            ),
            "all to wait",
        )
        server.status = 200
        process.kill()
        process.wait()
        ended = watching.ended(key)

    assert ended.states == dict.fromkeys(("http", "instant", "process"), "success"), ended.reasons
    assert {name: task.attempt for name, task in ended.tasks.items()} == dict.fromkeys(ended.tasks, 2)
    assert {asked.path for asked in server.asked} == {"/ready"}
