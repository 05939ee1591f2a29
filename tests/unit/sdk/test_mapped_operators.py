"""Classic operators that exist once per map index."""

from typing import Any

import pytest

from tests.unit.sdk.test_operators import Greet
from tradewind.model.mapping import Concat, FixedLength, OutputLength, Product, Zip
from tradewind.sdk import DAG, BaseOperator, task
from tradewind.sdk.mapped import MappedOperator


class _Ti:
    def __init__(self, map_index: int, outputs: dict[str, Any]) -> None:
        self.map_index = map_index
        self._outputs = outputs

    def pull_output(self, operator: Any, key: str) -> Any:
        return self._outputs[operator.task_id]

    def pull_element(self, operator: Any, index: int) -> None:
        """Only whole outputs are known here."""


def context(map_index: int, **outputs: Any) -> Any:
    return {"ti": _Ti(map_index, outputs)}


def test_shared_arguments_can_be_asked_like_those_of_an_operator() -> None:
    with DAG("d", default_args={"retries": 2}):
        mapped = Greet.partial(task_id="t", pool="p").expand(name=["a", "b"])

    assert isinstance(mapped, MappedOperator)
    assert (mapped.retries, mapped.pool, mapped.queue, mapped.trigger_rule) == (2, "p", "default", "all_success")
    assert (mapped.task_type, list(mapped.template_fields)) == ("Greet", ["name"])
    with pytest.raises(AttributeError, match="'name'"):
        mapped.name  # noqa: B018 - the attribute is the test


def test_copy_gets_its_own_arguments() -> None:
    with DAG("d") as dag:
        mapped = Greet.partial(task_id="t", retries=1).expand(name=["a", "b"])

    copy = mapped.unmap(mapped.expand_input.resolve(context(1)))

    assert isinstance(copy, Greet)
    assert (copy.name, copy.retries, copy.task_id) == ("b", 1, "t")
    assert dag.task_ids == ["t"]


def test_combinations_vary_fastest_in_the_last_argument() -> None:
    with DAG("d"):
        mapped = Greet.partial(task_id="t").expand(name=["a", "b"], params=[{"n": 1}, {"n": 2}, {"n": 3}])

    chosen = [mapped.expand_input.resolve(context(index)) for index in range(6)]

    assert [(one["name"], one["params"]["n"]) for one in chosen] == [
        ("a", 1), ("a", 2), ("a", 3), ("b", 1), ("b", 2), ("b", 3),
    ]  # fmt: skip
    assert mapped.expand_input.map_length() == Product((FixedLength(2), FixedLength(3)))


def test_dict_is_mapped_over_as_pairs() -> None:
    with DAG("d"):
        mapped = Greet.partial(task_id="t").expand(name={"k": "v"})

    assert mapped.expand_input.resolve(context(0)) == {"name": ("k", "v")}


def test_lengths_follow_zip_concat_and_map() -> None:
    @task
    def a() -> list[int]:
        return [1, 2]

    @task
    def b() -> list[int]:
        return [3]

    with DAG("d"):
        one, two = a(), b()
        zipped = Greet.partial(task_id="zip").expand(name=one.zip(two, fillvalue=0))
        joined = Greet.partial(task_id="concat").expand(name=one.concat(two))
        changed = Greet.partial(task_id="map").expand(name=one.map(lambda n: n * 10).map(str))
        kwargs = Greet.partial(task_id="kwargs").expand_kwargs(two.map(lambda n: {"name": n}))

    sources = (OutputLength("a"), OutputLength("b"))
    assert zipped.expand_input.map_length() == Zip(sources, longest=True)
    assert joined.expand_input.map_length() == Concat(sources)
    assert changed.expand_input.map_length() == OutputLength("a")
    outputs = {"a": [1, 2], "b": [3]}
    assert zipped.expand_input.resolve(context(1, **outputs)) == {"name": (2, 0)}
    assert joined.expand_input.resolve(context(2, **outputs)) == {"name": 3}
    assert changed.expand_input.resolve(context(1, **outputs)) == {"name": "20"}
    assert kwargs.expand_input.resolve(context(0, **outputs)) == {"name": 3}


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: Greet.partial(task_id="t", colour=1).expand(name=[1]), "does not know the argument colour"),
        (lambda: Greet.partial(task_id="t").expand(colour=[1]), "does not know the argument colour"),
        (lambda: Greet.partial(task_id="t").expand(retries=[1]), "cannot be mapped over retries"),
        (lambda: Greet.partial(task_id="t", name="x").expand(name=[1]), "already given to partial"),
        (lambda: Greet.partial(name="x"), "needs a task_id"),
    ],
)
def test_wrong_mapping_is_refused(build: Any, said: str) -> None:
    with DAG("d"), pytest.raises(TypeError, match=said):
        build()


def test_partial_that_is_never_expanded_is_noticed() -> None:
    with DAG("d"):
        partial = Greet.partial(task_id="lonely")
        with pytest.warns(UserWarning, match="'lonely' is a partial"):
            partial.__del__()
        partial.expand(name=[1])


def test_dict_that_repeats_a_shared_argument_is_refused_unless_told() -> None:
    with DAG("d"):
        strict = Greet.partial(task_id="strict", name="shared").expand_kwargs(BaseOperator(task_id="o").output)
        loose = Greet.partial(task_id="loose", name="shared").expand_kwargs(strict.output, strict=False)
    outputs = {"o": [{"name": "own"}], "strict": [{"name": "own"}]}

    with pytest.raises(TypeError, match="from partial"):
        strict.unmap(strict.expand_input.resolve(context(0, **outputs)))
    copy = loose.unmap(loose.expand_input.resolve(context(0, **outputs)))
    assert isinstance(copy, Greet)
    assert copy.name == "own"
