"""BM25 end to end (tokenise, index, top 500) beside bm25s and tantivy, on 10,000 documents of real text.

The documents are the sources of the running Python's standard library, cut at line ends, so that the
benchmark runs anywhere; `--data FOLDER` takes the corpora of a folder of tasks in nano layout instead. Every
system does the same 200 queries in the same process, in an order that is reversed every other round; figures
are medians.

    python benchmarks/bm25.py [--rounds 5] [--data FOLDER] [--write benchmarks/bm25.json]
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import re
import statistics
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from hakari import native
from hakari.retrievers.bm25 import Formula
from hakari.retrievers.lexical import Found
from hakari.text.tokenizers import tokenizer

DOCUMENTS, CHARACTERS, QUERIES, DEPTH = 10_000, 1_180, 200, 500
TARGETS = {
    ("compiled", "bm25s", "short"): 3.0,
    ("compiled", "bm25s", "long"): 5.0,
    ("fallback", "bm25s", "short"): 1.2,
    ("fallback", "bm25s", "long"): 1.6,
    ("compiled", "tantivy", "short"): 1.0,
    ("compiled", "tantivy", "long"): 1.0,
}


def standard_library() -> list[str]:
    root = Path(sysconfig.get_path("stdlib"))
    chunks: list[str] = []
    for path in sorted(root.rglob("*.py")):
        if "site-packages" in path.parts:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        lines, size = [], 0
        for line in text.splitlines(keepends=True):
            lines.append(line)
            size += len(line)
            if size >= CHARACTERS:
                chunks.append("".join(lines))
                lines, size = [], 0
        if len(chunks) >= DOCUMENTS:
            return chunks[:DOCUMENTS]
    return chunks


def tasks_in(folder: Path) -> list[str]:
    """An even sample of the corpora below a folder."""
    import duckdb

    texts: list[str] = []
    for path in sorted(folder.glob("*/corpus/*.parquet")):
        rows = duckdb.execute("select text from read_parquet(?) order by _id", [str(path)]).fetchall()
        texts += [text for (text,) in rows]
    return [texts[i] for i in np.linspace(0, len(texts) - 1, DOCUMENTS).astype(int)]


def make_queries(corpus: list[str], words: int) -> list[str]:
    """Stretches of that many words, from places spread over the corpus."""
    queries = []
    for start in np.linspace(0, len(corpus) - 1, QUERIES).astype(int):
        found: list[str] = []
        for step in range(len(corpus)):
            found += re.findall(r"\w+", corpus[(start + step) % len(corpus)])
            if len(found) >= words:
                break
        queries.append(" ".join(found[:words]))
    return queries


def hakari(corpus: list[str], queries: list[str]) -> Found:
    tokenize = tokenizer("regex")
    index = Formula().index(tokenize(corpus))
    return index.search(index.queries(tokenize(queries)), DEPTH)


def hakari_fallback(corpus: list[str], queries: list[str]) -> Found:
    compiled, native.compiled = native.compiled, None
    try:
        return hakari(corpus, queries)
    finally:
        native.compiled = compiled


def bm25s_numpy(corpus: list[str], queries: list[str]) -> tuple[np.ndarray, np.ndarray]:
    import bm25s

    options = {"token_pattern": r"(?u)\b\w+\b", "stopwords": None, "show_progress": False}
    index = bm25s.BM25(k1=1.5, b=0.75, method="robertson", backend="numpy", auto_compile=False)
    index.index(bm25s.tokenize(corpus, **options), show_progress=False)
    return index.retrieve(
        bm25s.tokenize(queries, **options), k=DEPTH, show_progress=False, backend_selection="numpy"
    )


def tantivy_engine(corpus: list[str], queries: list[str]) -> list:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False)
    schema = builder.build()
    index = tantivy.Index(schema)
    writer = index.writer(num_threads=1)
    for text in corpus:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    results = []
    for text in queries:
        query = index.parse_query(" ".join(re.findall(r"\w+", text.lower())), ["text"])
        results.append(searcher.search(query, DEPTH).hits)
    return results


def check_scores(corpus: list[str], queries: list[str]) -> float:
    """The largest difference from the scores of bm25s at any rank, relative to the query's best score."""
    found = hakari(corpus, queries)
    _, scores = bm25s_numpy(corpus, queries)
    worst = 0.0
    for i, theirs in enumerate(scores):
        ours = np.zeros(len(theirs))
        kept = found.scores[found.offsets[i] : found.offsets[i + 1]]
        ours[: len(kept)] = kept
        worst = max(worst, float(np.abs(ours - theirs).max() / max(theirs.max(), 1e-9)))
    return worst


SYSTEMS: dict[str, Callable] = {
    "compiled": hakari,
    "fallback": hakari_fallback,
    "bm25s": bm25s_numpy,
    "tantivy": tantivy_engine,
}


def measure(corpus: list[str], queries: list[str], rounds: int) -> dict[str, float]:
    """Median seconds of each system, after a round that warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in SYSTEMS}
    for turn in range(rounds + 1):
        for name in sorted(SYSTEMS, reverse=turn % 2 == 1):
            gc.collect()
            start = time.perf_counter()
            SYSTEMS[name](corpus, queries)
            if turn:
                seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--write", type=Path)
    arguments = parser.parse_args()
    if native.compiled is None:
        raise SystemExit("the compiled loops are not built: python setup.py build_ext --inplace")
    corpus = standard_library() if arguments.data is None else tasks_in(arguments.data)
    report: dict = {
        "corpus": "standard library" if arguments.data is None else "code and text of retrieval tasks",
        "documents": len(corpus),
        "characters": sum(map(len, corpus)),
        "queries": QUERIES,
        "depth": DEPTH,
        "rounds": arguments.rounds,
        "python": platform.python_version(),
    }
    for kind, words in (("short", 30), ("long", 800)):
        queries = make_queries(corpus, words)
        seconds = measure(corpus, queries, arguments.rounds)
        report[kind] = {
            "words a query": words,
            "largest relative score difference from bm25s": check_scores(corpus, queries),
            "milliseconds": {name: round(1000 * value, 1) for name, value in seconds.items()},
            "times as fast": {
                f"{ours} over {peer}": round(seconds[peer] / seconds[ours], 2)
                for ours in ("compiled", "fallback")
                for peer in ("bm25s", "tantivy")
            },
        }
        for (ours, peer, target_kind), target in TARGETS.items():
            if target_kind == kind:
                ratio = seconds[peer] / seconds[ours]
                verdict = "met" if ratio >= target else "MISSED"
                print(f"{kind}: {ours} over {peer} {ratio:.2f}, at least {target}: {verdict}")
    print(json.dumps(report, indent=1))
    if arguments.write:
        arguments.write.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
