from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, TypeGuard, cast

from .errors import FeedExpiredError
from .follow import follow
from .operations import Operations

if TYPE_CHECKING:
    from .models import AlertEvent, ChangeEvent, MoveEvent, OtherEvent


class Client(Operations):
    """Every operation of the API, its feeds one by one, and the import of assets from CSV."""

    def follow_moves(self, after: int = 0) -> Iterator[MoveEvent | AlertEvent | OtherEvent]:
        """
        The events of the feed of moves after a position, one by one, for as long as it takes. Each comes at least once,
        and in order; types that are not known today come, too. Store `event["data"]["position"]` once an event is
        dealt with: continue after it, in this or another run.

        Raises TagtrailError when the API refuses, FeedExpiredError when what follows the position is not kept any more.
        """
        return follow(self, "/api/v1/moves", "moves", lambda event: int(event["data"]["position"]), after)

    def follow_changes(self, after: int = 0) -> Iterator[ChangeEvent]:
        """The changes of assets, locations and their tags, as `follow_moves`; here `event["position"]` is the position."""
        return follow(self, "/api/v1/changes", "changes", lambda event: int(event["position"]), after)

    def moves_head(self) -> int:
        """The last position of the feed of moves: read it before what the events are to be applied to."""
        try:
            return self.list_moves(limit=1)["data"]["head"]
        except FeedExpiredError as expired:
            return expired.head

    def changes_head(self) -> int:
        """The last position of the feed of changes: read it before what they are to be applied to."""
        try:
            return self.list_master_data_changes(limit=1)["data"]["head"]
        except FeedExpiredError as expired:
            return expired.head

    def import_assets(self, csv: BinaryIO, *, dry_run: bool = False) -> dict[str, Any]:
        """Imports assets from a file open for reading. Not part of the API's contract: it may change with any version."""
        boundary = secrets.token_hex(16)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="assets.csv"\r\n'
        body = b"".join(
            [head.encode(), b"Content-Type: text/csv\r\n\r\n", csv.read(), f"\r\n--{boundary}--\r\n".encode()]
        )
        answer = self._ask(
            "POST",
            "/api/v1/assets/bulk",
            query={"dry_run": dry_run},
            body=body,
            media_type=f"multipart/form-data; boundary={boundary}",
        )
        return cast("dict[str, Any]", answer["data"])


def is_move(event: MoveEvent | AlertEvent | OtherEvent) -> TypeGuard[MoveEvent]:
    """False of alerts, and of types that are not known today."""
    return event["type"] in ("tagtrail.asset.moved.v1", "tagtrail.history.corrected.v1")


def is_alert(event: MoveEvent | AlertEvent | OtherEvent) -> TypeGuard[AlertEvent]:
    """False of moves, and of types that are not known today."""
    actions = ("opened", "acknowledged", "closed", "withdrawn")
    return event["type"] in [f"tagtrail.alert.{action}.v1" for action in actions]
