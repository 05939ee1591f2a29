"""`tradewind jobs`: whether the services run."""

import socket
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import LARGEST
from tradewind.errors import CheckFailed, InvalidRequest

if TYPE_CHECKING:
    from tradewind.operations import find_jobs
else:
    find_jobs = Deferred("tradewind.operations.find_jobs")

app = make_group()


class JobType(StrEnum):
    """A kind of service, in Airflow's words; for workers, which it does not know, in the like."""

    SCHEDULER = "SchedulerJob"
    TRIGGERER = "TriggererJob"
    DAG_PROCESSOR = "DagProcessorJob"
    WORKER = "WorkerJob"


_KINDS: Final = {
    JobType.SCHEDULER: "scheduler",
    JobType.TRIGGERER: "triggerer",
    JobType.DAG_PROCESSOR: "dag_processor",
    JobType.WORKER: "worker",
}


@app.callback()
def _group() -> None:
    """The services that run."""


@app.command("check", help="fail unless a service is alive")
def _check(
    job_type: Annotated[JobType | None, typer.Option(help="only services of this kind")] = None,
    hostname: Annotated[str | None, typer.Option(help="only services on this machine")] = None,
    local: Annotated[bool, typer.Option("--local", help="only services on the machine of this command")] = False,
    limit: Annotated[int, typer.Option(min=0, max=LARGEST, help="look at so many of the newest; 0: at all")] = 1,
    allow_multiple: Annotated[bool, typer.Option("--allow-multiple", help="more than one may be alive")] = False,
) -> None:
    if hostname is not None and local:
        raise InvalidRequest("give --hostname or --local, not both")
    if allow_multiple and limit == 1:
        raise InvalidRequest("--allow-multiple needs a --limit other than 1")
    settings = load_settings()
    patience = {
        "scheduler": settings.scheduler.scheduler_health_check_threshold,
        "worker": settings.scheduler.scheduler_health_check_threshold,
        "dag_processor": settings.dag_processor.health_check_threshold,
        "triggerer": settings.triggerer.triggerer_health_check_threshold,
    }
    if job_type is not None:
        patience = {_KINDS[job_type]: patience[_KINDS[job_type]]}
    machine = socket.gethostname() if local else hostname
    with wired(settings) as wiring:
        now = wiring.clock.now()
        alive = wiring.database.transact(
            lambda tx: find_jobs.find_alive(tx, patience, now, hostname=machine, limit=limit or None)
        )
    if not alive:
        raise CheckFailed("no such service is alive")
    if len(alive) > 1 and not allow_multiple:
        raise CheckFailed(f"{len(alive)} such services are alive, and one is expected")
    typer.echo(f"{len(alive)} alive: " + ", ".join(f"{job.kind} on {job.hostname}, process {job.pid}" for job in alive))
