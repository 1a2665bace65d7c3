"""The page of the board: its table of all tasks as plain HTML, and the program and data that it loads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hakari.site.board.numbers import Block
from hakari.site.render import NAVIGATION, POLICY_WITH_SCRIPTS, environment, href

PAGE = "board/index.html"


def page_of(core: Mapping[str, Any], block: Block, measure: str) -> bytes:
    """The page as the bytes of its file."""
    text = (
        environment()
        .get_template("board.html")
        .render(
            core=core,
            measure=measure,
            rows=_rows(core, block),
            policy=POLICY_WITH_SCRIPTS,
            navigation=NAVIGATION,
            here=PAGE,
            href=lambda path: href(path, "../"),
        )
    )
    return text.encode("utf-8", "replace")


def _rows(core: Mapping[str, Any], block: Block) -> list[dict[str, Any]]:
    """The retrievers that have a result for every task, best first; then the incomplete ones, by name."""
    order = np.lexsort((np.arange(len(block.means)), -np.nan_to_num(block.means, nan=-1.0)))
    rows = []
    for i in order.tolist():
        system = core["systems"][i]
        if system["head"] != i:
            continue
        known = bool(np.isfinite(block.means[i]))
        rows.append(
            {
                "name": system["name"],
                "family": system["family"],
                "link": system["link"],
                "ranks": _ranks(int(block.best[i]), int(block.worst[i])) if known else "–",
                "value": f"{block.means[i]:.3f}" if known else "incomplete",
                "interval": f"{block.lows[i]:.2f} to {block.highs[i]:.2f}" if known else "–",
            }
        )
    return rows


def _ranks(best: int, worst: int) -> str:
    return "–" if best == 0 else str(best) if best == worst else f"{best}–{worst}"
