"""When the next run of a DAG is due, for every kind of timetable. Pure; `now` is always a parameter.

Start reading at `schedule.py`, which knows the kinds. `trigger.py` and `data_interval.py` hold the two rules
of periodic schedules, over a `Grid` of ticks: `cron.py` (a time zone around `model.cron_calendar`) or `delta.py`.
`events.py` and `simple.py` have the rest. Imports `model` only. What a schedule may look like at all is the question of
`model.timetable_check`, since authors want the answer before anything is stored.

Cron is our own and not croniter: a croniter object is changed by asking it, so it cannot be cached and
shared; one step of it costs 40-120 µs, and a decision takes up to five; it reads the clock, it draws random
numbers, and it is untyped. Its language is kept, and a property test compares the two.

Where the results differ from Airflow 3.3 on purpose:

- An every-hour expression that leaves out days (`0 * * * 1`) keeps to its days. Airflow adds the elapsed time
  over a clock change and then fires an hour early or late.
- Where clocks move by half an hour (Lord Howe) an every-hour expression keeps to the minutes that it names.
- Around a clock change no tick depends on the tick from which one looks, so none is lost. Of several readings that the
  clock skips (`*/20 2 * * *`), Airflow's next run after the first is that of the next day.
- Years that are still to come (`0 0 1 * * 0 2030`) are waited for; croniter finds no date before them, and raises.
- A trigger schedule with catchup obeys a start date that was moved past its last run.
- `0 0 13 * 5#3` means the 13th or the third Friday, like all pairs of day fields; croniter drops the 13th. A
  range that wraps keeps its step (`20-3/5` is 20 and 1; croniter says 20 and 2), and a step from the highest
  value stays there (`23/2` is 23; croniter says 0, 2, 4 …). Plain and numbered weekdays may be mixed.
- A day 0 in six fields is refused (croniter reads 1), as are random (`R`) values and dates that never come
  (30 February, over which Airflow's scheduler fails anew in each round).
- Fixed deltas are aligned to the microsecond, not by floating point.
- A partition some ticks before its run is found over a time that the clock skips (`run_offset=-2`). Airflow finds no
  way back there: two runs are about one partition, and none about the two days before.
- Of several cron expressions the next run is chosen by the time it is due. Airflow goes by the logical date, and loses
  the sooner of two runs to come where the expressions have an interval.
"""

from tradewind.decide.timetables.partition import (
    Partition,
    date_of_key,
    partition_of,
    partition_on,
    wall_clock_date,
)
from tradewind.decide.timetables.planned import run_id_named
from tradewind.decide.timetables.schedule import (
    is_custom,
    is_running_out,
    manual_interval,
    names_run,
    next_run,
    parse_schedule,
    upcoming,
    why_no_run,
)
from tradewind.model.invalid_schedule import BadCron, InvalidSchedule, NonPositiveDelta, UnknownTimeZone
from tradewind.model.timetable_check import require_usable

__all__ = [
    "BadCron",
    "InvalidSchedule",
    "NonPositiveDelta",
    "Partition",
    "UnknownTimeZone",
    "date_of_key",
    "is_custom",
    "is_running_out",
    "manual_interval",
    "names_run",
    "next_run",
    "parse_schedule",
    "partition_of",
    "partition_on",
    "require_usable",
    "run_id_named",
    "upcoming",
    "wall_clock_date",
    "why_no_run",
]
