"""A maintainer's words about a task or a suite: Markdown without HTML, its links checked.

They lie beside the catalog, `<suite>/<data set>/<split>.md` and `<suite>/<suite>.md`, or in a nano set of one's
own, `metadata/<split>.md`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from hakari.display import visible
from hakari.site.render import safe_address
from hakari.store.keys import safe
from hakari.tasks.catalog import FOLDER

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST = 20_000
HEADING = "## "


def of_task(suite: str, dataset: str, split: str, folder: Path | None = None) -> dict[str, Markup]:
    """What a maintainer says of a task, by the title of the section that it belongs to."""
    own = None if folder is None else folder / "metadata" / f"{safe(split)}.md"
    return _read(own) or _read(FOLDER / safe(suite) / safe(dataset) / f"{safe(split)}.md")


def of_suite(suite: str) -> dict[str, Markup]:
    """What a maintainer says of a suite."""
    return _read(FOLDER / safe(suite) / f"{safe(suite)}.md")


def sections(text: str) -> dict[str, Markup]:
    """Markdown by its second-level headings; what stands before the first is under an empty title."""
    found: dict[str, list[str]] = {"": []}
    title = ""
    for line in visible(text, LONGEST).splitlines():
        if line.startswith(HEADING):
            title = line.removeprefix(HEADING).strip()
            found.setdefault(title, [])
        else:
            found[title].append(line)
    return {title: markup for title, lines in found.items() if (markup := rendered("\n".join(lines))).strip()}


def rendered(text: str) -> Markup:
    """Markdown as HTML: no HTML of its own, no images, and links to the web only."""
    return Markup(_parser().render(text))


def _read(path: Path | None) -> dict[str, Markup]:
    try:
        return {} if path is None else sections(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
    parser.validateLink = safe_address  # type: ignore[method-assign, assignment]
    return parser
