"""Pairs from the history of a repository: what was wrong with a function, and the function as it was mended."""

from __future__ import annotations

import ast
import subprocess
import warnings
from collections.abc import Iterator
from pathlib import Path

from hakari.errors import MissingPrerequisite, UsageError
from hakari.mining.rows import Account, Row
from hakari.nano.draft import Stage

ABOUT_FIXES = r"\b(fix(e[sd])?|bug|regression|crash(e[sd])?|broken|incorrect|wrong|error|fail(s|ed|ure)?)\b"
MAX_FILES = 10
"""A commit that touches more files is no fix of one thing."""
MAX_CODE_CHARACTERS = 4_000
_TIMEOUT = 120
# Whatever the repository's own settings say, nothing but git itself runs.
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "-c", "protocol.allow=never", "--no-pager")


def fix_rows(repository: Path, stages: list[Stage], commits: int | None = None) -> Iterator[Row]:
    """For each function that a commit about a fix changed: its message and the function before, and after."""
    account = Account("functions of fixes")
    for commit, message in _commits_about_fixes(repository, commits):
        paths = _changed_files(repository, commit)
        if not 0 < len(paths) <= MAX_FILES:
            account.seen += 1
            account.leave_out("many files at once" if paths else "no Python file")
            continue
        for path in paths:
            before = _functions(_file_at(repository, f"{commit}^", path))
            after = _functions(_file_at(repository, commit, path))
            changed = [name for name in before if name in after and before[name] != after[name]]
            for name in changed:
                account.seen += 1
                if max(len(before[name]), len(after[name])) > MAX_CODE_CHARACTERS:
                    account.leave_out("function too long")
                elif _same_program(before[name], after[name]):
                    account.leave_out("only layout or comments changed")
                else:
                    account.kept += 1
                    place = f"{commit[:12]} {path}:{name}"
                    yield Row(f"{message}\n\n{before[name]}", after[name], "broken-to-fixed", place)
    stages.append(account.stage())


def _git(repository: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *_SAFE, "-C", str(repository), *arguments],
            capture_output=True,
            timeout=_TIMEOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except FileNotFoundError:
        raise MissingPrerequisite(
            "git is not installed", "install it, such as `apt-get install git`"
        ) from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["git failed"]
        raise UsageError(
            f"`{repository}` cannot be read as a git repository: {reason[-1]}",
            f"check it with `git -C {repository} log -1`",
        )
    return done.stdout.decode("utf-8", "replace")


def _commits_about_fixes(repository: Path, limit: int | None) -> Iterator[tuple[str, str]]:
    """Hash and message of the commits whose first line speaks of a fix, newest first."""
    import re

    if not repository.is_dir():
        raise UsageError(f"`{repository}` is no folder", "give the folder of a git repository")
    told = _git(repository, "log", "--no-merges", "--format=%H%x1f%s%x1f%b%x1e")
    found = 0
    for record in told.split("\x1e"):
        commit, _, rest = record.strip().partition("\x1f")
        subject, _, body = rest.partition("\x1f")
        if not commit or not re.search(ABOUT_FIXES, subject, re.IGNORECASE):
            continue
        paragraph = body.strip().partition("\n\n")[0].strip()
        yield commit, f"{subject.strip()}\n\n{paragraph}" if paragraph else subject.strip()
        found += 1
        if found == limit:
            return


def _changed_files(repository: Path, commit: str) -> list[str]:
    told = _git(
        repository, "diff-tree", "-r", "-z", "--no-commit-id", "--name-only", "--diff-filter=M", commit
    )
    return sorted(path for path in told.split("\0") if path.endswith(".py"))


def _file_at(repository: Path, commit: str, path: str) -> str:
    return _git(repository, "cat-file", "blob", f"{commit}:{path}")


def _functions(text: str) -> dict[str, str]:
    """The functions of a module by qualified name; none where it cannot be parsed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    lines = text.splitlines()
    found: dict[str, str] = {}
    for name, node in _named(tree, ""):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        cut = lines[first - 1 : node.end_lineno]
        margin = len(cut[0]) - len(cut[0].lstrip()) if cut else 0
        found.setdefault(
            name, "\n".join(line[margin:] if not line[:margin].strip() else line for line in cut)
        )
    return found


def _named(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _named(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.If | ast.Try):
            yield from _named(child, prefix)


def _same_program(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError):
        return False
