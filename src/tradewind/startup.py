"""Runs at the start of every Python process where Tradewind is installed: `tradewind_startup.pth` imports it.

It makes `python my_dag.py` and pytest find `airflow` where no Airflow is installed. It must cost next to nothing, so
nothing is imported before somebody asks for `airflow`. It stands first in line, not last: provider packages alone
make `airflow` a namespace package that Python would find before. A real Airflow still wins, since the answer for it
is None.
"""

import sys


class AskedForAirflow:
    """The finder that wakes the real one."""

    IS_TRADEWIND = True

    @staticmethod
    def find_spec(fullname: str, *_: object) -> object:
        if fullname != "airflow":
            return None
        from tradewind.compat.finder import find_where_no_airflow_is  # noqa: PLC0415 - only now is it worth the time

        return find_where_no_airflow_is()


if not any(isinstance(finder, AskedForAirflow) for finder in sys.meta_path):
    sys.meta_path.insert(0, AskedForAirflow())  # type: ignore[arg-type]
