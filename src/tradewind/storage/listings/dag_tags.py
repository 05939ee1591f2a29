"""The tags of DAGs: each name once."""

import sqlalchemy as sa

from tradewind.model.listing import Order
from tradewind.storage.listings.listing import Listing, Related
from tradewind.storage.schema import dag_tag

_names = sa.select(dag_tag.c.name).distinct().subquery("tag_name")
_tag = dag_tag.alias("tag")

DAG_TAGS = Listing(
    _names,
    {"name": _names.c.name},
    key=("name",),
    order=(Order("name"),),
    related={"dag_id": Related(_tag.c.dag_id, _tag, _tag.c.name == _names.c.name)},
)
