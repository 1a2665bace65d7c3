"""How much is installed, how long an import takes and how much memory it needs: hakari beside its peers.

    python benchmarks/startup.py                       # makes the environments, measures, removes them
    python benchmarks/startup.py --keep ~/startup      # keeps them, so that the next call only measures
    python benchmarks/startup.py --only hakari ranx --output benchmarks/startup.md

Each package gets a fresh virtual environment with its base install and nothing else; hakari's is built from
the working tree, each time. Peers that need torch get its CPU build first; such an environment takes about
1.5 GB. Imports are timed inside fresh processes, after one that warms the caches; the packages take turns.
Ends with exit code 1 where hakari misses one of its goals.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from side_by_side import Spread, figure, machine, markdown_table, readings

ROOT = Path(__file__).resolve().parents[1]
TORCH = "torch==2.13.0"
FIRST_CALL = "hakari.api"
NOT_PART_OF_IT = ("pip", "setuptools")
GOALS = {"import": 0.150, "help": 0.200, "size": 320e6}

IMPORT = """
import sys, time
clock, work = time.perf_counter(), time.process_time()
__import__(sys.argv[1])
clock, work = time.perf_counter() - clock, time.process_time() - work
try:
    peak = next(int(l.split()[1]) * 1024 for l in open("/proc/self/status") if l.startswith("VmHWM"))
except OSError:
    import resource
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(clock, work, peak)
"""

SIZES = """
import json
from importlib.metadata import distributions
told = {}
for d in distributions():
    files = [f.locate() for f in d.files or () if ".." not in f.parts]
    size = sum(f.stat().st_size for f in files if f.exists())
    told[d.metadata["Name"].lower().replace("_", "-")] = [d.version, size]
print(json.dumps(told))
"""


@dataclass(frozen=True)
class Reading:
    """What one fresh process took."""

    clock: float
    """Seconds on the clock, which other work on the machine lengthens."""
    work: float
    """Seconds of the processor."""
    peak: float = 0.0
    """The most bytes in memory, the interpreter's own included."""


@dataclass(frozen=True)
class Contender:
    """A package: how it is installed, imported and asked for help."""

    name: str
    module: str
    installs: tuple[str, ...]
    command: str | None = None


CONTENDERS = (
    Contender("hakari", "hakari", (".",), "hakari"),
    Contender("ranx", "ranx", ("ranx",)),
    Contender("ir-measures", "ir_measures", ("ir-measures",), "ir_measures"),
    Contender("sentence-transformers", "sentence_transformers", (TORCH, "sentence-transformers")),
    Contender("mteb", "mteb", (TORCH, "mteb"), "mteb"),
    Contender("beir", "beir.retrieval.evaluation", (TORCH, "beir")),
)


@dataclass(frozen=True)
class Environment:
    """A virtual environment with one contender in it."""

    contender: Contender
    folder: Path

    @property
    def scripts(self) -> Path:
        """Where its programs are."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.scripts / "python")

    def make(self) -> None:
        """Create it and install the contender, unless an earlier call has finished doing so."""
        done = self.folder / "installed"
        if done.exists() and self.contender.name != "hakari":
            return
        print(f"installing {self.contender.name}", file=sys.stderr, flush=True)
        venv.create(self.folder, clear=True, with_pip=True)
        for what in self.contender.installs:
            self._install(what)
        done.touch()

    def _install(self, what: str) -> None:
        command = [self.python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        if what != ".":
            subprocess.run([*command, what], check=True, cwd=self.folder, env=clean_environment())
            return
        with tempfile.TemporaryDirectory() as folder:
            # A copy, because a build in place leaves files behind and takes up stale ones from build/.
            tree = shutil.copytree(
                ROOT, Path(folder) / "tree", ignore=shutil.ignore_patterns(".*", "build", "*.so")
            )
            subprocess.run([*command, str(tree)], check=True, cwd=self.folder, env=clean_environment())

    def run(self, *arguments: str) -> str:
        """What its interpreter prints."""
        done = subprocess.run(
            [self.python, *arguments],
            check=True,
            cwd=self.folder,
            env=clean_environment(),
            capture_output=True,
        )
        return done.stdout.decode()

    def import_module(self, module: str | None = None) -> Reading:
        """One import in a fresh process, of the contender's own module where no other is named."""
        return Reading(*map(float, self.run("-c", IMPORT, module or self.contender.module).split()[-3:]))

    def print_help(self) -> Reading:
        """One `--help`, from starting the process to its end."""
        program = str(self.scripts / str(self.contender.command))
        before, start = children_seconds(), time.perf_counter()
        subprocess.run(
            [program, "--help"],
            check=True,
            cwd=self.folder,
            env=clean_environment(),
            stdout=subprocess.DEVNULL,
        )
        return Reading(time.perf_counter() - start, children_seconds() - before)

    def sizes(self) -> dict[str, tuple[str, int]]:
        """Version and bytes of every distribution but pip and setuptools."""
        told = json.loads(self.run("-c", SIZES))
        return {name: (version, size) for name, (version, size) in told.items() if name not in NOT_PART_OF_IT}

    def installed_bytes(self) -> int:
        """Apparent size of site-packages without pip and setuptools."""
        site = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        ours = [p for p in site.iterdir() if p.name.split("-")[0] not in (*NOT_PART_OF_IT, "_distutils_hack")]
        return sum(f.stat().st_size for top in ours for f in [top, *top.rglob("*")] if f.is_file())


def children_seconds() -> float:
    """Seconds of the processor that ended child processes have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clean_environment() -> dict[str, str]:
    """This process' environment without what would let another Python's packages in."""
    strangers = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in strangers}


def report(environments: list[Environment], rounds: int) -> tuple[str, list[str]]:
    """The report as Markdown, and the goals that are missed."""
    takers = {e.contender.name: e.import_module for e in environments}
    if environments[0].contender.name == "hakari":
        takers[FIRST_CALL] = partial(environments[0].import_module, FIRST_CALL)
    imports = readings(takers, rounds)
    helps = readings({e.contender.name: e.print_help for e in environments if e.contender.command}, rounds)
    rows = []
    for environment in environments:
        name = environment.contender.name
        rows.append([f"{name} {environment.sizes()[name][0]}", figure(environment.installed_bytes() / 1e6)])
        rows[-1] += [*milliseconds(imports[name]), figure(max(r.peak for r in imports[name]) / 1e6)]
        rows[-1] += milliseconds(helps[name]) if name in helps else ["has none", ""]
    header = ["base install", "installed MB", "import: processor ms", "clock ms", "peak memory MB"]
    parts = [markdown_table([*header, "`--help`: processor ms", "clock ms"], rows)]
    missed: list[str] = []
    if environments[0].contender.name == "hakari":
        goals, missed = against_goals(environments[0], imports["hakari"], helps["hakari"])
        parts += [first_call(imports[FIRST_CALL]), goals, contents(environments[0])]
    return "\n\n".join(parts), missed


def first_call(imports: list[Reading]) -> str:
    """What is put off until it is needed, so that nobody takes the import for all there is."""
    work, peak = Spread.of([r.work for r in imports]).text(1e3), figure(max(r.peak for r in imports) / 1e6)
    return (
        "`import hakari` loads nothing yet. The first call of `hakari.run` loads numpy and hakari's own modules\n"
        f"(`import {FIRST_CALL}` in a fresh process): {work} ms of the processor, {peak} MB at the peak."
    )


def milliseconds(taken: list[Reading]) -> list[str]:
    """Processor and clock as two cells."""
    return [Spread.of([r.work for r in taken]).text(1e3), Spread.of([r.clock for r in taken]).text(1e3)]


def against_goals(ours: Environment, imports: list[Reading], helps: list[Reading]) -> tuple[str, list[str]]:
    """The goals beside what was measured, and those that are missed."""
    measured = [
        ("`import hakari`", Spread.of([r.work for r in imports]).median, GOALS["import"], 1e3, "ms"),
        ("`hakari --help`", Spread.of([r.work for r in helps]).median, GOALS["help"], 1e3, "ms"),
        ("base install", ours.installed_bytes(), GOALS["size"], 1e-6, "MB"),
    ]
    rows = [
        [
            what,
            f"{figure(goal * scale)} {unit}",
            f"{figure(value * scale)} {unit}",
            "yes" if value <= goal else "NO",
        ]
        for what, value, goal, scale, unit in measured
    ]
    missed = [what for what, value, goal, _, _ in measured if value > goal]
    return markdown_table(["goal", "at most", "measured", "met"], rows), missed


def contents(ours: Environment) -> str:
    """What hakari's base install consists of, largest first."""
    sizes = sorted(ours.sizes().items(), key=lambda item: -item[1][1])
    rows = [[f"{name} {version}", figure(size / 1e6)] for name, (version, size) in sizes]
    return markdown_table(["part of hakari's base install", "MB"], rows)


def load() -> str:
    """How busy the machine was in the last five minutes, where it tells."""
    return f"{os.getloadavg()[1]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = [c.name for c in CONTENDERS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, help="measure these only")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the environments here and use them again"
    )
    parser.add_argument("--rounds", type=int, default=9, help="fresh processes a figure (default: 9)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the report here as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        environments = [Environment(c, folder / c.name) for c in CONTENDERS if c.name in options.only]
        for environment in environments:
            environment.make()
        tables, missed = report(environments, options.rounds)
    text = PREFACE.format(machine=machine(), rounds=options.rounds, load=load()) + tables + "\n"
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


PREFACE = """# Start-up and size

Written by `startup.py`. {machine}, load {load} while measuring.

Median of {rounds} fresh processes with warm caches, and quartiles; the packages took turns. Imports are
measured inside the process, `--help` from its start to its end. The clock counts what else the machine was
doing, the processor's seconds hardly do: those are held against the goals, and are what to compare. Installed
is the apparent size of site-packages without pip and setuptools; peak memory includes the interpreter; 1 MB is
10^6 bytes. Torch is the CPU build.

"""

if __name__ == "__main__":
    main()
