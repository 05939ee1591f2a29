"""Template fields: what is rendered, how deep, in which environment (D3)."""

import datetime as dt
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, cast

import jinja2
import pytest

from tradewind.sdk.context import Context
from tradewind.sdk.jinja_environment import SandboxedEnvironment, create_template_env, template_env_of
from tradewind.sdk.template import LiteralValue, Templater, literal

DAY = dt.datetime(2026, 1, 31, 5, 6, 7, tzinfo=dt.UTC)


class FakeDag:
    """As much of a DAG as templates look at."""

    def __init__(self, folder: Path | str = ".", *, native: bool = False, **arguments: Any) -> None:
        self.folder = str(folder)
        self.render_template_as_native_obj = native
        self.template_searchpath = arguments.get("template_searchpath")
        self.template_undefined = arguments.get("template_undefined")
        self.jinja_environment_kwargs = arguments.get("jinja_environment_kwargs")
        self.user_defined_macros = arguments.get("user_defined_macros")
        self.user_defined_filters = arguments.get("user_defined_filters")

    def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
        return template_env_of(cast("Any", self), force_sandboxed=force_sandboxed)


class Thing(Templater):
    """An operator, as far as templates go."""

    template_fields = ("field",)
    template_ext = (".sql",)
    task_id = "thing"

    def __init__(self, field: Any, dag: FakeDag | None = None, native: bool | None = None) -> None:
        self.field = field
        self.render_template_as_native_obj = native
        self._dag = dag

    def get_dag(self) -> Any:
        return self._dag


class Pair(NamedTuple):
    """A named tuple."""

    left: Any
    right: Any


class Nested:
    """Has template fields itself, and may contain itself."""

    template_fields = ("text", "other")

    def __init__(self, text: str, other: Any = None) -> None:
        self.text = text
        self.other = other


def rendered(field: Any, context: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
    thing = Thing(field, **arguments)
    thing.render_template_fields(cast("Context", context if context is not None else {"name": "you", "day": DAY}))
    return thing.field


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("hello {{ name }}", "hello you"),
        ("plain", "plain"),
        ("ends with a line break\n", "ends with a line break"),
        ("windows\r\nlines", "windows\nlines"),
        ("{# nothing #}x", "x"),
        ("{% if name %}yes{% endif %}", "yes"),
        ("{{ day | ds }} {{ day | ds_nodash }}", "2026-01-31 20260131"),
        ("{{ day | ts }} {{ day | ts_nodash }}", "2026-01-31T05:06:07+00:00 20260131T050607"),
        ("{{ day | ts_nodash_with_tz }}", "20260131T050607+0000"),
        (["{{ name }}", 1], ["you", 1]),
        (("{{ name }}",), ("you",)),
        (Pair("{{ name }}", 2), Pair("you", 2)),
        ({"{{ name }}": "{{ name }}"}, {"{{ name }}": "you"}),
        ({"{{ name }}"}, {"you"}),
        (frozenset({"{{ name }}"}), frozenset({"you"})),
        ([{"a": ("{{ name }}",)}], [{"a": ("you",)}]),
        (literal("{{ name }}"), "{{ name }}"),
        ([literal("{{ name }}")], ["{{ name }}"]),
        (Path("{{ name }}"), Path("{{ name }}")),
        (5, 5),
        (None, None),
        (lambda context, jinja_env: context["name"] + str(jinja_env.sandboxed), "youTrue"),
    ],
)
def test_field_is_rendered(field: Any, expected: Any) -> None:
    assert rendered(field) == expected
    assert rendered(field, dag=FakeDag()) == expected


class NoEnvironment(FakeDag):
    """A DAG whose templates would be rendered in vain."""

    def get_template_env(self, *, force_sandboxed: bool = False) -> jinja2.Environment:
        raise AssertionError("there is nothing to render")


@pytest.mark.parametrize(
    "field", ["plain", "two\nlines", 5, [1, 2.5, None, True], {"{{ key }}": ("a", {"b"}, frozenset({1}))}]
)
def test_no_environment_is_made_for_what_is_no_template(field: Any) -> None:
    assert rendered(field, dag=NoEnvironment()) == field


def test_collections_are_copied_although_nothing_is_rendered() -> None:
    """What a running task does to its own must not show in the DAG, nor in other copies of the task."""
    inner = [1]
    field = {"inner": inner}

    copied = rendered(field, dag=NoEnvironment())
    copied["inner"].append(2)

    assert field == {"inner": [1]}


def test_settled_values_are_no_templates_beside_others_that_are() -> None:
    data = "{{ name }}"
    context = cast("Context", {"name": "you"})
    alone, beside = Thing([data, 1], NoEnvironment()), Thing([data, "{{ name }}!"], FakeDag())

    for thing in (alone, beside):
        thing.render_fields_besides({id(data)}, context)

    assert alone.field == [data, 1]
    assert beside.field == ["{{ name }}", "you!"]


def test_a_subclass_that_renders_in_its_own_way_has_an_environment() -> None:
    class Louder(Thing):
        def _do_render_template_fields(
            self, parent: Any, template_fields: Any, context: Any, jinja_env: Any, seen_oids: set[int]
        ) -> None:
            super()._do_render_template_fields(parent, template_fields, context, jinja_env, seen_oids)
            self.field += jinja_env.from_string("{{ name }}").render(context)

    thing = Louder("plain ", FakeDag())
    thing.render_template_fields(cast("Context", {"name": "you"}))

    assert thing.field == "plain you"


def test_a_dag_may_have_marks_of_its_own() -> None:
    dag = FakeDag(jinja_environment_kwargs={"variable_start_string": "<<", "variable_end_string": ">>"})

    assert rendered(["<< name >>", "{{ name }}"], dag=dag) == ["you", "{{ name }}"]


def test_object_with_template_fields_is_rendered_in_place_even_in_a_circle() -> None:
    inner = Nested("inner {{ name }}")
    outer = Nested("outer {{ name }}", [inner])
    inner.other = outer

    assert rendered(outer) is outer
    assert (outer.text, inner.text) == ("outer you", "inner you")


def test_value_that_resolves_itself_gets_the_context() -> None:
    class Late:
        def resolve(self, context: Mapping[str, Any]) -> str:
            return f"late {context['name']}"

    assert rendered({"a": [Late()]}) == {"a": ["late you"]}


def test_literal_keeps_its_value() -> None:
    assert literal(5) == LiteralValue(5)
    assert list(literal(5).iter_references()) == []


def test_value_that_refuses_to_be_true_or_false_is_rendered() -> None:
    class Frame:
        template_fields = ("text",)
        text = "{{ name }}"

        def __bool__(self) -> bool:
            raise ValueError("ambiguous")

    assert rendered(Frame()).text == "you"


def test_undefined_name_is_an_error_that_names_task_and_field() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'nobody' is undefined") as error:
        rendered("{{ nobody.name }}", dag=FakeDag())

    assert error.value.__notes__ == ["while rendering task 'thing', field 'field': '{{ nobody.name }}'"]


def test_other_classes_of_undefined_may_be_chosen() -> None:
    dag = FakeDag(template_undefined=jinja2.ChainableUndefined)

    assert rendered("<{{ nobody.name }}>", dag=dag) == "<>"


def test_field_that_the_object_lacks_is_named() -> None:
    class Wrong(Templater):
        template_fields = ("missing",)

    with pytest.raises(AttributeError, match="Wrong has no attribute 'missing'"):
        Wrong().render_template_fields(cast("Context", {}))


def test_file_is_found_beside_the_dag_and_in_the_search_path(tmp_path: Path) -> None:
    (tmp_path / "beside.sql").write_text("select '{{ name }}'")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "other.sql").write_text("other '{{ name }}'")
    dag = FakeDag(tmp_path, template_searchpath=str(tmp_path / "more"))

    assert rendered("beside.sql", dag=dag) == "select 'you'"
    assert rendered(["other.sql", "beside.sql"], dag=dag) == ["other 'you'", "select 'you'"]


def test_missing_file_is_an_error_when_rendered(tmp_path: Path) -> None:
    with pytest.raises(jinja2.TemplateNotFound):
        rendered("missing.sql", dag=FakeDag(tmp_path))


def test_content_of_files_can_be_put_in_place_before(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("text {{ name }}")
    dag = FakeDag(tmp_path)
    single, several, prepared = Thing("a.sql", dag), Thing(["a.sql", "b"], dag), []

    class Prepares(Thing):
        def prepare_template(self) -> None:
            prepared.append(self.field)

    for thing in (single, several, Prepares("a.sql", dag)):
        thing.resolve_template_files()

    assert single.field == "text {{ name }}"
    assert several.field == ["text {{ name }}", "b"]
    assert prepared == ["text {{ name }}"]


def test_file_that_cannot_be_read_stays_a_name_and_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    missing, nowhere = Thing("missing.sql", FakeDag(tmp_path)), Thing("a.sql")

    missing.resolve_template_files()
    nowhere.resolve_template_files()

    assert (missing.field, nowhere.field) == ("missing.sql", "a.sql")
    assert "task 'thing', field 'field' names the file 'missing.sql', which cannot be read" in caplog.text
    assert "outside a DAG there is no folder to look in" in caplog.text


@pytest.mark.parametrize(
    ("dag_native", "own", "expected"),
    [(False, None, "[1, 2]"), (True, None, [1, 2]), (True, False, "[1, 2]"), (False, True, [1, 2])],
)
def test_native_rendering_is_chosen_by_the_operator_then_by_its_dag(
    dag_native: bool, own: bool | None, expected: Any
) -> None:
    assert rendered("{{ [1, 2] }}", dag=FakeDag(native=dag_native), native=own) == expected
    assert rendered("[1, 2]", dag=FakeDag(native=dag_native), native=own) == expected


def test_native_rendering_gives_the_very_object() -> None:
    value = object()

    assert rendered("{{ value }}", {"value": value}, native=True) is value


def test_dag_brings_macros_filters_and_options() -> None:
    shout: Callable[[str], str] = str.upper
    dag = FakeDag(
        user_defined_macros={"greeting": "hello"},
        user_defined_filters={"shout": shout},
        jinja_environment_kwargs={
            "keep_trailing_newline": True,
            "variable_start_string": "<<",
            "variable_end_string": ">>",
        },
    )

    assert rendered("<< greeting >> << name | shout >> {{", dag=dag) == "hello YOU {{"


def test_context_wins_over_macros() -> None:
    dag = FakeDag(user_defined_macros={"name": "macro"})

    assert rendered("{{ name }}", dag=dag) == "you"


@pytest.mark.parametrize("native", [False, True])
def test_templates_do_not_reach_the_inside_of_python(native: bool) -> None:
    with pytest.raises(jinja2.exceptions.SecurityError):
        rendered("{{ name.__class__.__mro__ }}", dag=FakeDag(), native=native)


def test_names_with_one_underscore_are_reached() -> None:
    class Task:
        _private = "seen"

    assert rendered("{{ task._private }}", {"task": Task()}, dag=FakeDag()) == "seen"


def test_values_of_a_lazy_context_are_made_only_when_used() -> None:
    class Lazy(dict[str, Any]):
        made: ClassVar[list[str]] = []

        def __contains__(self, key: object) -> bool:
            return True

        def __getitem__(self, key: str) -> str:
            self.made.append(key)
            return key.upper()

    context = Lazy()

    assert rendered("{{ one }} {{ two }}", context) == "ONE TWO"
    assert context.made == ["one", "two"]


def test_given_environment_is_used() -> None:
    thing = Thing("{{ name }}")
    environment = SandboxedEnvironment()
    environment.globals["name"] = "global"

    thing.render_template_fields(cast("Context", {}), environment)

    assert thing.field == "global"


def test_statement_do_is_available() -> None:
    environment = create_template_env()

    assert environment.from_string("{% set l = [] %}{% do l.append(1) %}{{ l }}").render() == "[1]"


def test_secret_in_a_template_is_not_shown_in_the_error() -> None:
    with pytest.raises(jinja2.UndefinedError) as error:
        rendered({"password": "hunter2222 {{ nobody }}"}, dag=FakeDag())

    assert "hunter2222" not in str(error.value.__notes__)


def test_reading_templates_loads_no_jinja() -> None:
    """D3: a DAG file that renders nothing does not pay for Jinja."""
    code = "import sys, tradewind.sdk.template; print('jinja2' in sys.modules)"

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.strip() == "False"
