"""Sets from real code: how long `hakari build code` takes, what it makes and leaves out, and whether the sets pass.

    python benchmarks/build_code.py --data folder --output benchmarks/build_code.md

Without --data, only this repository, the standard library and three installed packages are read. With it, every
folder in it that is listed below is read as well, each the sources of one package as its index has them:

    npm pack rxjs@7.8.2 lodash@4.18.1                                   TypeScript and JavaScript
    apt-get source libcommons-lang3-java libgit2                        Java and C (Debian 12)
    apt-get download golang-golang-x-tools-dev librust-tokio-dev libfmt-dev    Go, Rust and C++ (Debian 12)

Every build is a process of its own, whose processor time is taken, user and system: one core does all the work.
The standard library is built with up to 10,000 documents a task, the others with the 2,000 of the default.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from side_by_side import machine

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("click", "mteb", "scipy")
SOURCES = {
    "rxjs (TypeScript)": "rxjs-7.8.2/package/src",
    "lodash (JavaScript)": "lodash-4.18.1",
    "commons-lang (Java)": "commons-lang-rel-commons-lang-3.12.0",
    "x/tools (Go)": "golang-golang-x-tools-dev/usr/share/gocode/src/golang.org/x/tools",
    "tokio (Rust)": "librust-tokio-dev/usr/share/cargo/registry/tokio-1.24.2",
    "libgit2 (C)": "libgit2-1.5.1",
    "fmt (C++)": "libfmt-dev",
}
SHORT = {
    "DocstringToFunction": "doc to function",
    "FunctionToDocstring": "function to doc",
    "FunctionCompletion": "completion",
    "ApiReference": "reference",
    "TestToFunction": "test to function",
    "HeadingToSection": "pages",
}


def run(*arguments: object, codes: tuple[int, ...] = (0,)) -> tuple[Any, float]:
    """What a command prints, and the processor time of its process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "hakari", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}\n{done.stderr}")
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), seconds


def left_out(stages: list[dict[str, Any]], *reasons: str) -> int:
    return sum(n for stage in stages for reason, n in stage["left_out"].items() if reason in reasons)


def row(name: str, arguments: list[object], folder: Path) -> tuple[list[str], list[str], float]:
    """A line of either table, and seconds per 10,000 functions."""
    told, seconds = run("build", "code", *arguments, "--name", "NanoMine", "--out", folder)
    checked, _ = run("check", folder, codes=(0, 1))
    tasks = told["tasks"]
    shapes = [stages["stages"] for task, stages in tasks.items() if task != "HeadingToSection"]
    files, definitions = shapes[0][:2]
    near = sum(left_out(stages, "nearly the same as one chosen") for stages in shapes)
    found = definitions["seen"]
    counts = checked["counts"]
    per = seconds / found * 10_000
    main = [
        name,
        f"{files['kept']:,} of {files['seen']:,}",
        f"{definitions['kept']:,} of {found:,}",
        f"{seconds:.1f}",
        f"{per:.1f}",
        f"{left_out([files], 'generated', 'minified', 'vendored'):,}",
        f"{near:,}",
        f"{counts['error']}, {counts['warning']}",
    ]
    cells = [f"{tasks[t]['queries']} / {tasks[t]['documents']:,}" if t in tasks else "" for t in SHORT]
    print(name, f"{seconds:.1f} s", file=sys.stderr, flush=True)
    return main, [name, *cells], per


def table(titles: list[str], rows: list[list[str]]) -> str:
    lines = [titles, ["---", *["---:"] * (len(titles) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with the unpacked packages")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    wanted: dict[str, list[object]] = {
        "this repository (Python)": [ROOT],
        "standard library (Python)": ["--stdlib", "--documents", 10_000],
        **{f"{package} (Python)": [package] for package in PACKAGES},
    }
    if arguments.data:
        wanted |= {name: [arguments.data / place] for name, place in SOURCES.items()}
    with tempfile.TemporaryDirectory() as place:
        rows = [row(name, given, Path(place, f"set{i}")) for i, (name, given) in enumerate(wanted.items())]
    titles = [
        "source",
        "files read",
        "definitions",
        "processor s",
        "s per 10,000",
        "generated, minified, vendored files",
        "near-duplicates left out",
        "check: errors, warnings",
    ]
    text = f"{machine('tree-sitter')}.\n\n" + table(titles, [one for one, _, _ in rows])
    text += "\n\n## Queries and documents by task\n\n" + table(
        ["source", *SHORT.values()], [other for _, other, _ in rows]
    )
    slowest = max(per for _, _, per in rows)
    text += f"\n\nThe slowest source takes {slowest:.1f} s of one core for 10,000 definitions.\n"
    if arguments.output:
        arguments.output.write_text("# Sets from code\n\n" + text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
