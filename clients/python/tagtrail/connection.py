from __future__ import annotations

import gzip
import json
import logging
import random
import ssl
import time
import zlib
from collections.abc import Mapping
from datetime import datetime
from email.message import Message
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from .errors import UnexpectedAnswerError, error_of

log = logging.getLogger("tagtrail")

MOST_FAILURES = 6


class Answer(NamedTuple):
    status: int
    headers: Message
    content: bytes
    url: str

    @property
    def retry_after(self) -> float | None:
        """Seconds; None if nothing is told."""
        told = self.headers.get("Retry-After")
        return float(told) if told is not None and told.isdecimal() else None

    @property
    def is_refused_for_now(self) -> bool:
        return self.status in (408, 429) or self.status >= 500

    def json(self) -> Any:
        """Raises what a refusal says."""
        if not 200 <= self.status < 300:
            raise error_of(self.status, self.url, self.content)
        if self.status == 204:
            return None
        try:
            return json.loads(self.content)
        except ValueError as cause:
            raise UnexpectedAnswerError(f"no JSON from {self.url}: {self.content[:200]!r}") from cause


class Connection:
    """
    Requests in the name of one API key. Threads may share one.

    It is made of the standard library, which connects for each request: at the rates the API allows this costs little.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        patience: float = 300,
        timeout: float = 90,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        """
        base_url: where the API is, without a path: `https://tagtrail.example.com`.
        key: `tt_...`; it acts for one organization.
        patience: seconds that one call waits in all for rate limits and outages.
        timeout: seconds without a word of the API until a connection counts as dead.
        """
        if not base_url.lower().startswith(("http://", "https://")):
            raise ValueError("base_url must begin with http:// or https://")
        self._base_url = base_url.rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "tagtrail-client (Python)",
        }
        self._patience = patience
        self._timeout = timeout
        # Without the handler of redirects, which would show the key to others.
        self._opener = OpenerDirector()
        for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler(context=ssl_context)):
            self._opener.add_handler(handler)

    def _ask(
        self,
        method: str,
        path: str,
        *,
        path_parameters: Mapping[str, object] | None = None,
        query: Mapping[str, object] | None = None,
        body: object = None,
        media_type: str = "application/json",
    ) -> Any:
        """
        The JSON of a success. Asks again after `Retry-After`, whatever the method, because what is refused has changed
        nothing; with growing pauses after a failure, where asking twice does no harm: of a read, or unsent.
        """
        for name, value in (path_parameters or {}).items():
            path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
        content = body if isinstance(body, bytes) or body is None else _json_of(body)
        left = self._patience
        attempt = 0
        while True:
            outcome = self._attempt(method, path, query or {}, content, media_type)
            pause = _pause_after(method, outcome, attempt)
            if pause is None or pause > left:
                if isinstance(outcome, Exception):
                    raise outcome
                return outcome.json()
            wait(outcome, pause)
            left -= pause
            attempt += 1

    def _attempt(
        self,
        method: str,
        path: str,
        query: Mapping[str, object],
        content: bytes | None = None,
        media_type: str = "application/json",
        timeout: float | None = None,
    ) -> Answer | ConnectionError:
        """An answer, whatever it says, or why there is none."""
        pairs = urlencode([pair for name, value in query.items() for pair in _pairs(name, value)])
        url = f"{self._base_url}{path}{'?' if pairs else ''}{pairs}"
        headers = self._headers if content is None else {**self._headers, "Content-Type": media_type}
        request = Request(url, content, headers, method=method)
        try:
            with self._opener.open(request, timeout=timeout or self._timeout) as response:
                received = response.read()
                if response.headers.get("Content-Encoding") == "gzip":
                    received = gzip.decompress(received)
                return Answer(response.status, response.headers, received, url)
        except (OSError, HTTPException, EOFError, zlib.error) as cause:
            lost = ConnectionError(f"no answer from {url}: {cause}")
            lost.__cause__ = cause
            return lost


def _json_of(body: object) -> bytes:
    def text_of(value: object) -> str:
        if isinstance(value, datetime):
            return value.isoformat()
        raise TypeError(f"a body cannot have {value!r}")

    return json.dumps(body, allow_nan=False, default=text_of).encode()


def _pairs(name: str, value: object) -> list[tuple[str, str]]:
    match value:
        case None:
            return []
        case bool():
            return [(name, "true" if value else "false")]
        case datetime():
            return [(name, value.isoformat())]
        case str() | int() | float():
            return [(name, str(value))]
        case [*values]:
            return [pair for each in values for pair in _pairs(name, each)]
        case {**members}:
            return [pair for each, text in members.items() for pair in _pairs(each, text)]
    raise TypeError(f"{name} cannot be {value!r}")


def _pause_after(method: str, outcome: Answer | ConnectionError, attempt: int) -> float | None:
    """Seconds to wait before it is asked again; None not to."""
    # Those who share a key are told the same time, and should not all come at once.
    jitter = random.random()
    if isinstance(outcome, Answer):
        told = outcome.retry_after
        if outcome.status == 429 or (outcome.status in (408, 503) and told is not None and attempt < MOST_FAILURES):
            return (1 if told is None else told) + jitter / 4
    is_failure = isinstance(outcome, ConnectionError) or outcome.status >= 500
    if is_failure and (method == "GET" or _is_unsent(outcome)) and attempt < MOST_FAILURES:
        return float(2**attempt) / 2 * (0.5 + jitter)
    return None


def _is_unsent(outcome: Answer | ConnectionError) -> bool:
    cause = outcome.__cause__ if isinstance(outcome, ConnectionError) else None
    return isinstance(cause, URLError) and isinstance(cause.reason, ConnectionRefusedError)


def wait(outcome: Answer | ConnectionError, seconds: float) -> None:
    what = str(outcome) if isinstance(outcome, ConnectionError) else f"{outcome.status} from {outcome.url}"
    log.info("%s; asking again in %.1f s", what, seconds)
    time.sleep(seconds)
