"""Deterministic simulation: the real scheduler, operations and storage code, in virtual time, with faults.

    python -m tests.simulation --seeds 10000 --first 1        many seeds; ends with one line, exit code 1 if any failed
    python -m tests.simulation --seeds 1 --first 4711 --verbose    replay one, with everything that happened

What is real: `scheduler`, `triggerer`, `operations`, `decide`, `storage` on an in-memory SQLite, and `runtime.service`.
What is simulated: time, processes (greenlets), the network, executors and workers, the runners of triggers, and people
who clear, mark, pause and trigger. One thread, one seed: the same seed is the same run, whatever PYTHONHASHSEED is.

SQLite has one writer, so its transactions run one after another: switching before each BEGIN and after each COMMIT,
and wherever somebody waits, reaches every order of events that there can be.

Start reading at `simulate.py` (one seed from beginning to end), then:

- `kernel.py`      virtual time, processes and their fibers, the order in which they go on
- `faults.py`      which faults happen, how often; each seed has a mixture of its own
- `store.py`       the database as one process sees it: switching, crashes, conflicts, outages
- `scenario.py`, `random_dag.py`   what a seed is about: DAGs, runs, pools, settings
- `cluster.py`     executors, the messages to workers, the workers
- `attempt.py`     one worker with one attempt: start, heartbeats, lease, the end
- `outcome.py`     the oracle: what the code of a task does, and what a trigger says
- `triggerers.py`  triggerers, and runners whose triggers fire in virtual time
- `people.py`      what people do meanwhile
- `asset_plan.py`, `assets.py`   updates of assets and ticks that wait for them, with their invariants (13, 14)
- `mirror.py`      every state change that was committed, read from triggers inside SQLite
- `watch.py`       the invariants that hold at each commit
- `waiting.py`     those of tasks that wait, and of who has their triggers
- `truth.py`       what really runs, as opposed to what the database believes
- `reference.py`   the trigger rules once more, brute force, sharing no code with `decide`
- `verdict.py`     the invariants of the end: nothing is stuck, nothing contradicts the rules
- `mutations.py`   guards that can be removed, to prove that the simulation would notice

The invariants:

1. At most one live attempt per task instance. Live: executing, with a lease (the last accepted heartbeat, by the
   worker's own monotonic clock) that has not run out. Only an attempt that was taken away by a person or by the end of
   its run may live on until its next heartbeat tells it so.
2. At most one execution per try, unless it was deferred or rescheduled.
3. Every write of a state is in `decide.transitions`, and one that this kind of process may do. None leaves a final
   state but by a person (or by a mapping that grows again). Attempt and try numbers never go back.
4. Limits hold at each commit: pool slots, max_active_tasks, max_active_tis_per_dag, max_active_tis_per_dagrun,
   max_active_runs, parallelism. (A pool that a person made smaller may drain; nothing may be admitted to it.)
5. Strict priority: nobody is admitted to a pool past somebody more urgent who could have been.
6. A paused DAG starts no run and no task. A run ends only when its tasks have, as its leaves say.
7. What a worker reported, and was told is accepted, is what the database says.
8. No duty of a scheduler raises, and no sound DAG is fenced off.
9. Once faults and people stop, every run ends in bounded time, unless it waits for a failed run before it. Every run
   that a catch-up timetable owes is there.
10. The final states are ones that the reference allows, and for a calm seed (no faults, no people) they are the same
    with one scheduler and with three.
11. A task that waits has a trigger, and what it goes on with. A trigger is deleted only when its task does not wait any
    more, claimed only while it is free, by a triggerer that lives, and taken only from one that does not. A triggerer
    is buried only after it was silent for as long as it may be.
12. A task goes on once for each time it waited, with the very event that its own trigger said, or with the error that
    it has earned: the trigger failed, or the time was over. A new try begins anew. In the end no trigger is left.
"""
