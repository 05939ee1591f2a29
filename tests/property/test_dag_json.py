"""Every DAG can be stored, and whatever is stored is either read or refused: there is nothing in between."""

import contextlib
import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tests.strategies import dags, json_values
from tradewind.model.dag import Dag
from tradewind.model.dag_check import InvalidDag, check_dag
from tradewind.model.dag_json import DagFormatError, decode_dag, encode_dag, structure_hash


def read_or_refuse(text: str | bytes) -> None:
    """Read the text. What is accepted must be as good as a DAG that was written here, though it may be invalid."""
    try:
        dag = decode_dag(text)
    except DagFormatError:
        return
    assert decode_dag(encode_dag(dag)) == dag
    with contextlib.suppress(InvalidDag):
        check_dag(dag)


@given(dags())
def test_a_dag_survives_being_stored(dag: Dag) -> None:
    """A1: the stored text is all that a scheduler reads, so it must hold everything."""
    assert decode_dag(encode_dag(dag)) == dag


@given(dags())
def test_the_text_of_a_dag_is_canonical(dag: Dag) -> None:
    """D6: storing what was read makes no new version."""
    text = encode_dag(dag)

    assert encode_dag(decode_dag(text)) == text
    assert structure_hash(encode_dag(decode_dag(text.encode()))) == structure_hash(text)
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


@given(dags(), st.randoms(use_true_random=False))
def test_spacing_and_order_of_keys_do_not_matter_to_the_reader(dag: Dag, random: Any) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, list):
            return [shuffled(item) for item in value]
        if isinstance(value, dict):
            keys = list(value)
            random.shuffle(keys)
            return {key: shuffled(value[key]) for key in keys}
        return value

    text = json.dumps(shuffled(json.loads(encode_dag(dag))), indent=2, ensure_ascii=False)

    assert decode_dag(text) == dag


@given(dags())
def test_a_generated_dag_is_valid(dag: Dag) -> None:
    check_dag(dag)


@given(dags(max_tasks=3), st.data())
def test_a_truncated_document_is_refused(dag: Dag, data: st.DataObject) -> None:
    text = encode_dag(dag)
    shorter = text[: data.draw(st.integers(0, len(text) - 1))]

    try:
        decode_dag(shorter)
    except DagFormatError:
        return
    raise AssertionError("a part of a document was taken for the whole")


@given(dags(max_tasks=3), st.data())
def test_a_document_with_broken_bytes_is_read_or_refused(dag: Dag, data: st.DataObject) -> None:
    text = bytearray(encode_dag(dag).encode())
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 6)))
    text[start:end] = data.draw(st.binary(max_size=4) | st.sampled_from([b"1e999", b"NaN", b"-0", b"[]", b'"\\ud800"']))

    read_or_refuse(bytes(text))


@given(dags(max_tasks=3), st.data())
def test_a_document_with_a_changed_part_is_read_or_refused(dag: Dag, data: st.DataObject) -> None:
    document = json.loads(encode_dag(dag))
    holder: Any = document
    while True:
        places = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not places:
            break
        place = data.draw(st.sampled_from(places))
        inside = holder[place]
        if not isinstance(inside, dict | list) or not inside or data.draw(st.integers(0, 3)) == 0:
            _change(holder, place, data)
            break
        holder = inside

    read_or_refuse(json.dumps(document))


def _change(holder: Any, place: Any, data: st.DataObject) -> None:
    match data.draw(st.sampled_from(["replace", "remove", "rename", "repeat"])):
        case "remove":
            del holder[place]
        case "rename" if isinstance(holder, dict):
            holder[data.draw(st.text(max_size=4))] = holder.pop(place)
        case "repeat" if isinstance(holder, list):
            holder.append(holder[place])
        case _:
            holder[place] = data.draw(json_values)


@given(json_values)
@example(10**400)
@example({"format": 1, "dag": {"dag_id": "a", "run_timeout_s": 10**400}})
def test_json_that_is_no_document_is_read_or_refused(value: object) -> None:
    read_or_refuse(json.dumps(value))


@given(json_values)
def test_any_json_is_read_or_refused_as_a_dag(value: object) -> None:
    read_or_refuse(json.dumps({"format": 1, "dag": value}))


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    read_or_refuse(text)
