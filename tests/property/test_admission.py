"""Admission, for any queues and any limits (B4 B5)."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.decide.runs import candidate
from tradewind.decide.admission import Admission, Capacity, HoldReason, PoolQueue, admit
from tradewind.model.task import Candidate

POOLS = ("p", "q", "r")
EXECUTORS = (None, "main", "side", "ghost")
OWN_LIMITS = {HoldReason.EXECUTOR_FULL, HoldReason.EXECUTOR_MISSING, HoldReason.MAX_ACTIVE_PER_DAG}


@st.composite
def waiting(draw: st.DrawFn, pool: str) -> list[Candidate]:
    """A pool's queue, most urgent first."""
    tasks = [
        candidate(
            draw(st.sampled_from("xyz")),
            pool=pool,
            map_index=number,
            dag_id=draw(st.sampled_from(["one", "two"])),
            pool_slots=draw(st.integers(1, 3)),
            priority_weight=draw(st.integers(1, 3)),
            executor=draw(st.sampled_from(EXECUTORS)),
        )
        for number in range(draw(st.integers(0, 6)))
    ]
    limits = {"x": 1, "y": 2, "z": None}
    tasks = [task._replace(max_active_per_dag=limits[task.task_id]) for task in tasks]
    return sorted(tasks, key=lambda task: -task.priority_weight)


class Round:
    """The same queues and limits before and after."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.queues = {pool: draw(waiting(pool)) for pool in POOLS}
        self.free = {pool: draw(st.integers(0, 6) | st.none()) for pool in POOLS}
        self.parallelism = draw(st.integers(0, 10))
        self.executors = {"main": draw(st.integers(0, 5)), "side": draw(st.integers(0, 3))}
        self.active = {(dag, task): draw(st.integers(0, 1)) for dag in ("one", "two") for task in "xy"}
        self.capacity = Capacity(self.parallelism, dict(self.executors), "main", dict(self.active))
        self.left = [PoolQueue(pool, self.queues[pool], self.free[pool]) for pool in POOLS]
        self.admission: Admission = admit(self.left, self.capacity)

    def executor(self, task: Candidate) -> str:
        return task.executor or "main"

    def could_go_now(self, task: Candidate) -> bool:
        """Whether the task would fit into what is left over, by the plain words of the limits."""
        admitted = self.admission.admitted
        used = sum(each.pool_slots for each in admitted if each.pool == task.pool)
        free = self.free[task.pool]
        same = sum((each.dag_id, each.task_id) == (task.dag_id, task.task_id) for each in admitted)
        active = self.active.get((task.dag_id, task.task_id), 0) + same
        by_executor = Counter(map(self.executor, admitted))
        return (
            len(admitted) < self.parallelism
            and (free is None or used + task.pool_slots <= free)
            and by_executor[self.executor(task)] < self.executors.get(self.executor(task), 0)
            and (task.max_active_per_dag is None or active < task.max_active_per_dag)
        )


rounds = st.composite(Round)()


@given(rounds)
def test_no_limit_is_ever_exceeded(game: Round) -> None:
    """B4."""
    admitted = game.admission.admitted
    assert len(admitted) <= game.parallelism
    for pool in POOLS:
        free = game.free[pool]
        assert free is None or sum(task.pool_slots for task in admitted if task.pool == pool) <= free
    for name, count in Counter(map(game.executor, admitted)).items():
        assert count <= game.executors[name]
    for key, count in Counter((task.dag_id, task.task_id) for task in admitted).items():
        limit = {"x": 1, "y": 2, "z": None}[key[1]]
        assert limit is None or game.active.get(key, 0) + count <= limit


@given(rounds)
def test_nobody_is_admitted_twice_or_out_of_nowhere(game: Round) -> None:
    admitted = [(task.pool, task.map_index) for task in game.admission.admitted]

    assert len(admitted) == len(set(admitted))
    assert all(task in game.queues[task.pool] for task in game.admission.admitted)


@given(rounds)
def test_within_a_pool_only_a_limit_of_its_own_lets_others_pass(game: Round) -> None:
    """B5: whoever stands before an admitted task was admitted too, or is held back by what concerns it alone."""
    reasons = {(task.pool, task.map_index): reason for task, reason in game.admission.held}
    for queue in game.queues.values():
        positions = [number for number, task in enumerate(queue) if task in game.admission.admitted]
        for task in queue[: max(positions, default=0)]:
            if task not in game.admission.admitted:
                assert reasons[task.pool, task.map_index] in OWN_LIMITS


@given(rounds)
def test_the_head_that_waits_is_never_less_urgent_than_what_went_in_its_pool(game: Round) -> None:
    """B5: strict priority."""
    for queue in game.queues.values():
        went = [task.priority_weight for task in queue if task in game.admission.admitted]
        waits = [
            task.priority_weight for task in queue if task not in game.admission.admitted and game.could_go_now(task)
        ]
        assert not went or not waits or max(waits) <= min(went)


@given(rounds)
def test_nothing_that_could_go_is_left_behind_without_a_more_urgent_one_before_it(game: Round) -> None:
    """Work-conserving: what fits waits only behind the head of its own pool, which needs more slots."""
    reasons = {(task.pool, task.map_index): reason for task, reason in game.admission.held}
    for queue in game.queues.values():
        blocked = False
        for task in queue:
            if task in game.admission.admitted:
                continue
            assert blocked or not game.could_go_now(task)
            blocked = blocked or reasons.get((task.pool, task.map_index)) is HoldReason.POOL_FULL


@given(rounds)
def test_everyone_looked_at_is_admitted_or_has_a_reason(game: Round) -> None:
    admitted = {(task.pool, task.map_index) for task in game.admission.admitted}
    held = {(task.pool, task.map_index) for task, _ in game.admission.held}
    assert not admitted & held
    stops = {HoldReason.POOL_FULL, HoldReason.PARALLELISM}
    for pool, queue in game.queues.items():
        stopped = False
        for task in queue:
            known = (pool, task.map_index) in admitted | held
            assert known or stopped
            stopped = stopped or any(each == task and reason in stops for each, reason in game.admission.held)


@given(rounds)
def test_what_is_left_over_is_what_was_there_less_what_went(game: Round) -> None:
    admitted = game.admission.admitted
    assert game.capacity.parallelism == game.parallelism - len(admitted)
    for queue in game.left:
        used = sum(task.pool_slots for task in admitted if task.pool == queue.pool)
        before = game.free[queue.pool]
        assert queue.free == (None if before is None else before - used)
