"""What README and docs say is true: commands parse and run, snippets run, names exist, references are current."""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import io
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest
from command import within as hakari
from small import small_task

import hakari as library
from hakari import api, errors
from hakari.cli import EXIT_INTERNAL, execute, group
from hakari.errors import EXIT_GATE_FAILED, HakariError
from hakari.io.nano_write import write_nano_set
from hakari.measures import parse_many
from hakari.measures.kinds import KINDS
from hakari.retrievers import registry

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
GUIDES = [page for page in PAGES if page.name not in ("commands.md", "measures.md", "model-catalog.md")]
NOT_RUN = {"concepts.md", "catalog.md", "endpoints.md", "models.md"}
"""Pages whose command lines are only parsed, for they name published tasks, models or a server: a network."""
RUNNABLE = [page for page in GUIDES if page.name not in NOT_RUN]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
GENERATOR = ROOT / "tools" / "reference.py"
OWN_OF_TESTS = {"HAKARI_TEST_DATA", "HAKARI_TEST_CACHE"}


class Block(NamedTuple):
    language: str
    text: str


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(*pair) for pair in found]


def prose(page: Path) -> str:
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def spans(page: Path) -> list[str]:
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose(page))]


def lines_of(text: str) -> Iterator[list[str]]:
    """The arguments of every `hakari` command line in a block of shell or YAML."""
    for line in text.replace("\\\n", " ").splitlines():
        line = line.strip().removeprefix("- ").removeprefix("run: ").removeprefix("$ ")
        if line.startswith("hakari "):
            words = shlex.split(line, comments=True)
            ends = [i for i, word in enumerate(words) if word in ("|", "&&", ">", ">>", ";")]
            yield words[1 : min(ends, default=len(words))]


def command_lines(page: Path) -> list[list[str]]:
    return [
        line for block in blocks(page) if block.language in ("sh", "yaml") for line in lines_of(block.text)
    ]


def commands(
    parent: click.Group = group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(parent, info_name="hakari")
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def parsed(arguments: list[str]) -> click.Context | None:
    """The context of a command line that click accepts; None where it only asks for help or the version."""
    command: click.Command = group
    context = None
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
                if hasattr(command, "with_subcommand"):
                    arguments = command.with_subcommand(arguments)
                found = command.get_command(click.Context(command), arguments[0])
                assert found is not None, f"there is no command `{arguments[0]}`"
                command, arguments = found, arguments[1:]
            context = command.make_context(command.name, list(arguments))
    except click.exceptions.Exit:
        return None
    return context


def problem(arguments: list[str]) -> str | None:
    """What is wrong with a command line, down to the names of retrievers and measures."""
    try:
        context = parsed(arguments)
        given = context.params if context else {}
        if given.get("measures"):
            parse_many(given["measures"])
        if context and context.command.name in ("run", "compare"):
            own = [r for r in given["retrievers"] if not is_users_own(r)]
            if own:
                api.planned(own, given.get("variants", ()))
    except (click.ClickException, HakariError, AssertionError) as error:
        return f"hakari {shlex.join(arguments)}: {error}"
    return None


def is_users_own(retriever: str) -> bool:
    return re.search(r"\b(?!onnx)\w+:", retriever) is not None


@pytest.fixture(scope="module")
def reference() -> Iterator[object]:
    spec = importlib.util.spec_from_file_location("reference", GENERATOR)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["commands.md", "measures.md", "model-catalog.md"])
def test_the_generated_pages_are_current(reference, name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == reference.pages()[name], f"docs/{name} is out of date; run: {reference.COMMAND}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_line_is_one_that_hakari_takes(page: Path) -> None:
    inline = [s for s in spans(page) if s.startswith("hakari ") and not re.search(r"\.\.\.|[A-Z]{4,}", s)]
    known = {" ".join(path) for path, _ in commands()}
    named = [span for span in inline if span.removeprefix("hakari ") in known]
    whole = [
        line for span in inline if span not in named and len(span.split()) > 2 for line in lines_of(span)
    ]
    wrong = [p for line in [*command_lines(page), *whole] if (p := problem(line))]
    wrong += [
        s for s in inline if len(s.split()) == 2 and s.split()[1] not in known and "-" not in s.split()[1][:1]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "ruin bm25",
        "run bm25",
        "run bm25 --on X --nope",
        "run bm26 --on X",
        "run bm25 --on X --measures nDGC@10",
    ],
)
def test_a_wrong_command_line_is_found(line: str) -> None:
    assert problem(line.split())


def test_examples_in_help_are_not_folded_on_80_columns() -> None:
    for path, command in commands():
        for line in (command.help or "").splitlines():
            assert "hakari " not in line[:15] or len(line.strip()) <= 74, path


def test_every_command_and_option_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for path, command in commands():
        if isinstance(command, click.Group):
            continue
        section = page.partition(f"\n## hakari {' '.join(path)}\n")[2].partition("\n## ")[0]
        options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
        missing = [
            o for p in options for o in p.opts if not re.search(rf"`[^`]*(?<!\w){re.escape(o)}\b", section)
        ]
        assert section, f"`hakari {' '.join(path)}` has no section"
        assert not missing, f"`hakari {' '.join(path)}` lacks {missing}"


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_every_option_that_is_named_exists(page: Path) -> None:
    options = {o for _, command in commands() for p in command.params for o in (*p.opts, *p.secondary_opts)}
    named = {span.split()[0].split("=")[0] for span in spans(page) if span.startswith("-")}
    assert named - options - {"--help", "--version", "-h", "-0.01"} == set()


def test_every_measure_is_documented_and_every_measure_in_the_docs_exists() -> None:
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)$", page, re.MULTILINE) == [kind.name for kind in KINDS.values()]
    for guide in GUIDES:
        parse_many([s for s in spans(guide) if re.fullmatch(r"[A-Za-z]+@[0-9]+", s)] or "nDCG@10")


def test_every_environment_variable_is_documented_and_every_documented_one_is_read() -> None:
    pattern = re.compile(r"\bHAKARI_[A-Z_]+[A-Z]\b")
    read = {name for path in SOURCES for name in pattern.findall(path.read_text(encoding="utf-8"))}
    table = set(
        re.findall(r"^\| `(HAKARI_\w+)` \|", (ROOT / "docs/concepts.md").read_text("utf-8"), re.MULTILINE)
    )
    assert read - OWN_OF_TESTS == table, "the table is in docs/concepts.md"
    assert {n for page in PAGES for n in pattern.findall(page.read_text("utf-8"))} <= table


def test_every_exit_code_is_documented() -> None:
    page = (ROOT / "docs/concepts.md").read_text(encoding="utf-8").partition("## Exit codes")[2]
    codes = {value for name, value in vars(errors).items() if name.startswith("EXIT_")} | {EXIT_INTERNAL}
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)} == codes


def test_every_retriever_is_documented_with_its_settings() -> None:
    page = (ROOT / "docs/concepts.md").read_text(encoding="utf-8")
    page = page.partition("## Naming retrievers")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.*?) \|", page, re.MULTILINE))
    known = [entry.name for entry in registry.known() if entry.family != "plugin" and entry.source is None]
    assert set(rows) == {*known, "module:Name"}
    for name in known:
        inside = {
            "rrf": "bm25,bm25-code,",
            "weighted": "bm25,bm25-code,",
            "rerank": "bm25,constant-reranker,",
        }.get(name, "")
        with pytest.raises(HakariError) as told:
            registry.parse(f"{name}({inside}no_such_setting=1)")
        takes = re.search(r"takes (?!no )(.*)", told.value.hint or "")
        assert re.findall(r"`(\w+)(?:=[^`]*)?`", rows[name]) == (takes[1].split(", ") if takes else []), name
        for setting in re.findall(r"`(\w+=[^`]+)`", rows[name]):
            assert "=" not in registry.parse(f"{name}({inside}{setting})").name, f"{setting} is no default"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name_of(page)} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}, target


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "design").glob("*.md")], ids=name_of
)
def test_no_path_of_a_machine(page: Path) -> None:
    assert (
        re.findall(r"(?<![\w.])/(?:work|tmp|home|root|Users|usr)/\S*", page.read_text(encoding="utf-8")) == []
    )


def test_the_table_in_the_readme_is_one_that_hakari_prints(place: Path) -> None:
    (shown,) = [b.text for b in blocks(ROOT / "README.md") if b.text.startswith("NanoStdlib")]
    printed = hakari("run", "bm25", "--on", place / "path/to/NanoX", "--results", place / "r").stdout
    titles = [text.splitlines()[2].split() for text in (shown, printed)]
    assert titles[0] == titles[1]
    number = r"[01]?\.\d{3} \[[01]?\.\d\d,[01]?\.\d\d\]"
    assert re.search(number, shown)
    assert re.search(number, printed)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the pages name: a set, runs and judgements."""
    folder = tmp_path_factory.mktemp("pages")
    write_nano_set(
        folder / "path/to/NanoX", [small_task(t, 12, 40, seed=i) for i, t in enumerate(("Task", "Other"))]
    )
    shutil.copytree(folder / "path/to/NanoX", folder / "eval/NanoX")
    hakari("run", "bm25-code", "--on", folder / "eval/NanoX", "--results", folder / "eval/main")
    on = ("--on", folder / "path/to/NanoX/Task")
    hakari("run", "bm25", "bm25-code", *on, "--results", folder / "made")
    hakari("export", "trec", "--results", folder / "made", "--out", folder / "made/runs")
    hakari("export", "qrels", *on, "--out", folder / "made/qrels")
    first, second = sorted((folder / "made/runs/NanoX").glob("*.run"))
    shutil.copy(first, folder / "my.run")
    (folder / "my.run.gz").write_bytes(gzip.compress(first.read_bytes()))
    shutil.copy(second, folder / "other.run")
    shutil.copy(folder / "made/qrels/NanoX/Task.qrels", folder / "qrels.txt")
    shutil.rmtree(folder / "made")
    return folder


@pytest.fixture
def copy(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the place as the current folder, from which modules can be imported."""
    folder = tmp_path / "here"
    shutil.copytree(place, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return folder


@pytest.mark.parametrize("page", RUNNABLE, ids=name_of)
def test_the_page_runs_from_top_to_bottom(page: Path, copy: Path, capsys: pytest.CaptureFixture) -> None:
    """Every block of Python, and every command line, in order, as a reader would."""
    files = [b for b in blocks(page) if b.language == "python" and b.text.startswith("# ")]
    for block in files:
        (copy / block.text.split()[1]).write_text(block.text, encoding="utf-8")
    shared = {"__name__": "page", "hakari": library}
    for block in blocks(page):
        if block.language == "python":
            exec(compile(block.text, name_of(page), "exec"), shared)  # the page is the program
        elif block.language in ("sh", "yaml"):
            for line in lines_of(block.text):
                if able_to_run(line):
                    run_as_a_reader(page, line)
    capsys.readouterr()
    sys.modules.pop("mine", None)


def able_to_run(arguments: list[str]) -> bool:
    if "onnx:path/to/model" in " ".join(arguments) or arguments[0] == "demo":
        return False
    weights = {entry.name: entry.installed for entry in registry.known()}["bge_small_en"]
    return weights or "bge_small_en" not in " ".join(arguments)


def run_as_a_reader(page: Path, arguments: list[str]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = execute(arguments)
    allowed = (0, EXIT_GATE_FAILED) if arguments[0] == "gate" else (0,)
    assert code in allowed, f"{name_of(page)}: hakari {shlex.join(arguments)}\n{err.getvalue()}"


def test_every_command_that_the_code_recommends_exists() -> None:
    known = {path[0] for path, _ in commands()}
    hint = re.compile(r"`hakari ([a-z]+)")
    named = {(p.name, name) for p in SOURCES for name in hint.findall(p.read_text(encoding="utf-8"))}
    assert {(file, name) for file, name in named if name not in known} == set()
    assert len(named) > 10


def test_every_public_function_is_shown_in_use() -> None:
    code = "\n".join(block.text for page in GUIDES for block in blocks(page) if block.language == "python")
    functions = [name for name in library.__all__ if name[0].islower()]
    assert {name for name in functions if not re.search(rf"\b{name}\(", code)} == set()


def test_the_readme_opens_with_the_two_commands() -> None:
    first = blocks(ROOT / "README.md")[0].text
    assert [line.split("#")[0].strip() for line in first.splitlines()] == ["make demo", "make test"]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = {
        m for page in GUIDES for m in re.findall(r"\bmake ([a-z-]+)$", "\n".join(spans(page)), re.MULTILINE)
    }
    assert {"demo", "test"} | named <= set(targets)
