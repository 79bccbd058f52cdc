from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from .connection import Answer, Connection, log, wait
from .errors import UnexpectedAnswerError

WAIT = 25
"""Seconds; less than proxies wait for an answer, rarely below 30."""

LONGEST_PAUSE = 30.0


def follow(
    connection: Connection, path: str, kind: str, position_of: Callable[[Any], int], after: int
) -> Iterator[Any]:
    """
    What a feed has after a position, one by one, for as long as it takes: waits for the next, and asks again after
    failures, with growing pauses.

    It leaves half of the rate limit to others: when less is left, it asks only as often as the budget refills, and more
    rarely the less there is. Two on one key leave a quarter.
    """
    failures = 0
    while True:
        began = time.monotonic()
        query = {"after": after, "limit": 200, "wait": WAIT}
        outcome = connection._attempt("GET", path, query, timeout=WAIT + 20)
        events = _events(outcome, kind)
        if events is None:
            failures += 1
            wait(outcome, _pause_after_failure(outcome, failures))
            continue
        for event in events:
            after = position_of(event)
            yield event
        failures = 0
        assert isinstance(outcome, Answer)
        pause = _pause_between(outcome, len(events), time.monotonic() - began)
        if pause > 0:
            log.debug("asking again in %.1f s", pause)
            time.sleep(pause)


def _events(outcome: Answer | ConnectionError, kind: str) -> list[Any] | None:
    """None if it has to be asked again."""
    if isinstance(outcome, ConnectionError) or outcome.is_refused_for_now:
        return None
    try:
        events: list[Any] = outcome.json()["data"][kind]
        return events
    except UnexpectedAnswerError:
        if outcome.status >= 300:
            raise
        return None


def _pause_after_failure(outcome: Answer | ConnectionError, failures: int) -> float:
    # Those who share a service should not all come back at once.
    jitter = 0.5 + random.random()
    told = outcome.retry_after or 0.0 if isinstance(outcome, Answer) else 0.0
    if isinstance(outcome, Answer) and outcome.status == 429 and told > 0:
        return told + jitter / 4
    return max(told, min(LONGEST_PAUSE, 2.0 ** min(failures - 2, 8)) * jitter)


def _pause_between(answer: Answer, count: int, took: float) -> float:
    if count == 0 and took < 1:
        # It stops, or too many wait.
        return 0.5 + random.random()
    limit, left = (int(answer.headers.get(f"X-RateLimit-{name}") or 0) for name in ("Limit", "Remaining"))
    return 60 / limit * min(4, limit / 2 / max(left, 1)) if left < limit / 2 else 0.0
