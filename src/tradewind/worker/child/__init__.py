"""Processes that run user code, and those that fork them. They never load the database, and know no secret.

- `nursery.py` is the first of them: it has imported the SDK, and forks zygotes.
- `zygote.py` has imported a DAG file (`dag_file.py`), and forks children.
- `attempt.py` is the life of a child: `pipe.py` is its stream to the supervisor, `pipe_runtime.py` what it asks there,
  `output.py` what it prints and logs.
- `forker.py` is what nursery and zygote have in common.

Start reading at `nursery.py`; decision 0009 says why it is so.
"""
