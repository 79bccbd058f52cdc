from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
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

    Of assets, locations, and the reports of their places and presence it asks in order of ids, unless there is a `sort`
    or an `offset`: what is there all the while comes once. Otherwise rows that come, go or change between two pages move
    those behind them: one can come twice or be missed. Tell them apart by `id`.
    """
    ask = cast("Callable[..., Page[Row]]", operation)
    query: dict[str, Any] = {"limit": LARGEST_PAGE, **filters}
    if "after" in signature(operation).parameters and not {"sort", "offset"} & query.keys():
        yield from _rows_by_id(partial(ask, *args), query)
        return
    offset = query.pop("offset", 0)
    while True:
        page = ask(*args, **query, offset=offset)
        yield from page["data"]
        offset += len(page["data"])
        if not page["data"] or offset >= page["total_count"]:
            return


def _rows_by_id(ask: Callable[..., Page[Any]], query: dict[str, Any]) -> Iterator[Any]:
    query = {"after": 0, **query}
    while True:
        data = ask(**query)["data"]
        yield from data
        if len(data) < query["limit"]:
            return
        query["after"] = data[-1]["id"] if "id" in data[-1] else data[-1]["asset_id"]
