"""Tasks that tell of the process they run in, and wait in it for a word of the test."""

import os
import time
from pathlib import Path

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, task

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))


def note(name: str, text: object) -> None:
    """Write something down for the test."""
    with (FOLDER / name).open("a") as file:
        file.write(f"{text}\n")


def wait(ti) -> None:
    """Until the test says so."""
    note(f"{ti.run_id} {ti.task_id}", os.getpid())
    while not (FOLDER / f"{ti.run_id} go").exists():
        time.sleep(0.01)


class Mournful(PythonOperator):
    """Writes down that it was told to stop."""

    def on_kill(self):
        note(f"on_kill of {self.task_id}", os.getpid())


def mourn(context):
    """Callbacks are called for what was stopped, too."""
    note("mourned", f"{context['ti'].task_id} {context['exception']}")


with DAG("held", schedule=None):
    task(task_id="hold")(lambda ti=None: wait(ti))()

with DAG("stopped", schedule=None, default_args={"on_failure_callback": mourn}):
    Mournful(task_id="python", python_callable=wait)
    BashOperator(
        task_id="bash",
        bash_command='sleep 600 & echo $! > "$PID_FILE.part"; mv "$PID_FILE.part" "$PID_FILE"; wait',
        env={"PID_FILE": str(FOLDER / "bash.pid")},
        append_env=True,
    )

with DAG("of_executors", schedule=None):

    @task
    def tells_of_its_worker(task=None) -> list:
        time.sleep(0.1)
        return [os.getsid(0) == os.getpid(), task.executor, task.queue, task.executor_config]

    for number in range(4):
        tells_of_its_worker.override(task_id=f"one_{number}", executor="SequentialExecutor")()
        tells_of_its_worker.override(task_id=f"many_{number}")()
    tells_of_its_worker.override(task_id="special", queue="gpu", executor_config={"max_memory": "1 GB", "x": [1]})()

with DAG("busy", schedule=None):

    @task
    def uses_much() -> int:
        eaten = bytearray(150_000_000)
        while time.process_time() < 0.5:
            pass
        return len(eaten)

    @task
    def uses_little() -> None:
        pass

    @task.bash
    def lets_another_work() -> str:
        return "python3 -c 'import time\nwhile time.process_time() < 0.4: pass'"

    uses_much(), uses_little(), lets_another_work()
