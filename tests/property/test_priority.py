"""Priority weights, for any DAG."""

from hypothesis import given

from tests.strategies import dags
from tradewind.decide.structure import Structure
from tradewind.model.dag import Dag
from tradewind.model.states import WeightRule


@given(dags())
def test_a_weight_is_the_sum_of_what_its_rule_names_within_32_bits(dag: Dag) -> None:
    structure = Structure(dag)
    weights = {task.task_id: task.priority_weight for task in dag.tasks}
    before = {task.task_id: set(task.upstream) for task in dag.tasks}
    for _ in dag.tasks:
        before = {name: ups.union(*(before[up] for up in ups)) for name, ups in before.items()}
    for number, task in enumerate(dag.tasks):
        counted = {task.task_id}
        if task.weight_rule is WeightRule.UPSTREAM:
            counted |= before[task.task_id]
        elif task.weight_rule is WeightRule.DOWNSTREAM:
            counted |= {name for name, ups in before.items() if task.task_id in ups}
        total = sum(weights[name] for name in counted)
        assert structure.priority[number] == max(-(2**31), min(2**31 - 1, total))
