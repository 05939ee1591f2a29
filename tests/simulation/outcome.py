"""What the user's code will do: the oracle of outcomes."""

from dataclasses import dataclass
from datetime import timedelta
from random import Random

from tests.simulation.asking import Ask, asking_weight, draw_ask

_KINDS = {"succeed": 70, "fail": 12, "fail for good": 3, "skip": 4, "reschedule": 4}
_ENDINGS = {"event": 12, "error": 2, "never": 2, "success": 2, "failed": 2, "skipped": 1}


@dataclass(frozen=True, slots=True)
class Wait:
    """What a task that defers waits for."""

    ending: str
    """What its trigger says in the end; never: nothing."""
    fires_after_s: float
    timeout: timedelta | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the user's code will do."""

    kind: str
    duration_s: float
    map_length: int | None
    skips: tuple[str, ...]
    delay_s: float
    wait: Wait
    ask: Ask


def draw_outcome(seed: int, place: str, downstream: tuple[str, ...], deferral_weight: int, *, is_calm: bool) -> Outcome:
    """The same for the same place (run, task, map index, try, visit), however the schedulers interleave."""
    rng = Random(f"{seed} {place}")
    longest_s = (30, 30, 30, 90)[seed % 4]
    weights = (*_KINDS.values(), deferral_weight, asking_weight(seed))
    (kind,) = rng.choices((*_KINDS, "defer", "ask"), weights)
    skips = tuple(name for name in downstream if rng.random() < 0.5) if rng.random() < 0.12 else ()
    return Outcome(
        kind=kind,
        duration_s=rng.choice((0.05, 1.0, 3.0, 7.0, 14.0, longest_s * rng.random())),
        map_length=rng.choice((0, 1, 2, 3, 3, None)),
        skips=skips,
        delay_s=rng.choice((0.5, 2.0, 6.0)),
        wait=_draw_wait(rng, is_calm=is_calm),
        ask=draw_ask(seed, place),
    )


def _draw_wait(rng: Random, *, is_calm: bool) -> Wait:
    (ending,) = rng.choices(tuple(_ENDINGS), tuple(_ENDINGS.values()))
    fires_after_s = rng.choice((0.0, 0.5, 3.0, 12.0, 40.0))
    # In a calm seed it must not depend on who is faster whether it times out. In all others they are to meet.
    times_out = ending == "never" or (not is_calm and rng.random() < 0.4)
    timeout_s = max(0.5, fires_after_s + rng.choice((-1.0, 0.0, 0.02, 0.5, 5.0)))
    return Wait(ending, fires_after_s, timedelta(seconds=timeout_s) if times_out else None)
