"""A model of sentence-transformers on real tasks: hakari's values beside those of the library's own evaluator.

    python benchmarks/models.py st:path/to/all-MiniLM-L6-v2 path/to/NanoX/Task path/to/NanoY

For each task: nDCG@10 with its interval as one vector a text and by MaxSim over the token vectors, how far the six
measures that both have lie apart, and how many texts a second went through one at a time (hakari) and in padded
batches of 32 (the library). Equal scores are settled by id in both, by the larger here and by the smaller there, and
in batches the scores of texts that have the same tokens differ in their last bits. So the library is compared twice:
with ids in the opposite order and one text at a time, over all queries; and as it comes, without the queries whose
judged document is that close to another. Judgements are taken as binary, as the library's evaluator takes them.
"""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from typing import Any

import numpy as np
from side_by_side import machine

import hakari
from hakari import measures
from hakari.retrievers.encode import thread_count
from hakari.retrievers.registry import parse
from hakari.retrievers.torch_model import one_thread
from hakari.types import Run, Task

SAME = {
    "nDCG@10": "cosine_ndcg@10",
    "RR@10": "cosine_mrr@10",
    "AP@100": "cosine_map@100",
    "hit@10": "cosine_accuracy@10",
    "R@10": "cosine_recall@10",
    "P@10": "cosine_precision@10",
}
"""Measures that both have, by their names here and there."""


CLOSE = 1e-6
"""Scores this near to each other are a tie: twice the rounding that a batch leaves in a vector."""


def clear_queries(task: Task, run: Run) -> np.ndarray:
    """The queries none of whose judged documents is tied with another document."""
    kept = []
    for row in range(len(task.queries)):
        ranked = slice(run.offsets[row], run.offsets[row + 1])
        judged = task.qrels.documents[task.qrels.offsets[row] : task.qrels.offsets[row + 1]]
        scores, documents = run.scores[ranked], run.documents[ranked]
        own = np.isin(documents, judged)
        apart = np.abs(scores[own][:, None] - scores[~own][None, :])
        if not apart.size or apart.min() > CLOSE:
            kept.append(row)
    return np.array(kept, np.int64)


def theirs(task: Task, folder: str, rows: np.ndarray, alike: bool = False) -> tuple[dict[str, float], float]:
    """The values of the library's evaluator over some queries, and the seconds it took.

    `alike`: one text at a time in one thread, and with the ids of documents in the opposite order.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

    queries = dict(zip(task.queries.ids, task.queries.texts, strict=True))
    count = len(task.corpus)
    names = [f"{count - row:09}" for row in range(count)] if alike else list(map(str, task.corpus.ids))
    corpus = dict(zip(names, task.corpus.texts, strict=True))
    judged: dict[str, set[str]] = {}
    for row in rows:
        query = task.queries.ids[row]
        entries = slice(task.qrels.offsets[row], task.qrels.offsets[row + 1])
        relevant = task.qrels.documents[entries][task.qrels.grades[entries] > 0]
        judged[query] = {names[row] for row in relevant}
    options: dict[str, Any] = {
        "show_progress_bar": False,
        "write_csv": False,
        "batch_size": 1 if alike else 32,
    }
    queries = {query: queries[query] for query in judged}
    evaluator = InformationRetrievalEvaluator(
        queries, corpus, judged, ndcg_at_k=[10], mrr_at_k=[10], map_at_k=[100], accuracy_at_k=[10],
        precision_recall_at_k=[10], **options,
    )  # fmt: skip
    model = SentenceTransformer(folder, device="cpu")
    start = time.perf_counter()
    with one_thread() if alike else nullcontext():
        return evaluator(model), time.perf_counter() - start


def graded_alike(task: Task) -> bool:
    """Whether the judgements are binary, so that nDCG means the same on both sides."""
    return len(np.unique(task.qrels.grades[task.qrels.grades > 0])) <= 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="st:PATH")
    parser.add_argument("tasks", nargs="+")
    arguments = parser.parse_args()
    folder = arguments.model.removeprefix("st:")
    print(f"{machine('torch', 'sentence-transformers')}, {thread_count()} threads\n")
    print(
        "| task | documents | nDCG@10 | MaxSim nDCG@10 | largest difference | tied queries "
        "| without them, as it comes | texts/s alone | texts/s in batches |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for task in hakari.load(arguments.tasks):
        dense = parse(arguments.model).retrieve(task, 100)
        ours = measures.score(dense.runs["float"], task.qrels, tuple(SAME))
        clear = clear_queries(task, dense.runs["float"])
        found, seconds = theirs(task, folder, clear)
        shared = [m for m in SAME if m != "nDCG@10" or graded_alike(task)]
        apart = max(abs(float(ours.of(m)[clear].mean()) - found[SAME[m]]) for m in shared)
        alike, _ = theirs(task, folder, np.arange(len(task.queries)), alike=True)
        everywhere = max(abs(float(ours.mean(m)) - alike[SAME[m]]) for m in shared)
        values = [ours.of("nDCG@10")]
        late = parse(f"late:st:{folder}").retrieve(task, 100)
        values.append(measures.score(late.runs["float"], task.qrels, ("nDCG@10",)).of("nDCG@10"))
        told = " | ".join(_told(np.asarray(v)) for v in values)
        rate = dense.costs["encoded_texts"] / dense.costs["encode_s"] if dense.costs["encode_s"] else 0
        print(
            f"| {task.name} | {len(task.corpus):,} | {told} | {everywhere:.1e} "
            f"| {len(task.queries) - len(clear)} | {apart:.1e} "
            f"| {rate:.1f} | {(len(task.corpus) + len(clear)) / seconds:.1f} |",
            flush=True,
        )


def _told(values: np.ndarray) -> str:
    from hakari.stats.summary import summarise

    told = summarise({"task": values[None, :]}).macro
    return f"{told.means[0]:.3f} [{told.lows[0]:.3f}, {told.highs[0]:.3f}]"


if __name__ == "__main__":
    main()
