"""`results.duckdb`: the result files as tables, brought up to date before every use.

Tables and views: `results` (one row a result and variant), `scores` (one row a query and measure),
`means` (the mean per task and measure), `costs` (one row a result and variant), `rankings` (the files themselves),
`imported` (figures of others), `audits` (one row a task and training data set).
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hakari.errors import UsageError
from hakari.footprint import COSTS
from hakari.store.audits import audit_files
from hakari.store.files import MANIFEST_KEY, read
from hakari.store.imported import imported_files

if TYPE_CHECKING:
    import duckdb

LAYOUT = 2
"""Rises when the tables change; an index of another layout is built anew."""

_TABLES = f"""
CREATE TABLE layout AS SELECT {LAYOUT} AS version;
CREATE TABLE files (path VARCHAR PRIMARY KEY, modified TIMESTAMP, size BIGINT);
CREATE TABLE results (path VARCHAR, retriever VARCHAR, variant VARCHAR, family VARCHAR, task VARCHAR,
                      dataset VARCHAR, split VARCHAR, language VARCHAR, category VARCHAR, depth INTEGER,
                      queries INTEGER, key VARCHAR, settings JSON, facts JSON);
CREATE TABLE costs (path VARCHAR, retriever VARCHAR, variant VARCHAR, task VARCHAR,
                    {", ".join(f"{name} DOUBLE" for name in COSTS)});
CREATE TABLE scores (path VARCHAR, retriever VARCHAR, variant VARCHAR, task VARCHAR, query_id VARCHAR,
                     measure VARCHAR, value DOUBLE);
CREATE VIEW means AS SELECT path, retriever, variant, task, measure, avg(value) AS value, count(*) AS queries
                     FROM scores GROUP BY ALL;
"""


def open_index(root: Path) -> duckdb.DuckDBPyConnection:
    """Open the index of a folder of results, brought up to date with its files."""
    import duckdb

    if not root.is_dir():
        raise UsageError(
            f"no folder of results at `{root}`", "run something first: `hakari run bm25 --on TASKS`"
        )
    # Where nothing may be written the index lives in memory: it is derived from the files anyway.
    path = root / "results.duckdb" if os.access(root, os.W_OK) else Path(":memory:")
    try:
        con = duckdb.connect(str(path))
    except duckdb.IOException as error:
        raise UsageError(
            f"`{path}` is open in another process or cannot be read: {str(error).splitlines()[0]}",
            "close the other process, or delete the file: it is derived from the result files",
        ) from None
    try:
        _refresh(con, root)
    except BaseException as error:
        con.close()
        if isinstance(error, duckdb.InvalidInputException):
            told = str(error).splitlines()[0]
            raise UsageError(f"a result is damaged: {told}", "remove the file and run it again") from None
        raise
    return con


def query(root: Path, sql: str, parameters: Sequence[Any] = ()) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Column names and rows of one SQL statement over the results."""
    import duckdb

    con = open_index(root)
    try:
        cursor = con.execute(sql, list(parameters))
        return [c[0] for c in cursor.description or []], cursor.fetchall()
    except duckdb.Error as error:
        tables = "the tables are results, scores, means, costs, rankings, imported, audits and files"
        raise UsageError(f"the statement failed: {str(error).strip()}", tables) from None
    finally:
        con.close()


def _refresh(con: duckdb.DuckDBPyConnection, root: Path) -> None:
    con.execute("BEGIN")
    if not _current_layout(con):
        for kind, name in con.execute(
            "SELECT CASE WHEN table_type = 'VIEW' THEN 'VIEW' ELSE 'TABLE' END, table_name "
            "FROM information_schema.tables ORDER BY table_type DESC"
        ).fetchall():
            con.execute(f'DROP {kind} "{name}"')
        con.execute(_TABLES)
    pattern = glob.escape(str(root.resolve())) + "/*/*/*.parquet"
    con.execute(
        "CREATE OR REPLACE TEMP TABLE found AS "
        "SELECT filename AS path, last_modified::TIMESTAMP AS modified, size FROM read_blob($1)",
        [pattern],
    )
    con.execute(
        "CREATE OR REPLACE TEMP TABLE stale AS SELECT path FROM files WHERE NOT EXISTS "
        "(FROM found f WHERE f.path = files.path AND f.modified = files.modified AND f.size = files.size)"
    )
    for table in ("results", "scores", "costs", "files"):
        con.execute(f"DELETE FROM {table} WHERE path IN (FROM stale)")
    unknown = con.execute(
        "SELECT path FROM found WHERE path NOT IN (SELECT path FROM files) ORDER BY path"
    ).fetchall()
    fresh = [path for (path,) in unknown if read(Path(path)) is not None]
    if fresh:
        _insert(con, fresh)
        _insert_costs(con, fresh)
        con.execute("INSERT INTO files SELECT f.* FROM found f WHERE list_contains($1, f.path)", [fresh])
    con.execute(f"CREATE OR REPLACE VIEW rankings AS {_rankings(con)}")
    con.execute(f"CREATE OR REPLACE VIEW imported AS {_imported(root)}")
    con.execute(f"CREATE OR REPLACE VIEW audits AS {_audits(root)}")
    con.execute("COMMIT")


def _insert(con: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    con.execute(
        f"""CREATE OR REPLACE TEMP TABLE told AS
            SELECT file_name AS path, decode(value)::JSON AS m FROM parquet_kv_metadata($1)
            WHERE decode(key) = '{MANIFEST_KEY}'""",
        [paths],
    )
    con.execute(
        """INSERT INTO results
           SELECT path, m->>'retriever', v.variant, m->>'family', m->>'task', m->>'dataset', m->>'split',
                  m->>'language', m->>'category', (m->>'depth')::INTEGER, v.queries, m->>'key', m->'settings',
                  m->'facts'
           FROM told JOIN (SELECT filename AS path, variant, count(*) AS queries
                           FROM read_parquet($1, filename = true) GROUP BY ALL) v USING (path)
           ORDER BY ALL""",
        [paths],
    )
    con.execute(
        """INSERT INTO scores
           SELECT path, m->>'retriever', variant, m->>'task', query_id, entry.key, entry.value
           FROM (SELECT filename AS path, variant, query_id, unnest(map_entries(measures)) AS entry
                 FROM read_parquet($1, filename = true)) JOIN told USING (path)
           ORDER BY ALL""",
        [paths],
    )


def _insert_costs(con: duckdb.DuckDBPyConnection, paths: list[str]) -> None:
    """The costs of results and their variants, from the files beside them."""
    rows = []
    for path in paths:
        stored = read(Path(path))
        if stored is None or not stored.costs:
            continue
        for variant in stored.manifest.get("variants", ()):
            own = {**stored.costs, **stored.costs.get("variants", {}).get(variant, {})}
            rows.append((path, stored.retriever, variant, stored.task, *(own.get(name) for name in COSTS)))
    if rows:
        con.executemany(f"INSERT INTO costs VALUES ({', '.join('?' * len(rows[0]))})", rows)


def _rankings(con: duckdb.DuckDBPyConnection) -> str:
    paths = [path for (path,) in con.execute("SELECT path FROM files ORDER BY path").fetchall()]
    if not paths:
        return "SELECT NULL AS path, NULL AS variant, NULL AS query_id WHERE false"
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    return f"SELECT filename AS path, * EXCLUDE (filename) FROM read_parquet([{listed}], filename = true)"


def _imported(root: Path) -> str:
    """The figures of others, which are no part of any other table."""
    columns = {"system": "", "task": "", "measure": "", "value": "DOUBLE"}
    columns |= {"split": "", "subset": "", "revision": "", "version": ""}
    typed = {name: kind or "VARCHAR" for name, kind in columns.items()}
    files = imported_files(root.resolve())
    if not files:
        nothing = ", ".join(f"NULL::{kind} AS {name}" for name, kind in typed.items())
        return f"SELECT NULL::VARCHAR AS kind, NULL::VARCHAR AS source, {nothing} WHERE false"
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
    struct = ", ".join(f"{name} {kind}" for name, kind in typed.items())
    return (
        "SELECT kind, source, unnest(figures, recursive := true) FROM read_json("
        f"[{listed}], columns = {{kind: 'VARCHAR', source: 'VARCHAR', figures: 'STRUCT({struct})[]'}})"
    )


def _audits(root: Path) -> str:
    """Audits of training data: one row a task and training data set, the counts of all kinds as a list."""
    count = 'STRUCT(side VARCHAR, kind VARCHAR, matched BIGINT, total BIGINT, "rows" BIGINT, risk VARCHAR)[]'
    entry = f"STRUCT(risk VARCHAR, source_train_rows_scanned BIGINT, date VARCHAR, counts {count})"
    columns = {"task": "VARCHAR", "training_data": "VARCHAR", "risk": "VARCHAR", "rows_scanned": "BIGINT"}
    columns |= {"date": "VARCHAR", "counts": count}
    files = audit_files(root.resolve())
    if not files:
        return f"SELECT {', '.join(f'NULL::{kind} AS {name}' for name, kind in columns.items())} WHERE false"
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in files)
    return (
        "SELECT e.key AS task, name AS training_data, e.value.risk AS risk, "
        "e.value.source_train_rows_scanned AS rows_scanned, e.value.date AS date, e.value.counts AS counts "
        f"FROM (SELECT name, unnest(map_entries(tasks)) AS e FROM read_json([{listed}], "
        f"columns = {{name: 'VARCHAR', tasks: 'MAP(VARCHAR, {entry})'}})) ORDER BY ALL"
    )


def _current_layout(con: duckdb.DuckDBPyConnection) -> bool:
    import duckdb

    try:
        return con.execute("SELECT version FROM layout").fetchone() == (LAYOUT,)
    except duckdb.Error:
        con.execute("ROLLBACK")
        con.execute("BEGIN")
        return False
