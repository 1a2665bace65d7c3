"""Work for an endpoint in several threads: what is ready is given at once, what fails loses nothing else."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

GRACE = 10.0
"""Seconds that work under way is waited for after other work has failed, so that what it brings is kept."""
Item = TypeVar("Item")
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class _End(Generic[Item, Answer]):
    """What a thread leaves behind: an answer to an item, or the error that ended it, or nothing."""

    item: Item | None = None
    answer: Answer | None = None
    error: BaseException | None = None


def side_by_side(
    work: Callable[[Item, threading.Event], Answer], items: Sequence[Item], threads: int
) -> Iterator[tuple[Item, Answer]]:
    """The answers to items, as they become ready.

    After a failure nothing new is begun; what is under way is still given, and then the error is raised. The
    threads do not keep the process alive, so an interrupt ends it at once.
    """
    todo: queue.SimpleQueue[Item] = queue.SimpleQueue()
    done: queue.SimpleQueue[_End[Item, Answer]] = queue.SimpleQueue()
    stop = threading.Event()
    for item in items:
        todo.put(item)

    def worker() -> None:
        while not stop.is_set():
            try:
                item = todo.get_nowait()
            except queue.Empty:
                break
            try:
                done.put(_End(item, work(item, stop)))
            except BaseException as error:
                stop.set()
                done.put(_End(error=error))
        done.put(_End())

    running = min(threads, len(items))
    for _ in range(running):
        threading.Thread(target=worker, name="hakari-endpoint", daemon=True).start()
    failed: BaseException | None = None
    try:
        while running:
            try:
                end = done.get(timeout=GRACE if failed else None)
            except queue.Empty:
                break
            if end.item is not None:
                yield end.item, end.answer  # type: ignore[misc]
            elif end.error is not None:
                failed = failed or end.error
            else:
                running -= 1
        if failed is not None:
            raise failed
    finally:
        stop.set()
