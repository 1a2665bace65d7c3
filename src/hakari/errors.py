"""Every error that hakari raises on purpose, in one tree.

HakariError                 what went wrong, and a hint that can be pasted
+-- UsageError              exit 2: the request cannot be carried out as it stands
|   +-- UnknownName         a name that is not known, with the nearest ones
|   +-- InvalidInput        files or data with faults, all of them at once
+-- MissingPrerequisite     exit 3: something that must be installed or fetched first
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

EXIT_OK, EXIT_GATE_FAILED, EXIT_USAGE, EXIT_MISSING, EXIT_INTERRUPTED = 0, 1, 2, 3, 130


class HakariError(Exception):
    """A failure with a cause that the user can act on."""

    exit_code = EXIT_USAGE

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class UsageError(HakariError):
    """The request cannot be carried out as it stands."""


class UnknownName(UsageError):
    """A name that is not known; the nearest known names make the hint, or all where they are few."""

    SHORT = 300

    def __init__(self, kind: str, name: str, known: Iterable[str], listing: str) -> None:
        names = list(dict.fromkeys(known))
        near = nearest(name, names)
        hint = f"list them with `{listing}`"
        if near:
            hint = f"did you mean {' or '.join(f'`{n}`' for n in near)}? List them with `{listing}`"
        elif names and len(told := ", ".join(f"`{n}`" for n in names)) <= self.SHORT:
            hint = f"there is {told}"
        super().__init__(f"unknown {kind} `{name}`", hint)


@dataclass(frozen=True)
class Fault:
    """One thing wrong with an input: where it is, what it is, and what to do about it."""

    what: str
    file: str | None = None
    row: int | None = None
    hint: str | None = None

    def __str__(self) -> str:
        where = (
            "" if self.file is None else self.file + (f":{self.row}" if self.row is not None else "") + ": "
        )
        return f"{where}{self.what}"


class InvalidInput(UsageError):
    """An input with faults. All that were found are listed, not only the first."""

    SHOWN = 20

    def __init__(self, subject: str, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [f"  {fault}" for fault in self.faults[: self.SHOWN]]
        if len(self.faults) > self.SHOWN:
            lines.append(f"  and {len(self.faults) - self.SHOWN} more")
        hints = dict.fromkeys(fault.hint for fault in self.faults if fault.hint)
        count = len(self.faults)
        super().__init__(
            f"{subject} has {count} fault{'s' if count != 1 else ''}\n" + "\n".join(lines),
            "; ".join(list(hints)[:3]) or None,
        )


class MissingPrerequisite(HakariError):
    """Something that has to be installed or fetched first; the hint is the command."""

    exit_code = EXIT_MISSING


def nearest(name: str, known: Iterable[str], count: int = 2) -> list[str]:
    """The known names nearest to a misspelt one, compared without case."""
    folded: dict[str, str] = {}
    for candidate in known:
        folded.setdefault(candidate.lower(), candidate)
    return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=count, cutoff=0.6)]


def install_hint(extra: str = "", *options: str) -> str:
    """The command that installs hakari again as it is installed here (a checkout, or by name), with an extra."""
    import json
    import shlex
    from importlib import metadata
    from urllib.parse import unquote, urlsplit

    try:
        told = json.loads(metadata.distribution("hakari").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        told = {}
    source = unquote(urlsplit(told["url"]).path) if "dir_info" in told else "hakari"
    editable = ["--editable"] if told.get("dir_info", {}).get("editable") else []
    wanted = shlex.quote(f"{source}[{extra}]" if extra else source)
    return " ".join(["pip install", *options, *editable, wanted])
