"""What holds for all assets, durations and params that an author can write (C1, C2, D3)."""

import copy
from datetime import timedelta
from typing import Any

from dateutil.relativedelta import relativedelta
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from tradewind.model.asset import AllAssets, AnyAsset
from tradewind.model.dag import Dag
from tradewind.model.dag_json import decode_dag, encode_dag
from tradewind.sdk.asset_uri import normalized
from tradewind.sdk.assets import Asset, AssetAlias, AssetAll, AssetAny, BaseAsset
from tradewind.sdk.durations import delta_of
from tradewind.sdk.json_values import as_json
from tradewind.sdk.param import Param, ParamsDict

words = st.text("abcxyz", min_size=1, max_size=4)
paths = st.lists(words | st.just(""), max_size=4).map("/".join)
uris = st.builds(
    lambda scheme, host, path, query, fragment: f"{scheme}://{host}/{path}{query}{fragment}",
    st.sampled_from(["file", "FILE", "x-mine"]),
    words | st.just(""),
    paths,
    st.lists(st.tuples(words, words), max_size=3).map(
        lambda pairs: "?" + "&".join(f"{key}={value}" for key, value in pairs) if pairs else ""
    ),
    words.map("#".__add__) | st.just(""),
)
leaves: st.SearchStrategy[BaseAsset] = st.one_of(
    st.builds(Asset, words, uris, extra=st.dictionaries(words, json_values, max_size=2)),
    st.builds(AssetAlias, words),
    words.map(lambda name: Asset.ref(name=name)),
    uris.map(lambda uri: Asset.ref(uri=uri)),
)
conditions: st.SearchStrategy[BaseAsset] = st.recursive(
    leaves,
    lambda parts: st.builds(
        lambda left, right, both: left & right if both else left | right, parts, parts, st.booleans()
    ),
    max_leaves=6,
)


@given(uris)
def test_a_uri_in_its_one_form_stays_as_it_is(uri: str) -> None:
    once = normalized(uri)

    assert normalized(once) == once


@given(conditions)
def test_every_condition_can_be_stored(condition: BaseAsset) -> None:
    dag = Dag("d", assets=condition.to_model())

    assert decode_dag(encode_dag(dag)) == dag


@given(conditions)
def test_operators_never_nest_a_condition_in_one_of_its_own_kind(condition: BaseAsset) -> None:
    def check(stored: object) -> None:
        if isinstance(stored, AllAssets | AnyAsset):
            assert not any(type(part) is type(stored) for part in stored.parts)
            for part in stored.parts:
                check(part)

    check(condition.to_model())


@given(st.lists(leaves, min_size=2, max_size=5), st.booleans())
def test_it_does_not_matter_how_a_condition_is_put_together(parts: list[BaseAsset], both: bool) -> None:
    def joined(left: BaseAsset, right: BaseAsset) -> BaseAsset:
        return left & right if both else left | right

    from_left = parts[0]
    for part in parts[1:]:
        from_left = joined(from_left, part)
    from_right = parts[-1]
    for part in reversed(parts[:-1]):
        from_right = joined(part, from_right)

    assert from_left == from_right == (AssetAll if both else AssetAny)(*parts)
    assert list(from_left.iter_leaves()) == parts


@given(st.timedeltas(timedelta(days=-10_000), timedelta(days=10_000)), st.integers(-100, 100))
def test_a_duration_keeps_its_months_and_its_rest(fixed: timedelta, months: int) -> None:
    as_relative = relativedelta(months=months, days=fixed.days, seconds=fixed.seconds, microseconds=fixed.microseconds)

    assert delta_of(fixed, "it").rest == fixed
    delta = delta_of(as_relative, "it")
    assert (delta.months, delta.rest) == (months, fixed)


@given(json_values)
def test_json_stays_what_it_is(value: Any) -> None:
    made = as_json(value, "it")

    assert made == value
    assert Param(value).resolve() == value


@given(st.dictionaries(words, json_values, max_size=3), json_values)
def test_a_deep_copy_of_params_is_equal_and_independent(values: dict[str, Any], other: Any) -> None:
    params = ParamsDict(values)
    before = copy.deepcopy(params.dump())

    copied = copy.deepcopy(params)
    assert copied == params
    for key in values:
        copied[key] = other
    copied["new key"] = other

    assert params.dump() == before
