"""The version of Airflow whose names and behaviour are offered: what provider packages compare with."""

from typing import Final

version: Final = "3.3.2"
sdk_version: Final = "1.3.2"
standard_version: Final = "1.21.0"

AIRFLOW_V_3_0_PLUS: Final = True
AIRFLOW_V_3_1_PLUS: Final = True
AIRFLOW_V_3_1_3_PLUS: Final = True
AIRFLOW_V_3_2_PLUS: Final = True
AIRFLOW_V_3_3_PLUS: Final = True


def get_base_airflow_version_tuple() -> tuple[int, int, int]:
    """The version as numbers."""
    major, minor, micro = map(int, version.split("."))
    return major, minor, micro
