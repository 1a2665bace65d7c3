"""Pairs a second of the reranker: hakari, from candidates to a run, beside a bare onnxruntime session.

    python benchmarks/rerank.py                          # 200 queries x 2 candidates
    python benchmarks/rerank.py --depth 100 --rounds 1 --no-batches   # all 20,000 pairs: a quarter of an hour

Queries are first sentences of documentation in the standard library, documents the functions themselves. The
bare session works as hakari's rule asks: one pair at a time, a thread a core, longest first; it tokenises and
scores and does nothing else. Both give the same scores, which is checked first. The third contender scores
padded batches of 32, which gives a pair another score in other company.
"""

from __future__ import annotations

import argparse
import ast
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnxruntime
import tokenizers
from encoding import functions
from side_by_side import Table, machine, ratio, timings, use_processor_time

from hakari.retrievers.encode import thread_count
from hakari.retrievers.models import catalog, locate
from hakari.retrievers.registry import parse
from hakari.tasks.assemble import assemble
from hakari.types import Run, Task

MODEL, BATCH = "reranker_en", 32
Scores = dict[tuple[str, str], float]


def documented_functions(queries: int) -> Task:
    """A task of the standard library: a sentence of documentation, and the functions to find."""
    sources = functions(queries)
    corpus = {f"d{i:04d}": source for i, source in enumerate(sources)}
    asked = {}
    for i, source in enumerate(sources):
        documentation = ast.get_docstring(ast.parse(source.lstrip()).body[0]) or "a function"
        asked[f"q{i:04d}"] = documentation.splitlines()[0] or "a function"
    return assemble(
        "Made", "Library", asked, corpus, [(f"q{i:04d}", f"d{i:04d}", 1) for i in range(len(sources))]
    )


def hakari(task: Task, first: Run, depth: int) -> Callable[[], Scores]:
    """The reranker as users run it, without the cache."""
    reranker = parse(f"rerank(bm25,{MODEL},depth={depth})")
    reranker.require()

    def rerank() -> Scores:
        run = reranker.retrieve(task, depth, [first]).runs["float"]
        queries = np.repeat(run.query_ids, np.diff(run.offsets))
        documents = run.document_ids[run.documents]
        return {(q, d): float(s) for q, d, s in zip(queries, documents, run.scores, strict=True)}

    return rerank


def texts_of(task: Task, first: Run, depth: int) -> dict[tuple[str, str], tuple[str, str]]:
    """The texts of each pair."""
    query_of, text_of = (dict(zip(t.ids, t.texts, strict=True)) for t in (task.queries, task.corpus))
    pairs = {}
    for q, query in enumerate(first.query_ids):
        for d in first.documents[first.offsets[q] : first.offsets[q + 1]][:depth]:
            document = first.document_ids[d]
            pairs[query, document] = (query_of[query], text_of[document])
    return pairs


def session_and_tokenizer(threads: int) -> tuple[onnxruntime.InferenceSession, tokenizers.Tokenizer]:
    """The model as its files give it, with no padding."""
    model = catalog()[MODEL]
    files = locate(model)
    tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(model.pair_usage.max_length)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
    return session, tokenizer


def bare(pairs: dict[tuple[str, str], tuple[str, str]]) -> Callable[[], Scores]:
    """A session of one thread, pairs side by side, longest first."""
    session, tokenizer = session_and_tokenizer(1)

    def score(texts: tuple[str, str]) -> float:
        encoding = tokenizer.encode(*texts)
        ids = np.array([encoding.ids], np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([encoding.type_ids], np.int64),
        }
        return float(session.run(["logits"], feed)[0][0, 0])

    def run() -> Scores:
        order = sorted(pairs, key=lambda pair: -len(pairs[pair][0]) - len(pairs[pair][1]))
        with ThreadPoolExecutor(thread_count()) as pool:
            return dict(zip(order, pool.map(score, (pairs[pair] for pair in order)), strict=True))

    return run


def in_batches(pairs: dict[tuple[str, str], tuple[str, str]]) -> Callable[[], Scores]:
    """Padded batches sorted by length, all cores a batch."""
    session, tokenizer = session_and_tokenizer(thread_count())
    tokenizer.enable_padding()

    def run() -> Scores:
        order = sorted(pairs, key=lambda pair: -len(pairs[pair][0]) - len(pairs[pair][1]))
        scores: Scores = {}
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            encodings = tokenizer.encode_batch([pairs[pair] for pair in some])
            feed = {
                "input_ids": np.array([e.ids for e in encodings], np.int64),
                "attention_mask": np.array([e.attention_mask for e in encodings], np.int64),
                "token_type_ids": np.array([e.type_ids for e in encodings], np.int64),
            }
            scores |= zip(some, session.run(["logits"], feed)[0][:, 0].tolist(), strict=True)
        return scores

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--depth", type=int, default=2, help="candidates a query")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-batches", action="store_true", help="leave padded batches out")
    parser.add_argument("--cpu", action="store_true", help="processor seconds in place of the clock")
    arguments = parser.parse_args()
    if arguments.cpu:
        use_processor_time()
    os.environ["HAKARI_EMBEDDING_CACHE"] = "0"
    task = documented_functions(arguments.queries)
    first = parse("bm25").retrieve(task, arguments.depth).runs["float"]
    pairs = texts_of(task, first, arguments.depth)
    contenders = {
        "bare session": bare(pairs),
        "hakari": hakari(task, first, arguments.depth),
        **({} if arguments.no_batches else {"batches of 32": in_batches(pairs)}),
    }
    few = dict(list(pairs.items())[:200])
    bare(few)()  # the first pass of a process pays for its pages
    found: dict[str, Scores] = {}

    def remembered(name: str) -> Callable[[], None]:
        return lambda: found.update({name: contenders[name]()})

    taken = timings({name: remembered(name) for name in contenders}, arguments.rounds, warm_ups=0)
    expected, ours = found["bare session"], found["hakari"]
    assert expected.keys() == ours.keys()
    assert max(abs(expected[pair] - ours[pair]) for pair in expected) < 1e-5  # ties are set apart by less
    print(f"{len(pairs):,} pairs; {machine('onnxruntime', 'tokenizers')}\n")
    print(Table("one pass over the pairs", taken, unit="s").markdown())
    throughput = ratio({"a": taken["bare session"], "b": taken["hakari"]}, "a", "b")
    print(f"\nThroughput of hakari as a share of the bare session's: {throughput.text()}.")
    if batched := found.get("batches of 32"):
        apart = max(abs(expected[pair] - batched[pair]) for pair in expected)
        print(f"A pair in a batch scores up to {apart:.3f} apart from the same pair alone.")


if __name__ == "__main__":
    main()
