"""Events of services, of DAG files, of triggers and of the web server as numbers."""

from pathlib import PurePosixPath

from tradewind.telemetry import catalog
from tradewind.telemetry import events as told
from tradewind.telemetry import measurements as measured
from tradewind.telemetry.counting import Handlers, Numbers


class ServiceMetrics(Numbers):
    """Signs of life, files, callbacks, assets, requests."""

    def handlers(self) -> Handlers:
        """Whose events are told here."""
        return {
            measured.JobStarted: lambda event: self._count(catalog.JOB_START[event.kind]),
            measured.JobEnded: lambda event: self._count(catalog.JOB_END[event.kind]),
            measured.Heartbeat: self._heartbeat,
            measured.JobsMeasured: self._jobs_measured,
            told.CallbackCalled: self._callback_called,
            told.FileFailed: lambda _: self._count(catalog.FILE_ERRORS),
            measured.FileRead: self._file_read,
            measured.FilesMeasured: self._files_measured,
            measured.TriggersMeasured: self._triggers_measured,
            measured.TriggersDone: self._triggers_done,
            told.TriggerBlocked: lambda _: self._count(catalog.TRIGGERS_BLOCKED),
            told.WatcherBlocked: lambda _: self._count(catalog.TRIGGERS_BLOCKED),
            measured.AssetsUpdated: lambda event: self._add(catalog.ASSET_UPDATES, event.count),
            measured.RequestServed: self._request_served,
            measured.ConnectionTested: self._connection_tested,
            measured.ConnectionTestsMeasured: self._connection_tests_measured,
            measured.ConnectionTestsHandedOut: self._connection_tests_handed_out,
            measured.ConnectionTestGivenUp: self._connection_test_given_up,
        }

    def _heartbeat(self, event: measured.Heartbeat) -> None:
        self._count(catalog.HEARTBEAT[event.kind])
        if event.is_late:
            self._count(catalog.JOB_HEARTBEAT_FAILURE[event.kind])

    def _jobs_measured(self, event: measured.JobsMeasured) -> None:
        for kind, hostname, seconds in event.ages:
            self._gauge(catalog.JOB_AGE, seconds, job=kind, hostname=hostname)

    def _callback_called(self, event: told.CallbackCalled) -> None:
        self._count(catalog.CALLBACKS)
        self._count(catalog.CALLBACKS_ONLY)
        if event.error is not None:
            self._count(catalog.CALLBACK_EXCEPTIONS, dag_id=event.dag_id)

    def _file_read(self, event: measured.FileRead) -> None:
        name = PurePosixPath(event.path).stem
        self._timing(catalog.FILE_DURATION, event.duration_s, bundle_name=event.bundle, file_name=name)
        if event.is_timed_out:
            self._count(catalog.FILE_TIMEOUTS, file_path=event.path)
            self._count(catalog.FILE_TIMEOUTS_OLD)

    def _files_measured(self, event: measured.FilesMeasured) -> None:
        self._gauge(catalog.DAGBAG_SIZE, event.dags)
        self._gauge(catalog.IMPORT_ERRORS, event.failing_files)
        self._gauge(catalog.PARSE_TIME, event.parse_s)
        if event.waiting is not None:
            self._gauge(catalog.FILE_QUEUE, event.waiting)
        if event.reading is not None:
            self._gauge(catalog.FILE_PROCESSES, event.reading)

    def _triggers_measured(self, event: measured.TriggersMeasured) -> None:
        self._gauge(catalog.TRIGGERS_RUNNING, event.running, hostname=event.hostname)
        self._gauge(catalog.CAPACITY_LEFT, event.capacity_left, hostname=event.hostname)

    def _triggers_done(self, event: measured.TriggersDone) -> None:
        self._add(catalog.TRIGGERS_SUCCEEDED, event.succeeded)
        self._add(catalog.TRIGGERS_FAILED, event.failed)

    def _request_served(self, event: measured.RequestServed) -> None:
        tags = {"method": event.method, "route": event.route}
        self._count(catalog.REQUESTS, **tags, status=str(event.status))
        self._timing(catalog.REQUEST_DURATION, event.duration_s, **tags)

    def _connection_tested(self, event: measured.ConnectionTested) -> None:
        self._count(catalog.CONNECTION_WORKS if event.works else catalog.CONNECTION_FAILS)
        self._timing(catalog.CONNECTION_DURATION, event.duration_s)

    def _connection_tests_measured(self, event: measured.ConnectionTestsMeasured) -> None:
        self._gauge(catalog.CONNECTION_TESTS_PENDING, event.pending)
        self._gauge(catalog.CONNECTION_TESTS_ACTIVE, event.active)

    def _connection_tests_handed_out(self, event: measured.ConnectionTestsHandedOut) -> None:
        self._timing(catalog.CONNECTION_TESTS_DISPATCH, event.duration_s)

    def _connection_test_given_up(self, event: measured.ConnectionTestGivenUp) -> None:
        self._count(catalog.CONNECTION_TESTS_REAPED, prior_state=event.prior_state)
