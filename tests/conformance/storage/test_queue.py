"""The queue that all schedulers share (A2, B4)."""

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World, candidate, minutes, new_task
from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey
from tradewind.model.pool import Pool
from tradewind.model.states import HeldBy, TaskState
from tradewind.model.task import Candidate, WorkItem
from tradewind.storage.database import Database
from tradewind.storage.interface import TaskAdvance


def _names(candidates: list[Candidate]) -> list[str]:
    return [task.task_id for task in candidates]


def test_the_queue_is_by_priority_then_turn_then_run_then_map_index(world: World, store: Database) -> None:
    first, second = world.running("r1"), world.running("r2")
    world.tasks([new_task(second, "low turn of second run", priority_weight=5)], turn=1)
    world.tasks([new_task(first, "low turn of first run", priority_weight=5)], turn=1)
    world.tasks(
        [new_task(first, "mapped", 2, priority_weight=5), new_task(first, "mapped", 1, priority_weight=5)], turn=2
    )
    world.tasks([new_task(first, "high", priority_weight=2**31 - 1)], turn=2**60)
    world.tasks([new_task(first, "negative", priority_weight=-3)], turn=0)

    with store.begin() as tx:
        queue = [(task.task_id, task.map_index) for task in tx.queue.waiting("default_pool", 10)]
        assert _names(tx.queue.waiting("default_pool", 1)) == ["high"]

    assert queue == [
        ("high", -1),
        ("low turn of first run", -1),
        ("low turn of second run", -1),
        ("mapped", 1),
        ("mapped", 2),
        ("negative", -1),
    ]


def test_a_candidate_tells_all_that_admission_needs(world: World, store: Database) -> None:
    run_key = world.running()
    task = new_task(run_key, "load", 4, pool_slots=3, priority_weight=9, executor="x", queue="q", max_active_per_dag=2)
    world.tasks([task], turn=11)

    with store.begin() as tx:
        assert tx.queue.waiting("default_pool", 10) == [candidate(task)._replace(queue_turn=11)]


def test_only_scheduled_instances_of_the_pool_that_nothing_holds_wait(world: World, store: Database) -> None:
    run_key = world.running()
    for state in TaskState:
        if state is not TaskState.AWAITING_INPUT:
            world.task(state, run_key, state.value)
    world.task(TaskState.SCHEDULED, run_key, "other pool", pool="small")
    world.task(TaskState.SCHEDULED, run_key, "held")
    with store.begin() as tx:
        tx.tasks.hold([TaskKey(run_key, "held")])

        assert _names(tx.queue.waiting("default_pool", 10)) == ["scheduled"]
        assert _names(tx.queue.waiting("small", 10)) == ["other pool"]
        assert tx.queue.waiting("no such pool", 10) == []


def test_the_queue_leaves_out_what_cannot_be_admitted_anyway(world: World, store: Database) -> None:
    run_key = world.running()
    world.tasks(
        [
            new_task(run_key, "one slot"),
            new_task(run_key, "three slots", pool_slots=3),
            new_task(run_key, "celery", executor="celery"),
            new_task(run_key, "local", executor="local"),
        ]
    )

    with store.begin() as tx:
        waiting = tx.queue.waiting
        everything = {"one slot", "three slots", "celery", "local"}
        assert set(_names(waiting("default_pool", 9))) == everything
        assert set(_names(waiting("default_pool", 9, most_slots=2))) == everything - {"three slots"}
        assert _names(waiting("default_pool", 9, least_slots=2)) == ["three slots"]
        assert set(_names(waiting("default_pool", 9, full_executors=["celery"]))) == everything - {"celery"}
        assert set(_names(waiting("default_pool", 9, full_executors=[None]))) == {"celery", "local"}
        assert _names(waiting("default_pool", 9, full_executors=[None, "celery"])) == ["local"]
        full = [("sales", "local"), ("stock", "celery")]
        assert set(_names(waiting("default_pool", 9, full_tasks=full))) == everything - {"local"}
        assert _names(
            waiting("default_pool", 9, most_slots=1, full_executors=["local"], full_tasks=[("sales", "celery")])
        ) == ["one slot"]


def test_pools_waited_for_are_counted_whether_they_exist_or_not(world: World, store: Database) -> None:
    run_key = world.running()
    world.tasks([new_task(run_key, "a"), new_task(run_key, "b"), new_task(run_key, "c", pool="missing")])
    world.task(TaskState.RUNNING, run_key, "d", pool="busy")

    with store.begin() as tx:
        assert tx.queue.pools_waited_for() == {"default_pool": 2, "missing": 1}


def test_count_ahead_is_the_place_in_the_queue(world: World, store: Database) -> None:
    first, second = world.running("r1"), world.running("r2")
    world.tasks([new_task(second, "d", priority_weight=5), new_task(first, "b", 1, priority_weight=5)], turn=1)
    world.tasks([new_task(first, "a", 0, priority_weight=5)], turn=1)
    world.tasks([new_task(second, "e", priority_weight=5)], turn=2)
    world.tasks([new_task(first, "z", priority_weight=6), new_task(first, "y", pool="small")])
    held = world.task(TaskState.SCHEDULED, first, "held", priority_weight=9).task

    with store.begin() as tx:
        tx.tasks.hold([held])
        queue = tx.queue.waiting("default_pool", 9)
        assert [tx.queue.count_ahead(task.key) for task in queue] == [0, 1, 2, 3, 4]
        assert _names(queue) == ["z", "a", "b", "d", "e"]
        assert [tx.queue.count_ahead(key) for key in (held, TaskKey(first, "y"), TaskKey(first, "missing"))] == [
            0,
            0,
            0,
        ]


def test_slots_by_state_are_those_of_the_waiting_and_the_active(world: World, store: Database) -> None:
    run_key = world.running()
    for state in TaskState:
        if state is not TaskState.AWAITING_INPUT:
            world.task(state, run_key, state.value, pool_slots=2)
    world.task(TaskState.RUNNING, run_key, "another", pool_slots=3)
    world.task(TaskState.QUEUED, run_key, "elsewhere", pool="small")
    held = world.task(TaskState.SCHEDULED, run_key, "held").task

    with store.begin() as tx:
        tx.tasks.hold([held])

        assert tx.queue.slots_by_state() == {
            ("default_pool", TaskState.SCHEDULED): 2,
            ("default_pool", TaskState.QUEUED): 2,
            ("default_pool", TaskState.RUNNING): 5,
            ("default_pool", TaskState.RESTARTING): 2,
            ("default_pool", TaskState.DEFERRED): 2,
            ("small", TaskState.QUEUED): 1,
        }


def test_occupied_slots_are_those_of_the_queued_running_and_restarting(world: World, store: Database) -> None:
    """A deferred task keeps its slots only where the pool says so (B4)."""
    run_key = world.running()
    with store.begin() as tx:
        assert tx.queue.occupied_slots("default_pool", include_deferred=True) == 0
    for number, state in enumerate(state for state in TaskState if state is not TaskState.AWAITING_INPUT):
        world.task(state, run_key, state.value, pool_slots=10**number if number < 9 else 0)
    order = [state for state in TaskState if state is not TaskState.AWAITING_INPUT]
    slots = {state: 10**number for number, state in enumerate(order) if number < 9}
    occupying = slots[TaskState.QUEUED] + slots[TaskState.RUNNING] + slots[TaskState.RESTARTING]
    world.task(TaskState.RUNNING, run_key, "other pool", pool="small", pool_slots=3)

    with store.begin() as tx:
        assert tx.queue.occupied_slots("default_pool", include_deferred=False) == occupying
        with_deferred = occupying + slots[TaskState.DEFERRED]
        assert tx.queue.occupied_slots("default_pool", include_deferred=True) == with_deferred
        assert tx.queue.occupied_slots("small", include_deferred=False) == 3


def test_count_active_is_over_all_runs_of_the_dag(world: World, store: Database) -> None:
    """max_active_tis_per_dag counts these (B4)."""
    for run_id in ("r1", "r2"):
        run_key = world.running(run_id)
        world.task(TaskState.RUNNING, run_key, "load")
        world.task(TaskState.QUEUED, run_key, "load", map_index=0)
        world.task(TaskState.DEFERRED, run_key, "load", map_index=1)
        world.task(TaskState.SCHEDULED, run_key, "load", map_index=2)
        world.task(TaskState.RUNNING, run_key, "other")
    world.task(TaskState.RUNNING, world.running("r1", "stock"), "load", dag_id="stock")

    with store.begin() as tx:
        assert tx.queue.count_active("sales", "load") == 4
        assert tx.queue.count_active("sales", "nothing") == 0


def test_slots_in_use_are_those_that_occupied_slots_are(world: World, store: Database) -> None:
    """As each pool counts them: a deferred task keeps its slots only where the pool says so (B4)."""
    run_key = world.running()
    for number, state in enumerate(TaskState):
        if state is not TaskState.AWAITING_INPUT:
            world.task(state, run_key, state.value, pool_slots=number + 1)
    world.task(TaskState.RUNNING, run_key, "other pool", pool="small", pool_slots=3)
    pools = [Pool(name, 9, is_counted) for name in ("default_pool", "small", "empty") for is_counted in (True, False)]

    with store.begin() as tx:
        in_use = tx.queue.slots_in_use(JOB)

        for pool in pools:
            assert in_use.of(pool) == tx.queue.occupied_slots(pool.name, include_deferred=pool.include_deferred)
    assert in_use.by_pool["small"] == (3, 0)
    assert in_use.by_pool["default_pool"][1] > 0


def test_a_survey_is_both_looks_at_once(world: World, store: Database) -> None:
    run_key = world.running()
    for number, name in enumerate(("low", "high", "middle")):
        world.task(TaskState.SCHEDULED, run_key, name, priority_weight=(1, 9, 5)[number], turn=number)
    world.task(TaskState.SCHEDULED, run_key, "large", priority_weight=7, pool_slots=4)
    world.task(TaskState.SCHEDULED, run_key, "elsewhere", pool="small")

    with store.begin() as tx:
        idle = tx.queue.survey(JOB, "default_pool", 9)
        assert idle == (tx.queue.slots_in_use(JOB), tx.queue.waiting("default_pool", 9))
    for name, pool in (("busy", "default_pool"), ("other", "small")):
        world.task(TaskState.RUNNING, run_key, name, pool=pool, pool_slots=2)

    with store.begin() as tx:
        in_use, head = tx.queue.survey(JOB, "default_pool", 2, most_slots=3)
        assert in_use == tx.queue.slots_in_use(JOB)
        assert tx.queue.survey(JOB, "no such pool", 2) == (in_use, [])

    assert (in_use.held, in_use.by_pool) == (2, {"default_pool": (2, 0), "small": (2, 0)})
    assert _names(head) == ["high", "middle"]
    assert _names(idle[1]) == ["high", "large", "middle", "low"]


def test_slots_in_use_tell_what_this_scheduler_handed_out(world: World, store: Database) -> None:
    """`parallelism` counts these, whatever pool they are in (B4)."""
    run_key = world.running()
    world.task(TaskState.RUNNING, run_key, "a")
    world.task(TaskState.QUEUED, run_key, "b")
    world.task(TaskState.SUCCESS, run_key, "c")
    world.task(TaskState.RUNNING, run_key, "d", job=OTHER_JOB)
    world.task(TaskState.RUNNING, run_key, "e", pool="small")
    world.task(TaskState.DEFERRED, run_key, "f")

    with store.begin() as tx:
        assert [tx.queue.slots_in_use(job).held for job in (JOB, OTHER_JOB, JobKey(9))] == [3, 1, 0]


def test_admit_counts_the_attempt_up_and_takes_only_what_still_waits(world: World, store: Database) -> None:
    """The new attempt is the fencing token of whoever runs it (A2)."""
    run_key = world.running()
    tasks = [new_task(run_key, name) for name in ("waiting", "held", "gone", "other attempt")]
    world.tasks(tasks)
    with store.begin() as tx:
        tx.tasks.hold([TaskKey(run_key, "held")])
        tx.queue.admit([candidate(tasks[2])], OTHER_JOB, NOW)

    with store.begin() as tx:
        wanted = [candidate(task) for task in tasks[:3]] + [candidate(tasks[3], attempt=5)]
        admitted = tx.queue.admit(wanted, JOB, NOW + minutes(1))
        assert tx.queue.admit([], JOB, NOW) == set()

    assert admitted == {TaskKey(run_key, "waiting")}
    task = world.instance(TaskKey(run_key, "waiting"))
    assert (task.state, task.attempt, task.queued_by, task.queued_at) == (TaskState.QUEUED, 1, JOB, NOW + minutes(1))
    assert world.instance(TaskKey(run_key, "gone")).queued_by == OTHER_JOB
    assert world.state(TaskKey(run_key, "other attempt")) is TaskState.SCHEDULED


def test_admit_again_forgets_the_worker_of_the_last_attempt(world: World, store: Database) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.UP_FOR_RETRY, run_key)
    move = TaskAdvance(*attempt, "up_for_retry", "scheduled", 2, None, 0)
    with store.begin() as tx:
        tx.tasks.advance([move], NOW)
        (again,) = tx.queue.waiting("default_pool", 1)
        assert tx.queue.admit([again], JOB, NOW) == {attempt.task}

    task = world.instance(attempt)
    assert (task.attempt, task.try_number, task.hostname, task.pid, task.heartbeat_at) == (2, 2, None, None, None)


def test_requeue_gives_back_only_what_is_queued_at_that_attempt(world: World, store: Database) -> None:
    run_key = world.running()
    queued = world.task(TaskState.QUEUED, run_key, "queued")
    old = world.task(TaskState.QUEUED, run_key, "old")._replace(attempt=0)
    running = world.task(TaskState.RUNNING, run_key, "running")

    with store.begin() as tx:
        assert tx.queue.requeue([queued, old, running]) == {queued.task}
        assert tx.queue.requeue([queued]) == set()
        assert tx.queue.requeue([]) == set()

    task = world.instance(queued)
    assert (task.state, task.attempt, task.queued_by, task.requeues) == (TaskState.SCHEDULED, 1, None, 1)


def test_what_a_paused_dag_gets_back_is_held_until_it_goes_on(world: World, store: Database) -> None:
    attempt = world.task(TaskState.QUEUED, world.running())
    with store.begin() as tx:
        tx.dags.set_paused("sales", True)

        assert tx.queue.requeue([attempt]) == {attempt.task}
        assert tx.queue.waiting("default_pool", 9) == []

    assert world.instance(attempt).held_by is HeldBy.DAG_PAUSED


def test_requeues_are_counted_until_the_task_starts(world: World, store: Database) -> None:
    run_key = world.running()
    task = new_task(run_key)
    world.tasks([task])
    for number in range(3):
        with store.begin() as tx:
            tx.queue.admit([candidate(task, attempt=number)], JOB, NOW)
            tx.queue.requeue([AttemptKey(run_key, "load", -1, number + 1)])

    assert world.instance(TaskKey(run_key, "load")).requeues == 3


def test_adopt_takes_over_only_from_the_job_that_had_it(world: World, store: Database) -> None:
    """Two schedulers that both find a third one dead take each task over once (A2)."""
    run_key = world.running()
    attempts = [world.task(TaskState.RUNNING, run_key, name) for name in ("a", "b", "c")]
    deferred = world.task(TaskState.DEFERRED, run_key, "deferred")
    done = world.task(TaskState.SUCCESS, run_key, "done")

    with store.begin() as tx:
        assert tx.queue.adopt([(attempts[0], JOB)], OTHER_JOB) == {attempts[0].task}
        late = [(attempt, JOB) for attempt in (*attempts[:2], attempts[2]._replace(attempt=9), deferred, done)]
        assert tx.queue.adopt(late, JobKey(9)) == {attempts[1].task, deferred.task}
        assert tx.queue.adopt([], JobKey(9)) == set()

    assert [world.instance(attempt).queued_by for attempt in attempts] == [OTHER_JOB, 9, JOB]


def test_queued_work_is_what_no_worker_has_begun(world: World, store: Database) -> None:
    run_key = world.running()
    attempt = world.task(TaskState.QUEUED, run_key, "mine", queue="gpu", executor="celery", priority_weight=4)
    world.task(TaskState.RUNNING, run_key, "begun")
    world.task(TaskState.QUEUED, run_key, "theirs", job=OTHER_JOB)

    with store.begin() as tx:
        assert tx.queue.queued_work(JOB) == [WorkItem(attempt, "sales", "gpu", 1, 4, "celery")]
        assert tx.queue.queued_work(JobKey(9)) == []


def test_held_by_dead_is_what_no_live_scheduler_answers_for(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.RUNNING, run_key, "of the living")
    world.task(TaskState.RUNNING, run_key, "running", job=OTHER_JOB)
    world.task(TaskState.QUEUED, run_key, "queued", job=OTHER_JOB)
    world.task(TaskState.SUCCESS, run_key, "done", job=OTHER_JOB)

    with store.begin() as tx:
        assert {task.task_id for task in tx.queue.held_by_dead([JOB])} == {"running", "queued"}
        assert {task.task_id for task in tx.queue.held_by_dead([])} == {"running", "queued", "of the living"}
        assert tx.queue.held_by_dead([JOB, OTHER_JOB]) == []


def test_queued_before_finds_what_was_forgotten(world: World, store: Database) -> None:
    run_key = world.running()
    world.task(TaskState.QUEUED, run_key, "forgotten", at=NOW - minutes(10))
    world.task(TaskState.QUEUED, run_key, "just queued")
    world.task(TaskState.RUNNING, run_key, "begun", at=NOW - minutes(10))

    with store.begin() as tx:
        assert [task.task_id for task in tx.queue.queued_before(NOW)] == ["forgotten"]


def test_a_candidate_of_a_run_that_is_gone_is_not_admitted(world: World, store: Database) -> None:
    run_key = world.running()
    task = new_task(run_key)
    world.tasks([task])
    with store.begin() as tx:
        tx.runs.delete(run_key)

        assert tx.queue.admit([candidate(task), candidate(new_task(RunKey(10**12)))], JOB, NOW) == set()


def test_a_held_instance_does_not_wait_whatever_holds_it(world: World, store: Database) -> None:
    run_key = world.running()
    moves = [
        TaskAdvance(run_key, held.value, -1, 0, "none", "scheduled", 1, held.value, number)
        for number, held in enumerate(HeldBy)
    ]
    with store.begin() as tx:
        tx.tasks.create([new_task(run_key, held.value) for held in HeldBy])
        assert len(tx.tasks.advance(moves, NOW)) == len(HeldBy)

        assert tx.queue.waiting("default_pool", 10) == []
        assert tx.queue.pools_waited_for() == {}
