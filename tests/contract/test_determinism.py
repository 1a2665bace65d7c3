"""The same input gives the same bytes, whatever the row order, the hash seed, the threads, or an early end."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import duckdb
import pytest
from command import COMMAND, hakari
from small import small_set

RETRIEVERS = ["bm25", "bm25-code", "rrf(bm25,bm25-code)", "random"]
DENSE = "bge_small_en(max_length=32)"


def bytes_below(results: Path) -> dict[str, bytes]:
    """Every file of a folder of results but those that tell of one run: name to bytes."""
    kept = (p for p in sorted(results.rglob("*")) if p.is_file() and not p.name.endswith(".run.json"))
    return {str(p.relative_to(results)): p.read_bytes() for p in kept}


def shuffled_set(source: Path, target: Path, seed: int) -> Path:
    """The same nano set with the rows of every Parquet file in another order."""
    with duckdb.connect() as con:
        for path in sorted(source.rglob("*.parquet")):
            rows = con.execute("SELECT * FROM read_parquet($1)", [str(path)]).fetchall()
            random.Random(seed).shuffle(rows)
            names = [c[0] for c in con.description]
            out = target / source.name / path.relative_to(source)
            out.parent.mkdir(parents=True, exist_ok=True)
            con.execute(f"CREATE OR REPLACE TABLE t AS SELECT * FROM read_parquet('{path}') LIMIT 0")
            con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
            con.execute(f"COPY t TO '{out}' (FORMAT parquet)")
    for path in source.rglob("*.json"):
        out = target / source.name / path.relative_to(source)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(path.read_bytes())
    return target / source.name


def _retrievers() -> list[str]:
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        return RETRIEVERS
    return [*RETRIEVERS, DENSE, f"rrf(bm25-code,{DENSE})"]


CONDITIONS = [
    {"PYTHONHASHSEED": "1", "OPENBLAS_NUM_THREADS": "1", "HAKARI_THREADS": "1", "OMP_NUM_THREADS": "1"},
    {
        "PYTHONHASHSEED": "2",
        "OPENBLAS_NUM_THREADS": "2",
        "HAKARI_THREADS": "2",
        "HAKARI_EMBEDDING_CACHE": "0",
    },
    {"PYTHONHASHSEED": "3", "HAKARI_NATIVE": "0", "HAKARI_THREADS": "3", "HAKARI_EMBEDDING_CACHE": "0"},
]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    tasks = small_set(folder)
    hakari(
        "run",
        *_retrievers(),
        "--on",
        tasks,
        "--results",
        folder / "results",
        HAKARI_CACHE=str(folder / "cache"),
    )
    found = bytes_below(folder / "results")
    assert len([name for name in found if name.endswith(".parquet")]) == 2 * len(_retrievers())
    return tasks, found


@pytest.mark.parametrize("condition", range(len(CONDITIONS)))
def test_no_byte_depends_on_order_hash_seed_threads_or_compiler(
    undisturbed: tuple[Path, dict[str, bytes]], tmp_path: Path, condition: int
) -> None:
    tasks, expected = undisturbed
    other = shuffled_set(tasks, tmp_path, seed=condition)
    environment = CONDITIONS[condition] | {"HAKARI_CACHE": str(tmp_path / "cache")}
    hakari("run", *_retrievers(), "--on", other, "--results", tmp_path / "results", **environment)
    assert bytes_below(tmp_path / "results") == expected


@pytest.fixture(scope="module")
def usual_seconds(
    undisturbed: tuple[Path, dict[str, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> float:
    """How long the run takes at the least."""

    def seconds() -> float:
        start = time.monotonic()
        hakari("run", *_retrievers(), "--on", undisturbed[0], "--results", tmp_path_factory.mktemp("timed"))
        return time.monotonic() - start

    return min(seconds() for _ in range(2))


@pytest.mark.parametrize("moment", [random.Random(20261118 + i).uniform(0.15, 0.9) for i in range(10)])
def test_a_killed_run_is_finished_by_the_same_command(
    undisturbed: tuple[Path, dict[str, bytes]], usual_seconds: float, tmp_path: Path, moment: float
) -> None:
    tasks, expected = undisturbed
    arguments = ["run", *_retrievers(), "--on", str(tasks), "--results", str(tmp_path / "results")]
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(moment * usual_seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for name, content in bytes_below(tmp_path / "results").items():
        if name.endswith(".parquet"):
            assert content == expected[name]
    hakari(*arguments)
    assert bytes_below(tmp_path / "results") == expected


def test_interrupted_by_the_user_keeps_what_is_finished(
    undisturbed: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    tasks, _ = undisturbed
    command = [*COMMAND, "run", "bm25", "--on", str(tasks), "--results", str(tmp_path / "results")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(tmp_path.rglob("*.parquet")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode in (130, 0), told  # it may have been done already
    if process.returncode == 130:
        assert "goes on from here" in told
        assert "Traceback" not in told
