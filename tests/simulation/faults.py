"""Which faults happen, and how often."""

from collections import Counter
from random import Random

RATES = {
    # Per transaction.
    "crash before commit": 0.006,
    "crash after commit": 0.006,
    "conflict": 0.015,
    "conflict at commit": 0.012,
    "outage": 0.002,
    "commit without an answer": 0.008,
    "pause": 0.01,
    # Per message.
    "request lost": 0.06,
    "reply lost": 0.06,
    "message late": 0.1,
    "message doubled": 0.1,
    "submit lost": 0.08,
    "submit doubled": 0.12,
    "submit late": 0.12,
    "revoke lost": 0.2,
    "wake-up lost": 0.1,
    # Per second of the life of a worker, a scheduler, a triggerer.
    "worker crash": 0.01,
    "worker pause": 0.012,
    "worker cut off": 0.012,
    "clock jump": 0.008,
    "scheduler restart": 0.004,
    "triggerer restart": 0.008,
    "triggerer pause": 0.012,
    "runner crash": 0.01,
    "runner blocked": 0.01,
    # Per event of a trigger.
    "event doubled": 0.2,
}
"""Chances where a seed has the fault at its usual strength."""


class Faults:
    """Throws the dice and counts. Each seed leaves some faults out and makes others frequent: what needs two faults of
    one kind close together, and none of another, would never come up if all were always equally likely."""

    def __init__(self, rng: Random, *, is_calm: bool) -> None:
        self._rng = rng
        self.counts: Counter[str] = Counter()
        self.is_active = not is_calm
        self.rates = {name: rate * rng.choice((0, 0, 0.5, 1, 1, 4)) for name, rate in RATES.items()}

    def hit(self, name: str) -> bool:
        """Whether this fault happens here and now."""
        if not self.is_active or self._rng.random() >= self.rates[name]:
            return False
        self.counts[name] += 1
        return True
