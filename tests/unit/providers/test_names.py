"""D2: providers are called by short names."""

import pytest

from tradewind.errors import InvalidRequest
from tradewind.providers.names import UnknownProvider, requirement_for, short_name


@pytest.mark.parametrize(
    ("text", "requirement"),
    [
        ("http", "apache-airflow-providers-http"),
        ("microsoft.azure", "apache-airflow-providers-microsoft-azure"),
        ("cncf_kubernetes", "apache-airflow-providers-cncf-kubernetes"),
        ("apache-airflow-providers-Postgres", "apache-airflow-providers-postgres"),
        ("amazon==9.0.0", "apache-airflow-providers-amazon==9.0.0"),
        ("amazon[s3fs]>=9", "apache-airflow-providers-amazon[s3fs]>=9"),
    ],
)
def test_a_provider_is_known_by_many_names(text: str, requirement: str) -> None:
    assert str(requirement_for(text)) == requirement


@pytest.mark.parametrize("text", ["", "--index-url", "../http", "http;rm", "git+https://example.org/x", "http=="])
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest, match="not the name of a provider"):
        requirement_for(text)


def test_a_misspelt_name_gets_a_proposal() -> None:
    assert "did you mean postgres?" in str(UnknownProvider("postgre"))
    assert "did you mean" not in str(UnknownProvider("xyzzy"))


def test_short_names_have_dashes() -> None:
    assert short_name("apache-airflow-providers-common-sql") == short_name("common.sql") == "common-sql"
