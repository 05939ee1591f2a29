"""Commands run in a real bash (D2)."""

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.unit.standard.running import context_of
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.bash_sensor import BashSensor
from tradewind.sdk.standard.subprocess_hook import SubprocessHook


def bash(command: str, **kwargs: Any) -> Any:
    """Run a command as a task."""
    with DAG("commands"):
        task = BashOperator(task_id="command", bash_command=command, **kwargs)
    return task.execute(context_of(task))


def test_the_last_line_is_the_result_and_every_line_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        result = bash("echo first; echo to stderr >&2; echo last")

    assert result == "last"
    assert [m for m in caplog.messages if m in ("first", "to stderr", "last")] == ["first", "to stderr", "last"]


def test_the_result_can_be_processed() -> None:
    assert bash("echo 41", output_processor=lambda line: int(line) + 1) == 42


def test_output_in_another_encoding_is_read() -> None:
    assert bash(r"printf '\xe9t\xe9'", output_encoding="latin-1") == "été"
    assert bash(r"printf '\xff'") == r"\xff"


@pytest.mark.parametrize("skip_on_exit_code", [99, [7, 99], {99}])
def test_some_exit_codes_skip(skip_on_exit_code: Any) -> None:
    with pytest.raises(AirflowSkipException, match="exit code 99"):
        bash("exit 99", skip_on_exit_code=skip_on_exit_code)


@pytest.mark.parametrize(("command", "options"), [("exit 99", {"skip_on_exit_code": None}), ("exit 1", {})])
def test_other_exit_codes_fail(command: str, options: dict[str, Any]) -> None:
    with pytest.raises(AirflowException, match="failed with exit code"):
        bash(command, **options)


def test_the_environment_is_inherited_replaced_or_extended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INHERITED", "yes")
    command = 'echo "${INHERITED:-no} ${OWN:-no}"'

    assert bash(command) == "yes no"
    assert bash(command, env={"OWN": "mine"}) == "no mine"
    assert bash(command, env={"OWN": "mine"}, append_env=True) == "yes mine"


def test_the_command_knows_which_task_it_is() -> None:
    assert bash("echo $AIRFLOW_CTX_DAG_ID $AIRFLOW_CTX_TASK_ID $AIRFLOW_CTX_TRY_NUMBER") == "commands command 1"
    assert bash("echo $AIRFLOW_CTX_DAG_RUN_ID", env={}) == "scheduled__2026-03-02T00:00:00+00:00"


def test_a_command_works_in_a_folder_of_its_own_that_is_removed(tmp_path: Path) -> None:
    own = Path(bash("touch here; pwd"))

    assert not own.exists()
    assert own != Path.cwd()
    assert bash("pwd", cwd=str(tmp_path)) == str(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(AirflowException, match="nowhere' of task 'command' is not a folder"):
        bash("pwd", cwd=str(tmp_path / "nowhere"))


def test_a_command_longer_than_an_argument_may_be_runs_from_a_file() -> None:
    assert bash("true " + "x" * 300_000 + "; echo done") == "done"


def test_a_script_file_is_rendered_and_run(tmp_path: Path) -> None:
    (tmp_path / "report.sh").write_text("echo day {{ ds }}\n")
    with DAG("commands", template_searchpath=str(tmp_path)):
        task = BashOperator(task_id="command", bash_command="report.sh")
    context = context_of(task)

    task.resolve_template_files()
    task.render_template_fields(context)

    assert task.execute(context) == "day 2026-03-02"


def test_killing_the_task_ends_the_command_and_what_it_started(tmp_path: Path) -> None:
    fifo = tmp_path / "started"
    os.mkfifo(fifo)
    with DAG("commands"):
        # The child in the background would outlive a bash that alone is told to end. It says itself that it has begun:
        # between fork and exec it is still a bash, which forgets a signal that comes just then.
        child = f"import time; open('{fifo}', 'w').write('started'); time.sleep(600)"
        task = BashOperator(task_id="command", bash_command=f'{sys.executable} -c "{child}" & wait')
    outcome: list[BaseException] = []

    def run() -> None:
        try:
            task.execute(context_of(task))
        except AirflowException as failure:
            outcome.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    fifo.read_text()
    task.on_kill()
    thread.join(timeout=30)

    # The background process holds the output open: reading would go on for as long as it lives.
    assert not thread.is_alive()
    assert f"exit code {-signal.SIGTERM}" in str(outcome[0])


def test_killing_a_task_that_runs_nothing_does_nothing() -> None:
    hook = SubprocessHook()
    hook.send_sigterm()

    assert hook.run_command(["true"]).exit_code == 0
    hook.send_sigterm()


def bash_sensor(command: str, **kwargs: Any) -> bool:
    """Look once."""
    with DAG("commands"):
        task = BashSensor(task_id="wait", bash_command=command, **kwargs)
    return task.poke(context_of(task))


def test_a_sensor_waits_for_exit_code_zero() -> None:
    assert bash_sensor("exit 0") is True
    assert bash_sensor("exit 3") is False
    assert bash_sensor('test "$WHO" = me', env={"WHO": "me"}) is True


def test_a_sensor_with_a_retry_code_fails_on_all_others() -> None:
    assert bash_sensor("exit 3", retry_exit_code=3) is False
    assert bash_sensor("exit 0", retry_exit_code=3) is True
    with pytest.raises(AirflowFailException, match="exit code 4, neither 0 nor 3"):
        bash_sensor("exit 4", retry_exit_code=3)
