"""Assets, aliases, references and the conditions made of them (C2)."""

import copy
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

import pytest

from tradewind.model import asset as model
from tradewind.sdk import provider_registry as registry
from tradewind.sdk.asset_uri import normalized
from tradewind.sdk.assets import (
    Asset,
    AssetAccessControl,
    AssetAlias,
    AssetAliasUniqueKey,
    AssetAll,
    AssetAny,
    AssetNameRef,
    AssetUniqueKey,
    AssetUriRef,
    AssetWatcher,
    BaseAsset,
    Dataset,
    Metadata,
    Model,
)
from tradewind.sdk.triggers import BaseEventTrigger, BaseTrigger, TriggerEvent

A, B, C = Asset("a"), Asset("b"), Asset("c")


class FileArrives(BaseEventTrigger):
    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "acme.FileArrives", {"path": self.path}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(self.path)


class Timer(BaseTrigger):
    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "acme.Timer", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(None)


@pytest.fixture
def providers(monkeypatch: pytest.MonkeyPatch) -> registry.ProviderRegistry:
    """A registry of our own in place of what happens to be installed."""
    known = registry.ProviderRegistry()
    monkeypatch.setattr(registry, "provider_registry", lambda: known)
    return known


def upper_path(parts: SplitResult) -> SplitResult:
    if "bad" in parts.path:
        raise ValueError("bad path")
    return parts._replace(path=parts.path.upper())


def test_a_name_or_a_uri_is_enough() -> None:
    assert (Asset("raw").name, Asset("raw").uri) == ("raw", "raw")
    assert (Asset(uri="file:///x").name, Asset(uri="file:///x").uri) == ("file:///x", "file:///x")
    assert (Asset("raw", "file:///x").name, Asset("raw", "file:///x").uri) == ("raw", "file:///x")
    with pytest.raises(TypeError, match="needs a name or a uri"):
        Asset()


def test_a_path_like_object_may_be_the_uri() -> None:
    class Storage:
        def __str__(self) -> str:
            return "file:///store/x"

    storage: Any = Storage()
    assert Asset("raw", storage).uri == "file:///store/x"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"name": ""}, "Asset name must not be empty"),
        ({"name": " \t"}, "Asset name must not be blank"),
        ({"name": "x" * 1501}, "longer than 1500 characters"),
        ({"name": 3}, "Asset name must be a string, not 3"),
        ({"name": "self"}, "no asset may be called 'self'"),
        ({"name": "context"}, "no asset may be called 'context'"),
        ({"name": "a", "uri": ""}, "Asset uri must not be empty"),
        ({"name": "a", "uri": "  "}, "Asset uri must not be blank"),
        ({"name": "a", "uri": "airflow://x"}, "scheme 'airflow', which is reserved"),
        ({"name": "a", "group": " "}, "Asset group must not be blank"),
    ],
)
def test_a_bad_name_or_uri_is_refused(arguments: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Asset(**arguments)


def test_other_letters_are_fine_unless_the_database_is_mysql(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Asset("größe").name == "größe"
    monkeypatch.setenv("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "mysql+pymysql://x")
    with pytest.raises(ValueError, match="must consist of ASCII characters, because the database is MySQL"):
        Asset("größe")


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("FILE:///a/b/", "file:///a/b"),
        ("file:///a//", "file:///a"),
        ("file://host", "file://host/"),
        ("file:////a/b", "file:///a/b"),
        ("file:///a?b=2&a=1#part", "file:///a?a=1&b=2"),
        ("no uri at all/", "no uri at all/"),
        ("//host/path/", "//host/path/"),
        ("x-Mine:///a/#b", "x-Mine:///a/#b"),
        ("file://user@host/a", "file://user@host/a"),
    ],
)
def test_a_uri_has_one_form(uri: str, expected: str) -> None:
    assert normalized(uri) == expected
    assert normalized(expected) == expected
    assert Asset("a", uri).uri == expected


def test_a_password_is_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="password"):
        assert Asset("a", "file://me:secret@host/a").uri == "file://host/a"


def test_a_provider_has_a_say_in_uris_of_its_scheme(providers: registry.ProviderRegistry) -> None:
    providers.asset_uri_handlers["acme"] = f"{__name__}.upper_path"

    asset = Asset("a", "ACME://host/path/")

    assert asset.uri == "acme://host/PATH"
    assert asset.normalized_uri == "acme://host/PATH"
    assert Asset("a", "other://host/path").normalized_uri is None
    assert Asset("a").normalized_uri is None
    with pytest.raises(ValueError, match="bad path"):
        Asset("a", "acme://host/bad")
    asset.uri = "acme://host/bad"
    assert asset.normalized_uri is None


def test_types_of_assets_have_their_own_group() -> None:
    assert (Asset("a").group, Dataset("a").group, Model("a").group) == ("asset", "dataset", "model")
    assert Dataset("a", group="mine").group == "mine"
    assert Asset("a", group="").group == ""


def test_an_asset_is_a_path() -> None:
    assert os.fspath(Asset("a", "file:///x")) == "file:///x"
    assert Path(Asset("plain")) == Path("plain")


def test_assets_are_equal_by_what_they_say() -> None:
    assert Asset("a", extra={"x": [1]}) == Asset("a", "a", extra={"x": [1]})
    assert Asset("a", extra={"x": [1]}) != Asset("a")
    assert Asset("a") != Asset("a", group="other")
    assert Asset("a") != AssetAlias("a")
    assert hash(Asset("a", extra={"x": [1]})) == hash(Asset("a"))
    assert len({Asset("a"), Asset("a"), Asset("b")}) == 2
    assert copy.deepcopy(Asset("a", extra={"x": [1]})) == Asset("a", extra={"x": [1]})


def test_what_a_subclass_adds_does_not_make_another_asset() -> None:
    class Table(Asset):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.columns = ["x"]

    assert Table("a") == Asset("a")


def test_no_extra_is_an_empty_one() -> None:
    assert Asset("a", extra=None).extra == {}


def test_a_reference_is_by_name_or_by_uri() -> None:
    assert Asset.ref(name="a") == AssetNameRef("a")
    assert Asset.ref(uri="file:///a/") == AssetUriRef("file:///a")
    both: Any = {"name": "a", "uri": "b"}
    with pytest.raises(TypeError, match="either a name or a uri, not both"):
        Asset.ref(**both)
    nothing: Any = {}
    with pytest.raises(TypeError, match="either a name or a uri"):
        Asset.ref(**nothing)
    assert len({Asset.ref(name="a"), Asset.ref(name="a")}) == 1


def test_an_alias_has_a_name_and_a_group() -> None:
    assert AssetAlias("a") == AssetAlias("a", group="asset")
    assert len({AssetAlias("a"), AssetAlias("a")}) == 1
    with pytest.raises(ValueError, match="AssetAlias name must not be empty"):
        AssetAlias("")
    with pytest.raises(ValueError, match="AssetAlias name must not be blank"):
        AssetAlias(" ")


def test_conditions_of_one_kind_are_flat() -> None:
    assert (A & B & C).to_model() == AssetAll(A, B, C).to_model()
    assert AssetAll(A, B, C) == A & (B & C)
    assert AssetAny(A, B, C, A) == (A | B) | (C | A)


def test_conditions_of_two_kinds_are_nested() -> None:
    assert AssetAny(AssetAll(A, B), C) == (A & B) | C
    assert AssetAll(A, AssetAny(B, C)) == A & (B | C)
    assert AssetAny(A, B) != A & B


def test_aliases_and_references_are_conditions_too() -> None:
    either = Asset.ref(name="a") | AssetAlias("b") | A
    assert [type(leaf).__name__ for leaf in either.iter_leaves()] == ["AssetNameRef", "AssetAlias", "Asset"]


def test_a_condition_is_made_of_assets_only() -> None:
    wrong: Any = "a"
    with pytest.raises(TypeError, match="not 'a'"):
        AssetAll(A, wrong)
    with pytest.raises(TypeError, match="unsupported operand"):
        A & wrong
    with pytest.raises(TypeError, match="unsupported operand"):
        A | wrong


def test_a_condition_shows_what_it_is_made_of() -> None:
    assert repr(AssetNameRef("a") & AssetAlias("b")) == (
        "AssetAll(AssetNameRef(name='a'), AssetAlias(name='b', group='asset'))"
    )


def test_a_condition_of_the_authors_own_says_what_it_lacks() -> None:
    with pytest.raises(NotImplementedError, match="BaseAsset"):
        BaseAsset().to_model()
    with pytest.raises(NotImplementedError, match="BaseAsset"):
        list(BaseAsset().iter_leaves())


def test_a_watcher_needs_an_event_trigger() -> None:
    wrong: Any = Timer()
    with pytest.raises(ValueError, match="watcher 'w' must be a BaseEventTrigger"):
        AssetWatcher("w", wrong)


def test_teams_are_named() -> None:
    assert AssetAccessControl() == AssetAccessControl([], None, True)
    with pytest.raises(ValueError, match="consumer_teams must be the name of a team"):
        AssetAccessControl(consumer_teams=[" "])
    wrong: Any = {"producer_teams": [3]}
    with pytest.raises(ValueError, match="producer_teams must be the name of a team"):
        AssetAccessControl(**wrong)
    word: Any = "yes"
    with pytest.raises(TypeError, match="allow_global"):
        AssetAccessControl(allow_global=word)


def test_everything_that_was_said_is_stored() -> None:
    asset = Asset(
        "raw",
        "file:///raw",
        group="lake",
        extra={"owner": "me", "tags": ["x"]},
        watchers=[AssetWatcher("w", FileArrives("/raw"))],
        access_control=AssetAccessControl(["a"], ["b"], allow_global=False),
    )

    assert asset.to_model() == model.AssetRef(
        "raw",
        "file:///raw",
        group="lake",
        extra={"owner": "me", "tags": ["x"]},
        watchers=(model.WatcherRef("w", "acme.FileArrives", {"path": "/raw"}),),
        access=model.AssetAccess(("a",), ("b",), allow_global=False),
    )
    assert asset.to_model().is_declaration


def test_a_plain_asset_is_stored_plainly() -> None:
    assert A.to_model() == model.AssetRef("a", "a")
    assert Asset.ref(name="a").to_model() == model.AssetRef(name="a")
    assert not Asset.ref(uri="file:///a").to_model().is_declaration
    assert ((A | AssetAlias("x", group="g")) & B).to_model() == model.AllAssets(
        (
            model.AnyAsset((model.AssetRef("a", "a"), model.AssetAliasRef("x", "g"))),
            model.AssetRef("b", "b"),
        )
    )


def test_an_extra_that_is_no_json_is_refused_by_its_place() -> None:
    wrong: Any = {"when": [1, {2}]}
    with pytest.raises(TypeError, match=r"extra of asset 'a'\['when'\]\[1\] is a set, which cannot be written as JSON"):
        Asset("a", extra=wrong).to_model()


def test_metadata_belongs_to_an_asset() -> None:
    assert Metadata(A).extra == {}
    assert Metadata(A, {"rows": 1}, AssetAlias("x")).alias == AssetAlias("x")


def test_keys_lead_to_assets_and_back() -> None:
    assert AssetUniqueKey.from_asset(Asset("a", "file:///a")).to_asset() == Asset("a", "file:///a")
    assert AssetAliasUniqueKey.from_asset_alias(AssetAlias("x")).to_asset_alias() == AssetAlias("x")
