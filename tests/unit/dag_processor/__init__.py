"""The parts of the DAG processor that need no database and no process."""
