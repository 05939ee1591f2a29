"""Take over what a deployment of Airflow has: read from its database, compared with ours, and copied if so chosen.

What is told without copying is decided by the very code that copies: a dry run leaves out nothing but the writing.
"""
