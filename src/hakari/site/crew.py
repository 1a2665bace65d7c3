"""Work shared by several processes of this machine, its results in order: the same bytes as one process makes.

Helpers are fresh interpreters that are told what to do through pipes. Forking is no choice beside the threads of
numerical libraries, and `multiprocessing` would otherwise run the script of whoever called again in each of them.
Where no helper can be started, or one is lost, this process does the work itself.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Generic, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

MOST = 4
"""Processes at once, this one included: each takes some hundred megabytes."""
AHEAD = 8
"""Results a process may be ahead of the one that is waited for, so that they do not pile up."""
_LINE = "import pickle, sys; sys.path[:] = pickle.load(sys.stdin.buffer); from hakari.site.crew import serve; serve()"


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class Crew:
    """This process and its helpers, which are gone when the context is left."""

    def __init__(self, processes: int | None = None) -> None:
        wanted = min(MOST, processors()) if processes is None else processes
        self._helpers: list[_Helper] = []
        with contextlib.suppress(OSError):
            for _ in range(wanted - 1 if sys.executable else 0):
                self._helpers.append(_Helper())

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for helper in self._helpers:
            helper.end()

    def each(self, work: Callable[[Item], Made], items: Sequence[Item]) -> Iterator[Made]:
        """What work makes of every item, in the order of the items. Helpers begin at once, not when it is asked for."""
        try:
            told = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError):  # such as what was made within a function
            return map(work, items)
        shared = _Shared(work, items, len(self._helpers) + 1)
        threads = [threading.Thread(target=h.run, args=(shared, told), daemon=True) for h in self._helpers]
        for thread in threads:
            thread.start()
        return _results(shared, threads)


def _results(shared: _Shared[Item, Made], threads: Sequence[threading.Thread]) -> Iterator[Made]:
    try:
        for place in range(len(shared.items)):
            yield shared.result(place)
    finally:
        shared.stop()
        for thread in threads:
            thread.join()


@dataclass(frozen=True)
class _Failed:
    error: BaseException


class _Shared(Generic[Item, Made]):
    """What is to be done and what is done, for all threads that hand it on."""

    def __init__(self, work: Callable[[Item], Made], items: Sequence[Item], hands: int) -> None:
        self.work, self.items = work, items
        self._left = list(range(len(items)))  # a heap: what a lost helper had comes first again
        self._done: dict[int, Made | _Failed] = {}
        self._changed = threading.Condition()
        self._wanted, self._ahead, self._stopped = 0, AHEAD * hands, False

    def take(self, wait: bool) -> int | None:
        """The next item to be done; None when there is none, or for now when waiting is not wanted."""
        with self._changed:
            while not self._stopped and self._left:
                if self._left[0] < self._wanted + self._ahead:
                    return heapq.heappop(self._left)
                if not wait:
                    return None
                self._changed.wait()
            return None

    def give(self, place: int, made: Made | _Failed) -> None:
        with self._changed:
            self._done[place] = made
            self._changed.notify_all()

    def give_back(self, place: int) -> None:
        with self._changed:
            heapq.heappush(self._left, place)
            self._changed.notify_all()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def result(self, place: int) -> Made:
        """The result of one item; until it is there, others are worked on here."""
        with self._changed:
            self._wanted = place
            self._changed.notify_all()
        while True:
            with self._changed:
                if place in self._done:
                    made = self._done.pop(place)
                    break
            mine = self.take(wait=False)
            if mine is not None:
                self.give(mine, _tried(self.work, self.items[mine]))
                continue
            with self._changed:
                if place not in self._done and (not self._left or self._left[0] != place):
                    self._changed.wait()
        if isinstance(made, _Failed):
            raise made.error
        return made


def _tried(work: Callable[[Item], Made], item: Item) -> Made | _Failed:
    try:
        return work(item)
    except Exception as error:
        return _Failed(error)


class _Helper:
    """An interpreter that works for this one."""

    def __init__(self) -> None:
        # Each is one of several, so none takes every processor for its products of matrices.
        alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LINE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **alone},
        )
        self._lost = False
        with contextlib.suppress(OSError):
            self._send(pickle.dumps(sys.path))

    def run(self, shared: _Shared[Any, Any], work: bytes) -> None:
        """Hand it one item after the other; what it does not bring back is left to others."""
        given: list[int] = []
        try:
            if not self._lost:
                self._send(work)
            while not self._lost and self._give(shared, given):
                done, made = pickle.load(self._output)
                shared.give(given.pop(0), made if done else _Failed(made))
            self._send(pickle.dumps(None))
        except Exception:  # it died, or its result cannot be brought over: this process will see for itself
            self._lost = True
            for place in given:
                shared.give_back(place)

    def _give(self, shared: _Shared[Any, Any], given: list[int]) -> bool:
        """Give it work; False when there is nothing left. Of numbers it gets two, so that it need not wait.

        Larger items come one at a time: a pipe might not take another while a result waits in the other one.
        """
        most = 2 if isinstance(shared.items, range) else 1
        while len(given) < most and (place := shared.take(wait=not given)) is not None:
            given.append(place)
            self._send(pickle.dumps((shared.items[place],), pickle.HIGHEST_PROTOCOL))
        return bool(given)

    def end(self) -> None:
        """Let it go; what it is at is no longer wanted."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _send(self, message: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(message)
        self._process.stdin.flush()


def serve() -> None:
    """The other end: some work, then item by item until there are no more; over when the pipe is."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides when it is over
    given = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not come between the answers
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            work = pickle.load(given)
            while (item := pickle.load(given)) is not None:
                made = _tried(work, item[0])
                told = (False, made.error) if isinstance(made, _Failed) else (True, made)
                try:
                    message = pickle.dumps(told, pickle.HIGHEST_PROTOCOL)
                except (pickle.PicklingError, TypeError, AttributeError):
                    return  # whoever waits for it makes it itself
                answers.write(message)
                answers.flush()
