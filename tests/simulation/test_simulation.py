"""Seeds of the simulation, and the proof that it would notice a missing guard."""

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from tests.simulation.__main__ import describe, main
from tests.simulation.faults import RATES
from tests.simulation.mutations import BEGINS_AT, MUTATIONS, OF_WAITING, SEEDS_ENOUGH
from tests.simulation.reference import rule_says
from tests.simulation.scenario import make_scenario
from tests.simulation.simulate import Simulator
from tradewind.decide.trigger_rules import UpstreamCounts, evaluate
from tradewind.model.states import TaskState, TriggerRule

SEEDS = 60
CHUNK = 20


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    """One database for all seeds of this process."""
    return Simulator()


@pytest.mark.parametrize("first", range(1, SEEDS + 1, CHUNK))
def test_no_seed_violates_an_invariant(simulator: Simulator, first: int) -> None:
    for seed in range(first, first + CHUNK):
        report = simulator.run(seed)

        assert report.violation is None, describe(report)


@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(910076, id="DAGs at their limit kept others from starting runs"),
        pytest.param(60009912, id="a task began its next try in a worker instead of with its trigger"),
        pytest.param(910390, id="who was heard of while a scheduler stood still was given up"),
    ],
)
def test_what_a_seed_once_found_is_mended(simulator: Simulator, seed: int) -> None:
    report = simulator.run(seed)

    assert report.violation is None, describe(report)


def test_what_waits_meets_every_fault(simulator: Simulator) -> None:
    """E6, E7: triggerers die, stand still for longer than their lease, lose their runners, and say things twice."""
    scenarios = map(make_scenario, range(1, 1_000))
    seeds = (each.seed for each in scenarios if each.triggerers > 1 and each.deferral_weight > 7 and not each.is_calm)
    met: Counter[str] = Counter()
    for seed in islice(seeds, 16):
        report = simulator.run(seed, verbose=True)
        assert report.violation is None, describe(report)
        met.update(report.faults)
        log = "\n".join(report.log)
        met["triggerer crash"] += len(re.findall(r" t\d+: crashes (?:before|after) a commit", log))
        met["triggerer cut off for longer than its lease"] += len(
            re.findall(r" t\d+: stands still for (?:50|70) s", log)
        )

    wanted = {name for name in RATES if name.startswith(("triggerer", "runner", "event"))}
    wanted |= {"triggerer crash", "triggerer cut off for longer than its lease", "wake-up lost"}
    assert {name for name in wanted if not met[name]} == set()


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_guard_that_is_removed_is_missed(simulator: Simulator, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name](monkeypatch)

    first = BEGINS_AT.get(name, 1)
    seeds = range(first, first + SEEDS_ENOUGH)
    chosen = [seed for seed in seeds if name not in OF_WAITING or make_scenario(seed).deferral_weight > 7]
    violations = (simulator.run(seed).violation for seed in chosen)

    assert next((violation for violation in violations if violation is not None), None) is not None


def test_the_same_seed_is_the_same_run_whatever_the_hash_seed() -> None:
    script = (
        "from tests.simulation.simulate import Simulator; simulator = Simulator();"
        "print([simulator.run(seed).digest for seed in range(1, 4)])"
    )
    root = Path(__file__).parents[2]

    def digests(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        return subprocess.run(
            [sys.executable, "-c", script], cwd=root, env=environment, check=True, capture_output=True, text=True
        ).stdout

    assert digests("1") == digests("2")


def test_the_last_line_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "2", "--first", "3"]) == 0

    last = capsys.readouterr().out.splitlines()[-1]
    assert re.fullmatch(r"2 seeds, \d+ virtual hours, \d+ faults, 0 violations", last)


def test_a_failing_seed_is_shown_with_the_command_that_replays_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    MUTATIONS["pool_not_counted"](monkeypatch)

    assert main(["--seeds", "8", "--first", "1"]) == 1

    shown = capsys.readouterr().out
    assert "slots of the pool" in shown
    assert re.search(r"replay: python -m tests.simulation --seeds 1 --first \d --verbose", shown)
    assert re.search(r", [1-9]\d* violations$", shown.rstrip())


@pytest.mark.parametrize("rule", sorted(set(TriggerRule) - {TriggerRule.ALL_DONE_SETUP_SUCCESS}))
def test_the_reference_and_the_engine_read_every_rule_alike(rule: TriggerRule) -> None:
    """They share no code. All counts of up to two of each end, with and without somebody still at work."""
    states = (TaskState.SUCCESS, TaskState.FAILED, TaskState.UPSTREAM_FAILED, TaskState.SKIPPED)
    for number in range(3**4 * 2):
        counts = [number // 3**place % 3 for place in range(4)]
        pending = number // 3**4
        up = UpstreamCounts()
        for state, amount in zip((*states, TaskState.RUNNING), (*counts, pending), strict=True):
            up.add(state, amount, is_setup=False)

        expected = rule_says(rule, *counts, total=sum(counts) + pending)

        assert evaluate(rule, up).outcome.replace("upstream_fail", "upstream_failed") == expected, counts
