"""What embedding and rerank endpoints have in common: address, model, key, batches, tokens and their price."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.retrievers.http_client import Client, EndpointError, Manners, checked_url

OPENAI = "https://api.openai.com/v1"
OPENAI_KEY, KEY = "OPENAI_API_KEY", "HAKARI_ENDPOINT_KEY"
BATCH = 32
"""Texts a request: what the most careful of the usual servers take without being told otherwise."""
BATCH_CHARACTERS = 200_000
ANY_MODEL = "default"
"""What a server that does not name its models is asked for."""

Read = TypeVar("Read")

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")


@dataclass(frozen=True)
class Asked:
    """How an endpoint is asked, in settings of a retriever; none of these decides a result."""

    key: str = ""
    """The variable of the environment that holds the key."""
    batch: int = BATCH
    concurrency: int = 8
    rate: float | None = None
    """Requests a minute at most."""
    timeout: float = 60.0
    retries: int = 6

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise UsageError(f"batch must be at least 1, not {self.batch}", f"batch={BATCH}")
        if self.key and not _VARIABLE.fullmatch(self.key):  # not shown: it may be a key
            told = "`key` is the name of a variable of the environment, and never a key itself"
            raise UsageError(told, f"export {KEY}=..., and leave `key` away, or `key={OPENAI_KEY}`")

    def client(self, url: str) -> Client:
        """What asks the endpoint at an address."""
        manners = Manners(self.concurrency, self.rate, self.timeout, self.retries)
        return Client(url, self.key or _key_variable(url), manners)


@dataclass(frozen=True)
class Listed:
    """How the entries of an answer are told apart: one for each text or document that was sent."""

    field: str
    """What the answer calls the list of them."""
    sent: str
    """What was sent, in the plural, and below what each has to have."""
    having: str
    in_place: bool = False
    """Whether an entry that does not say its index stands in its place."""

    def in_order(
        self,
        url: str,
        listed: Any,
        count: int,
        read: Callable[[Mapping[str, Any], int], tuple[Read, str | None]],
    ) -> list[Read]:
        """What `read` makes of the entries, in the order of what was sent; it says also what is wrong with one."""
        if not isinstance(listed, list):
            raise _refused(url, [f"it has no list `{self.field}` of {self.having}s"])
        faults: list[str] = []
        found: dict[int, Read] = {}
        for place, entry in enumerate(listed):
            told = entry if isinstance(entry, Mapping) else {"index": None}
            index = told.get("index", place if self.in_place else None)
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
                faults.append(f"entry {place} has no index from 0 to {count - 1}")
            elif index in found:
                faults.append(f"index {index} is there twice")
            else:
                found[index], fault = read(told, index)
                faults += [fault] if fault else []
        if missing := [i for i in range(count) if i not in found]:
            lacking = f"{len(missing)} have no {self.having}, first number {missing[0]}"
            faults.append(f"{count} {self.sent} were sent and {lacking}")
        if faults:
            raise _refused(url, faults)
        return [found[i] for i in range(count)]


def _refused(url: str, faults: Sequence[str]) -> InvalidInput:
    hint = "nothing of this answer is kept: look at the log of the server, then run the same command again"
    return InvalidInput(f"the answer of `{url}`", [Fault(fault, hint=hint) for fault in faults])


def openai_url() -> str:
    """The address of OpenAI's API, or what `OPENAI_BASE_URL` names in its place."""
    return checked_url(os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI)


def _key_variable(url: str) -> str:
    """OpenAI's key goes to OpenAI's address only, or to the one that `OPENAI_BASE_URL` names."""
    parts = urlsplit(url)
    of_openai = {urlsplit(OPENAI)[:2]}
    if os.environ.get("OPENAI_BASE_URL", "").strip():
        of_openai.add(urlsplit(openai_url())[:2])
    return OPENAI_KEY if parts[:2] in of_openai else KEY


def served_model(client: Client) -> str:
    """The one model that a server offers, for those who name none."""
    try:
        told = client.get("/models")
    except EndpointError as error:
        if error.status in (404, 405, 501):
            return ANY_MODEL
        raise
    listed = told.get("data") if isinstance(told, Mapping) else None
    names = (
        [m["id"] for m in listed if isinstance(m, Mapping) and isinstance(m.get("id"), str)]
        if isinstance(listed, list)
        else []
    )
    if len(names) > 1:
        shown = ", ".join(f"`{name}`" for name in names[:8]) + (" and more" if names[8:] else "")
        raise UsageError(
            f"`{client.url}` offers {len(names)} models: {shown}", f"say which: `model={names[0]}`"
        )
    return names[0] if names else ANY_MODEL


def extra_fields(text: str, setting: str) -> dict[str, Any]:
    """Fields of a request from a text such as `input_type:query;truncate:true`."""
    found: dict[str, Any] = {}
    for pair in filter(None, text.split(";")):
        name, colon, value = (part.strip() for part in pair.partition(":"))
        if not colon or not name:
            raise UsageError(f"`{setting}` is `{text}`, not NAME:VALUE", f"{setting}=input_type:query")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def batches(rows: Sequence[int], lengths: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Rows in requests of at most so many, none of them too long."""
    found: list[tuple[int, ...]] = []
    held: list[int] = []
    size = 0
    for row in rows:
        if held and (len(held) == most or size + lengths[row] > BATCH_CHARACTERS):
            found.append(tuple(held))
            held, size = [], 0
        held.append(row)
        size += lengths[row]
    return [*found, tuple(held)] if held else found


def tokens_used(answer: Mapping[str, Any] | Sequence[Any]) -> int:
    """The tokens that an answer says it was billed for; 0 where it does not say."""
    usage = answer.get("usage") if isinstance(answer, Mapping) else None
    for name in ("prompt_tokens", "total_tokens", "input_tokens"):
        count = usage.get(name) if isinstance(usage, Mapping) else None
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
            return count
    return 0


def shares(total: int, lengths: Sequence[int]) -> list[int]:
    """A number of tokens shared out over texts by their lengths; the shares add up to it."""
    whole, given, before, parts = sum(lengths) or len(lengths), 0, 0, []
    for length in lengths:
        given += length if sum(lengths) else 1
        parts.append(total * given // whole - before)
        before += parts[-1]
    return parts


@lru_cache(maxsize=1)
def _known() -> Mapping[tuple[str, str], Mapping[str, Any]]:
    text = (Path(__file__).parent / "data" / "endpoints.toml").read_text(encoding="utf-8")
    return {(entry["host"], entry["name"]): entry for entry in tomllib.loads(text)["model"]}


def known_model(url: str, model: str) -> Mapping[str, Any]:
    """What is known of a model behind a public endpoint; nothing of others."""
    return _known().get((urlsplit(url).hostname or "", model), {})


def price(url: str, model: str, tokens: float) -> dict[str, Any]:
    """What so many tokens cost by the list price, and where that stands; nothing where it is not known."""
    entry = known_model(url, model)
    if "usd_per_million_tokens" not in entry or not tokens:
        return {}
    return {
        "price_usd": tokens * entry["usd_per_million_tokens"] / 1e6,
        "price_source": f"{entry['source']} ({entry['as_of']})",
    }
