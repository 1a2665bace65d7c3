"""The kinds of page beside those of tasks, each made once all tasks were seen. A kind of page is a line here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from hakari.site import compare, overview_pages, suite, systems
from hakari.site.blocks import Page

AFTER_TASKS: tuple[Callable[[Any], Iterator[Page]], ...] = (
    suite.pages,
    systems.pages,
    compare.pages,
    overview_pages.pages,
)
