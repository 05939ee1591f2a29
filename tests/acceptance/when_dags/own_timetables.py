"""DAGs with timetables that their author wrote: one comes from a plugin, one stands here."""

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable
from shop_calendar import OpenDays

START = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2026, 1, 12, tzinfo=UTC)


class EveryThirdDay(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        last = last_automated_data_interval
        start = restriction.earliest if last is None else last.start + timedelta(days=3)
        return None if start > restriction.latest else DagRunInfo.interval(start, start + timedelta(days=1))

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval.exact(run_after)


with DAG("third_days", schedule=EveryThirdDay(), start_date=START, end_date=END, catchup=True):
    EmptyOperator(task_id="a")

with DAG("open_days", schedule=OpenDays(closed=6), start_date=START, end_date=END, catchup=False):
    EmptyOperator(task_id="a")
