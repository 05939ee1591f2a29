"""What is connected with an asset (A8)."""

from tradewind.operations.show_asset_graph import AssetUse, connected


def test_upstream_and_downstream_are_shown_and_not_what_is_only_beside() -> None:
    uses = [
        AssetUse(1, "load", "outlet"),
        AssetUse(1, "wash", "schedule"),
        AssetUse(1, "archive", "inlet"),
        AssetUse(2, "wash", "outlet"),
        AssetUse(2, "report", "schedule"),
        AssetUse(9, "alone", "outlet"),
    ]

    assert connected(uses, 2) == [uses[0], uses[1], uses[3], uses[4]]
    assert connected(uses, 1) == uses[:5]
    assert connected(uses, 5) == []


def test_a_circle_has_an_end() -> None:
    uses = [
        AssetUse(1, "a", "schedule"),
        AssetUse(2, "a", "outlet"),
        AssetUse(2, "b", "inlet"),
        AssetUse(1, "b", "outlet"),
    ]

    assert connected(uses, 1) == uses
