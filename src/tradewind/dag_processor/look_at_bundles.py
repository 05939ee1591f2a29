"""Duty: keep bundles up to date, and look at their files when there is a reason to."""

import math
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from tradewind.bundles.interface import Versioned
from tradewind.dag_processor.state import ProcessorState
from tradewind.dag_processor.tracked_bundle import TrackedBundle
from tradewind.dag_processor.watch import Watcher
from tradewind.telemetry.events import BundleFailed

_MOST_REFRESHES: Final = 4
_SECOND_LOOK_S: Final = 1.1
"""After this long, the times of files tell all changes apart."""
_SHARE_WHEN_HINTED: Final = 0.05
_SHARE_WHEN_IDLE: Final = 0.004
"""How much of the time may go into looking: with very many files, looks become rarer."""


@dataclass(slots=True)
class _Schedule:
    """When a bundle is refreshed and looked at next, on the monotonic clock."""

    tracked: TrackedBundle
    refresh_at: float
    look_at: float = math.inf
    earliest_look_at: float = 0.0
    refresh: "Future[None] | None" = None
    is_initialized: bool = False
    is_looked_at: bool = False


class BundleKeeper:
    """Refreshes bundles in threads of its own: a repository that does not answer must not hold up the others."""

    def __init__(self, state: ProcessorState, watcher: Watcher) -> None:
        self._state = state
        self._watcher = watcher
        self._threads = ThreadPoolExecutor(_MOST_REFRESHES, thread_name_prefix="bundle refresh")
        self._schedules = [_Schedule(tracked, 0.0) for tracked in state.bundles]

    def keep(self) -> int:
        """Begin refreshes that are due, take in those that are done, look where there is a reason. Returns how many
        looks there were."""
        now = self._state.clock.monotonic()
        is_hinted = self._watcher.take_hint()
        looks = 0
        for schedule in self._schedules:
            self._refresh(schedule, now)
            is_in_place = not schedule.tracked.bundle.supports_versioning
            if (is_hinted and is_in_place) or schedule.tracked.doubtful:
                schedule.look_at = min(schedule.look_at, max(now, schedule.earliest_look_at))
            if now >= schedule.look_at and schedule.tracked.folder is not None:
                self._look(schedule)
                looks += 1
        if looks:
            self._watch()
        return looks

    def look_soon(self) -> None:
        """Look at all files in the next pass."""
        for schedule in self._schedules:
            schedule.look_at = 0.0

    def refresh_soon(self) -> None:
        """Refresh all bundles in the next pass."""
        for schedule in self._schedules:
            schedule.refresh_at = 0.0

    def next_due_at(self) -> float:
        """When there is a reason to call `keep`, as things are."""
        dues = [due for each in self._schedules for due in (each.look_at, each.refresh_at)]
        return min(dues, default=math.inf)

    def is_waiting(self) -> bool:
        """Whether a bundle is being refreshed, or was never looked at for no fault of its own."""
        return any(
            each.refresh is not None or (each.tracked.folder is None and each.tracked.error is None)
            for each in self._schedules
        )

    def prune(self) -> None:
        """Throw away versions that nobody has used for long."""
        settings = self._state.settings.dag_processor
        for tracked in self._state.bundles:
            if isinstance(tracked.bundle, Versioned):
                age = timedelta(seconds=settings.stale_bundle_cleanup_age_threshold)
                tracked.bundle.prune(self._state.clock.now() - age, settings.stale_bundle_cleanup_min_versions)

    def close(self) -> None:
        """Begin nothing new. What git is doing is left to end by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _refresh(self, schedule: _Schedule, now: float) -> None:
        bundle = schedule.tracked.bundle
        if schedule.refresh is not None and schedule.refresh.done():
            error = schedule.refresh.exception()
            schedule.refresh = None
            schedule.refresh_at = now + max(bundle.refresh_interval, self._shortest_interval_s)
            self._refreshed(schedule, None if error is None else str(error) or repr(error))
        if schedule.refresh is None and now >= schedule.refresh_at:
            schedule.refresh_at = math.inf
            work = bundle.refresh if schedule.is_initialized else bundle.initialize
            if bundle.refresh_interval == math.inf:
                schedule.refresh = Future()
                schedule.refresh.set_result(None)
                self._refresh(schedule, now)
            else:
                schedule.refresh = self._threads.submit(work)
                schedule.refresh.add_done_callback(lambda _: self._state.wake())

    @property
    def _shortest_interval_s(self) -> float:
        return self._state.settings.dag_processor.bundle_refresh_check_interval

    def _refreshed(self, schedule: _Schedule, error: str | None) -> None:
        tracked = schedule.tracked
        if error is not None:
            self._tell(tracked, error)
            return
        schedule.is_initialized = True
        is_first = tracked.folder is None
        former = tracked.version
        tracked.enter(tracked.bundle.path, tracked.bundle.get_current_version())
        if is_first or tracked.version != former or not tracked.bundle.supports_versioning:
            schedule.look_at = 0.0
        if tracked.bundle.refresh_interval < math.inf:
            self._tell(tracked, None)

    def _look(self, schedule: _Schedule) -> None:
        clock, tracked = self._state.clock, schedule.tracked
        began = clock.monotonic()
        is_soon = False
        try:
            is_soon = tracked.look(self._state.now_ns())
        except OSError as error:
            path = tracked.folder.root if tracked.folder is not None else Path()
            self._tell(tracked, f"the folder {path} cannot be read: {error.strerror}; what is stored stays as it is")
        else:
            if tracked.error is not None or not schedule.is_looked_at:
                self._tell(tracked, None)
            schedule.is_looked_at = True
        ended = clock.monotonic()
        spent_s = ended - began
        schedule.earliest_look_at = ended + spent_s / _SHARE_WHEN_HINTED
        if is_soon:
            schedule.look_at = ended + _SECOND_LOOK_S
        elif tracked.bundle.supports_versioning and tracked.error is None:
            schedule.look_at = math.inf  # a version never changes
        else:
            schedule.look_at = ended + max(self._shortest_interval_s, spent_s / _SHARE_WHEN_IDLE)

    def _tell(self, tracked: TrackedBundle, error: str | None) -> None:
        """Store how it went; an error that stays the same is told once."""
        if error is not None and tracked.error == error:
            return
        tracked.error = error
        now = self._state.clock.now()
        self._state.store.transact(lambda tx: tx.bundles.refreshed(tracked.name, now, error))
        if error is not None:
            self._state.hub.emit(BundleFailed(tracked.name, error))

    def _watch(self) -> None:
        """The folders whose files change in place, and those that links and dependencies lead to."""
        paths: set[Path] = set()
        for tracked in self._state.bundles:
            if tracked.folder is not None and not tracked.bundle.supports_versioning:
                # A link that is turned to another folder is another folder.
                paths.add(tracked.folder.root.resolve())
                paths.update(Path(path) for path in tracked.folder.linked_folders)
        paths.update((self._state.settings.plugins_folder, self._state.settings.home / "config"))
        self._watcher.watch(paths)
