"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from hakari.api import Where

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

DEFAULT_MEASURES = "nDCG@10,hit@10,R@100"

on: Decorator = click.option(
    "--on",
    "tasks",
    metavar="TASKS",
    multiple=True,
    required=True,
    help="Suite, task, glob (`NanoCoIR/*SQL`), view (`lang:ja`), folder in nano layout, one task of it, BEIR folder, "
    "or `hub:org/name`.",
)
on_optional: Decorator = click.option(
    "--on",
    "tasks",
    metavar="TASKS",
    multiple=True,
    help="Only these tasks; default: all that have results.",
)
tasks_dir: Decorator = click.option(
    "--tasks-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder of suites.  [env: HAKARI_TASKS]",
)
results: Decorator = click.option(
    "--results",
    metavar="DIR",
    type=click.Path(path_type=Path),
    envvar="HAKARI_RESULTS",
    default=Path("results"),
    show_default=True,
    help="Folder of results.  [env: HAKARI_RESULTS]",
)
measures: Decorator = click.option(
    "--measures",
    metavar="LIST",
    default=DEFAULT_MEASURES,
    show_default=True,
    help="Measures, with commas between.",
)
depth: Decorator = click.option(
    "--depth",
    metavar="N",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="How deep rankings go. Default measures that look deeper are left out.",
)
as_json: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON to standard output.")
seed: Decorator = click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Seed of the resampling."
)
candidates: Decorator = click.option(
    "--candidates",
    metavar="NAME|RUN",
    help="What rerankers named alone put into order, `--depth` of it or 100: candidates that tasks come with "
    "(`reranking_hybrid`), a retriever (`bm25`), or a TREC run.",
)
model_args: Decorator = click.option(
    "-M",
    "model_args",
    metavar="KEY=VALUE",
    multiple=True,
    help="Setting of the retrievers, such as `-M k1=1.2`.",
)
language: Decorator = click.option(
    "--language", metavar="CODE", help="Language of the tasks, over their metadata."
)
category: Decorator = click.option(
    "--category",
    type=click.Choice(["code", "natural_language"]),
    help="Category of the tasks, over their metadata.",
)


variants: Decorator = click.option(
    "--variants",
    metavar="SPEC",
    multiple=True,
    help="Cheaper forms of retrievers: `dim=256,128`, `int8`, `binary`, `dim=256+int8`, `int8>float@100`; "
    "`active-dims:query=16,document=128` of sparse ones; `tokens=64`, `pool=2` of late interaction.",
)


truncate: Decorator = click.option(
    "--truncate",
    type=click.Choice(["head", "tail", "turns"]),
    help="Part kept of a text longer than the model reads: beginning (default), end, or of a dialogue the last "
    "request and the latest code.",
)
long_texts: Decorator = click.option(
    "--long",
    metavar="HOW",
    help="Documents longer than that in overlapping pieces: `chunk:max`, `chunk:mean`, with tokens a piece and of "
    "overlap `chunk:max:256:64`.",
)


@contextmanager
def _without_cache() -> Iterator[None]:
    """By the variable, so that processes started from here know of it as well; for this command only."""
    import os

    name, before = "HAKARI_EMBEDDING_CACHE", os.environ.get("HAKARI_EMBEDDING_CACHE")
    os.environ[name] = "0"
    try:
        yield
    finally:
        os.environ.pop(name)
        if before is not None:
            os.environ[name] = before


def no_cache(function: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--no-cache`: the command runs without the cache of encoded texts."""

    @wraps(function)
    def run(*arguments: Any, no_cache: bool, **named: Any) -> Any:
        with _without_cache() if no_cache else nullcontext():
            return function(*arguments, **named)

    return click.option(
        "--no-cache",
        is_flag=True,
        help="Encode every text anew and keep no vector.  [env: HAKARI_EMBEDDING_CACHE=0]",
    )(run)


def together(*decorators: Decorator) -> Decorator:
    """Several options as one decorator, listed in the order given."""

    def apply(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


places: Decorator = together(tasks_dir, results, language, category)


def where(**named: Any) -> Where:
    """Where tasks and results lie, from the options of `places`."""
    from hakari.api import Where

    return Where(**named)


def settings(model_args: tuple[str, ...], **chosen: str | None) -> dict[str, str]:
    """`-M key=value` as a mapping, with the settings that have options of their own."""
    from hakari.errors import UsageError

    found: dict[str, str] = {}
    for pair in model_args:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"`-M {pair}` is not KEY=VALUE", "write it as `-M k1=1.2`")
        found[key.strip()] = value  # as it is: prompts end with a space
    return found | {key: value for key, value in chosen.items() if value is not None}
