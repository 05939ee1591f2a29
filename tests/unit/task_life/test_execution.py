"""What happens around and after `execute`: hooks, limits, results, outlets, callbacks (D2 D3)."""

import signal
import threading
from datetime import timedelta
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tests.unit.task_life.attempts import Calls, attempt, one_task, raises
from tradewind.model.attempt_end import Deferral, OutletEvent
from tradewind.model.task import Deferred, Failed, Skipped, Succeeded
from tradewind.model.task_answers import AssetResult
from tradewind.sdk import email, task
from tradewind.sdk.assets import Asset, AssetAlias, Metadata
from tradewind.sdk.context import get_current_context
from tradewind.sdk.dags import DAG
from tradewind.sdk.exceptions import AirflowSkipException, DownstreamTasksSkipped
from tradewind.sdk.notifier import BaseNotifier
from tradewind.sdk.operator_link import BaseOperatorLink
from tradewind.sdk.standard.empty import EmptyOperator
from tradewind.sdk.standard.trigger_dagrun import XCOM_RUN_ID, TriggerDagRunOperator
from tradewind.sdk.task_clock import use_clock
from tradewind.sdk.task_group_decorator import task_group
from tradewind.sdk.triggers import StartTriggerArgs
from tradewind.testing.clock import FakeClock
from tradewind.worker.task_life.outcome import Success
from tradewind.worker.task_life.run_request import TRIGGERED_RUN_KEY


def reason(report: Any) -> str:
    """Why it failed."""
    assert isinstance(report, Failed), report
    return str(report.reason)


def test_hooks_run_around_execute_in_order_and_see_the_result() -> None:
    order: list[Any] = []

    def call(_: Any) -> str:
        order.append("execute")
        return "result"

    dag = one_task(
        call,
        pre_execute=lambda _: order.append("pre"),
        post_execute=lambda _, result: order.append(("post", result)),
        on_execute_callback=lambda _: order.append("on_execute"),
        on_success_callback=[lambda context: order.append(("on_success", str(context["ti"].state)))],
    )

    attempt(dag)

    assert order == ["pre", "on_execute", "execute", ("post", "result"), ("on_success", "success")]


def test_an_operators_own_hooks_come_after_those_that_it_was_given() -> None:
    order: list[str] = []

    class Own(Calls):
        def pre_execute(self, context: Any) -> None:
            super().pre_execute(context)
            order.append("own pre")

        def post_execute(self, context: Any, result: Any = None) -> None:
            order.append(f"own post {result}")

    with DAG("d", schedule=None) as dag:
        Own(
            task_id="t",
            call=lambda _: 1,
            pre_execute=lambda _: order.append("given pre"),
            post_execute=lambda _, result: order.append(f"given post {result}"),
        )

    attempt(dag)

    assert order == ["given pre", "own pre", "given post 1", "own post 1"]


def test_programs_that_a_task_starts_can_tell_whose_they_are() -> None:
    done = attempt(one_task(owner="ada"), try_number=2)

    assert done.environment == {
        "AIRFLOW_CTX_DAG_OWNER": "ada",
        "AIRFLOW_CTX_DAG_ID": "d",
        "AIRFLOW_CTX_TASK_ID": "t",
        "AIRFLOW_CTX_LOGICAL_DATE": "2026-01-31T00:00:00+00:00",
        "AIRFLOW_CTX_TRY_NUMBER": "2",
        "AIRFLOW_CTX_DAG_RUN_ID": "r",
    }


def test_an_operator_inside_another_is_refused_where_its_author_says_so() -> None:
    inner = Calls(task_id="inner", allow_nested_operators=False)

    nested = attempt(one_task(inner.execute))

    assert "inside the task 't'" in reason(nested.report)


@pytest.mark.parametrize("error", [ValueError("broken callback"), SystemExit(1)])
@pytest.mark.parametrize("kind", ["on_execute_callback", "on_success_callback"])
def test_a_callback_that_fails_changes_nothing(kind: str, error: BaseException) -> None:
    called: list[str] = []
    callbacks: Any = [raises(error), lambda _: called.append("the next one")]

    done = attempt(one_task(**{kind: callbacks}))

    assert isinstance(done.report, Succeeded)
    assert called == ["the next one"]


@pytest.mark.parametrize(
    ("error", "has_tries_left", "expected"),
    [
        (ValueError("x"), True, "on_retry_callback"),
        (ValueError("x"), False, "on_failure_callback"),
        (AirflowSkipException("x"), True, "on_skipped_callback"),
        (DownstreamTasksSkipped(tasks=["a"]), True, "on_success_callback"),
    ],
)
def test_each_end_has_its_own_callbacks(error: Exception, has_tries_left: bool, expected: str) -> None:
    called: list[Any] = []
    kinds = ("on_retry_callback", "on_failure_callback", "on_skipped_callback", "on_success_callback")
    callbacks: dict[str, Any] = {
        kind: lambda context, kind=kind: called.append((kind, context.get("exception"))) for kind in kinds
    }

    attempt(one_task(raises(error), **callbacks), has_tries_left=has_tries_left)

    assert called == [(expected, error if "failure" in expected or "retry" in expected else None)]


def test_a_notifier_is_a_callback_with_templates() -> None:
    told: list[str] = []

    class Tells(BaseNotifier):
        template_fields = ("text",)

        def __init__(self, text: str) -> None:
            self.text = text
            super().__init__()

        def notify(self, context: Any) -> None:
            told.append(self.text)

    attempt(one_task(raises(ValueError("boom")), on_failure_callback=Tells("{{ ti.task_id }}: {{ exception }}")))

    assert told == ["t: boom"]


def test_an_alert_is_sent_where_the_task_has_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(email, "send_email", lambda *args: sent.append(args))
    failing: dict[str, Any] = {"email": "ada@example.org", "email_on_retry": False}

    attempt(one_task(raises(ValueError("<boom>")), **failing))
    attempt(one_task(raises(ValueError("again")), **failing), has_tries_left=True)
    attempt(one_task(raises(ValueError("nobody hears"))))

    ((to, subject, content),) = sent
    assert to == "ada@example.org"
    assert subject == "Tradewind alert: d.t in run r: failed"
    assert "ValueError: &lt;boom&gt;" in content


def test_an_alert_that_cannot_be_sent_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def send(*_: Any) -> None:
        raise OSError("no mail server")

    monkeypatch.setattr(email, "send_email", send)

    assert reason(attempt(one_task(raises(ValueError("boom")), email="ada@example.org")).report) == "ValueError: boom"


class Killed(Calls):
    """Notes that it was told to stop."""

    def on_kill(self) -> None:
        self.call("killed")


def test_a_task_that_takes_too_long_is_interrupted_and_told_to_clean_up() -> None:
    calls: list[Any] = []

    def call(context: Any) -> None:
        calls.append("killed" if context == "killed" else "begun")
        if context != "killed":
            signal.pause()  # until the alarm

    with DAG("d", schedule=None) as dag:
        Killed(task_id="t", call=call, execution_timeout=timedelta(milliseconds=20))

    assert "AirflowTaskTimeout: the task ran for longer" in reason(attempt(dag).report)
    assert calls == ["begun", "killed"]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_in_another_thread_nothing_can_be_interrupted_but_the_task_runs() -> None:
    done: list[Any] = []
    dag = one_task(lambda _: "ran", execution_timeout=timedelta(seconds=60))

    thread = threading.Thread(target=lambda: done.append(attempt(dag)))
    thread.start()
    thread.join()

    assert isinstance(done[0].report, Succeeded)


def test_a_host_can_tell_a_task_to_clean_up_even_if_that_fails() -> None:
    with DAG("d", schedule=None) as dag:
        Killed(task_id="t", call=lambda context: 1 / 0 if context == "killed" else None)

    done = attempt(dag)
    done.life.kill()

    assert isinstance(done.report, Succeeded)


# --- results --------------------------------------------------------------------------------------------------------


def test_a_result_becomes_an_xcom_unless_the_task_says_otherwise() -> None:
    assert attempt(one_task(lambda _: {"a": 1})).xcoms == {"return_value": {"a": 1}}
    assert attempt(one_task(lambda _: {"a": 1}, do_xcom_push=False)).xcoms == {}
    assert attempt(one_task(lambda _: None)).xcoms == {}


def test_a_dict_becomes_one_xcom_per_key_where_asked_for() -> None:
    done = attempt(one_task(lambda _: {"a": 1, "b": None}, multiple_outputs=True))

    assert done.xcoms == {"a": 1, "b": None, "return_value": {"a": 1, "b": None}}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([1], "has to return a dict, not a list"),
        ({1: 2}, "texts as keys, but one is 1"),
        ({"a": object()}, "a value of type builtins.object cannot be stored"),
    ],
)
def test_a_result_that_cannot_be_pushed_fails_the_task(result: Any, message: str) -> None:
    dag = one_task(lambda _: result, multiple_outputs=True)

    assert message in reason(attempt(dag).report)


def mapped_over(result: Any) -> DAG:
    """A DAG whose task `t` returns this, and another is mapped over it."""
    with DAG("d", schedule=None) as dag:
        above = Calls(task_id="t", call=lambda _: result)
        Calls.partial(task_id="below").expand(text=above.output)
    return dag


@pytest.mark.parametrize(("result", "length"), [([1, 2], 2), ((), 0), ({"a": 1}, 1)])
def test_the_engine_learns_how_many_copies_there_will_be(result: Any, length: int) -> None:
    report = attempt(mapped_over(result)).report

    assert isinstance(report, Succeeded)
    assert report.map_length == length


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "XComForMappingNotPushed"),
        ("text", "cannot map over a value of type str"),
        (7, "cannot map over a value of type int"),
        (list(range(6)), "6 elements are more than the 5 of [core] max_map_length"),
    ],
)
def test_a_result_that_nothing_can_be_mapped_over_fails_the_task(
    result: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRADEWIND__CORE__MAX_MAP_LENGTH", "5")

    assert message in reason(attempt(mapped_over(result)).report)


def test_a_group_may_be_mapped_over_a_result_too() -> None:
    with DAG("d", schedule=None) as dag:

        @task
        def t() -> list[str]:
            return ["a", "b"]

        @task
        def inner(word: str) -> str:
            return word

        @task_group
        def group(word: str) -> None:
            inner(word)

        group.expand(word=t())

    report = attempt(dag).report
    assert isinstance(report, Succeeded)
    assert report.map_length == 2


def test_copies_are_counted_not_measured() -> None:
    with DAG("d", schedule=None) as dag:
        above = Calls.partial(task_id="t", call=lambda _: 7).expand(text=["a"])
        Calls.partial(task_id="below").expand(text=above.output)

    report = attempt(dag, map_index=0).report
    assert isinstance(report, Succeeded)
    assert report.map_length is None


def test_the_result_of_the_dag_is_marked() -> None:
    class Notes(MemoryRuntime):
        results: list[Any] = []  # noqa: RUF012 - one for the test

        def set_xcom(self, **values: Any) -> None:
            self.results.append((values["task_id"], values["dag_result"]))

    with DAG("d", schedule=None) as dag:
        dag.add_result(Calls(task_id="t", call=lambda _: 1).output)
        Calls(task_id="u", call=lambda _: 1)
    runtime = Notes()

    attempt(dag, runtime=runtime)
    attempt(dag, "u", runtime=runtime)

    assert runtime.results == [("t", True), ("u", False)]


# --- outlets and links ----------------------------------------------------------------------------------------------


def test_outlets_become_events_with_what_the_task_said_about_them() -> None:
    file, table, alias = Asset("file", extra={"format": "csv"}), Asset("table"), AssetAlias("any")

    def call(context: Any) -> None:
        events = context["outlet_events"]
        events[file].extra = {"rows": 5}
        events[file].add_partitions(["2026", "2025"])
        events[alias].add(Asset("found"), extra={"why": "today"})
        events[Asset("not an outlet")].extra["x"] = 1

    outlets = [file, table, alias, Asset.ref(name="elsewhere"), "no asset at all"]
    runtime = MemoryRuntime(assets=[AssetResult(name="elsewhere", uri="s3://e")])

    outcome = attempt(one_task(call, outlets=outlets), runtime=runtime).outcome

    assert isinstance(outcome, Success)
    assert outcome.outlet_events == (
        OutletEvent(
            name="file",
            uri="file",
            extra={"rows": 5},
            partition_keys=("2025", "2026"),
            asset_extra={"format": "csv"},
        ),
        OutletEvent(name="table", uri="table"),
        OutletEvent(name="found", uri="found", extra={"why": "today"}, alias="any"),
        OutletEvent(name="elsewhere", uri=None),
    )


def test_a_function_and_hooks_may_yield_metadata() -> None:
    file, alias = Asset("file"), AssetAlias("any")

    def before(_: Any) -> Any:
        yield Metadata(file, {"before": True})
        yield "nonsense"

    with DAG("d", schedule=None) as dag:

        @task(outlets=[file, alias], pre_execute=before)
        def t() -> Any:
            yield Metadata(file, {"rows": 1}, alias=alias)
            return "done"

        t()

    done = attempt(dag)

    assert done.xcoms == {"return_value": "done"}
    assert isinstance(done.outcome, Success)
    assert [(event.name, event.extra, event.alias) for event in done.outcome.outlet_events] == [
        ("file", {"before": True, "rows": 1}, None),
        ("file", {"rows": 1}, "any"),
    ]


class Docs(BaseOperatorLink):
    """Leads somewhere."""

    name = "Docs"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        return f"https://docs/{operator.task_id}/{ti_key.run_id}"


class Broken(Docs):
    """Leads nowhere."""

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        raise ValueError("no link")


class Linked(Calls):
    """Has links."""

    operator_extra_links = (Broken(), Docs())


def test_links_are_looked_up_once_the_task_ran() -> None:
    with DAG("d", schedule=None) as dag:
        Linked(task_id="t")

    assert attempt(dag).xcoms == {"_link_Docs": "https://docs/t/r"}


def test_fields_that_a_task_fills_in_itself_are_shown_after_it_ran() -> None:
    class Fills(Calls):
        overwrite_rtif_after_execution = True

    with DAG("d", schedule=None) as dag:
        Fills(task_id="t", call=lambda context: setattr(context["task"], "text", "after"), text="before")

    assert attempt(dag).runtime.rendered == {"text": "after"}


def test_stored_values_may_be_dropped_on_success() -> None:
    dag = one_task(lambda context: context["task_state_store"].set("k", 1))

    assert attempt(dag).runtime.task_states == {"k": 1}
    assert attempt(dag, clears_state=True).runtime.task_states == {}


def test_whoever_gets_the_context_gets_all_of_it() -> None:
    """Most of it is worked out only when it is needed (D2)."""
    seen: dict[str, set[str]] = {}

    def note(place: str) -> Any:
        return lambda context, *_: seen.setdefault(place, set({**context}))

    @task
    def decorated(**context: Any) -> None:
        seen["function"] = set(context)

    @task
    def asking() -> None:
        seen["asked"] = set(dict(get_current_context()))

    hooks = {name: note(name) for name in ("pre_execute", "post_execute", "on_execute_callback", "on_success_callback")}
    with DAG("d", schedule=None) as dag:
        Calls(task_id="t", call=note("execute"))
        EmptyOperator(task_id="hooked", **hooks)
        decorated()
        asking()
    for task_id in dag.task_ids:
        attempt(dag, task_id)

    assert sorted(seen) == sorted([*hooks, "asked", "execute", "function"])
    assert {place for place, keys in seen.items() if not {"ds", "var", "params", "ti", "try_number"} <= keys} == set()


# --- other DAGs, triggers -------------------------------------------------------------------------------------------


class OtherDag(MemoryRuntime):
    """Has a DAG `other`, whose run goes through these states while somebody waits."""

    def __init__(self, *states: str, is_taken: bool = False) -> None:
        super().__init__()
        self.states = list(states)
        self.is_taken = is_taken
        self.requests: list[Any] = []

    def trigger_dag_run(self, dag_id: str, run_id: str, **values: Any) -> bool:
        self.requests.append((dag_id, run_id, values["conf"], values["reset_dag_run"]))
        return not self.is_taken

    def get_dag_run_state(self, dag_id: str, run_id: str) -> str | None:
        return self.states.pop(0)


def triggering(**kwargs: Any) -> DAG:
    """A DAG that starts a run of `other`."""
    with DAG("d", schedule=None) as dag:
        TriggerDagRunOperator(
            task_id="t", trigger_dag_id="other", trigger_run_id="x", conf={"{{ ds }}": "{{ ds }}"}, **kwargs
        )
    return dag


def test_a_task_can_start_a_run_of_another_dag() -> None:
    runtime = OtherDag()

    done = attempt(triggering(reset_dag_run=True), runtime=runtime)

    assert isinstance(done.report, Succeeded)
    assert runtime.requests == [("other", "x", {"{{ ds }}": "2026-01-31"}, True)]
    assert done.xcoms["trigger_run_id"] == "x"
    assert TRIGGERED_RUN_KEY == XCOM_RUN_ID


def test_a_run_that_exists_already_fails_or_skips_the_task() -> None:
    failed = attempt(triggering(), runtime=OtherDag(is_taken=True), has_tries_left=True).report
    skipped = attempt(triggering(skip_when_already_exists=True), runtime=OtherDag(is_taken=True)).report

    assert "already has a run 'x'" in reason(failed)
    assert isinstance(failed, Failed)
    assert failed.may_retry is False
    assert isinstance(skipped, Skipped)


@pytest.mark.parametrize(("last", "succeeds"), [("success", True), ("failed", False)])
def test_a_task_can_wait_for_the_run_that_it_started(last: str, succeeds: bool) -> None:
    runtime = OtherDag("queued", "running", last)

    with use_clock(FakeClock()) as clock:
        done = attempt(triggering(wait_for_completion=True, poke_interval=10), runtime=runtime)

    assert clock.slept_s == [10, 10, 10]
    assert isinstance(done.report, Succeeded) is succeeds
    assert succeeds or "ended failed" in reason(done.report)


def test_a_task_can_wait_for_the_run_without_a_worker() -> None:
    done = attempt(triggering(wait_for_completion=True, deferrable=True), runtime=OtherDag())

    assert isinstance(done.report, Deferred)
    assert done.outcome.trigger_path.endswith("DagStateTrigger")  # type: ignore[union-attr]
    assert done.xcoms["trigger_run_id"] == "x"


def test_a_task_may_begin_with_its_trigger() -> None:
    class Begins(Calls):
        start_from_trigger = True
        template_fields = ("word",)
        start_trigger_args = StartTriggerArgs(
            "some.Trigger",
            "go_on",
            {"n": 1, "word": "{{ task.task_id }}", "x": "{{ x }}"},
            timeout=timedelta(minutes=1),
        )
        word = ""

        def go_on(self, _: Any, event: Any) -> Any:
            return event

    with DAG("d", schedule=None) as dag:
        Begins(
            task_id="t",
            call=raises(AssertionError("it has nothing to execute")),
            execution_timeout=timedelta(seconds=30),
        )

    begun = attempt(dag)
    resumed = attempt(dag, next_method="go_on", next_kwargs={"event": "fired"})

    assert isinstance(begun.report, Deferred)
    assert isinstance(begun.outcome, Deferral)
    assert begun.outcome.trigger_kwargs == {"n": 1, "word": "t", "x": "{{ x }}"}
    assert begun.outcome.timeout == timedelta(seconds=30)
    assert resumed.xcoms == {"return_value": "fired"}


@pytest.mark.parametrize(("name", "value"), [("trigger_kwargs", ["n"]), ("next_kwargs", [1])])
def test_a_task_that_begins_with_its_trigger_needs_arguments_that_have_names(name: str, value: Any) -> None:
    class Begins(Calls):
        start_from_trigger = True
        start_trigger_args = StartTriggerArgs("some.Trigger", "go_on", **{name: value})

    with DAG("d", schedule=None) as dag:
        Begins(task_id="t")

    assert f"{name} of StartTriggerArgs have to be a dict with texts as keys" in reason(attempt(dag).report)
