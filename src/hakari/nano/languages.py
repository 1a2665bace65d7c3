"""The programming languages that `hakari build code` reads: their files, their grammars, their test files."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass

from hakari.errors import MissingPrerequisite, UnknownName, install_hint
from hakari.nano.definitions import PYTHON


@dataclass(frozen=True)
class Language:
    """A language and how its sources are known."""

    name: str
    endings: tuple[str, ...]
    grammar: str = ""
    """The module of its tree-sitter grammar; empty where none is needed."""
    entry: str = "language"
    """The function of that module which gives the grammar."""
    test_file: str = r"(?!)"
    """What the names of its test files look like."""
    separator: str = "."
    """What stands between the parts of a name."""
    comments: tuple[str, ...] = ("//", "/*", "* ", "*/")
    """How a line begins that holds nothing but a comment."""

    @property
    def installed(self) -> bool:
        """Whether its grammar is installed."""
        return not self.grammar or all(
            importlib.util.find_spec(module) is not None for module in ("tree_sitter", self.grammar)
        )


_SCRIPT_TEST = r".*[.-](?:test|spec|tests|specs|stories)\.\w+"
LANGUAGES = {
    language.name: language
    for language in (
        Language(PYTHON, (".py",), test_file=r"(?:test_.*|.*_tests?|conftest)\.py", comments=("#",)),
        Language(
            "javascript", (".js", ".mjs", ".cjs", ".jsx"), "tree_sitter_javascript", test_file=_SCRIPT_TEST
        ),
        Language(
            "typescript",
            (".ts", ".mts", ".cts"),
            "tree_sitter_typescript",
            "language_typescript",
            test_file=_SCRIPT_TEST,
        ),
        Language("tsx", (".tsx",), "tree_sitter_typescript", "language_tsx", test_file=_SCRIPT_TEST),
        Language(
            "java",
            (".java",),
            "tree_sitter_java",
            test_file=r"(?:Test[A-Z_].*|.*(?:Tests?|TestCase|IT))\.java",
        ),
        Language("go", (".go",), "tree_sitter_go", test_file=r".*_test\.go"),
        Language("rust", (".rs",), "tree_sitter_rust", test_file=r"(?:tests?|.*_tests?)\.rs", separator="::"),
        Language("c", (".c", ".h"), "tree_sitter_c", test_file=r"(?:test[-_.].*|.*[-_]tests?)\.[ch]"),
        Language(
            "c++",
            (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
            "tree_sitter_cpp",
            test_file=r"(?:test[-_.].*|.*[-_](?:unit)?tests?)\.\w+",
            separator="::",
        ),
    )
}
LANGUAGE_OF_ENDING = {ending: language for language in LANGUAGES.values() for ending in language.endings}
_ALIASES = {"js": "javascript", "ts": "typescript", "py": PYTHON, "golang": "go", "rs": "rust", "cpp": "c++"}


def chosen(names: tuple[str, ...]) -> frozenset[str]:
    """The languages that were asked for by name; their grammars must be there."""
    wanted = set()
    for name in names:
        key = _ALIASES.get(name.lower(), name.lower())
        if key not in LANGUAGES:
            raise UnknownName("language", name, LANGUAGES, "hakari build code --help")
        wanted |= {key, *(("tsx",) if key == "typescript" else ())}
    require(wanted)
    return frozenset(wanted)


def require(names: set[str]) -> None:
    """Raise where the grammar of a language is not installed."""
    lacking = sorted(name for name in names if not LANGUAGES[name].installed)
    if lacking:
        packages = sorted({LANGUAGES[name].grammar.replace("_", "-") for name in lacking})
        raise MissingPrerequisite(
            f"no grammar to read {' and '.join(f'`{name}`' for name in lacking)} with: "
            f"{', '.join(packages)} is not installed",
            install_hint("code"),
        )


_CPLUSPLUS = re.compile(
    rb"^\s*(?:class\s+\w|namespace\s|template\s*<|using\s|(?:public|private|protected)\s*:)|std::", re.M
)


def language_of_header(head: bytes) -> str:
    """What a file ending in `.h` is written in."""
    return "c++" if _CPLUSPLUS.search(head) else "c"
