"""In these tests Tradewind answers for Airflow."""

from tradewind.compat import install

install()
