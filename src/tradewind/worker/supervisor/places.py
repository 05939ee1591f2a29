"""Where the code of DAGs and the logs of attempts lie on this machine."""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path

from tradewind.bundles.interface import Bundle, Versioned
from tradewind.errors import BundleError
from tradewind.model.assignment import WorkOrder
from tradewind.task_logs.places import Try, log_name
from tradewind.task_logs.shipper import LogShipper
from tradewind.task_logs.writer import AttemptLog


class MachinePlaces:
    """Implements `service.Places`."""

    def __init__(
        self,
        bundles: Iterable[Bundle],
        log_folder: Path,
        *,
        now: Callable[[], datetime],
        log_limit_bytes: int,
        shipper: LogShipper | None = None,
        fail: Callable[[str, Exception], object] = lambda _name, _error: None,
    ) -> None:
        """`shipper` copies logs elsewhere, if they shall be; `fail` is told which log cannot be written, and why."""
        self._bundles = {bundle.name: bundle for bundle in bundles}
        self._log_folder = log_folder
        self._now = now
        self._log_limit_bytes = log_limit_bytes
        self._shipper = shipper
        self._fail = fail
        self._known: dict[tuple[str, str | None], Path] = {}
        self._ready: set[str] = set()

    def known_folder(self, bundle: str, version: str | None) -> Path | None:
        """See `Places.known_folder`."""
        known = self._known.get((bundle, version))
        return known if known is None or known.is_dir() else None

    def folder(self, bundle: str, version: str | None) -> Path:
        """See `Places.folder`. May be called in any thread."""
        found = self._bundles.get(bundle)
        if found is None:
            raise BundleError(f"there is no bundle {bundle!r} in the configuration of this worker")
        if version is not None and isinstance(found, Versioned):
            path = found.path_of(version)
        else:
            if bundle not in self._ready:
                found.initialize()
                self._ready.add(bundle)
            path = found.path
        self._known[bundle, version] = path
        return path

    def log(self, order: WorkOrder, hide: Callable[[str], str]) -> AttemptLog:
        """See `Places.log`."""
        name = _log_name(order)
        return AttemptLog(
            self._log_folder / name,
            now=self._now,
            limit_bytes=self._log_limit_bytes,
            mask=hide,
            fail=partial(self._fail, name),
        )

    def log_ended(self, order: WorkOrder, *, is_over: bool) -> None:
        """See `Places.log_ended`."""
        if self._shipper is not None:
            self._shipper.ship(_log_name(order), is_over=is_over)

    def close(self) -> None:
        """Return when all logs are where they shall be."""
        if self._shipper is not None:
            self._shipper.close()


def _log_name(order: WorkOrder) -> str:
    given = order.assignment
    run = given.dag_run
    return log_name(Try(run.dag_id, run.run_id, given.task_id, given.map_index, given.try_number))
