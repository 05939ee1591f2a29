"""Tasks and groups that are mapped over lists."""

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, task, task_group
from airflow.sdk.exceptions import AirflowSkipException


@task
def numbers(count: int) -> list[int]:
    return list(range(count))


@task
def double(number: int) -> int:
    return 2 * number


@task
def add(first: int, second: int) -> int:
    return first + second


@task
def total(values) -> int:
    return sum(values)


@task(task_id="some_fail")
def fail_at_one(number: int) -> int:
    if number == 1:
        raise ValueError(number)
    return number


@task(task_id="some_skipped")
def skip_odd(number: int) -> int:
    if number % 2:
        raise AirflowSkipException("odd")
    return number


@task(trigger_rule="one_success")
def with_one() -> None:
    pass


@task(trigger_rule="all_done")
def with_all_done(values) -> int:
    return sum(values)


with DAG("mapped", schedule=None):
    given = numbers(4)
    total(double.expand(number=given))
    add.override(task_id="product").expand(first=[1, 2], second=[10, 20, 30])
    add.override(task_id="zipped").expand_kwargs(
        given.zip(given).map(lambda pair: {"first": pair[0], "second": pair[1]})
    )
    add.override(task_id="partly").partial(second=100).expand(first=given)
    BashOperator.partial(task_id="commands").expand(bash_command=["echo one", "echo two"])

with DAG("mapped_and_failing", schedule=None):
    failing = fail_at_one.expand(number=numbers(3))
    total(failing)
    failing >> with_one()

with DAG("mapped_and_skipping", schedule=None):
    skipping = skip_odd.expand(number=numbers(4))
    with_all_done(skipping)
    double.expand(number=skipping)

with DAG("mapped_over_nothing", schedule=None):
    nothing = double.expand(number=numbers(0))
    total(nothing)
    with_all_done(nothing)

with DAG("mapped_groups", schedule=None):

    @task_group
    def steps(number: int):
        return double(fail_at_one(number))

    with_all_done(steps.expand(number=numbers(3)))

with DAG("mapped_widely", schedule=None, max_active_tasks=2_500):
    total(double.expand(number=numbers(2_500)))
