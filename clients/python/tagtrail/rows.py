from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

Row = TypeVar("Row")
P = ParamSpec("P")

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    class Page(TypedDict, Generic[Row]):
        data: list[Row]
        total_count: int


LARGEST_PAGE = 200


def rows(operation: Callable[P, Page[Row]], *args: P.args, **filters: P.kwargs) -> Iterator[Row]:
    """
    The rows of a list, asked for page by page as they are used: `rows(client.list_assets, q="pallet")`.

    Rows that come, go or change between two pages move those behind them, whatever the order: one can come twice or be
    missed. Tell them apart by `id`.
    """
    ask = cast("Callable[..., Page[Row]]", operation)
    query: dict[str, Any] = {"limit": LARGEST_PAGE, **filters}
    offset = query.pop("offset", 0)
    while True:
        page = ask(*args, **query, offset=offset)
        yield from page["data"]
        offset += len(page["data"])
        if not page["data"] or offset >= page["total_count"]:
            return
