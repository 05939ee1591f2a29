"""DAG files as a DAG processor would store them."""

import hashlib
from collections.abc import Sequence

from tests.component.world import World
from tradewind.model.dag import Dag
from tradewind.model.dag_file import DagProblem, FileName, FileParse, FileWarning
from tradewind.model.dag_json import encode_dag
from tradewind.operations.publish_files import PublishReport, check_file, publish_files

BUNDLE = "dags-folder"


def store_file(
    world: World,
    path: str,
    *dags: Dag,
    source: str = "# a DAG file",
    error: str | None = None,
    warnings: Sequence[FileWarning] = (),
    bundle_version: str | None = None,
) -> PublishReport:
    """The file was read, and said this; with an error, nothing of it could be read."""
    name = FileName(BUNDLE, path)
    with world.database.begin() as tx:
        job = tx.jobs.start("dag_processor", hostname="here", pid=1, now=world.clock.now())
        tx.bundles.sync([BUNDLE])
        tx.bundles.set_version(BUNDLE, bundle_version)
        tx.files.add([name])
        file = tx.files.find(name)
        assert file is not None
        tx.files.claim([file.key], job, world.clock.now())
        parse = FileParse(
            file.key,
            name,
            content_hash=hashlib.sha256(source.encode()).hexdigest(),
            source=source,
            environment="python",
            bundle_version=bundle_version,
            is_read=error is None,
            dags=tuple(encode_dag(dag) for dag in dags),
            problems=() if error is None else (DagProblem(error),),
            warnings=tuple(warnings),
            duration_ms=250,
        )
        return publish_files(tx, [check_file(parse)], job, world.clock.now(), is_paused_by_default=False)
