"""Airflow's paths: the table, the modules made of it, and what stands in for what Tradewind has not."""
