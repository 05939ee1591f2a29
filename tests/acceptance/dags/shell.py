"""What a command's end, output and surroundings mean."""

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, task

with DAG("shell", schedule=None):
    BashOperator(task_id="last_line", bash_command="echo first; echo last")
    BashOperator(task_id="no_output", bash_command="true")
    BashOperator(task_id="not_pushed", bash_command="echo something", do_xcom_push=False)
    BashOperator(task_id="exit_99", bash_command="exit 99")
    BashOperator(task_id="exit_1", bash_command="exit 1")
    BashOperator(task_id="exit_42", bash_command="exit 42", skip_on_exit_code=[42, 43])
    BashOperator(task_id="exit_99_fails", bash_command="exit 99", skip_on_exit_code=None)
    BashOperator(task_id="first_failure", bash_command="false; echo goes on")
    BashOperator(task_id="only_this", bash_command='echo "${HOME:-no home} $WORD"', env={"WORD": "given"})
    BashOperator(
        task_id="and_this", bash_command='test -n "$HOME" && echo "home $WORD"', env={"WORD": "given"}, append_env=True
    )
    BashOperator(task_id="of_the_task", bash_command="echo $AIRFLOW_CTX_DAG_ID $AIRFLOW_CTX_TASK_ID")
    BashOperator(task_id="cwd", bash_command="pwd", cwd="/usr")
    BashOperator(task_id="no_such_cwd", bash_command="pwd", cwd="/there/is/none")
    BashOperator(task_id="latin_1", bash_command=r"printf 'caf\351'", output_encoding="latin-1")
    BashOperator(task_id="template", bash_command="echo {{ dag.dag_id }} {{ params.word }}", params={"word": "param"})
    BashOperator(task_id="error_stream", bash_command="echo to the error stream >&2")
    BashOperator(task_id="processed", bash_command="echo 17", output_processor=int)

    @task.bash
    def decorated() -> str:
        return "echo from a function"

    decorated()
