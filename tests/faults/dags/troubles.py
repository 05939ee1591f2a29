"""Tasks that do what no task should."""

import contextlib
import ctypes
import logging
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path

from airflow.providers.standard.operators.python import PythonOperator
from airflow.sdk import DAG, Variable, get_current_context, task
from airflow.sdk.exceptions import AirflowException, AirflowSkipException
from airflow.sdk.log import mask_secret

FOLDER = Path(os.environ.get("ACCEPTANCE_FOLDER", "/nonexistent"))


class Unknown(BaseException):
    """Nobody expects it."""


def note(name: str, text: object) -> None:
    """Write something down for the test."""
    with (FOLDER / name).open("a") as file:
        file.write(f"{text}\n")


with DAG("endings", schedule=None):

    @task
    def kills_itself() -> None:
        print("last words")
        os.kill(os.getpid(), signal.SIGKILL)

    @task
    def crashes() -> None:
        ctypes.string_at(0)

    @task
    def aborts() -> None:
        os.abort()

    @task
    def leaves_without_a_word() -> None:
        os._exit(0)

    @task
    def leaves_with_a_code() -> None:
        os._exit(3)

    @task
    def exits() -> None:
        sys.exit(5)

    @task
    def raises_the_unknown() -> None:
        raise Unknown("what is this")

    @task
    def interrupts_itself() -> None:
        signal.raise_signal(signal.SIGINT)

    @task
    def terminates_itself() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)

    @task
    def returns_the_unstorable() -> object:
        return threading.Lock()

    @task
    def closes_its_pipes() -> None:
        os.closerange(0, 1024)

    @task
    def closes_its_pipes_and_stays() -> None:
        os.closerange(0, 1024)
        time.sleep(600)

    @task
    def talks_nonsense_to_its_supervisor() -> None:
        for descriptor in range(3, 20):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"\xff" * 64)
        time.sleep(600)

    kills_itself(), crashes(), aborts(), leaves_without_a_word(), leaves_with_a_code(), exits(), raises_the_unknown()
    interrupts_itself(), terminates_itself(), returns_the_unstorable(), closes_its_pipes(), closes_its_pipes_and_stays()
    talks_nonsense_to_its_supervisor()

with DAG("leftovers", schedule=None):

    def ask(number: int) -> str:
        """Ask the engine, from another process than that of the task."""
        try:
            return Variable.get(f"variable_{number % 3}", default="none")
        except AirflowException as error:
            mask_secret("a secret of a copy")
            return str(error)

    def stay(name: str) -> None:
        """A process that would stay for long."""
        note(f"left by {name}", os.getpid())
        time.sleep(600)
        os._exit(0)

    @task
    def forks() -> str:
        if os.fork() == 0:
            stay("forks")
        return "of the task"

    @task
    def forks_and_both_return() -> str:
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
        return "of the task" if pid else "of the copy"

    @task
    def daemonizes() -> str:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 1024)
                stay("daemonizes")
            os._exit(0)
        os.wait()
        return "of the task"

    @task
    def starts_a_program_in_a_session_of_its_own() -> str:
        program = subprocess.Popen(["sleep", "600"], start_new_session=True)
        note("left by starts_a_program_in_a_session_of_its_own", program.pid)
        return "of the task"

    @task
    def leaves_processes_to_a_killed_task() -> str:
        if os.fork() == 0:
            os.setsid()
            stay("leaves_processes_to_a_killed_task")
        os.kill(os.getpid(), signal.SIGKILL)
        return "of the task"

    @task
    def has_others_work_for_it() -> list:
        with multiprocessing.get_context("fork").Pool(3) as pool:
            return pool.map(str.upper, ["a", "b", "c"])

    @task
    def lets_others_ask_for_it() -> list:
        with multiprocessing.get_context("fork").Pool(3) as pool:
            return pool.map(ask, range(9))

    @task
    def lets_a_copy_print_and_log() -> str:

        pid = os.fork()
        if pid == 0:
            for number in range(200):
                logging.getLogger("of the copy").info("line %d %s", number, "x" * 2000)
            os._exit(0)
        for number in range(200):
            logging.getLogger("of the task").info("line %d %s", number, "x" * 2000)
        os.waitpid(pid, 0)
        return "of the task"

    forks(), forks_and_both_return(), daemonizes(), starts_a_program_in_a_session_of_its_own()
    leaves_processes_to_a_killed_task(), has_others_work_for_it(), lets_a_copy_print_and_log()
    lets_others_ask_for_it()

with DAG("stubborn", schedule=None):

    def ignore_everything() -> None:
        """Every signal that can be ignored."""
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_IGN)

    @task
    def ignores_signals(ti=None) -> None:
        ignore_everything()
        note(f"{ti.run_id} is stubborn", os.getpid())
        while True:
            time.sleep(1)

    ignores_signals()

with DAG("slow", schedule=None):

    @task(execution_timeout=timedelta(seconds=0.5))
    def takes_too_long() -> None:
        time.sleep(600)

    @task(execution_timeout=timedelta(seconds=0.5))
    def takes_too_long_and_ignores_it() -> None:
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        time.sleep(600)

    takes_too_long(), takes_too_long_and_ignores_it()

with DAG("hungry", schedule=None):

    @task(executor_config={"max_memory": "300 MB"})
    def eats_memory() -> None:
        eaten = []
        while True:
            eaten.append(bytearray(10_000_000))
            time.sleep(0.01)

    @task(executor_config={"max_memory": "300 MB"})
    def lets_another_eat() -> None:
        code = "eaten = bytearray(600_000_000); import time; time.sleep(600)"
        subprocess.run([sys.executable, "-c", code], check=True)

    @task
    def finds_no_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000, 2_000_000_000))
        bytearray(4_000_000_000)

    eats_memory(), lets_another_eat(), finds_no_memory()

with DAG("talkative", schedule=None):

    @task
    def prints_without_end() -> str:
        size = int((FOLDER / "print so much").read_text())
        subprocess.run(["sh", "-c", f"yes 'all work and no play' | head -c {size}"], check=True)
        return "done"

    prints_without_end()

with DAG("voluminous", schedule=None):

    @task
    def returns_much() -> str:
        return "x" * 100_000_000

    @task
    def takes_much(given: str) -> int:
        return len(given)

    takes_much(returns_much())

with DAG("logging_in_vain", schedule=None):

    @task
    def logs() -> str:
        for number in range(1000):
            print("line", number, "x" * 1000)
        return "done"

    logs()

with DAG("hostile", schedule=None, user_defined_macros={"odd": lambda: "nothing \x00 and half \ud800"}):

    @task
    def raises_what_no_database_can_store() -> None:
        raise ValueError("nothing \x00 and half \ud800 of something")

    @task
    def skips_for_what_no_database_can_store() -> None:
        raise AirflowSkipException("nothing \x00 and half \ud800 of something")

    @task
    def pushes_under_an_odd_name(ti=None) -> None:
        ti.xcom_push("nothing \x00 in it", 1)

    @task
    def pushes_under_a_long_name(ti=None) -> None:
        ti.xcom_push("x" * 10_000, 1)

    @task
    def asks_for_an_odd_variable() -> str:
        return Variable.get("nothing \x00 and half \ud800", default="none")

    @task
    def returns_odd_texts() -> list:
        return ["nothing \x00", "half \ud800", float("nan"), 10**40]

    @task
    def takes_odd_texts(given: list) -> list:
        return [given[0] == "nothing \x00", given[1] == "half \ud800", str(given[2]), given[3] == 10**40]

    @task
    def logs_odd_texts() -> str:
        print("nothing \x00 and half \ud800 of something")
        logging.getLogger("odd").info("nothing \x00 and half \ud800", extra={"number": 10**40, "thing": object()})
        os.write(1, b"\xff\xfe no text at all\n")
        return "done"

    @task(map_index_template="{{ name }}")
    def has_an_odd_name(number: int) -> None:
        get_current_context()["name"] = "nothing \x00 and half \ud800"

    raises_what_no_database_can_store(), skips_for_what_no_database_can_store(), pushes_under_an_odd_name()
    pushes_under_a_long_name(), asks_for_an_odd_variable(), takes_odd_texts(returns_odd_texts()), logs_odd_texts()
    has_an_odd_name.expand(number=[1])
    PythonOperator(task_id="shows_odd_fields", python_callable=len, op_args=["{{ odd() }}"])
