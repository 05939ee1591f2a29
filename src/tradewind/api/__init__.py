"""The web server: who asks from outside.

- `app.py` puts it together; `operation.py` is how a route is declared: what it needs, what it answers.
- `public/` is the REST API of Airflow (`/api/v2`), one module per tag of its document, and what we have beyond it.
- `auth/` says who asks and what they may do; `ui/` serves the web UI; `execution/` serves supervisors elsewhere.
- `errors.py` turns what is refused into answers, `paging.py` what clients say about lists into queries.

Routes parse, call `operations` or read lists, and answer. May import `operations`, `storage.interface` and what those
may; never `sdk`, and never another process.
"""
