"""The kinds of page beside those of tasks, each made once all tasks were seen. A kind of page is a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hakari.site.blocks import Page

if TYPE_CHECKING:
    from hakari.site.build import Site

AFTER_TASKS: tuple[Callable[[Site], Iterator[Page]], ...] = ()
