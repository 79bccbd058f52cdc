from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .models import ErrorDetails


class TagtrailError(Exception):
    """A refusal of the API: branch on `type`, then on the `code` of each of `fields`."""

    def __init__(self, problem: ErrorDetails) -> None:
        super().__init__(
            f"{problem['status']} {problem['type']}: {problem['detail']} (request {problem['request_id']})"
        )
        self.problem = problem
        self.type = problem["type"]
        self.title = problem["title"]
        self.status = problem["status"]
        self.detail = problem["detail"]
        self.request_id = problem["request_id"]
        self.fields = problem.get("fields", [])


class FeedExpiredError(TagtrailError):
    """Events after the position are gone: read everything again, and follow from the head that was read before."""

    def __init__(self, problem: ErrorDetails) -> None:
        super().__init__(problem)
        params = problem.get("params", {})
        self.oldest = int(params["oldest"])
        """The first position that is kept."""
        self.head = int(params["head"])
        """The last position there is."""


class UnexpectedAnswerError(Exception):
    """An answer that is not the API's: of a proxy, or of another program at this address."""


def error_of(status: int, url: str, content: bytes) -> Exception:
    try:
        problem: ErrorDetails = json.loads(content)["error"]
        return FeedExpiredError(problem) if problem["type"] == "feed_expired" else TagtrailError(problem)
    except (ValueError, KeyError, TypeError):
        return UnexpectedAnswerError(f"{status} from {url}: {content[:200]!r}")
