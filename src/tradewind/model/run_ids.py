"""What runs are called: `<run type>__<run_after>`, and which names people may give them."""

import re
from datetime import UTC, datetime

from tradewind.model.states import RunType

RUN_ID_SUFFIX_LENGTH = 8
LONGEST_RUN_ID = 250
DEFAULT_RUN_ID_PATTERN = r"^[A-Za-z0-9_.~:+-]+$"

_SUFFIX = re.compile(rf"[A-Za-z0-9]{{{RUN_ID_SUFFIX_LENGTH}}}")
_GENERATED = re.compile(
    rf"(?:{'|'.join(RunType)})__\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{6}})?\+00:00(?:_{_SUFFIX.pattern})?"
)
_IN_RUN_IDS = re.compile(r"[A-Za-z0-9_.~:+-]{1,150}")
_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")


class InvalidRunId(ValueError):
    """A run id that may not be used."""

    def __init__(self, run_id: str, reason: str) -> None:
        super().__init__(f"run id {run_id!r} {reason}")
        self.run_id = run_id
        self.reason = reason


def new_run_id(
    run_type: RunType,
    run_after: datetime,
    *,
    logical_date: datetime | None,
    suffix: str | None = None,
    partition_key: str | None = None,
) -> str:
    """The id of a run that nobody named. A partition is named in it where its key may stand in ids.

    Without a logical date, two runs may be due at the same instant: there `suffix`, eight random letters and
    digits, tells them apart. It is a parameter because nothing in `model` throws dice.
    """
    if run_after.tzinfo is None:
        raise ValueError(f"run_after {run_after.isoformat()} has no time zone")
    run_id = f"{run_type}__{run_after.astimezone(UTC).isoformat()}"
    if logical_date is not None:
        return run_id
    if suffix is None or _SUFFIX.fullmatch(suffix) is None:
        raise ValueError(f"a run without a logical date needs a suffix of eight characters, not {suffix!r}")
    if partition_key is not None and _IN_RUN_IDS.fullmatch(partition_key) and ".." not in partition_key:
        return f"{run_id}__{partition_key}__{suffix}"
    return f"{run_id}_{suffix}"


def run_type_of(run_id: str) -> RunType:
    """The type whose prefix the id has; without any it was made by hand."""
    for run_type in RunType:
        if run_id.startswith(f"{run_type}__"):
            return run_type
    return RunType.MANUAL


def check_run_id(run_id: str, *, run_type: RunType = RunType.MANUAL, pattern: str = DEFAULT_RUN_ID_PATTERN) -> str:
    """The id itself, if a person may use it for a run of that type; `InvalidRunId` with the reason if not.

    `pattern` is `[scheduler] allowed_run_id_pattern`, matched from the start as Airflow does; an empty one
    allows nothing but ids of the form that we make ourselves.
    """
    if not run_id:
        raise InvalidRunId(run_id, "is empty")
    if len(run_id) > LONGEST_RUN_ID:
        raise InvalidRunId(run_id, f"is longer than {LONGEST_RUN_ID} characters")
    # Ids become folder names of logs; and `$` in a pattern would let a line break at the end pass.
    if ".." in run_id:
        raise InvalidRunId(run_id, "must not contain '..'")
    if _CONTROL_CHARACTER.search(run_id):
        raise InvalidRunId(run_id, "must not contain control characters")
    if not _GENERATED.fullmatch(run_id) and not (pattern and re.match(pattern, run_id)):
        raise InvalidRunId(run_id, f"does not match {pattern!r}")
    owner = run_type_of(run_id)
    if run_type is RunType.MANUAL and owner is not RunType.MANUAL:
        raise InvalidRunId(run_id, f"begins like that of a run of type {owner}; a manual run may not")
    return run_id
