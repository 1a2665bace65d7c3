"""How faithful a small sample is: systems ranked on full tasks and on samples of them.

    python benchmarks/fidelity.py --data ../shared/data > benchmarks/fidelity.md

Every system runs on the full task and on each sample with hakari's own code: BM25 is indexed anew on the documents of
the sample, dense vectors are those of the full task. A sample has some of the queries, all their positives, and
other documents drawn at random until it has its share of the corpus; where positives alone are more than that
share, it has only them. Systems are ordered by mean nDCG@10. Vectors come from hakari's cache of encoded texts;
without it, encoding takes an hour or two.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata
from scipy.stats import t as student

import hakari
from hakari.measures import score
from hakari.retrievers.dense import Dense
from hakari.retrievers.embedding_cache import EmbeddingCache, versions_of
from hakari.retrievers.encode import encode_texts
from hakari.retrievers.fuse import rrf
from hakari.retrievers.nearest import Similarity, search_variants
from hakari.retrievers.registry import parse
from hakari.retrievers.variant_names import parse_specs
from hakari.tasks.assemble import Traits, assemble
from hakari.types import Run, Task

MODEL = "bge_small_en"
LEXICAL = (
    "bm25",
    "bm25(k1=0.9,b=0.4)",
    "bm25(k1=2.5,b=1.0)",
    "bm25(b=0.0)",
    "bm25(method=lucene)",
    "bm25(method=bm25+)",
    "bm25(tokenizer=whitespace)",
    "bm25(tokenizer=regex)",
    "bm25(tokenizer=english_porter_stop)",
    "bm25-code",
    "bm25-code(k1=0.9,b=0.4)",
)
VARIANTS = ("dim=192", "dim=96", "dim=48", "int8", "binary", "dim=96+binary")
FUSED = {
    f"rrf(bm25,{MODEL})": ("bm25", "float", 100),
    f"rrf(bm25-code,{MODEL})": ("bm25-code", "float", 100),
    f"rrf(bm25-code,{MODEL},k=10)": ("bm25-code", "float", 10),
    f"rrf(bm25,{MODEL} dim=48)": ("bm25", "dim=48", 100),
}
MEASURE, DEPTH, SEEDS = "nDCG@10", 500, 20
WIKISQL_QUERIES = 5_000
SHARED: dict[str, Any] = {}
"""The task whose samples are being drawn, for processes that are forked off."""

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Full:
    """A full task with everything encoded."""

    task: Task
    queries: Vectors
    bare_queries: Vectors
    """Without the prompt of the model."""
    documents: Vectors


@dataclass(frozen=True)
class Size:
    """How large a sample is."""

    queries: int
    documents: int
    name: str


def cosqa(data: Path) -> Task:
    raw = data / "train"
    corpus = dict(_rows(f"SELECT \"corpus-id\", text FROM '{raw}/cosqa_code_pool.parquet'"))
    asked = _rows(f"SELECT idx, query, \"corpus-id\" FROM '{raw}/cosqa_retrieval_test.parquet'")
    judgements = [(idx, document, 1) for idx, _, document in asked]
    return _task("CoSQA", {idx: query for idx, query, _ in asked}, corpus, judgements)


def wikisql(data: Path) -> Task:
    rows = _rows(f"SELECT question, sql FROM '{data}/train/wikisql_train.parquet' ORDER BY id::INT")
    statements = {sql: f"d{number:05d}" for number, sql in enumerate(dict.fromkeys(sql for _, sql in rows))}
    questions = {
        text: f"q{number:05d}" for number, text in enumerate(dict.fromkeys(text for text, _ in rows))
    }
    chosen = set(random.Random(20260524).sample(sorted(questions.values()), WIKISQL_QUERIES))
    judgements = sorted({(questions[q], statements[s], 1) for q, s in rows if questions[q] in chosen})
    queries = {name: text for text, name in questions.items() if name in chosen}
    return _task("WikiSQL", queries, {name: sql for sql, name in statements.items()}, judgements)


def _rows(query: str) -> list[tuple[str, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(query).fetchall()


def _task(
    name: str, queries: Mapping[str, str], corpus: Mapping[str, str], judgements: list[tuple[str, str, int]]
) -> Task:
    return assemble("Full", name, queries, corpus, judgements, traits=Traits("en", "code"))


def full_tasks(data: Path) -> Iterator[tuple[Task, list[Size]]]:
    for task in (
        cosqa(data),
        *hakari.load(str(data / "NanoOpen" / "CISI")),
        *hakari.load(str(data / "NanoOpen" / "Cranfield")),
        wikisql(data),
    ):
        count = len(task.corpus)
        sizes = [Size(50, round(count * share), f"50 queries, {share:.0%}") for share in (0.1, 0.25)]
        if count > 20_000:
            sizes.append(Size(200, 10_000, "200 queries, 10,000 documents"))
        yield task, sizes


def encoded(task: Task) -> Full:
    """The vectors of a task, from the cache or made now."""
    dense = parse(MODEL)
    assert isinstance(dense, Dense)
    prompt = dense.usage.query_prompt

    def vectors(texts: Sequence[str]) -> Vectors:
        encoder = dense.model.encoder("document")
        with EmbeddingCache({**encoder.settings(), **versions_of(dense.packages)}) as cache:
            return encode_texts(encoder, texts, cache).vectors

    queries = list(task.queries.texts)
    return Full(
        task, vectors([prompt + q for q in queries]), vectors(queries), vectors(list(task.corpus.texts))
    )


def part_of(full: Full, queries: Sequence[int], documents: Sequence[int] | None = None) -> Full:
    """Some queries of a task, with some of its documents or with all, by their rows."""
    task, qrels = full.task, full.task.qrels
    rows = range(len(task.corpus)) if documents is None else documents
    kept = set(rows)
    judgements = [
        (str(task.queries.ids[q]), str(task.corpus.ids[d]), int(grade))
        for q in queries
        for d, grade in zip(
            *(part[qrels.offsets[q] : qrels.offsets[q + 1]] for part in (qrels.documents, qrels.grades)),
            strict=True,
        )
        if d in kept
    ]
    made = assemble(
        task.dataset,
        task.split,
        {task.queries.ids[q]: task.queries.texts[q] for q in queries},
        {task.corpus.ids[d]: task.corpus.texts[d] for d in rows},
        judgements,
        traits=Traits(task.language, task.category),
    )
    q, d = sorted(queries), sorted(rows)
    return Full(made, full.queries[q], full.bare_queries[q], full.documents[d])


def sampled(full: Full, size: Size, seed: int) -> Full:
    """A sample: queries, all their positives, and random documents."""
    rng = random.Random(f"{full.task.split}/{size.name}/{seed}")
    queries = rng.sample(range(len(full.task.queries)), min(size.queries, len(full.task.queries)))
    qrels = full.task.qrels
    documents = {int(d) for q in queries for d in qrels.documents[qrels.offsets[q] : qrels.offsets[q + 1]]}
    for document in rng.sample(range(len(full.task.corpus)), len(full.task.corpus)):
        if len(documents) >= size.documents:
            break
        documents.add(document)
    return part_of(full, sorted(queries), sorted(documents))


def values(part: Full) -> dict[str, npt.NDArray[np.float64]]:
    """The measure of every system on every query."""
    task = part.task
    runs: dict[str, Run] = {name: parse(name).retrieve(task, DEPTH).runs["float"] for name in LEXICAL}
    for queries, wanted, tag in (
        (part.queries, VARIANTS, MODEL),
        (part.bare_queries, (), f"{MODEL}(query_prompt=)"),
    ):
        found = search_variants(
            (task.queries.ids, queries),
            (task.corpus.ids, part.documents),
            DEPTH,
            parse_specs(wanted),
            Similarity(cosine=False, normalise_cut=True),
            False,
        )
        runs |= {tag if name == "float" else f"{tag} {name}": run for name, run in found.runs.items()}
    for name, (lexical, variant, k) in FUSED.items():
        dense = runs[MODEL if variant == "float" else f"{MODEL} {variant}"]
        runs[name] = rrf([runs[lexical], dense], k=k, depth=100, source_depth=DEPTH, tag=name)
    return {name: score(run, task.qrels, [MEASURE]).of(MEASURE) for name, run in runs.items()}


def on_sample(size: Size, seed: int) -> tuple[int, dict[str, float]]:
    """The documents of a sample, and the mean of every system on it."""
    part = sampled(SHARED["full"], size, seed)
    return len(part.task.corpus), {name: float(v.mean()) for name, v in values(part).items()}


def distinct(whole: Mapping[str, npt.NDArray[np.float64]]) -> dict[str, npt.NDArray[np.float64]]:
    """Systems without those that do the same as another one, such as a tokenizer that is the default."""
    first: dict[bytes, str] = {}
    for name, found in whole.items():
        first.setdefault(found.tobytes(), name)
    return {name: whole[name] for name in first.values()}


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def clear_pairs(whole: Mapping[str, npt.NDArray[np.float64]]) -> list[tuple[str, str]]:
    """Systems, the better one first, whose difference on the full task is beyond two standard errors."""
    names = sorted(whole)
    found = []
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            apart = whole[one] - whole[other]
            error = apart.std(ddof=1) / np.sqrt(len(apart))
            if abs(apart.mean()) > 2 * error:
                found.append((one, other) if apart.mean() > 0 else (other, one))
    return found


def study(task: Task, sizes: Sequence[Size], processes: int) -> tuple[list[list[str]], dict[str, float]]:
    """The rows of the table for one task, and what each system has on all of it."""
    full = encoded(task)
    start = time.monotonic()
    whole = distinct(values(full))
    means = {name: float(v.mean()) for name, v in whole.items()}
    pairs = clear_pairs(whole)
    told(f"{task.split}: full task in {time.monotonic() - start:.0f} s")
    rows = []
    SHARED["full"] = full
    for size in sizes:
        agreed, right, documents, winners = [], [], [], 0
        with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
            samples = list(pool.map(on_sample, [size] * SEEDS, range(SEEDS)))
        for count, every in samples:
            found = {name: every[name] for name in means}
            agreed.append(spearman([means[n] for n in means], [found[n] for n in means]))
            right.append(np.mean([found[a] > found[b] for a, b in pairs]))
            documents.append(count)
            winners += max(found, key=found.__getitem__) in _not_worse(whole)
        told(f"{task.split}: {size.name} after {time.monotonic() - start:.0f} s")
        rows.append(
            [
                task.split,
                size.name,
                f"{np.mean(documents):,.0f}",
                f"{np.mean(agreed):.3f} [{_bounds(agreed)}]",
                f"{min(agreed):.3f} to {max(agreed):.3f}",
                f"{np.mean(right):.3f}",
                f"{winners} of {SEEDS}",
            ]
        )
    return rows, means


def _not_worse(whole: Mapping[str, npt.NDArray[np.float64]]) -> set[str]:
    """The best system on the full task and those within two standard errors of it."""
    best = max(whole, key=lambda name: whole[name].mean())
    beaten = {worse for better, worse in clear_pairs(whole) if better == best}
    return set(whole) - beaten


def _bounds(sample: Sequence[float]) -> str:
    half = student.ppf(0.975, len(sample) - 1) * np.std(sample, ddof=1) / np.sqrt(len(sample))
    return f"{np.mean(sample) - half:.3f}, {min(1.0, np.mean(sample) + half):.3f}"


def _cell(value: float | None) -> str:
    return "as another" if value is None else f"{value:.3f}"


def told(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the raw and the open tasks")
    parser.add_argument("--only", help="one task")
    parser.add_argument("--processes", type=int, default=1, help="samples that are weighed side by side")
    arguments = parser.parse_args()
    rows, means, counts = [], {}, []
    for task, sizes in full_tasks(arguments.data):
        if arguments.only in (None, task.split):
            counts.append(f"{task.split} {len(task.queries):,} queries, {len(task.corpus):,} documents")
            found, means[task.split] = study(task, sizes, arguments.processes)
            rows += found
    systems = list(dict.fromkeys(name for found in means.values() for name in found))
    of = ", ".join(f"{len(found)} on {name}" for name, found in means.items())
    print(f"Systems: {of}. {SEEDS} seeds, {MEASURE}. Full tasks: {'; '.join(counts)}.\n")
    titles = [
        "task",
        "sample",
        "documents, mean",
        "Spearman, mean [95 % interval]",
        "over seeds",
        "clear pairs ordered alike",
        "winner among the best",
    ]
    print(table(titles, rows))
    print("\n## The systems on the full tasks\n")
    print(table(["system", *means], [[s, *(_cell(means[t].get(s)) for t in means)] for s in systems]))


if __name__ == "__main__":
    main()
