"""Writes the generated references in docs (commands, measures, models by name) from the code that they describe.

    python tools/reference.py            write them
    python tools/reference.py --check    say which are out of date, and exit with 1 if any is

A new command, option or measure needs nothing here: add it, run this, and commit what it writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import click

from hakari.cli import COMMANDS, group
from hakari.measures.kind import Kind
from hakari.measures.kinds import KINDS
from hakari.retrievers.hub_catalog import hub_catalog
from hakari.retrievers.trained_on import catalogued

DOCS = Path(__file__).resolve().parents[1] / "docs"
COMMAND = "python tools/reference.py"
MADE = f"<!-- Written by `{COMMAND}`; edit the code, not this page. -->"


def pages() -> dict[str, str]:
    """The generated pages, by file name."""
    return {"commands.md": commands_page(), "measures.md": measures_page(), "model-catalog.md": models_page()}


def models_page() -> str:
    """Every model of a hub that has a name of its own, with its facts."""
    rows = [
        f"| `{m.name}` | {m.family} | {'' if m.parameters is None else f'{m.parameters / 1e6:,.0f}'} "
        f"| {m.dimensions or ''} | {m.max_tokens or ''} | {m.licence or ''} | {_used(m.settings)} "
        f"| [{m.repository}]({m.source}) |"
        for m in hub_catalog().values()
    ]
    head = f"""\
        # Models by name

        {MADE}

        Each is fetched from the hub when it is run: [models](models.md) says how. What is not here is read from the
        model's own files. Facts are those of the model cards and of the registry of models of mteb; a field without a
        source is empty. Parameters are in millions.

        | name | family | parameters | dimensions | tokens | licence | used with | card |
        | --- | --- | ---: | ---: | ---: | --- | --- | --- |
        """
    return dedent(head) + "\n".join(rows) + "\n" + _trained()


def _trained() -> str:
    """What models say that they were trained on, those with the same data together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, told in catalogued().items():
        groups.setdefault(told.data, []).append(f"`{name}`")
    head = """
        ## Trained on

        As the registry of models of mteb has it, in the names of its tasks; what it does not know is not here, and
        unknown. Pages hold these names against [audits](audit.md#beside-models).

        | models | training data |
        | --- | --- |
        """
    rows = [f"| {', '.join(models)} | {', '.join(data)} |" for data, models in groups.items()]
    return dedent(head) + "\n".join(rows) + "\n"


def _used(settings: Mapping[str, object]) -> str:
    return _cell(", ".join(f"`{key}={value!r}`" for key, value in settings.items()))


def commands_page() -> str:
    """Every command with its options, as its help has them."""
    commands = list(commands_of(group, click.Context(group, info_name="hakari")))
    listed = [f"| [`{path}`](#{_anchor(path)}) | {_cell(_summary(path, c))} |" for path, c, _ in commands]
    head = f"""\
        # Commands

        {MADE}

        The same as `hakari COMMAND --help`. [Concepts](concepts.md) explains the words, the environment
        variables and the exit codes; data goes to standard output, everything else to standard error.

        | command | what it does |
        | --- | --- |
        """
    return dedent(head) + "\n".join(listed) + "\n" + "".join(_command(*found) for found in commands)


def commands_of(
    parent: click.Group, context: click.Context
) -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command below a group that does something itself, with its path and context, in order."""
    for name in parent.list_commands(context):
        command = parent.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from commands_of(command, inner)
        else:
            yield inner.command_path, command, inner


def _command(path: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    parts = [f"\n## {path}\n\n```\n{usage}\n```\n", *_help(command.help or "")]
    rows = [row for parameter in command.params if (row := _option(parameter, context))]
    if rows:
        parts += ["\n| option | what it is |\n| --- | --- |\n", *rows]
    return "".join(parts)


def _help(text: str) -> Iterator[str]:
    """The paragraphs of a help text; those that are command lines become blocks of code."""
    for paragraph in dedent(text).strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.splitlines() if line.strip() != "\b"]
        joined = " ".join(lines)
        lead, example, line = joined.partition("Example: ")
        if lines and all(line.startswith("hakari ") for line in lines):
            yield "\n```sh\n" + "\n".join(lines) + "\n```\n"
        elif example and line.startswith("hakari "):
            yield f"\n{lead}Example:\n\n```sh\n{line}\n```\n"
        else:
            yield f"\n{joined}\n"


def _option(parameter: click.Parameter, context: click.Context) -> str | None:
    record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
    if record is None:
        return None
    flags, told = record
    return f"| `{_cell(flags)}` | {_cell(told)} |\n"


def measures_page() -> str:
    """Every measure, what it is and how it is computed."""
    head = f"""\
        # Measures

        {MADE}

        A measure is written as its name, and its cut-off after an `@`: `nDCG@10`. Any case is read (`ndcg@10`), any
        cut-off is as good as the usual ones. Values are computed for each query; the mean over queries and its
        interval are derived from them. The rules are trec_eval's: a grade of 1 or more is relevant, scores are
        compared as 32-bit floats, ties go by document id, descending, and a query without a ranking or without
        relevant documents scores 0.

        | measure | such as | what it is |
        | --- | --- | --- |
        """
    rows = [
        f"| [`{k.name}`](#{_anchor(k.name)}) | {_forms(k.usual)} | {_cell(k.summary)} |"
        for k in KINDS.values()
    ]
    return dedent(head) + "\n".join(rows) + "\n" + "".join(_measure(kind) for kind in KINDS.values())


def _measure(kind: Kind) -> str:
    facts = [f"Usual forms: {_forms(kind.usual)}; {_cut(kind)}."]
    if kind.also_called:
        facts.append(f"Elsewhere also called {_forms(kind.also_called)}.")
    facts.append(f"A query scores from {kind.low:g} to {kind.high:g}.")
    told = " ".join(dedent(type(kind).__doc__ or "").split())
    words = kind.summary.split(" ", 1)
    summary = f"{words[0].capitalize() if words[0].islower() else words[0]} {words[1]}."
    return f"\n## {kind.name}\n\n{summary} {told}\n\n{' '.join(facts)}\n"


def _cut(kind: Kind) -> str:
    return "it needs a cut-off" if kind.cut_needed else "without a cut-off it looks at the whole ranking"


def _forms(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _summary(path: str, command: click.Command) -> str:
    return COMMANDS.get(path.partition(" ")[2]) or command.get_short_help_str(limit=200)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def main(arguments: list[str]) -> int:
    """Write the pages, or say which are out of date."""
    made: dict[str, Any] = pages()
    stale = [name for name, text in made.items() if not _same(DOCS / name, text)]
    if arguments == ["--check"]:
        for name in stale:
            print(f"docs/{name} is out of date; run: {COMMAND}", file=sys.stderr)
        return 1 if stale else 0
    DOCS.mkdir(exist_ok=True)
    for name in stale:
        (DOCS / name).write_text(made[name], encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
