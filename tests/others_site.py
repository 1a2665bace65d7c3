"""A site with what others know and measured: training data with an audit on record, and imported figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from command import within
from small import small_set

import hakari
from hakari.audit.record import record
from hakari.audit.run import audit
from hakari.io.files import connect
from hakari.site import build
from hakari.site.reading import read
from hakari.tasks.registry import load, resolve
from hakari.tasks.training_audits import TrainedOn

FIGURES = """system,task,nDCG@10
<b>org/other</b>,NanoTest/First,0.61
<b>org/other</b>,NanoTest/Second,0.43
org/elsewhere,NanoElse/Third,0.5
"""


def site_with_others(folder: Path) -> Path:
    """Two tasks; `bm25-code` is said to be trained on the queries of one, and a CSV has figures of another system."""
    nano, results = small_set(folder), folder / "results"
    train = folder / "train.parquet"
    with connect() as con:
        queries = list(load(f"{nano}/First")[0].queries.texts)
        con.execute("CREATE TABLE t AS SELECT unnest(?::VARCHAR[]) AS text", [queries])
        con.execute(f"COPY t TO '{train}' (FORMAT parquet)")
    list(record(audit([train], [f"{nano}/First"]), {"NanoTest/First": nano}, "org/mine"))
    for systems in (["bm25", "bm25-code", "random"], ["rerank(bm25,constant-reranker,depth=20)"]):
        hakari.run(systems, on=str(nano), results=str(results))
    (folder / "figures.csv").write_text(FIGURES, encoding="utf-8")
    within("import", "published", folder / "figures.csv", "--results", results)
    trained = {
        "bm25-code": TrainedOn(("org/mine", "org/more"), "https://example.org/card"),
        "bm25": TrainedOn((), ""),
    }
    reading = replace(read(resolve(str(nano)), results), trained_on=trained)
    build.build(build.site_of(reading), folder / "site")
    return folder / "site"
