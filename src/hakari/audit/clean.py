"""Training data without some of its rows: same schema, same order, same compression, the same bytes each time."""

from __future__ import annotations

import contextlib
import gzip
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from hakari.audit.columns import quoted
from hakari.audit.manifest import Removal
from hakari.audit.shards import Shard
from hakari.errors import Fault, InvalidInput, UsageError
from hakari.io.files import connect, for_duckdb

CODECS = ("snappy", "zstd", "gzip", "lz4_raw", "lz4", "brotli", "uncompressed")


def targets(shards: Sequence[Shard], out: Path) -> dict[str, Path]:
    """Where each shard goes: to `out` itself if it is one file and named like one, else into the folder `out`."""
    if len(shards) == 1 and out.suffix and not out.is_dir():
        if "".join(shards[0].path.suffixes[-2:])[-len(out.suffix) :] != out.suffix:
            hint = f"name it `{out.with_suffix(''.join(shards[0].path.suffixes[-1:]))}`, as what it is"
            raise UsageError(f"`{out}` is another kind of file than `{shards[0].name}`", hint)
        return {shards[0].name: out}
    return {shard.name: out / shard.name.lstrip("/") for shard in shards}


def check_free(places: dict[str, Path], replace: bool = False) -> None:
    """Refuse what is there before any work is done."""
    for place in places.values():
        if os.path.lexists(place) and not replace:
            raise UsageError(f"`{place}` is there already", "name another place, or add `--replace`")


def clean(shards: Sequence[Shard], rows: Sequence[Removal], places: dict[str, Path]) -> dict[str, int]:
    """Write each shard without the rows that are to go; how many went, by shard."""
    by_name = {removal.name: removal for removal in rows}
    by_content = {removal.content: removal for removal in rows}
    faults, chosen = [], []
    for shard in shards:
        removal = by_name.get(shard.name)
        if removal is None or removal.content != shard.content:
            removal = by_content.get(shard.content)
        if removal is None:
            hint = "take the file that was audited; its sha256 is in the manifest"
            faults.append(Fault("is not among the shards that were audited", str(shard.path), hint=hint))
        else:
            chosen.append((shard, removal))
    if faults:
        raise InvalidInput("the training data", faults)
    for shard, removal in chosen:
        _write(shard, removal.rows, places[shard.name])
    return {shard.name: len(removal.rows) for shard, removal in chosen}


def _write(shard: Shard, rows: frozenset[int], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        if shard.kind == "parquet":
            _write_parquet(shard, rows, temporary)
        else:
            _write_lines(shard, rows, temporary)
        os.replace(temporary, place)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _write_parquet(shard: Shard, rows: frozenset[int], temporary: Path) -> None:
    source = "'" + for_duckdb(shard.path).replace("'", "''") + "'"
    target = os.path.abspath(temporary).replace("'", "''")
    with connect(threads=1) as con:
        con.execute("CREATE TABLE gone (number BIGINT)")
        con.execute("INSERT INTO gone SELECT unnest(?::BIGINT[])", [sorted(rows)])
        found = con.execute(
            f"SELECT DISTINCT compression FROM parquet_metadata({source}) ORDER BY ALL"
        ).fetchall()
        codecs = [str(row[0]).lower() for row in found if str(row[0]).lower() in CODECS]
        packed = [codec for codec in codecs if codec != "uncompressed"] or ["uncompressed"]
        size = con.execute(f"SELECT max(row_group_num_rows) FROM parquet_metadata({source})").fetchone()
        options = f"FORMAT parquet, COMPRESSION {packed[0]}, ROW_GROUP_SIZE {max(int((size or (0,))[0] or 0), 2048)}"
        values = _key_values(con, source)
        if values:
            listed = ", ".join(
                f"{quoted(key)}: '{value.replace(chr(39), chr(39) * 2)}'" for key, value in values
            )
            options += f", KV_METADATA {{{listed}}}"
        read = f"read_parquet({source}, hive_partitioning = false, file_row_number = true)"
        kept = (
            f"SELECT * EXCLUDE (file_row_number) FROM {read} "
            "WHERE file_row_number NOT IN (SELECT number FROM gone) ORDER BY file_row_number"
        )
        con.execute(f"COPY ({kept}) TO '{target}' ({options})")


def _key_values(con: Any, source: str) -> list[tuple[str, str]]:
    """What the file says of itself, such as the features that a loader reads."""
    found = []
    for key, value in con.execute(f"SELECT key, value FROM parquet_kv_metadata({source})").fetchall():
        with contextlib.suppress(UnicodeDecodeError):
            found.append((bytes(key).decode(), bytes(value).decode()))
    return sorted(found)


def _open(path: Path, mode: str, like: Path) -> IO[bytes]:
    if like.name.endswith(".gz"):
        if mode == "rb":
            return gzip.open(path, "rb")  # type: ignore[return-value]
        return gzip.GzipFile("", "wb", fileobj=open(path, "wb"), mtime=0)  # type: ignore[return-value]
    if like.name.endswith(".zst"):
        raise UsageError(f"`{like.name}` cannot be written again", f"unpack it first with `unzstd {like}`")
    return open(path, mode)  # type: ignore[return-value]


def _write_lines(shard: Shard, rows: frozenset[int], temporary: Path) -> None:
    """Copy the records that stay, byte for byte."""
    count = 0
    with _open(shard.path, "rb", shard.path) as source, _open(temporary, "wb", shard.path) as target:
        records = _records(source, shard.kind)
        if shard.kind == "csv":
            target.write(next(records, (b"", False))[0])
        for record, is_row in records:
            if not is_row or count not in rows:
                target.write(record)
            count += is_row
        inner = getattr(target, "fileobj", None)
        target.close()
        if inner is not None:
            inner.close()
    expected = shard.row_count()
    if count != expected:
        what = f"has {expected:,} rows and {count:,} records, so no row can be taken out of it"
        raise InvalidInput(
            "the training data", [Fault(what, str(shard.path), hint="write it again as Parquet")]
        )


def _records(source: IO[bytes], kind: str) -> Iterator[tuple[bytes, bool]]:
    """Lines, or for CSV all lines of a record, and whether there is a row in it."""
    record, quotes = b"", 0
    for line in source:
        record += line
        quotes += line.count(b'"') if kind == "csv" else 0
        if quotes % 2 == 0:
            yield record, bool(record.strip())
            record, quotes = b"", 0
    if record:
        yield record, bool(record.strip())
