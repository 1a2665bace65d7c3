"""Asking an HTTP endpoint: retried with patience, never faster than allowed, from many threads at once.

A key comes from the environment and goes into one header; nothing that this module raises, logs or returns holds it.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from hakari.display import one_line
from hakari.errors import HakariError, MissingPrerequisite, UsageError, install_hint

EXTRA = "endpoints"
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""States that pass: too many requests, overloaded, restarting."""
FIRST_WAIT, LONGEST_WAIT, PATIENCE = 0.5, 30.0, 300.0
"""Seconds: the first pause, the longest that it doubles to, and the longest that a server may ask for."""
CONNECT_SECONDS = 10.0
_log = logging.getLogger("hakari")


class EndpointError(UsageError):
    """An endpoint refused, or its answer cannot be used."""

    def __init__(self, message: str, hint: str | None = None, status: int | None = None) -> None:
        super().__init__(message, hint)
        self.status = status
        """The HTTP status of the answer, where there was one."""


@dataclass(frozen=True)
class Manners:
    """How an endpoint is asked. Nothing here decides a result, so nothing here is part of one."""

    concurrency: int = 8
    """Requests under way at a time."""
    rate: float | None = None
    """Requests a minute at most."""
    timeout: float = 60.0
    """Seconds that an answer may take."""
    retries: int = 6
    """How often a request is repeated."""

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.retries < 0:
            raise UsageError(
                f"concurrency is {self.concurrency} and retries {self.retries}; at least 1 and 0"
            )
        if self.timeout <= 0 or (self.rate is not None and self.rate <= 0):
            raise UsageError("timeout and rate must be more than 0")


def checked_url(url: str) -> str:
    """The address of an endpoint without what it is followed by; an address that could hold a key is refused."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError("the address of an endpoint is not one", "for example `http://127.0.0.1:8000/v1`")
    if parts.username or parts.password or parts.query or parts.fragment or "@" in url:
        raise UsageError(
            f"the address of the endpoint at `{host}` holds a user, password, query or fragment",
            "give a key in the environment: `export HAKARI_ENDPOINT_KEY=...`",
        )
    return url.rstrip("/")


def key_of(variable: str, required: bool = False) -> str | None:
    """The key that a variable of the environment holds, if it does."""
    key = os.environ.get(variable, "").strip()
    if required and not key:
        raise MissingPrerequisite(
            f"there is no key in the variable `{variable}` of the environment", f"export {variable}=..."
        )
    if not all(32 < ord(character) < 127 for character in key):
        raise UsageError(f"the key in `{variable}` has characters that no key has", f"export {variable}=...")
    return key or None


@dataclass
class Client:
    """Posts JSON to the paths below one address. Safe to use from many threads."""

    url: str
    key_variable: str
    manners: Manners = field(default_factory=Manners)
    requests: int = field(default=0, init=False)
    retries: int = field(default=0, init=False)
    _pool: Any = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)
    _next: float = field(default=0.0, init=False, repr=False)
    """When the next request may be sent, on the monotonic clock."""
    _answered: bool = field(default=False, init=False, repr=False)

    def post(
        self, path: str, body: Mapping[str, Any], stop: threading.Event | None = None
    ) -> Mapping[str, Any] | Sequence[Any]:
        """The JSON that the endpoint answers with, after as many tries as it takes and is allowed."""
        return self._ask("POST", path, json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"), stop)

    def get(self, path: str) -> Mapping[str, Any] | Sequence[Any]:
        """The JSON at a path."""
        return self._ask("GET", path, None, None)

    def _ask(self, method: str, path: str, body: bytes | None, stop: threading.Event | None) -> Any:
        stop = stop or threading.Event()
        for tried in range(self.manners.retries + 1):
            self._pause(stop)
            try:
                return self._once(method, path, body)
            except _Passing as fault:
                if tried == self.manners.retries or stop.is_set():
                    raise fault.final(self, tried + 1) from None
                self._wait(fault, tried)
        raise AssertionError("the loop returns or raises")

    def _once(self, method: str, path: str, body: bytes | None) -> Any:
        import urllib3

        headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "hakari"}
        key = key_of(self.key_variable)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        try:
            with self._lock:
                self.requests += 1
            answer = self._connections().request(
                method, self.url + path, body=body, headers=headers, retries=False, redirect=False
            )
        except urllib3.exceptions.HTTPError as error:
            raise self._unanswered(error) from None
        self._answered = True
        if answer.status != 200:
            raise self._refused(answer.status, answer.headers, answer.data, key)
        try:
            return json.loads(answer.data)
        except ValueError:
            told = f"its answer is no JSON: {self._shown(answer.data, key)}"
            if answer.data.lstrip()[:1] in (b"{", b"["):  # begun well, so it was cut off on its way
                raise _Passing(told) from None
            raise EndpointError(f"`{self.url}{path}`: {told}", "is this the address of the API?") from None

    def _connections(self) -> Any:
        import urllib3

        with self._lock:
            if self._pool is None:
                proxy = _proxy(self.url)
                options: dict[str, Any] = {
                    "maxsize": self.manners.concurrency,
                    "timeout": urllib3.Timeout(
                        connect=min(CONNECT_SECONDS, self.manners.timeout), read=self.manners.timeout
                    ),
                }
                self._pool = (
                    urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)
                )
            return self._pool

    def _unanswered(self, error: Exception) -> HakariError | _Passing:
        import urllib3

        timed_out = isinstance(error, urllib3.exceptions.TimeoutError)
        if timed_out and not isinstance(error, urllib3.exceptions.ConnectTimeoutError):
            return _Passing(
                f"no answer within {self.manners.timeout:g} s", "raise `timeout`, or lower `batch`"
            )
        told = (
            "it cannot be reached"
            if _unreachable(error)
            else "the connection broke before the whole answer was there"
        )
        if self._answered or not _unreachable(error):
            return _Passing(told)
        return MissingPrerequisite(
            f"the endpoint `{self.url}` cannot be reached ({type(error).__name__})",
            f"start it, or correct the address: `curl {self.url}/models`",
        )

    def _refused(self, status: int, headers: Mapping[str, str], data: bytes, key: str | None) -> Exception:
        told = f"it answered {status}: {self._shown(data, key)}"
        if status in RETRIED and b"insufficient_quota" not in data:
            return _Passing(told, status=status, after=_retry_after(headers))
        hint = None
        if status in (401, 403):
            hint = f"check the key: `export {self.key_variable}=...`"
        elif status == 404:
            hint = "check the address and the model: `model=NAME`"
        return EndpointError(f"the endpoint `{self.url}` refuses: {told}", hint, status)

    def _shown(self, data: bytes, key: str | None) -> str:
        """The beginning of an answer; some servers repeat the key, or most of it."""
        text = data[:4000].decode("utf-8", "replace")
        return one_line(text.replace(key, "***") if key else text, 200) or "(nothing)"

    def _pause(self, stop: threading.Event) -> None:
        """Wait for this request's turn."""
        gap = 60.0 / self.manners.rate if self.manners.rate else 0.0
        with self._lock:
            turn = max(self._next, time.monotonic())
            self._next = turn + gap if gap else self._next
        stop.wait(max(0.0, turn - time.monotonic()))

    def _wait(self, fault: _Passing, tried: int) -> None:
        """Hold all requests back for as long as the server asks, else for longer each time."""
        seconds = min(LONGEST_WAIT, FIRST_WAIT * 2**tried) if fault.after is None else fault.after
        if seconds > PATIENCE:
            raise EndpointError(
                f"the endpoint `{self.url}`: {fault}; it asks to wait {seconds:.0f} s",
                "what was encoded is kept: run the same command again then, or set a lower `rate`",
            )
        if seconds >= 5:
            _log.warning("%s: %s; asking again in %.0f s", self.url, fault, seconds)
        with self._lock:
            self.retries += 1
            self._next = max(self._next, time.monotonic() + seconds)


class _Passing(Exception):
    """A fault that may be gone at the next try."""

    def __init__(
        self, told: str, hint: str | None = None, *, status: int | None = None, after: float | None = None
    ) -> None:
        super().__init__(told)
        self.hint, self.status, self.after = hint, status, after

    def final(self, client: Client, tries: int) -> EndpointError:
        """The error when it did not pass."""
        hint = "what was encoded is kept: the same command goes on from there"
        return EndpointError(
            f"the endpoint `{client.url}`: {self}, in {tries} tr{'ies' if tries > 1 else 'y'}",
            f"{hint}; {self.hint}" if self.hint else hint,
            self.status,
        )


def require() -> None:
    """Raise where the package that asks endpoints is missing."""
    try:
        import urllib3  # noqa: F401
    except ImportError:
        raise MissingPrerequisite("endpoints need the package urllib3", install_hint(EXTRA)) from None


def _unreachable(error: Exception) -> bool:
    import urllib3

    told = urllib3.exceptions
    return isinstance(error, told.ConnectTimeoutError | told.SSLError | told.ProxyError)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait, as a number or as a date; None where it does not say."""
    import urllib3

    told = headers.get("retry-after")
    if told is None:
        return None
    try:
        return max(0.0, float(urllib3.Retry().parse_retry_after(told)))
    except (ValueError, TypeError, urllib3.exceptions.InvalidHeader):
        return None


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
