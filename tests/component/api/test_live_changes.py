"""Server-sent events of what changes (A8)."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, shared_app
from tests.component.world import World
from tradewind.api.auth.access import Principal
from tradewind.api.auth.principal import COOKIE
from tradewind.api.auth.tokens import Claim
from tradewind.api.public.monitor import health_of_all
from tradewind.api.services import Services
from tradewind.api.ui import events as events_route
from tradewind.api.ui import live_reader
from tradewind.api.ui.live_changes import LiveChanges
from tradewind.api.ui.live_events import MISSED
from tradewind.api.ui.live_reader import Source
from tradewind.api.ui.static_pages import add_pages
from tradewind.model.dag import Dag, Task
from tradewind.model.ids import TaskKey
from tradewind.model.states import TaskState
from tradewind.operations.pause_dag import pause_dag
from tradewind.operations.structures import Structures
from tradewind.operations.trigger_run import RunRequest, trigger_run
from tradewind.runtime.clock import SystemClock
from tradewind.runtime.wakeup import ClosableWakeup, SocketWakeup
from tradewind.storage.database import Database
from tradewind.storage.live import CHANNEL, LiveJournal
from tradewind.telemetry.events import TasksMoved

PATIENCE_S = 10.0


@dataclass
class Stream:
    """A client that watches."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    text: str = ""
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Any) -> None:
        """What the server calls."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.text += message.get("body", b"").decode()
            self.is_over = not message.get("more_body", False)
        self.news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Read on until then."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():
                self.news.clear()
                await self.news.wait()

    async def begun(self) -> None:
        """From here on, nothing is missed."""
        await self.until(lambda: self.text.count("\n\n") >= 1 and len(self.text.split("\n\n", 1)[1]) > 0)

    @property
    def events(self) -> list[dict[str, Any]]:
        """What was told, without when."""
        lines = [line for line in self.text.splitlines() if line.startswith("data: ") and line != "data: {}"]
        told = [json.loads(line.removeprefix("data: ")) for line in lines]
        return [{name: value for name, value in each.items() if name != "at"} for each in told]

    @property
    def last_id(self) -> str:
        """What a browser would send when it comes back."""
        return [line for line in self.text.splitlines() if line.startswith("id: ")][-1].removeprefix("id: ")


@dataclass
class Server:
    """A web server, and another process that changes things."""

    app: FastAPI
    services: Services
    live: LiveChanges
    writer: Database
    world: World

    @asynccontextmanager
    async def watching(self, role: str = "admin", query: str = "", last_id: str | None = None) -> Any:
        """A client, for as long as the block runs."""
        token = self.services.tokens.make(role, self.services.clock.now())
        headers = [(b"authorization", f"Bearer {token}".encode()), (b"host", b"test")]
        if last_id is not None:
            headers.append((b"last-event-id", last_id.encode()))
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/ui/events",
            "query_string": query.encode(),
            "headers": headers,
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }
        is_asked, has_gone = False, asyncio.Event()

        async def receive() -> dict[str, object]:
            nonlocal is_asked
            if is_asked:
                await has_gone.wait()
                return {"type": "http.disconnect"}
            is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}

        stream = Stream()
        served = asyncio.ensure_future(self.app(scope, receive, stream.send))
        try:
            yield stream
        finally:
            has_gone.set()
            async with asyncio.timeout(PATIENCE_S):
                await served

    async def change(self, work: Callable[[Any], object]) -> None:
        """In a thread: the event loop must go on meanwhile."""
        await asyncio.to_thread(self.writer.transact, work)


def _wakeup(world: World, folder: Path) -> ClosableWakeup:
    if world.database.dialect_name == "postgresql":
        from tradewind.storage.notify import PostgresWakeup  # noqa: PLC0415 - an optional driver

        return PostgresWakeup(world.database.engine.url.render_as_string(hide_password=False), CHANNEL)
    wakeup = SocketWakeup(folder, f"reader-{time.monotonic_ns()}")
    wakeup.listen()
    return wakeup


@pytest.fixture
def server(any_world: World, services: Services, tmp_path: Path) -> Iterator[Server]:
    """On each kind of database."""
    clock = SystemClock()
    url = any_world.database.engine.url.render_as_string(hide_password=False)
    knock = SocketWakeup(tmp_path / "live")
    writer = Database(url, journal=LiveJournal(clock.now, clock.monotonic, knock.wake))
    health = partial(health_of_all, services.settings, clock)
    # So long that a test would fail that is not woken.
    live = LiveChanges(Source(any_world.database, clock, partial(_wakeup, any_world, tmp_path / "live"), health, 60.0))
    services.live = live
    app = shared_app()
    app.state.services = services
    for dag_id in ("etl", "granted"):
        any_world.publish(Dag(dag_id, (Task("load"),)))
    yield Server(app, services, live, writer, any_world)
    reader = live._reader  # its thread must not outlive the database
    live.close()
    if reader is not None:
        reader.join()
    services.live = None
    writer.close()
    knock.close()


@pytest.fixture
def certain_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All who write notice at once that somebody listens, as they do in these tests."""
    monkeypatch.setattr(live_reader, "_CERTAIN_AFTER_S", 0.0)


one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
"""What is asked for does not depend on the database."""


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(test())  # type: ignore[arg-type]


def pause(dag_id: str, world: World) -> Callable[[Any], object]:
    def work(tx: Any) -> object:
        is_paused = tx.dags.find(dag_id).is_paused
        return pause_dag(tx, dag_id, world.clock.now(), is_paused=not is_paused)

    return work


def trigger(dag_id: str, run_id: str, world: World) -> Callable[[Any], object]:
    request = RunRequest(dag_id, run_id=run_id)
    return lambda tx: trigger_run(tx, request, Structures(), world.clock.now(), suffix=run_id)


def test_a_change_reaches_the_client_within_300_ms(server: Server) -> None:
    """A8: also one that another process makes, on each database."""

    async def test() -> None:
        async with server.watching() as stream:
            await stream.begun()
            await server.change(pause("etl", server.world))
            await stream.until(lambda: len(stream.events) == 1)
            took: list[float] = []
            for count in range(2, 7):  # and the quickest counts: the machine may be busy
                await server.change(trigger("etl", f"run_{count}", server.world))
                changed = time.monotonic()
                await stream.until(lambda count=count: len(stream.events) == count)
                took.append(time.monotonic() - changed)

            assert stream.headers["content-type"].startswith("text/event-stream")
            assert stream.events[0] == {"kind": "dag", "dag_id": "etl", "state": "paused"}
            assert stream.events[1] == {"kind": "dag_run", "dag_id": "etl", "run_id": "run_2", "state": "queued"}
            assert min(took) < 0.3

    run(test)


@one_database
def test_task_instances_are_told_of_by_the_names_that_people_know(server: Server) -> None:
    async def test() -> None:
        async with server.watching(query="kind=task_instance") as stream:
            await stream.begun()
            await server.change(trigger("etl", "one", server.world))
            run = server.writer.read(lambda tx: tx.runs.find("etl", "one"))
            assert run is not None
            cleared = TasksMoved(TaskState.NONE, (TaskKey(run.key, "load", 3),))
            await server.change(lambda tx: tx.emit(cleared))
            await stream.until(lambda: bool(stream.events))

            ids = {"dag_id": "etl", "run_id": "one", "task_id": "load", "map_index": 3}
            assert stream.events == [{"kind": "task_instance", **ids, "state": None}]

    run(test)


@one_database
def test_nobody_is_told_of_what_they_may_not_see(server: Server) -> None:
    """D6: by the rule of the lists."""

    async def test() -> None:
        async with server.watching(GUEST) as guest, server.watching("viewer") as viewer:
            await guest.begun()
            await viewer.begun()
            await server.change(pause("etl", server.world))
            await server.change(pause("granted", server.world))
            await viewer.until(lambda: len(viewer.events) == 2)
            await guest.until(lambda: len(guest.events) == 1)

            assert [event["dag_id"] for event in guest.events] == ["granted"]
            assert "etl" not in guest.text

    run(test)


@one_database
def test_a_client_chooses_what_it_is_told_of(server: Server) -> None:
    async def test() -> None:
        async with (
            server.watching(query="dag_id=etl&run_id=two") as narrow,
            server.watching(query="kind=dag_run") as runs,
            server.watching() as wide,
        ):
            for stream in (narrow, runs, wide):
                await stream.begun()
            await server.change(pause("granted", server.world))
            await server.change(trigger("etl", "one", server.world))
            await server.change(trigger("etl", "two", server.world))
            for stream, count in ((wide, 3), (runs, 2), (narrow, 1)):
                await stream.until(lambda stream=stream, count=count: len(stream.events) == count)

            assert [event["run_id"] for event in narrow.events] == ["two"]
            assert [event["run_id"] for event in runs.events] == ["one", "two"]

    run(test)


@one_database
@pytest.mark.usefixtures("certain_at_once")
def test_who_comes_back_is_told_what_they_missed(server: Server) -> None:
    async def test() -> None:
        async with server.watching() as first:
            await first.begun()
            await server.change(trigger("etl", "one", server.world))
            await first.until(lambda: bool(first.events) and first.text.endswith("\n\n"))
        await server.change(trigger("etl", "two", server.world))
        await server.change(trigger("etl", "three", server.world))
        async with server.watching(last_id=first.last_id) as second:
            await second.until(lambda: len(second.events) >= 2)

            # Once or twice.
            assert list(dict.fromkeys(event["run_id"] for event in second.events)) == ["two", "three"]
            assert "resync" not in second.text

    run(test)


@one_database
@pytest.mark.parametrize("last_id", ["999999", "0", "nonsense", "9" * 5_000])
def test_who_has_been_away_for_too_long_is_told_to_load_anew(server: Server, last_id: str) -> None:
    async def test() -> None:
        async with server.watching(last_id=last_id) as stream:
            await stream.until(lambda: "event: resync" in stream.text)

            assert stream.events == []

    run(test)


@one_database
def test_who_reads_too_slowly_is_told_to_load_anew(server: Server) -> None:
    async def test() -> None:
        async with server.watching() as stream:
            await stream.begun()
            ring = server.live.ring
            ring.end += 6_000  # so many have come and gone since it last read
            ring.wake()
            await stream.until(lambda: "event: resync" in stream.text)

    run(test)


@one_database
def test_the_first_client_is_told_when_nothing_can_be_missed_any_more(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who writes looks once a second whether somebody listens."""
    monkeypatch.setattr(live_reader, "_CERTAIN_AFTER_S", 0.1)
    monkeypatch.setattr(live_reader, "_PAUSE_S", 0.2)

    async def test() -> None:
        async with server.watching() as stream:
            await stream.begun()
            await server.change(pause("etl", server.world))
            await stream.until(lambda: "event: resync" in stream.text)

    run(test)


def page_of(server: Server, folder: Path) -> str:
    """What a browser is given of the page."""
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("<html><head></head></html>")
    app = FastAPI()
    app.state.services = server.services
    add_pages(app, folder)
    return TestClient(app, cookies={COOKIE: "a token"}, headers={"accept": "text/html"}).get("/").text


@one_database
@pytest.mark.usefixtures("certain_at_once")
def test_a_page_is_told_what_changed_since_it_was_served(server: Server, tmp_path: Path) -> None:
    """A8: what it asked for before its stream began may be old already. Nothing is loaded anew that did not change."""

    async def test() -> None:
        async with server.watching() as other:
            await other.until(lambda: "id: " in other.text)
            page = await asyncio.to_thread(page_of, server, tmp_path / "pages")
            (mark,) = re.findall('<meta name="live-mark" content="([0-9]+)">', page)
            await server.change(pause("etl", server.world))
            async with server.watching(query=f"since={mark}") as stream:
                await stream.until(lambda: "id: " in stream.text)

                assert {event["dag_id"] for event in stream.events} == {"etl"}
                assert "resync" not in stream.text

    run(test)


@one_database
@pytest.mark.usefixtures("certain_at_once")
def test_a_page_that_was_served_while_nobody_listened_loads_anew_when_others_listen_already(
    server: Server, tmp_path: Path
) -> None:
    """A8."""
    assert "live-mark" not in page_of(server, tmp_path / "pages")

    async def test() -> None:
        async with server.watching() as other:
            await other.until(lambda: "id: " in other.text)
            async with server.watching(query="since=0") as stream:
                await stream.until(lambda: "id: " in stream.text)

                assert stream.text.count("event: resync") == 1

    run(test)


@one_database
def test_the_page_of_the_first_who_listens_is_loaded_anew_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """When nothing can be missed any more, which is soon: not at once as well."""
    monkeypatch.setattr(live_reader, "_CERTAIN_AFTER_S", 0.1)
    monkeypatch.setattr(live_reader, "_PAUSE_S", 0.2)

    async def test() -> None:
        async with server.watching(query="since=0") as stream:
            await stream.begun()
            assert "resync" not in stream.text
            await server.change(pause("etl", server.world))
            await stream.until(lambda: "id: " in stream.text)

            assert stream.text.count("event: resync") == 1

    run(test)


@one_database
@pytest.mark.usefixtures("certain_at_once")
def test_who_comes_back_where_nothing_had_happened_yet_is_told_what_they_missed(server: Server) -> None:
    """A8: a client knows where it is from the beginning, not only after the first change."""

    async def test() -> None:
        async with server.watching() as first:
            await first.until(lambda: "id: " in first.text)
            assert first.events == []
        await server.change(trigger("etl", "one", server.world))
        async with server.watching(last_id=first.last_id) as second:
            await second.until(lambda: bool(second.events))

            assert second.events[0]["run_id"] == "one"
            assert "resync" not in second.text

    run(test)


@one_database
def test_a_stream_ends_when_the_server_stops(server: Server) -> None:
    async def test() -> None:
        async with server.watching() as stream:
            await stream.begun()
            server.live.close()
            await stream.until(lambda: stream.is_over)
        async with server.watching() as late:
            await late.until(lambda: late.is_over)

            assert late.status == 503

    run(test)


@one_database
@pytest.mark.parametrize("is_busy", [False, True])
def test_a_stream_lives_until_its_token_counts_no_more(
    server: Server, monkeypatch: pytest.MonkeyPatch, is_busy: bool
) -> None:
    """D6: rights are asked for again and again. A quiet stream shows that it lives."""
    monkeypatch.setattr(events_route, "HEARTBEAT_S", 0.02)
    known = server.services.find_principal
    asked: list[Claim] = []

    def find(claim: Claim) -> Principal | None:
        asked.append(claim)
        return known(claim) if len(asked) < 3 else None

    server.services.find_principal = find
    server.services.recent._valid_s = 0.0  # every look is a new one

    async def test() -> None:
        async with server.watching() as stream:
            while is_busy and not stream.is_over:
                server.live.ring.add([MISSED], 1)
                await asyncio.sleep(0)
            await stream.until(lambda: stream.is_over)

            assert stream.text.count(": alive\n") >= (0 if is_busy else 2)
        assert len(asked) == 3

    run(test)


@one_database
def test_no_more_clients_are_served_than_there_is_room_for(server: Server) -> None:
    async def test() -> None:
        server.live._most_clients = 1  # three hundred would take long
        async with server.watching() as first:
            await first.begun()
            async with server.watching() as second:
                await second.until(lambda: second.is_over)

            assert (second.status, second.headers["retry-after"]) == (503, "30")
        async with server.watching() as third:
            await third.begun()

            assert third.status == 200

    run(test)


@one_database
def test_a_server_that_follows_no_changes_says_so(server: Server) -> None:
    server.services.live = None

    async def test() -> None:
        async with server.watching() as stream:
            await stream.until(lambda: stream.is_over)

            assert stream.status == 200
            assert "retry: 10000\nevent: resync" in stream.text

    run(test)
