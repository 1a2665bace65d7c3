"""The card of a set on a hub: what `datasets` needs to read it, and what people need to trust it.

Nothing of the texts goes into it, only names, counts and figures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hakari import __version__
from hakari.io.hub_layout import FRONT_MATTER
from hakari.publish.stage import Staged
from hakari.tasks.statistics import Statistics, statistics
from hakari.types import Task

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
MARKED = "<!-- below this line: written by hakari, and written anew by every push -->"
WORTH = {"nDCG@10": "ndcg_at_10", "hit@10": "hit_at_10", "R@100": "recall_at_100_mean"}


def card(repo: str, staged: Staged, own: str | None = None, licence: str | None = None) -> str:
    """The card as Markdown with front matter.

    `own` is a card that the set comes with: its text and its keys stay, apart from those that the files decide.
    """
    stated, text = _own(own or "")
    if text:
        text = text.partition(MARKED)[0].rstrip() + "\n"
    head = [*_kept(stated, licence), *_head(staged, stated)]
    body = text or f"# {repo.rpartition('/')[2]}\n\nSmall retrieval tasks in the nano layout.\n"
    return "---\n" + "\n".join(head) + f"\n---\n\n{body}\n{MARKED}\n\n" + "\n".join(_body(repo, staged))


def _own(card: str) -> tuple[dict[str, Any], str]:
    """The front matter and the text of a card."""
    import yaml  # comes with huggingface_hub

    card = card.replace("\r\n", "\n")
    matter = FRONT_MATTER.match(card)
    if matter is None:
        return {}, card.strip()
    try:
        stated = yaml.load(matter[1], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError):
        stated = None
    return stated if isinstance(stated, dict) else {}, card[matter.end() :].strip()


def _kept(stated: Mapping[str, Any], licence: str | None) -> Iterator[str]:
    """The keys of a card of one's own that say nothing about files; JSON is YAML whose words stay words."""
    keys = {k: v for k, v in stated.items() if k not in ("configs", "dataset_info", "size_categories")}
    if licence is not None:
        keys["license"] = licence
    for key, value in keys.items():
        if re.fullmatch(r"[A-Za-z_]\w*", key):
            yield _line(key, value)


def _line(key: str, value: Any) -> str:
    return f"{key}: {json.dumps(value, ensure_ascii=False)}"


def _head(staged: Staged, stated: Mapping[str, Any]) -> Iterator[str]:
    languages = sorted({_iso(task) for task in staged.tasks if task.language} - {""})
    if languages and "language" not in stated:
        # In quotes, for without them YAML reads Norwegian as false.
        yield _line("language", languages)
    if "task_categories" not in stated:
        yield _line("task_categories", ["text-retrieval"])
    if "tags" not in stated:
        code = ["code"] if any(task.category == "code" for task in staged.tasks) else []
        yield _line("tags", ["retrieval", "nano", "hakari", *code])
    rows = sum(len(task.corpus) + len(task.queries) for task in staged.tasks)
    yield _line("size_categories", [next((n for most, n in SIZES if rows < most), "1M<n<10M")])
    yield "configs:"
    for config, splits in staged.configs.items():
        yield f"- config_name: {json.dumps(config)}"
        yield "  data_files:"
        for split in splits:
            yield f"  - split: {json.dumps(split)}"
            yield f"    path: {json.dumps(f'{config}/{split}.parquet')}"


def _iso(task: Task) -> str:
    return re.split("[-_]", task.language or "")[0].lower()


def _body(repo: str, staged: Staged) -> Iterator[str]:
    yield "## Tasks"
    yield ""
    facts = {task.split: statistics(task) for task in staged.tasks}
    columns = "task, language, category, shape, queries, documents, positives, per query, graded, "
    columns += "characters of a query, of a document"
    yield from _table(columns, (_task_row(task, facts[task.split]) for task in staged.tasks))
    yield "Characters are means, with the 95th percentile in brackets."
    yield ""
    if staged.left_out:
        yield f"{staged.left_out:,} judgements of documents that are not relevant are left out here."
        yield ""
    worth = [
        (split, name, told) for split, configs in staged.quality.items() for name, told in configs.items()
    ]
    if worth:
        yield "## Candidates"
        yield ""
        columns = (
            f"task, configuration, candidates a query, {', '.join(WORTH)}, without a positive, safeguards"
        )
        yield from _table(columns, (_worth_row(*row) for row in worth))
        yield "Figures are those of the candidates as they are; a safeguard, the positive put at rank 101 where none"
        yield "is among the first 100, counts in none of them and should not in those of rerankers."
        yield ""
    yield from _reading(repo, staged)
    yield from _made(staged)


def _task_row(task: Task, facts: Statistics) -> list[str]:
    return [
        task.split,
        task.language or "",
        task.category or "",
        task.shape or "",
        f"{facts.queries:,}",
        f"{facts.documents:,}",
        f"{facts.positives:,}",
        f"{facts.positives_per_query.mean:.2f}",
        "yes" if facts.graded else "no",
        f"{facts.query_lengths.mean:,.0f} ({facts.query_lengths.p95:,.0f})",
        f"{facts.document_lengths.mean:,.0f} ({facts.document_lengths.p95:,.0f})",
    ]


def _worth_row(split: str, config: str, told: Mapping[str, Any]) -> list[str]:
    counts = f"{told['fewest']}" + (f" to {told['most']}" if told["most"] != told["fewest"] else "")
    figures = [f"{told[key]:.4f}" for key in WORTH.values()]
    lacking, guarded = str(told["queries_without_positive"]), told.get("safeguards")
    return [split, f"`{config}`", counts, *figures, lacking, "" if guarded is None else str(guarded)]


def _table(columns: str, rows: Iterable[list[str]]) -> Iterator[str]:
    names = columns.split(", ")
    yield f"| {' | '.join(names)} |"
    yield "|" + " --- |" * len(names)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
    yield ""


def _reading(repo: str, staged: Staged) -> Iterator[str]:
    split = staged.tasks[0].split
    yield "## Reading it"
    yield ""
    yield "```sh"
    yield f"hakari run bm25 bm25-code --on hub:{repo}    # add @COMMIT to stay at one state of it"
    yield "```"
    yield ""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'corpus = load_dataset("{repo}", "corpus", split="{split}")    # _id, text'
    yield f'queries = load_dataset("{repo}", "queries", split="{split}")  # _id, text'
    yield f'qrels = load_dataset("{repo}", "qrels", split="{split}")      # query-id, corpus-id, score'
    yield "```"
    yield ""


def _made(staged: Staged) -> Iterator[str]:
    yield "## How it was made"
    yield ""
    recipe = staged.build.get("recipe")
    if isinstance(recipe, dict):
        settings = ", ".join(
            f"{_plain(key)} {_plain(value)}" for key, value in recipe.items() if value is not None
        )
        yield f"Built with hakari {_plain(staged.build.get('hakari'))}: {settings}. `build.json` counts what"
        yield "was seen, kept and left out at every step."
        yield ""
    yield "Identity of each task, a hash over its sorted ids, texts and judgements:"
    yield ""
    yield from (f"- `{task.split}` {task.content}" for task in staged.tasks)
    yield ""
    yield f"Pushed with hakari {__version__}."
    yield ""


def _plain(value: Any) -> str:
    """Something from a file that may have been edited, as a word that is no markup."""
    return re.sub(r"[^\w .:+-]", "", str(value))[:80]
